// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of reading files of loops' factors.
#include "amp-emu/loop-factors.h"

#include <gtest/gtest.h>
#include <stdexcept>

namespace amp {

using Factors = std::map<unsigned, double>;

static const Machine three = {{4, 3}, {2, 1.5}, {2, 0.5}};

static void expect_rejected(const std::string &text, const std::string &start,
                            const std::string &why) {
  try {
    parse_loop_factors(text, three);
    ADD_FAILURE() << "'" << text << "' was accepted";
  } catch (const std::invalid_argument &error) {
    const std::string message = error.what();
    EXPECT_EQ(message.find(start), 0u) << message;
    EXPECT_NE(message.find(why), std::string::npos) << message;
  }
}

TEST(LoopFactors, ReadsModulesAndOffsets) {
  const auto lines =
      parse_loop_factors("build/cg+0x29 0:1,1:2,2:8.9\nlibx.so.1+0x1f0a 2:3,1:2,0:0.5", three);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].name, "build/cg");
  EXPECT_EQ(lines[0].where, 0x29u);
  EXPECT_EQ(lines[0].factors, (Factors{{0, 1}, {1, 2}, {2, 8.9}}));
  EXPECT_EQ(lines[1].name, "libx.so.1");
  EXPECT_EQ(lines[1].where, 0x1f0au);
  EXPECT_EQ(lines[1].number, 2);
  EXPECT_EQ(lines[1].factors, (Factors{{0, 0.5}, {1, 2}, {2, 3}}));
}

TEST(LoopFactors, ReadsWhatTheLibrarySaves) {
  const auto lines = parse_loop_factors("# libgomp-amp speedup factors, format 2\n"
                                        "# machine 0123456789abcdef\n"
                                        "my%20%23app%25+0x12a7 0:1.000000,2:3.500000 # 17\n\n"
                                        "  a+0x7\t1:2 , 2:3\r\n",
                                        three);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].name, "my #app%");
  EXPECT_EQ(lines[0].number, 3);
  EXPECT_EQ(lines[1].number, 5);
  EXPECT_EQ(lines[1].factors, (Factors{{0, 1}, {1, 2}, {2, 3}}));
}

TEST(LoopFactors, GivesClassesThatAreNotNamedTheMachinesSpeeds) {
  EXPECT_EQ(parse_loop_factors("program 2:8", three)[0].name, "");
  EXPECT_EQ(parse_loop_factors("a+0x7 2:8", three)[0].factors, (Factors{{0, 1}, {1, 3}, {2, 8}}));
  EXPECT_EQ(parse_loop_factors("a+0x7 0:2", three)[0].factors, (Factors{{0, 2}, {1, 6}, {2, 12}}));
}

TEST(LoopFactors, DoesNotMakeUpMoreThanTheLibraryReads) {
  expect_rejected("a+0x7 0:500,1:600", "1: 'a+0x7'", "class 2");
}

TEST(LoopFactors, TellsWhatIsWrongWhere) {
  for (const char *site : {"a.c", "a.c:7", "a+0x", "+0x10", "a+0xg", "a+0x10g", "a+10"})
    expect_rejected(std::string("\n") + site + " 1:2", "2: '" + std::string(site) + "'",
                    "MODULE+0xOFFSET");
  for (const char *list : {"1", "1:", ":2", "1:2,", "1=2", "1:-2", "1:2e1", "-1:2", "1:2;2:3"})
    expect_rejected(std::string("a+0x7 ") + list, "1: '", "class:SF");
  expect_rejected("a+0x7", "1: ''", "class:SF");
  expect_rejected("a+0x7 3:2", "1: '3:2'", "to 2");
  expect_rejected("a+0x7 1:2,1:3", "1: '1:3'", "second time");
  expect_rejected("a+0x7 1:0", "1: '1:0'", "0.001 to 1000");
  expect_rejected("a+0x7 1:1001", "1: '1:1001'", "0.001 to 1000");
  expect_rejected("a+0x7 1:2\na+0x7 1:3", "2: 'a+0x7'", "already");
}

} // namespace amp
