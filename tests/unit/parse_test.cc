// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of the locale-free parsing helpers.

#include <gtest/gtest.h>

#include <climits>
#include <clocale>
#include <string>

extern "C" {
#include "base/cpulist.h"
#include "base/parse.h"
}

TEST(Parse, NumberStopsBehindItsDigits) {
  const char *cursor = "120x";
  unsigned long number = 0;
  EXPECT_TRUE(gomp_amp_read_number(&cursor, 120, &number));
  EXPECT_EQ(number, 120u);
  EXPECT_STREQ(cursor, "x");
}

TEST(Parse, NumberThatIsNoneOrTooLargeMovesNothing) {
  for (const char *text : {"", "-1", "+1", " 1", "x", "121", "9999999999999999999999"}) {
    const char *cursor = text;
    unsigned long number = 77;
    EXPECT_FALSE(gomp_amp_read_number(&cursor, 120, &number)) << text;
    EXPECT_EQ(cursor, text);
    EXPECT_EQ(number, 77u);
  }
}

TEST(Parse, NumberReachesTheTypesLimit) {
  const std::string text = std::to_string(ULONG_MAX);
  const char *cursor = text.c_str();
  unsigned long number = 0;
  EXPECT_TRUE(gomp_amp_read_number(&cursor, ULONG_MAX, &number));
  EXPECT_EQ(number, ULONG_MAX);
  const std::string beyond = "18446744073709551616";
  cursor = beyond.c_str();
  EXPECT_FALSE(gomp_amp_read_number(&cursor, ULONG_MAX, &number));
}

TEST(Parse, Decimal) {
  const struct {
    const char *text;
    double value;
  } good[] = {
      {"1", 1}, {"2.5", 2.5}, {"0.03125", 0.03125}, {"10", 10}, {"3.3333333333333333", 10 / 3.}};
  for (const auto &each : good) {
    const char *cursor = each.text;
    double value = 0;
    EXPECT_TRUE(gomp_amp_read_decimal(&cursor, 10, &value)) << each.text;
    EXPECT_NEAR(value, each.value, 1e-8);
    EXPECT_STREQ(cursor, "");
  }
  for (const char *text : {"", ".5", "1.", "1.x", "10.1", "11", "nan", "inf", "-1", "0x1"}) {
    const char *cursor = text;
    double value = 7;
    const bool whole = gomp_amp_read_decimal(&cursor, 10, &value) && *cursor == '\0';
    EXPECT_FALSE(whole) << text;
  }
}

TEST(Parse, WordIgnoresCaseAndKindOfHyphen) {
  EXPECT_TRUE(gomp_amp_word_is("AID-Static", 10, "aid_static"));
  EXPECT_FALSE(gomp_amp_word_is("aid_stati", 9, "aid_static"));
  EXPECT_FALSE(gomp_amp_word_is("aid_staticx", 11, "aid_static"));
}

TEST(Parse, PrintableMasksAndShortens) {
  char shown[8];
  gomp_amp_printable(shown, sizeof shown, "a\tb\xff");
  EXPECT_STREQ(shown, "a?b?");
  gomp_amp_printable(shown, sizeof shown, "1234567");
  EXPECT_STREQ(shown, "1234567");
  gomp_amp_printable(shown, sizeof shown, "12345678");
  EXPECT_STREQ(shown, "1234...");
}

TEST(CpuList, Members) {
  bool member[8] = {};
  EXPECT_TRUE(gomp_amp_parse_cpulist("1-2, 5 ,7-4000000\n", member, 8));
  const bool expected[8] = {false, true, true, false, false, true, false, true};
  for (int cpu = 0; cpu < 8; cpu++)
    EXPECT_EQ(member[cpu], expected[cpu]) << cpu;
}

TEST(CpuList, ConsecutiveOnesArePrintedAsRanges) {
  auto print = [](const std::vector<unsigned> &cpus) {
    char *text = nullptr;
    size_t size = 0;
    gomp_amp_cpu_printer printer = {};
    printer.stream = open_memstream(&text, &size);
    for (const unsigned cpu : cpus)
      gomp_amp_print_cpu(&printer, cpu);
    gomp_amp_print_last_cpu(&printer);
    fclose(printer.stream);
    const std::string printed = text;
    free(text);
    return printed;
  };
  EXPECT_EQ(print({}), "");
  EXPECT_EQ(print({7}), "7");
  EXPECT_EQ(print({0, 1, 2, 5, 6, 9}), "0-2,5-6,9");
  EXPECT_EQ(print({9, 8, 3, 4}), "9,8,3-4");
}

TEST(CpuList, EmptyHasNoMembersAndMalformedIsRefused) {
  bool member[8] = {};
  EXPECT_TRUE(gomp_amp_parse_cpulist("\n", member, 8));
  for (bool each : member)
    EXPECT_FALSE(each);
  for (const char *text : {"1-", "-1", "3-1", "1,,2", "1,", "a", "1 2", "99999999999"})
    EXPECT_FALSE(gomp_amp_parse_cpulist(text, member, 8)) << text;
}
