// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of pairing groups of CPUs with how much they are to be slowed.
#include "amp-emu/groups.h"

#include "common/command.h"

#include <gtest/gtest.h>

namespace amp {

static std::vector<Group> read(const std::vector<std::string> &small,
                               const std::vector<double> &values) {
  return read_groups(small, values, {0, 1, 2, 3, 5});
}

TEST(Groups, GetAValueEachInTheirOrder) {
  const std::vector<Group> groups = read({"2-3", "0"}, {1.5, 4});
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].cpus, (CpuList{2, 3}));
  EXPECT_EQ(groups[0].value, 1.5);
  EXPECT_EQ(groups[1].cpus, (CpuList{0}));
  EXPECT_EQ(groups[1].value, 4);
}

TEST(Groups, ShareOneValue) {
  const std::vector<Group> groups = read({"3", "5"}, {2});
  EXPECT_EQ(groups[0].value, 2);
  EXPECT_EQ(groups[1].value, 2);
}

TEST(Groups, SayWhatIsWrong) {
  const struct {
    std::vector<std::string> small;
    std::vector<double> values;
    const char *part;
  } cases[] = {
      {{"1"}, {2, 3}, "2 --sf for 1 --small"},
      {{"1", "2", "3"}, {2, 3}, "2 --sf for 3 --small"},
      {{"1-"}, {2}, "'1-'"},
      {{"4"}, {2}, "CPU 4 is not online (0-3,5 are)"},
      {{"1", "0-1"}, {2}, "CPU 1 is named twice"},
  };
  for (const auto &each : cases) {
    try {
      read(each.small, each.values);
      ADD_FAILURE() << each.part;
    } catch (const Failure &failure) {
      EXPECT_NE(std::string(failure.what()).find(each.part), std::string::npos) << failure.what();
      EXPECT_EQ(std::string(failure.what()).rfind("steal: ", 0), 0u) << failure.what();
    }
  }
}

} // namespace amp
