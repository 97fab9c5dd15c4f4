// SPDX-License-Identifier: GPL-3.0-or-later
// Tests how amp-info presents a report, as JSON and to people.
#include "amp-info/report.h"

#include <gtest/gtest.h>

using amp::BoundThread;
using amp::Report;
using amp::schedule_text;

namespace {

constexpr int aid_static = 0x40000001, aid_hybrid = 0x40000002;

// Two P cores of two hardware threads each, two E cores; not all of it may be used.
Report hybrid() {
  Report report;
  report.version = "1.2.3";
  report.library = "/l/libgomp.so.1";
  report.machine = "0123456789abcdef";
  report.source = "cpu_core/cpu_atom";
  report.classes = {{1, 1024, {0, 1, 3}}, {0, 0, {4, 6}}};
  report.cores = {{0, 1}, {3}, {4}, {6}};
  report.excluded = {2, 5};
  report.offline = {7};
  report.proc_bind = "true";
  report.binding_by = "GOMP_AMP_AFFINITY=BS";
  report.threads = {{{0}, 1}, {{1}, 1}, {{3}, 1}, {{4}, 0}, {{6}, 0}};
  report.fold.why = "off";
  report.fold_auto = {9, {{{0, 3, 1}, 1, 2}, {{4, 6}, 0, 1}}, ""};
  report.schedule = {aid_hybrid, 4, 0};
  report.schedule_given = true;
  report.routed = {aid_hybrid, 4, 80};
  report.options = {{"GOMP_AMP_AFFINITY", "BS"}, {"GOMP_AMP_TEST_SF_MAX", "9"}};
  return report;
}

// The lines of TEXT from one that starts with HEAD to the next empty one, HEAD's excluded.
std::string section(const std::string &text, const std::string &head) {
  const std::size_t at = text.find("\n" + head);
  if (at == text.npos)
    return "no section " + head;
  const std::size_t begin = text.find('\n', at + 1) + 1;
  return text.substr(begin, text.find("\n\n", begin - 1) - begin) + "\n";
}

std::string threads(std::vector<BoundThread> threads) {
  Report report = hybrid();
  report.threads = std::move(threads);
  return section(to_text(report), "Binding: ");
}

} // namespace

TEST(ScheduleText, NamesAndArguments) {
  EXPECT_EQ(schedule_text({1, 0, 0}), "static");
  EXPECT_EQ(schedule_text({2, 1, 0}), "dynamic,1");
  EXPECT_EQ(schedule_text({3, 7, 0}), "guided,7");
  EXPECT_EQ(schedule_text({4, 0, 0}), "auto");
  EXPECT_EQ(schedule_text({aid_static, 2, 0}), "aid_static,2");
  EXPECT_EQ(schedule_text({aid_hybrid, 2, 60}), "aid_hybrid,2,60");
  EXPECT_EQ(schedule_text({0x40000077, 0, 0}), "kind 1073741943");
}

TEST(ScheduleText, WithoutAChunk) {
  EXPECT_EQ(schedule_text({aid_hybrid, 0, 80}), "aid_hybrid");
  EXPECT_EQ(schedule_text({aid_hybrid, 0, 50}), "aid_hybrid,,50");
}

TEST(CoreCount, CoresOfAClass) {
  Report report = hybrid();
  EXPECT_EQ(core_count(report, report.classes[0]), 2);
  EXPECT_EQ(core_count(report, report.classes[1]), 2);
  EXPECT_EQ(core_count(report, {2, 0, {}}), 0);
  report.cores.clear();
  EXPECT_EQ(core_count(report, report.classes[0]), std::nullopt);
}

TEST(Json, WholeReport) {
  const auto expected = nlohmann::json::parse(R"({
    "format": 2,
    "version": "1.2.3",
    "library": "/l/libgomp.so.1",
    "machine": "0123456789abcdef",
    "source": "cpu_core/cpu_atom",
    "classes": [{"class": 1, "cpus": "0-1,3", "cores": 2, "capacity": 1024},
                {"class": 0, "cpus": "4,6", "cores": 2, "capacity": null}],
    "cpus": {"usable": "0-1,3-4,6", "excluded": "2,5", "offline": "7"},
    "cores": ["0-1", "3", "4", "6"],
    "binding": {"by": "GOMP_AMP_AFFINITY=BS", "proc_bind": "true",
                "threads": [{"cpus": "0", "class": 1}, {"cpus": "1", "class": 1},
                            {"cpus": "3", "class": 1}, {"cpus": "4", "class": 0},
                            {"cpus": "6", "class": 0}]},
    "folding": {"now": {"threads": 0, "workers": 0, "on": [], "why": "off"},
                "auto": {"threads": 9, "workers": 5,
                         "on": [{"cpus": "0-1,3", "class": 1, "each": 2},
                                {"cpus": "4,6", "class": 0, "each": 1}],
                         "why": null}},
    "schedule": {"kind": "aid_hybrid", "chunk": 4, "monotonic": false, "from": "OMP_SCHEDULE",
                 "routed": {"kind": "aid_hybrid", "chunk": 4, "arg": 80,
                            "from": "OMP_SCHEDULE"}},
    "options": {"GOMP_AMP_AFFINITY": "BS", "GOMP_AMP_TEST_SF_MAX": "9"}})");
  EXPECT_EQ(nlohmann::json::parse(to_json(hybrid()).dump()), expected);
}

TEST(Json, NullIsWhatIsNotKnown) {
  Report report = hybrid();
  report.cores.clear();
  report.binding_by.clear();
  report.threads = {{{}, std::nullopt}};
  report.options.clear();
  report.schedule_given = false;
  const auto json = to_json(report);
  EXPECT_TRUE(json["cores"].is_null());
  EXPECT_TRUE(json["classes"][0]["cores"].is_null());
  EXPECT_TRUE(json["binding"]["by"].is_null());
  EXPECT_EQ(json["binding"]["threads"].dump(), R"([{"cpus":null,"class":null}])");
  EXPECT_EQ(json["options"].dump(), "{}");
  EXPECT_EQ(json["schedule"]["from"], "default");
}

TEST(Text, WholeReport) {
  EXPECT_EQ(to_text(hybrid()), R"(libgomp-amp 1.2.3, /l/libgomp.so.1

2 core classes, source: cpu_core/cpu_atom
  class  CPUs   cores  capacity
  1      0-1,3  2      1024
  0      4,6    2      order only
  hardware threads of one core: 0-1
  excluded by the affinity mask (taskset, cgroup): 2,5
  offline: 7

Binding: 5 threads, bound (GOMP_AMP_AFFINITY=BS)
  threads  CPUs           class
  0-1      0-1, one each  1
  2        3              1
  3        4              0
  4        6              0

Folding: off; GOMP_AMP_FOLD=auto: 9 threads on 5 workers
  CPUs   class  threads each
  0-1,3  1      2
  4,6    0      1

Schedule (OMP_SCHEDULE)
  schedule(runtime) loops  aid_hybrid,4
  loops routed by amp-gcc  aid_hybrid,4,80 in this team

Options: 2 are not at the default
  GOMP_AMP_AFFINITY=BS
  GOMP_AMP_TEST_SF_MAX=9
)");
}

TEST(Text, PlainMachineIsShort) {
  Report report;
  report.version = "1.2.3";
  report.library = "/l";
  report.source = "none";
  report.classes = {{0, 0, {0}}};
  report.threads = {{{}, std::nullopt}};
  report.fold.why = "off";
  report.fold_auto.why = "there is only one CPU or thread";
  report.monotonic = true;
  report.schedule = {2, 1, 0};
  report.routed = {1, 0, 0};
  EXPECT_EQ(to_text(report), R"(libgomp-amp 1.2.3, /l

1 core class, source: none
  class  CPUs  cores  capacity
  0      0     ?      order only

Binding: 1 thread, not bound (default)

Folding: off; GOMP_AMP_FOLD=auto: none, there is only one CPU or thread

Schedule (default)
  schedule(runtime) loops  monotonic:dynamic,1
  loops routed by amp-gcc  static in this team

Options: all at their defaults
)");
}

TEST(Text, ThreadsAreJoinedWhereTheRowSaysAll) {
  EXPECT_EQ(threads({{{4}, 1}, {{5}, 1}, {{6}, 0}, {{7}, 0}}), "  threads  CPUs           class\n"
                                                               "  0-1      4-5, one each  1\n"
                                                               "  2-3      6-7, one each  0\n");
  // Descending order is not one each in order.
  EXPECT_EQ(threads({{{5}, 1}, {{4}, 1}}), "  threads  CPUs  class\n"
                                           "  0        5     1\n"
                                           "  1        4     1\n");
  EXPECT_EQ(threads({{{0, 2}, 1}, {{0, 2}, 1}, {{1, 3}, std::nullopt}}),
            "  threads  CPUs         class\n"
            "  0-1      0,2, shared  1\n"
            "  2        1,3          any\n");
  EXPECT_EQ(threads({{{3}, 1}, {{3}, 1}, {{4}, 1}}), "  threads  CPUs       class\n"
                                                     "  0-1      3, shared  1\n"
                                                     "  2        4          1\n");
}

TEST(Text, ClassesOfThreadsThatAreNotBound) {
  EXPECT_EQ(threads({{{}, 0}, {{}, 1}, {{}, 1}}), "  threads  CPUs  class\n"
                                                  "  0        any   0\n"
                                                  "  1-2      any   1\n");
}

TEST(Text, SiblingsOfManyCores) {
  Report report = hybrid();
  report.cores = {{0, 4}, {1, 6}, {3}};
  EXPECT_NE(to_text(report).find("hardware threads of one core: 0+4 1+6\n"), std::string::npos);
}
