// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of the core classes: fake machines, lists by hand, and grouping at its limits.

#include "environment.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include <dlfcn.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

extern "C" {
#include "base/cpulist.h"
#include "machine/affinity.h"
#include "machine/allotment.h"
#include "machine/machine-source.h"
#include "machine/quota.h"
}

namespace {

struct Free {
  void operator()(void *block) const { free(block); }
};
using Machine = std::unique_ptr<struct gomp_amp_machine, Free>;
using Allotment = std::unique_ptr<struct gomp_amp_allotment, Free>;

/// A machine, and what a process may use of it.
struct Table {
  Machine machine;
  Allotment allotment;

  explicit operator bool() const { return machine && allotment; }
  unsigned classOf(unsigned cpu) const { return machine->class_of_cpu[cpu]; }
};

constexpr unsigned cpus = 128;

Table find(const char *topology, const std::string &root, const std::string &mask) {
  bool usable[cpus] = {};
  EXPECT_TRUE(gomp_amp_parse_cpulist(mask.c_str(), usable, cpus));
  Machine machine(gomp_amp_detect(topology, root.c_str(), cpus, usable, true));
  Allotment allotment(gomp_amp_make_allotment(machine.get(), usable));
  return {std::move(machine), std::move(allotment)};
}

/// The table as a machine file's "expect" line gives it: SOURCE CPUS=CAPACITY...
std::string text(const Table &table) {
  std::ostringstream out;
  out << table.machine->source;
  for (unsigned c = 0; c < table.machine->count; c++) {
    const char *separator = " ";
    for (unsigned cpu = 0; cpu < cpus; cpu++) {
      const auto has = [&](unsigned i) {
        return i < cpus && table.allotment->usable[i] && table.classOf(i) == c;
      };
      if (!has(cpu))
        continue;
      out << separator << cpu;
      separator = ",";
      const unsigned first = cpu;
      while (has(cpu + 1))
        cpu++;
      if (cpu > first)
        out << '-' << cpu;
    }
    out << (*separator == ' ' ? " none=" : "=");
    if (table.machine->capacity[c] != 0)
      out << table.machine->capacity[c];
    else
      out << '?';
  }
  return out.str();
}

std::string order(const Table &table, bool ascending, unsigned most = cpus) {
  unsigned order[cpus];
  const unsigned n =
      gomp_amp_order_fastest(table.machine.get(), table.allotment.get(), ascending, most, order);
  std::string out;
  for (unsigned i = 0; i < n; i++)
    out += (i > 0 ? " " : "") + std::to_string(order[i]);
  return out;
}

unsigned quota_of(const std::filesystem::path &root) {
  std::ostringstream groups;
  groups << std::ifstream(root / "fs/cgroup/self").rdbuf();
  return gomp_amp_quota_of(root.c_str(), groups.str().c_str());
}

class Classes : public Environment {};

/// A root below which there is nothing.
const std::string nowhere = "/nonexistent";

bool hwlocLoads() { return dlopen("libhwloc.so.15", RTLD_NOW | RTLD_LOCAL) != nullptr; }

} // namespace

class MachineFile : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(MachineFile, IsAsExpected) {
  std::ifstream expected(GetParam() / "expected");
  std::string line;
  int lines = 0;
  while (std::getline(expected, line)) {
    std::istringstream words(line);
    std::string what, mask, rest;
    words >> what >> mask >> std::ws;
    if (what == "hwloc")
      continue;
    // Both as the root that a test passes and as the one that a user names.
    const Table table = find(nullptr, GetParam(), mask);
    const Table named = find(GetParam().c_str(), nowhere, mask);
    ASSERT_TRUE(table && named);
    EXPECT_EQ(text(table), text(named));
    if (what == "order") {
      std::string way;
      words >> way >> std::ws;
      std::getline(words, rest);
      EXPECT_EQ(order(table, way == "SB"), rest) << line;
    } else if (what == "quota") {
      std::string way;
      unsigned quota = 0;
      words >> quota >> way >> std::ws;
      std::getline(words, rest);
      EXPECT_EQ(quota_of(GetParam()), quota) << line;
      EXPECT_EQ(order(table, way == "SB", gomp_amp_quota_cpus(quota)), rest) << line;
    } else {
      std::getline(words, rest);
      EXPECT_EQ(text(table), rest) << line;
    }
    lines++;
  }
  EXPECT_GT(lines, 0);
  EXPECT_TRUE(takeMessages().empty());
}

class HwlocMachine : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(HwlocMachine, IsAsExpected) {
  if (!hwlocLoads())
    GTEST_SKIP() << "libhwloc.so.15 is not installed";
  setenv("HWLOC_XMLFILE", (GetParam() / "hwloc.xml").c_str(), 1);
  std::ifstream expected(GetParam() / "expected");
  std::string what, mask, rest;
  size_t lines = 0, refused = 0;
  while (expected >> what >> mask >> std::ws && std::getline(expected, rest))
    if (what == "hwloc") {
      const Table table = find("hwloc", nowhere, mask);
      ASSERT_TRUE(table);
      EXPECT_EQ(text(table), rest) << mask;
      lines++;
      refused += rest.rfind("none ", 0) == 0;
    }
  EXPECT_GT(lines, 0u);
  EXPECT_EQ(takeMessages().size(), refused);
}

static std::vector<std::filesystem::path> machinesWith(const char *file) {
  std::vector<std::filesystem::path> found;
  for (const auto &entry : std::filesystem::directory_iterator(AMP_TOPOLOGIES))
    if (exists(entry.path() / file))
      found.push_back(entry.path());
  return found;
}

static std::string nameOf(const testing::TestParamInfo<std::filesystem::path> &info) {
  std::string name = info.param.filename();
  for (char &c : name)
    c = isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Topologies, MachineFile, testing::ValuesIn(machinesWith("expected")),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Topologies, HwlocMachine, testing::ValuesIn(machinesWith("hwloc.xml")),
                         nameOf);

TEST_F(Classes, HwlocThatLacksACpuOfTheProcessDoesNotAnswer) {
  if (!hwlocLoads())
    GTEST_SKIP() << "libhwloc.so.15 is not installed";
  setenv("HWLOC_XMLFILE", AMP_TOPOLOGIES "/two-cpus/hwloc.xml", 1);
  EXPECT_EQ(text(find("hwloc", AMP_TOPOLOGIES "/big-little", "0-7")),
            "cpu_capacity 0-3=446 4-7=1024");
  const auto said = takeMessages();
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(
      said[0].find("GOMP_AMP_TOPOLOGY: 'hwloc': hwloc does not report the kind of each of the "
                   "process's CPUs; expected a list"),
      std::string::npos)
      << said[0];
}

TEST_F(Classes, HwlocIsAskedLastAndOnlyAboutThisMachine) {
  if (!hwlocLoads())
    GTEST_SKIP() << "libhwloc.so.15 is not installed";
  setenv("HWLOC_XMLFILE", AMP_TOPOLOGIES "/two-cpus/hwloc.xml", 1);
  // It would tell two classes of CPUs 0 and 1.
  EXPECT_EQ(text(find(nullptr, AMP_TOPOLOGIES "/pmu-half", "0-1")), "none 0-1=?");
  EXPECT_EQ(text(find(AMP_TOPOLOGIES "/pmu-half", "/sys", "0-1")), "none 0-1=?");
  EXPECT_EQ(text(find("off", "/sys", "0-1")), "GOMP_AMP_TOPOLOGY 0-1=?");
  EXPECT_TRUE(takeDebugging().empty());
  // No kernel knows CPUs 126 and 127 of this machine: hwloc is asked, which does not either.
  if (sysconf(_SC_NPROCESSORS_CONF) < 126) {
    EXPECT_EQ(text(find(nullptr, "/sys", "126-127")), "none 126-127=?");
    const auto said = takeDebugging();
    ASSERT_EQ(said.size(), 1u);
    EXPECT_NE(said[0].find("hwloc does not report"), std::string::npos) << said[0];
  }
  EXPECT_TRUE(takeMessages().empty());
}

// Two ranks of an MPI program, and a process that has all: one CPU, one number.
TEST_F(Classes, NumbersDoNotDependOnTheMask) {
  const char *const list = "0-1=300,2-3=600,4-5=1024";
  const Table all = find(list, nowhere, "0-5"), lower = find(list, nowhere, "0-3"),
              upper = find(list, nowhere, "2-5"), one = find(list, nowhere, "2");
  for (const Table *table : {&all, &lower, &upper, &one}) {
    EXPECT_EQ(table->machine->count, 3u);
    for (unsigned cpu = 0; cpu < 6; cpu++)
      EXPECT_EQ(table->classOf(cpu), cpu / 2);
  }
  EXPECT_EQ(text(lower), "GOMP_AMP_TOPOLOGY 0-1=300 2-3=600 none=1024");
  EXPECT_EQ(text(upper), "GOMP_AMP_TOPOLOGY none=300 2-3=600 4-5=1024");
  const struct {
    const Table &table;
    unsigned long long present;
    unsigned count;
  } expected[] = {{all, 7, 3}, {lower, 3, 2}, {upper, 6, 2}, {one, 2, 1}};
  for (const auto &each : expected) {
    EXPECT_EQ(each.table.allotment->present, each.present);
    EXPECT_EQ(each.table.allotment->count, each.count);
  }
}

// The same by the kernel's files, for every source.
TEST_F(Classes, FilesOfCpusOutsideTheMaskCount) {
  for (const char *name : {"snapdragon", "meteor-lake", "ryzen-16", "offline", "strix-point"}) {
    std::ifstream expected(std::string(AMP_TOPOLOGIES) + "/" + name + "/expected");
    std::string what, mask;
    ASSERT_TRUE(expected >> what >> mask) << name;
    const std::string root = std::string(AMP_TOPOLOGIES) + "/" + name;
    const Table all = find(nullptr, root, mask);
    for (unsigned cpu = 0; cpu < cpus; cpu++) {
      if (!all.allotment->usable[cpu])
        continue;
      const Table one = find(nullptr, root, std::to_string(cpu));
      EXPECT_STREQ(one.machine->source, all.machine->source);
      EXPECT_EQ(one.machine->count, all.machine->count) << name << cpu;
      for (unsigned other = 0; other < cpus; other++)
        EXPECT_EQ(one.classOf(other), all.classOf(other)) << name << cpu;
      EXPECT_EQ(one.allotment->present, 1ull << all.classOf(cpu));
    }
  }
}

TEST_F(Classes, ListOrdersAndNormalises) {
  EXPECT_EQ(text(find("0-3=446,4-7=1024", nowhere, "0-7")), "GOMP_AMP_TOPOLOGY 0-3=446 4-7=1024");
  EXPECT_EQ(text(find("4 - 7 = 3000 , 0,2=1000,1,3=2000", nowhere, "0-7")),
            "GOMP_AMP_TOPOLOGY 0,2=341 1,3=683 4-7=1024");
  EXPECT_EQ(text(find("0-3=2,4-7=1", nowhere, "4-7")), "GOMP_AMP_TOPOLOGY 4-7=512 none=1024");
  EXPECT_EQ(text(find("0-5000=7", nowhere, "2")), "GOMP_AMP_TOPOLOGY 2=1024");
  EXPECT_EQ(text(find("0=1000000,1=1", nowhere, "0-1")), "GOMP_AMP_TOPOLOGY 1=1 0=1024");
  EXPECT_TRUE(takeMessages().empty());
}

TEST_F(Classes, ListThatDoesNotFitIsReportedOnceAndTheKernelAsked) {
  const struct {
    const char *list;
    const char *detail;
  } bad[] = {
      {"0-7", ""},
      {"0-7=", ""},
      {"0-7=0", ""},
      {"0-7=1000001", ""},
      {"7-0=5", ""},
      {"0-7=5,", ""},
      {",0-7=5", ""},
      {"0-7=5 x", ""},
      {"0--7=5", ""},
      {"0-7=-5", ""},
      {"0-7=1.5", ""},
      {"=5", ""},
      {"offf", ""},
      {"99999999999=1", ""},
      {"0-3=1,2-7=2", "CPU 2 is named twice; "},
      {"0-7=1,5=1", "CPU 5 is named twice; "},
      {"0-7=1,900=1,900=2", "CPU 900 is named twice; "},
      {"0-6=1", "CPU 7 is not named; "},
      {"8-15=1", "none of the process's CPUs is named; "},
  };
  const std::string root = std::string(AMP_TOPOLOGIES) + "/big-little";
  for (const auto &each : bad) {
    EXPECT_EQ(text(find(each.list, root, "0-7")), "cpu_capacity 0-3=446 4-7=1024") << each.list;
    const auto said = takeMessages();
    ASSERT_EQ(said.size(), 1u) << each.list;
    const std::string start =
        std::string("GOMP_AMP_TOPOLOGY: '") + each.list + "': " + each.detail + "expected a list";
    EXPECT_EQ(said[0].compare(0, start.size(), start), 0) << said[0];
    EXPECT_NE(said[0].find("; using what the kernel says of the cores"), std::string::npos);
  }
}

// Two cores of two hardware threads each and four of one, as alder-lake's files tell of CPUs 0-3
// and 16-19; what the list says of siblings is believed.
TEST_F(Classes, ListWithCapacitiesOfSiblingsDecidesTheirTurn) {
  char name[] = "/tmp/amp-unit-XXXXXX";
  const std::filesystem::path root = mkdtemp(name);
  const auto tell = [&](unsigned cpu, const char *siblings) {
    const auto directory = root / ("devices/system/cpu/cpu" + std::to_string(cpu)) / "topology";
    std::filesystem::create_directories(directory);
    std::ofstream(directory / "core_cpus_list") << siblings << "\n";
  };
  for (unsigned cpu : {0, 1})
    tell(cpu, "0-1");
  for (unsigned cpu : {2, 3})
    tell(cpu, "2-3");
  const struct {
    const char *list, *big_first, *small_first;
  } cases[] = {
      {"0-3=1024,4-7=600", "0 2 4 5 6 7 1 3", "4 5 6 7 0 2 1 3"},
      {"0,2=1024,1,3=940,4-7=600", "0 2 4 5 6 7 1 3", "4 5 6 7 0 2 1 3"},
      {"0,2=1024,1,3=900,4-7=600", "0 2 1 3 4 5 6 7", "4 5 6 7 1 3 0 2"},
      {"0,2=1024,1,3=300,4-7=600", "0 2 4 5 6 7 1 3", "1 3 4 5 6 7 0 2"},
      {"0,2=1024,1,3=500,4-5=600,6-7=400", "0 2 4 5 1 3 6 7", "6 7 1 3 4 5 0 2"},
  };
  for (const auto &each : cases) {
    const Table table = find(each.list, root, "0-7");
    ASSERT_TRUE(table);
    EXPECT_EQ(order(table, false), each.big_first) << each.list;
    EXPECT_EQ(order(table, true), each.small_first) << each.list;
  }
  EXPECT_TRUE(takeMessages().empty());
  std::filesystem::remove_all(root);
}

TEST_F(Classes, Off) {
  const std::string root = std::string(AMP_TOPOLOGIES) + "/big-little";
  EXPECT_EQ(text(find("off", root, "0-7")), "GOMP_AMP_TOPOLOGY 0-7=?");
  EXPECT_EQ(text(find("OFF", root, "0-7")), "GOMP_AMP_TOPOLOGY 0-7=?");
  EXPECT_TRUE(takeMessages().empty());
}

TEST_F(Classes, MissingDirectoryIsReported) {
  EXPECT_EQ(text(find("/nonexistent", nowhere, "0-1")), "none 0-1=?");
  EXPECT_EQ(takeMessages().size(), 1u);
}

// What half a file says is not what the file says; and nobody waits for a FIFO.
TEST_F(Classes, FilesThatAreNotWhollyReadTellNothing) {
  char name[] = "/tmp/amp-unit-XXXXXX";
  const std::filesystem::path root = mkdtemp(name), cpus = root / "devices/system/cpu";
  for (const char *cpu : {"cpu0", "cpu1"})
    std::filesystem::create_directories(cpus / cpu);
  const std::filesystem::path file = cpus / "cpu0/cpu_capacity";
  std::ofstream(cpus / "cpu1/cpu_capacity") << "1024\n";
  for (const std::string &content :
       {std::string(29, '0') + "446\n", std::string("446\0", 4), "446" + std::string(40, ' ')}) {
    std::ofstream(file) << content;
    EXPECT_EQ(text(find(nullptr, root, "0-1")), "none 0-1=?");
  }
  std::ofstream(file) << "446\n";
  EXPECT_EQ(text(find(nullptr, root, "0-1")), "cpu_capacity 0=446 1=1024");
  std::filesystem::remove(file);
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  EXPECT_EQ(text(find(nullptr, root, "0-1")), "none 0-1=?");
  EXPECT_TRUE(takeMessages().empty());
  std::filesystem::remove_all(root);
}

TEST_F(Classes, Hwloc3IsOnlyMentionedWhereTheKernelKnowsNothing) {
  if (sysconf(_SC_NPROCESSORS_CONF) > 126)
    GTEST_SKIP() << "the kernel knows CPUs 126 and 127";
  if (dlopen("libhwloc.so.15", RTLD_NOW | RTLD_NOLOAD) != nullptr)
    GTEST_SKIP() << "an earlier test has loaded the installed hwloc: run this one alone";
  // By its name, libhwloc.so.15, it will be taken for the installed one.
  ASSERT_NE(dlopen(AMP_FAKE_HWLOC, RTLD_NOW | RTLD_LOCAL), nullptr) << dlerror();
  EXPECT_EQ(text(find(nullptr, "/sys", "126-127")), "none 126-127=?");
  const auto said = takeDebugging();
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0], "libgomp: core classes are not known: hwloc is 3.0, not 2.4 to 2.x\n");
  EXPECT_TRUE(takeMessages().empty());
}

TEST_F(Classes, MoreClassesThanCanBeNumberedShareTheSlowest) {
  std::vector<unsigned long> value(100);
  auto inMask = std::make_unique<bool[]>(100);
  for (unsigned cpu = 0; cpu < 100; cpu++) {
    value[cpu] = cpu + 1;
    inMask[cpu] = true;
  }
  struct gomp_amp_probe probe = {};
  probe.root = "/sys";
  probe.ncpus = 100;
  probe.in_mask = inMask.get();
  probe.value = value.data();
  probe.ranks = true;
  probe.source = "test";
  const Machine machine(gomp_amp_group_classes(&probe));
  EXPECT_EQ(machine->count, static_cast<unsigned>(GOMP_AMP_MAX_CLASSES));
  EXPECT_EQ(machine->class_of_cpu[99], GOMP_AMP_MAX_CLASSES - 1);
  EXPECT_EQ(machine->class_of_cpu[100 - GOMP_AMP_MAX_CLASSES], 0);
  EXPECT_EQ(machine->class_of_cpu[0], 0);
}

TEST_F(Classes, ProcessIsDetectedOnceAndTotal) {
  setenv("GOMP_AMP_TOPOLOGY", "off", 1);
  gomp_amp_init_options();
  const auto *machine = gomp_amp_machine();
  EXPECT_EQ(machine, gomp_amp_machine());
  EXPECT_EQ(machine->count, 1u);
  EXPECT_EQ(gomp_amp_allotment()->count, 1u);
  EXPECT_EQ(gomp_amp_class_of_cpu(-1), 0u);
  EXPECT_EQ(gomp_amp_class_of_cpu(1 << 30), 0u);
  EXPECT_EQ(gomp_amp_class_count(), 1u);
}

// Binds this process, which has one thread, to the CPUs WANTED and waits until these are allotted.
static const struct gomp_amp_allotment *bindTo(std::initializer_list<int> wanted) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  for (int cpu : wanted)
    CPU_SET(cpu, &mask);
  sched_setaffinity(0, sizeof mask, &mask);
  for (int i = 0; i < 5000; i++) {
    const auto *now = gomp_amp_update_allotment();
    if (std::count(now->usable, now->usable + now->ncpus, true) == long(wanted.size()) &&
        now->usable[*wanted.begin()])
      return now;
    usleep(1000);
  }
  return nullptr;
}

TEST_F(Classes, AllotmentIsReplacedAndAnOlderOneStaysReadable) {
  cpu_set_t before;
  sched_getaffinity(0, sizeof before, &before);
  if (!CPU_ISSET(0, &before) || !CPU_ISSET(1, &before))
    GTEST_SKIP() << "this process may not use CPUs 0 and 1";
  using Tasks = std::filesystem::directory_iterator;
  if (std::distance(Tasks("/proc/self/task"), Tasks()) > 1)
    GTEST_SKIP() << "there is a thread that is not this program's, but an emulator's";
  const auto child = [] {
    gomp_amp_found_machine = nullptr;
    setenv("GOMP_AMP_TOPOLOGY", "0=446,1-1023=1024", 1);
    gomp_amp_init_options();
    const auto *both = bindTo({0, 1}), *big = bindTo({1}), *small = bindTo({0});
    const bool known = both && big && small;
    const bool fresh = known && both != big && big != small && both->present == 3 &&
                       big->present == 2 && small->present == 1 &&
                       small->generation == big->generation + 1 && gomp_amp_present_classes() == 1;
    // Neither changed nor made twice.
    const bool same = fresh && bindTo({0, 1}) == both && both->usable[0] && both->usable[1] &&
                      bindTo({1}) == big && big->count == 1 && !big->usable[0];
    for (int i = 0; same && i < 50; i++)
      bindTo({i % 2});
    exit(!known ? 1 : !fresh ? 2 : !same ? 3 : gomp_amp_allotment()->generation > 2 ? 4 : 0);
  };
  EXPECT_EXIT(child(), testing::ExitedWithCode(0), "");
}

TEST_F(Classes, ForcedByThreadNumber) {
  EXPECT_FALSE(gomp_amp_classes_forced());
  read("GOMP_AMP_THREAD_CLASSES", "0,1,1");
  EXPECT_TRUE(gomp_amp_classes_forced());
  EXPECT_EQ(gomp_amp_class_count(), 2u);
  const std::array<unsigned, 4> expected = {0, 1, 1, 0};
  for (unsigned i = 0; i < 4; i++)
    EXPECT_EQ(gomp_amp_forced_class(i), expected[i]);
}
