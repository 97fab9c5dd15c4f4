// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of reading and writing lists of CPUs.
#include "common/cpulist.h"

#include <gtest/gtest.h>
#include <stdexcept>

namespace amp {

TEST(CpuList, ParsesNumbersAndRanges) {
  EXPECT_EQ(parse_cpu_list("1"), (CpuList{1}));
  EXPECT_EQ(parse_cpu_list("2-3,5"), (CpuList{2, 3, 5}));
  EXPECT_EQ(parse_cpu_list("7,0-1"), (CpuList{0, 1, 7}));
  EXPECT_EQ(parse_cpu_list("4-4"), (CpuList{4}));
  EXPECT_EQ(parse_cpu_list("8191"), (CpuList{8191}));
}

TEST(CpuList, RejectsAllElseAndSaysWhatItWas) {
  for (const char *text : {"", ",", "1,", ",1", "a", "1a", "1-", "-1", "1-2-3", "1 2", " 1", "+1",
                           "3-1", "1,1", "0-2,2", "8192", "99999999999999999999", "0x1", "1.5"}) {
    try {
      parse_cpu_list(text);
      ADD_FAILURE() << "'" << text << "' was accepted";
    } catch (const std::invalid_argument &error) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  }
}

TEST(CpuList, FormatsWhatItParses) {
  for (const char *text : {"0", "0-1", "0,2", "0-3,5,7-8"})
    EXPECT_EQ(format_cpu_list(parse_cpu_list(text)), text);
  EXPECT_EQ(format_cpu_list({}), "");
}

TEST(CpuList, AllowedCpusAreOnline) {
  const CpuList online = online_cpus(), allowed = allowed_cpus();
  ASSERT_FALSE(allowed.empty());
  for (const int cpu : allowed)
    EXPECT_NE(std::find(online.begin(), online.end(), cpu), online.end()) << cpu;
}

} // namespace amp
