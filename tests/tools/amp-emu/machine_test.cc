// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of reading and writing descriptions of machines.
#include "amp-emu/machine.h"

#include <gtest/gtest.h>
#include <stdexcept>

namespace amp {

static void expect_rejected(const std::string &text, const std::string &piece,
                            const std::string &why) {
  try {
    parse_machine(text);
    ADD_FAILURE() << "'" << text << "' was accepted";
  } catch (const std::invalid_argument &error) {
    const std::string message = error.what();
    EXPECT_EQ(message.find("'" + piece + "'"), 0u) << message;
    EXPECT_NE(message.find(why), std::string::npos) << message;
    EXPECT_NE(message.find(text), std::string::npos) << message;
  }
}

TEST(Machine, ReadsItsClasses) {
  const Machine machine = parse_machine("2x2.5+1x1.6+4x1");
  ASSERT_EQ(machine.size(), 3u);
  EXPECT_EQ(machine[0].cores, 2);
  EXPECT_EQ(machine[0].speed, 2.5);
  EXPECT_EQ(machine[1].cores, 1);
  EXPECT_EQ(machine[1].speed, 1.6);
  EXPECT_EQ(machine[2].cores, 4);
  EXPECT_EQ(machine[2].speed, 1);
}

TEST(Machine, WritesTheShortestText) {
  EXPECT_EQ(format_machine(parse_machine("4x3.0+4x1.0")), "4x3+4x1");
  EXPECT_EQ(format_machine(parse_machine("8x1")), "8x1");
  EXPECT_EQ(format_machine(parse_machine("04x1.60+1x.5")), "4x1.6+1x0.5");
  // Never with an exponent, which the library does not read.
  EXPECT_EQ(format_machine(parse_machine("1x1000+1x0.0010")), "1x1000+1x0.001");
  EXPECT_EQ(format_machine(parse_machine("1x1.6666667")), "1x1.6666667");
}

TEST(Machine, TakesTheBounds) {
  EXPECT_EQ(parse_machine("1024x1").front().cores, 1024);
  EXPECT_EQ(parse_machine("1023x2+1x1").size(), 2u);
  std::string text = "1x64";
  for (int speed = 63; speed > 0; --speed)
    text += "+1x" + std::to_string(speed);
  EXPECT_EQ(parse_machine(text).size(), 64u);
  text += "+1x0.5";
  expect_rejected(text, "1x0.5", "64 classes");
}

TEST(Machine, NamesTheWrongPiece) {
  for (const char *text :
       {"", "4", "x", "4x", "x1", "4x1x1", "4x-1", "-4x1", "4x1e0", "4xinf", "4xnan", "4.5x1",
        "4 x1", " 4x1", "4X1", "0x10x1", "4x1.2.3", "4x1,4x2", "4294967297x1"}) {
    expect_rejected(text, text, "is not COUNTxSPEED");
  }
  expect_rejected("4x3+", "", "is not COUNTxSPEED");
  expect_rejected("4x3+4y1", "4y1", "is not COUNTxSPEED");
  expect_rejected("0x1", "0x1", "1 to 1024");
  expect_rejected("1025x1", "1025x1", "1 to 1024");
  expect_rejected("1000x2+25x1", "25x1", "1024 cores");
  expect_rejected("4x0", "4x0", "0.001 to 1000");
  expect_rejected("4x1000.1", "4x1000.1", "0.001 to 1000");
  expect_rejected("4x1+4x3", "4x3", "not slower");
  expect_rejected("4x1+4x1.0", "4x1.0", "not slower");
}

} // namespace amp
