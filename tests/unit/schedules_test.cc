// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of the parser and the display of the fork's schedules.

#include <gtest/gtest.h>

#include <climits>
#include <cstdio>
#include <cstring>
#include <ostream>
#include <string>

extern "C" {
#include "base/version.h"
#include "ompx_amp.h"
#include "options/options.h"
#include "options/schedules.h"
}

namespace {

struct Case {
  const char *text;
  int kind;
  int chunk;
  int arg;
  bool monotonic;
  bool nonmonotonic;
};

std::string shown(int kind, int chunk) {
  char text[64] = {};
  FILE *stream = fmemopen(text, sizeof text, "w");
  gomp_amp_display_schedule(stream, kind, chunk);
  fclose(stream);
  return text;
}

class Schedules : public testing::Test {
protected:
  ~Schedules() override { memset(gomp_amp_schedule_arg, 0, sizeof gomp_amp_schedule_arg); }

  void give(int kind, int arg) { gomp_amp_schedule_arg[GOMP_AMP_SCHEDULE_INDEX(kind)] = arg; }
};

} // namespace

TEST_F(Schedules, PublicKindsAreTheTables) {
#define GOMP_AMP_SCHEDULE(ident, name, kind, ...)                                                  \
  if (strcmp(name, "aid_static") == 0)                                                             \
    EXPECT_EQ(kind, ompx_amp_sched_aid_static);                                                    \
  else if (strcmp(name, "aid_hybrid") == 0)                                                        \
    EXPECT_EQ(kind, ompx_amp_sched_aid_hybrid);                                                    \
  else if (strcmp(name, "aid_dynamic") == 0)                                                       \
    EXPECT_EQ(kind, ompx_amp_sched_aid_dynamic);                                                   \
  else                                                                                             \
    ADD_FAILURE() << name << " is not in ompx_amp.h";
#include "options/schedules.def"
}

TEST_F(Schedules, Good) {
  const Case cases[] = {
      {"aid_static", ompx_amp_sched_aid_static, 0, 0, false, false},
      {"AID-Static,7", ompx_amp_sched_aid_static, 7, 0, false, false},
      {"aid_static,2147483647", ompx_amp_sched_aid_static, INT_MAX, 0, false, false},
      {" aid_hybrid , 4 , 70 ", ompx_amp_sched_aid_hybrid, 4, 70, false, false},
      {"aid_hybrid,,50", ompx_amp_sched_aid_hybrid, 0, 50, false, false},
      {"aid_hybrid , , 5", ompx_amp_sched_aid_hybrid, 0, 5, false, false},
      {"aid_hybrid,1,100", ompx_amp_sched_aid_hybrid, 1, 100, false, false},
      {"monotonic:aid_hybrid", ompx_amp_sched_aid_hybrid, 0, 0, true, false},
      {" NonMonotonic : aid_dynamic,2,9", ompx_amp_sched_aid_dynamic, 2, 9, false, true},
      {"aid_dynamic,9", ompx_amp_sched_aid_dynamic, 9, 0, false, false},
      {"aid_dynamic,5,5", ompx_amp_sched_aid_dynamic, 5, 5, false, false},
  };
  for (const Case &each : cases) {
    struct gomp_amp_schedule out = {};
    EXPECT_EQ(gomp_amp_parse_schedule(each.text, &out), GOMP_AMP_PARSE_OK) << each.text;
    EXPECT_EQ(out.kind, each.kind) << each.text;
    EXPECT_EQ(out.chunk, each.chunk) << each.text;
    EXPECT_EQ(out.arg, each.arg) << each.text;
    EXPECT_EQ(out.monotonic, each.monotonic) << each.text;
    EXPECT_EQ(out.nonmonotonic, each.nonmonotonic) << each.text;
  }
}

TEST_F(Schedules, BadLeavesTheResultAlone) {
  const std::string garbage(10000, 'q');
  for (const char *text : {"",
                           " ",
                           "aid",
                           "aid_",
                           "aid_foo",
                           "aid_staticx",
                           "aid static",
                           "aid_static,",
                           "aid_static,0",
                           "aid_static,-1",
                           "aid_static,1,2",
                           "aid_static,1 2",
                           "aid_static,99999999999999999999",
                           "aid_static,2147483648",
                           "aid_hybrid,1,",
                           "aid_hybrid,1,0",
                           "aid_hybrid,1,101",
                           "aid_hybrid,1,abc",
                           "aid_hybrid,1,5,6",
                           "aid_hybrid,",
                           "aid_hybrid,,",
                           "aid_hybrid,,0",
                           "aid_hybrid,,101",
                           "aid_hybrid,,,5",
                           "aid_hybrid,,5,6",
                           "aid_static,,5",
                           "aid_dynamic,,5",
                           "aid_dynamic,9,5",
                           "aid_dynamic,1,2147483648",
                           "static_aid",
                           "monotonic",
                           "monotonic:",
                           "monotonic aid_static",
                           "monotonic:nonmonotonic:aid_static",
                           "staticx",
                           garbage.c_str()}) {
    struct gomp_amp_schedule out = {};
    out.kind = -1;
    EXPECT_EQ(gomp_amp_parse_schedule(text, &out), GOMP_AMP_PARSE_BAD) << text;
    EXPECT_EQ(out.kind, -1) << text;
  }
}

TEST_F(Schedules, RoutedLoopsTakeOpenMPsOwnToo) {
  const int ours = GOMP_AMP_SCHEDULE_ROUTED;
  const Case cases[] = {
      {"static", 1, 0, 0, false, false},
      {" Static , 0 ", 1, 0, 0, false, false},
      {"monotonic:static,2147483647", 1, INT_MAX, 0, true, false},
      {"dynamic", 2, 1, 0, false, false},
      {"DYNAMIC,0", 2, 1, 0, false, false},
      {"nonmonotonic : guided,8", 3, 8, 0, false, true},
      {"auto", 4, 0, 0, false, false},
      {"auto,7", 4, 0, 0, false, false},
      {"aid_static,7", ompx_amp_sched_aid_static | ours, 7, 0, false, false},
      {"monotonic:aid_hybrid,,50", ompx_amp_sched_aid_hybrid | ours, 0, 50, true, false},
      {"aid_dynamic,2,9", ompx_amp_sched_aid_dynamic | ours, 2, 9, false, false},
  };
  for (const Case &each : cases) {
    struct gomp_amp_schedule out = {};
    EXPECT_TRUE(gomp_amp_parse_routed_schedule(each.text, &out)) << each.text;
    EXPECT_EQ(out.kind, each.kind) << each.text;
    EXPECT_EQ(out.chunk, each.chunk) << each.text;
    EXPECT_EQ(out.arg, each.arg) << each.text;
    EXPECT_EQ(out.monotonic, each.monotonic) << each.text;
    EXPECT_EQ(out.nonmonotonic, each.nonmonotonic) << each.text;
  }
  for (const char *text : {"", "static,", "static,x", "static,-1", "dynamic,1,2", "guided 3",
                           "auto,", "static,2147483648", "staticx", "runtime", "aid_static,0",
                           "aid_hybrid,1,101", "monotonic"}) {
    struct gomp_amp_schedule out = {};
    out.kind = -1;
    EXPECT_FALSE(gomp_amp_parse_routed_schedule(text, &out)) << text;
    EXPECT_EQ(out.kind, -1) << text;
  }
}

TEST_F(Schedules, EachVariableKeepsItsSecondArgument) {
  give(ompx_amp_sched_aid_hybrid, 30);
  const int routed = ompx_amp_sched_aid_hybrid | GOMP_AMP_SCHEDULE_ROUTED;
  give(routed, 60);
  EXPECT_EQ(gomp_amp_schedule_effective_arg(ompx_amp_sched_aid_hybrid, 0), 30);
  EXPECT_EQ(gomp_amp_schedule_effective_arg(routed, 0), 60);
  EXPECT_EQ(shown(ompx_amp_sched_aid_hybrid, 0), "AID_HYBRID,,30");
  EXPECT_EQ(shown(routed, 0), "AID_HYBRID,,60");
  give(routed, 0);
  EXPECT_EQ(gomp_amp_schedule_effective_arg(routed, 0), 80);
}

TEST_F(Schedules, OpenMPsOwnAreLeftToUpstream) {
  for (const char *text :
       {"static", "DYNAMIC,4", " monotonic : guided", "nonmonotonic:auto", "static,x"}) {
    struct gomp_amp_schedule out;
    EXPECT_EQ(gomp_amp_parse_schedule(text, &out), GOMP_AMP_PARSE_OTHER) << text;
  }
}

TEST_F(Schedules, SecondArgumentInForce) {
  EXPECT_EQ(gomp_amp_schedule_effective_arg(ompx_amp_sched_aid_static, 3), 0);
  EXPECT_EQ(gomp_amp_schedule_effective_arg(ompx_amp_sched_aid_hybrid, 0), 80);
  EXPECT_EQ(gomp_amp_schedule_effective_arg(ompx_amp_sched_aid_dynamic, 0), 5);
  EXPECT_EQ(gomp_amp_schedule_effective_arg(ompx_amp_sched_aid_dynamic, 5), 5);
  EXPECT_EQ(gomp_amp_schedule_effective_arg(ompx_amp_sched_aid_dynamic, 6), 30);
  EXPECT_EQ(gomp_amp_schedule_effective_arg(ompx_amp_sched_aid_dynamic, INT_MAX / 5),
            INT_MAX / 5 * 5);
  EXPECT_EQ(gomp_amp_schedule_effective_arg(ompx_amp_sched_aid_dynamic, INT_MAX / 5 + 1), INT_MAX);
  give(ompx_amp_sched_aid_hybrid, 10);
  EXPECT_EQ(gomp_amp_schedule_effective_arg(ompx_amp_sched_aid_hybrid, 50), 10);
  give(ompx_amp_sched_aid_dynamic, 12);
  EXPECT_EQ(gomp_amp_schedule_effective_arg(ompx_amp_sched_aid_dynamic, 12), 12);
  EXPECT_EQ(gomp_amp_schedule_effective_arg(ompx_amp_sched_aid_dynamic, 13), 65);
}

TEST_F(Schedules, Display) {
  EXPECT_EQ(shown(ompx_amp_sched_aid_static, 0), "AID_STATIC");
  EXPECT_EQ(shown(ompx_amp_sched_aid_static, 3), "AID_STATIC,3");
  EXPECT_EQ(shown(ompx_amp_sched_aid_hybrid, 4), "AID_HYBRID,4");
  give(ompx_amp_sched_aid_hybrid, 80);
  EXPECT_EQ(shown(ompx_amp_sched_aid_hybrid, 4), "AID_HYBRID,4,80");
  EXPECT_EQ(shown(ompx_amp_sched_aid_hybrid, 0), "AID_HYBRID,,80");
  give(ompx_amp_sched_aid_dynamic, 9);
  EXPECT_EQ(shown(ompx_amp_sched_aid_dynamic, 9), "AID_DYNAMIC,9,9");
  EXPECT_EQ(shown(ompx_amp_sched_aid_dynamic, 10), "AID_DYNAMIC,10");
}

TEST_F(Schedules, Set) {
  int chunk = -3;
  EXPECT_EQ(gomp_amp_set_schedule(ompx_amp_sched_aid_static, &chunk), 1);
  EXPECT_EQ(chunk, 0);
  chunk = 8;
  EXPECT_EQ(gomp_amp_set_schedule(ompx_amp_sched_aid_dynamic | INT_MIN, &chunk), 1);
  EXPECT_EQ(chunk, 8);
  chunk = -3;
  EXPECT_EQ(gomp_amp_set_schedule(2, &chunk), 0);
  EXPECT_EQ(chunk, -3);
}

TEST_F(Schedules, AcceptedNamesThemAll) {
  const std::string text = gomp_amp_schedules_accepted();
  for (const char *part : {"aid_static[,chunk]", "aid_hybrid[,[chunk][,percent]] (percent 1..100)",
                           "aid_dynamic[,m[,M]] (M at least m)", "schedule of OpenMP"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(Version, IsOneNumber) {
  EXPECT_EQ(ompx_amp_version(), 10000 * GOMP_AMP_MAJOR + 100 * GOMP_AMP_MINOR + GOMP_AMP_PATCH);
}
