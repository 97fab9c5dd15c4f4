// SPDX-License-Identifier: GPL-3.0-or-later
// The daemon's rooms: sets of CPUs, the machine from the kernel's files, journal, counter files,
// and the manager on a simulated operating system.
#include "linux/up.h"
#include "live.h"

#include <algorithm>
#include <cerrno>
#include <gtest/gtest.h>
#include <unistd.h>

namespace coord {
namespace {

namespace fs = std::filesystem;

TEST(CpuSets, ListsAreReadAndWritten) {
  for (const char *const text : {"", "0", "0-3", "0-1,3,5-4095", "7,9"})
    EXPECT_EQ(cpu_list(set_of(text)), text);
  EXPECT_EQ(cpu_list(set_of("3,1,2")), "1-3");
  for (const char *const text : {",", "1,", "-1", "3-1", "4096", "a", "1-", "1 2", "99999999999"})
    EXPECT_FALSE(parse_cpu_list(text)) << text;
}

TEST(Chips, ClassesAndCoresOfAHybrid) {
  // Two P cores with two threads each, four E cores.
  const Directory sys;
  sys.write("devices/cpu_core/cpus", "0-3\n");
  sys.write("devices/cpu_atom/cpus", "4-7\n");
  for (int cpu = 0; cpu < 8; cpu++) {
    const std::string of = "devices/system/cpu/cpu" + std::to_string(cpu) + "/";
    const int first = cpu / 2 * 2;
    sys.write(of + "topology/thread_siblings_list",
              cpu < 4 ? std::to_string(first) + "-" + std::to_string(first + 1) + "\n"
                      : std::to_string(cpu) + "\n");
    sys.write(of + "cpufreq/cpuinfo_max_freq", cpu < 4 ? "5000000\n" : "4000000\n");
  }
  const Chip chip = read_chip(sys.path, set_of("0-7"));
  EXPECT_EQ(chip.source, "cpu_core/cpu_atom");
  ASSERT_EQ(chip.machine.class_count(), 2);
  EXPECT_EQ(chip.machine.classes[1].cores, 2);
  EXPECT_EQ(chip.machine.classes[0].cores, 4);
  EXPECT_EQ(chip.machine.classes[1].ghz, 5);
  EXPECT_LT(chip.machine.classes[0].ghz, 4);
  EXPECT_EQ(cpu_list(chip.cpus[1]), "2-3");
  EXPECT_EQ(chip.core_of(3), 1);
  EXPECT_EQ(chip.core_of(8), -1);
  // Of the CPUs that the daemon may use.
  EXPECT_EQ(read_chip(sys.path, set_of("2-4")).machine.core_count(), 2);
  const Chip given = read_chip(sys.path, set_of("0-3"), "0,2=1024,1,3=300");
  EXPECT_EQ(given.machine.core_count(), 4) << "what the user calls different is no sibling";
  for (const char *const text : {"0-2=1024", "0-3", "0-3=", "0-3=x", "=1", "0-3=0", "0-3=1,"})
    EXPECT_THROW(read_chip(sys.path, set_of("0-3"), text), std::invalid_argument) << text;
}

TEST(Chips, IsolatedCpusAreLeftAlone) {
  const Directory sys;
  sys.write("devices/system/cpu/isolated", "2-3\n");
  const Chip chip = read_chip(sys.path, set_of("0-4"));
  EXPECT_EQ(cpu_list(chip.all), "0-1,4");
  EXPECT_EQ(chip.machine.core_count(), 3);
  EXPECT_EQ(chip.machine.class_count(), 1) << "silence is equal cores";
  EXPECT_EQ(cpu_list(read_chip(sys.path, set_of("2-3")).all), "2-3") << "if that is all there is";
}

TEST(Chips, FactorsOfRuntimesAreOfTheWholeMachine) {
  // Slow cores, which this daemon may not use, and two kinds of fast ones.
  const Directory sys;
  sys.write("devices/system/cpu/possible", "0-5\n");
  for (int cpu = 0; cpu < 6; cpu++)
    sys.write("devices/system/cpu/cpu" + std::to_string(cpu) + "/cpu_capacity", cpu < 2   ? "300"
                                                                                : cpu < 4 ? "600"
                                                                                          : "1024");
  const Chip chip = read_chip(sys.path, set_of("2-5"));
  EXPECT_EQ(chip.machine.class_count(), 2);
  EXPECT_EQ(chip.factors({1, 1.5, 3}), (std::vector<double>{1, 2}));
  EXPECT_TRUE(chip.factors({1, 2}).empty());
}

// Each machine of tests/topologies has the classes that the runtime finds.
TEST(Chips, AreTheRuntimes) {
  int lines = 0;
  for (const fs::directory_entry &tree : fs::directory_iterator(TOPOLOGIES)) {
    std::ifstream expected(tree.path() / "expected");
    for (std::string line; std::getline(expected, line);) {
      std::istringstream words(line);
      std::string what, mask, source, shown;
      words >> what >> mask >> source;
      if (what != "expect")
        continue;
      const Chip chip = read_chip(tree.path(), set_of(mask.c_str()));
      std::string classes;
      for (std::string each; words >> each; shown += ' ' + each.substr(0, each.find('=')))
        ;
      for (int c = 0; c < chip.runtime_classes; c++) {
        const auto here = std::ranges::find(chip.runtime_class, c);
        classes += ' ' + (here == chip.runtime_class.end()
                              ? "none"
                              : cpu_list(chip.class_cpus[here - chip.runtime_class.begin()]));
      }
      EXPECT_EQ(source + shown, chip.source + classes) << tree.path().filename();
      lines++;
    }
  }
  EXPECT_GT(lines, 50);
}

UpFile counter_file() {
  UpFile file;
  file.magic[0] = UP_MAGIC;
  file.size[0] = sizeof file;
  file.start[0] = 42;
  file.classes[0] = 2;
  file.factor[0] = 1000;
  file.factor[1] = 2500;
  file.work_ns[0] = 3'000'000'000;
  return file;
}

std::optional<Counted> parsed(const UpFile &file, std::size_t size = sizeof(UpFile)) {
  return parse_up({reinterpret_cast<const char *>(&file), size}, 42);
}

TEST(CounterFiles, ArePlausibleOrNothing) {
  const auto counted = parsed(counter_file());
  ASSERT_TRUE(counted);
  EXPECT_EQ(counted->factors, (std::vector<double>{1, 2.5}));
  EXPECT_EQ(counted->work_s, 3);
  EXPECT_FALSE(parsed(counter_file(), sizeof(UpFile) - 1));
  EXPECT_FALSE(parsed(counter_file(), 0));
  UpFile other = counter_file();
  other.start[0] = 43;
  EXPECT_FALSE(parsed(other)) << "of a process that had this number before";
  UpFile mad = counter_file();
  mad.factor[1] = UINT32_MAX;
  EXPECT_TRUE(parsed(mad)->factors.empty());
  mad.classes[0] = UINT32_MAX;
  mad.work_ns[0] = UINT64_MAX;
  EXPECT_FALSE(parsed(mad));
}

TEST(CounterFiles, AnyBytesGiveNumbersThatCanBe) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 20000; round++) {
    UpFile file = counter_file();
    char *const bytes = reinterpret_cast<char *>(&file);
    for (int i = 0; i < 8; i++)
      bytes[8 + random() % (sizeof file - 8)] = static_cast<char>(random());
    if (const auto counted = parsed(file)) {
      EXPECT_LE(counted->factors.size(), 8u);
      for (const double factor : counted->factors)
        EXPECT_TRUE(factor >= 1 / 32.0 && factor <= 32);
      EXPECT_LT(counted->work_s, 1e10);
    }
  }
}

// 004, figure 8a, through schedstat, masks and journal.
TEST(Managed, HafsGivesAllThreadsTheSameTimeOnFastCores) {
  for (const int copies : {3, 4, 7}) {
    Live live("2x2.3+2x1.15", "hafs");
    std::vector<pid_t> pids;
    for (int i = 0; i < copies; i++)
      pids.push_back(live.run(1));
    live.pass(60 * kSecond);
    const double expected = copies == 3 ? 2.0 / 3 : 0.5;
    for (const pid_t pid : pids) {
      EXPECT_NEAR(live.system.share(pid, 1), expected, 0.02) << copies;
      const ProgramStatus status = live.status(pid);
      EXPECT_NEAR(status.cpu_s[1] / (status.cpu_s[0] + status.cpu_s[1]), expected, 0.02)
          << "as ampctl shows it";
    }
  }
}

TEST(Managed, GrantsAreDisjointAndEachThreadHasItsCoreBigFirst) {
  Live live("4x3+12x1", "equi");
  const pid_t one = live.run(16), two = live.run(16);
  live.pass(kSecond);
  EXPECT_EQ(live.status(one).cpus.count(), 8u);
  EXPECT_TRUE((live.status(one).cpus & live.status(two).cpus).none());
  EXPECT_EQ((live.status(one).cpus & live.chip.class_cpus[1]).count(), 2u);
  // As many threads as cores: one each.
  const pid_t three = live.run(2), four = live.run(2);
  live.pass(kSecond);
  for (const pid_t pid : {three, four})
    for (const auto &[tid, thread] : live.system.table.at(pid).threads)
      EXPECT_EQ(thread.mask.count(), 1u);
  EXPECT_TRUE(live.chip.class_cpus[1][live.system.thread(three).mask._Find_first()]);
}

// What a tick costs: one file a thread, and three calls for a mask that changes.
TEST(Managed, ALookIsOneReadAThread) {
  Live live("4x3+12x1", "hafs");
  for (int i = 0; i < 8; i++)
    live.run(8);
  live.pass(2 * kSecond);
  live.system.calls = {};
  live.pass(kSecond);
  // 100 ticks and 64 threads; threads are looked for ten times in each of eight programs.
  EXPECT_LE(live.system.calls.times, 101 * 64);
  EXPECT_LE(live.system.calls.threads, 11 * 8);
  EXPECT_EQ(live.system.calls.cpu, 0);
  EXPECT_GT(live.system.calls.set_mask, 0);
  EXPECT_EQ(live.system.calls.mask, live.system.calls.set_mask);
  EXPECT_EQ(live.system.calls.start, live.system.calls.set_mask);
}

TEST(Managed, AloneTheMaskIsUntouched) {
  Live live("2x3+2x1", "hafs");
  const pid_t pid = live.run(4);
  live.pass(2 * kSecond);
  EXPECT_EQ(live.status(pid).reason, Reason::Alone);
  EXPECT_EQ(live.system.thread(pid).changes, 0);
  const pid_t other = live.run(4);
  live.pass(2 * kSecond);
  EXPECT_EQ(live.status(pid).reason, Reason::Policy);
  live.system.end(other);
  live.manager->died(other);
  live.pass(kSecond);
  EXPECT_EQ(cpu_list(live.system.thread(pid).mask), "0-3");
}

// A runtime that counts CPUs late keeps the number for life.
TEST(Managed, OneThreadHasACoreAndSeesAllCpus) {
  Live live("2x3+2x1", "equi");
  const pid_t other = live.run(4), pid = live.run(1);
  // One thread that only waits shows nothing.
  live.system.thread(pid, live.system.add(pid)).runs = false;
  live.pass(5 * kSecond);
  EXPECT_EQ(live.status(pid).reason, Reason::Starting);
  EXPECT_EQ(live.system.thread(pid).changes, 0);
  EXPECT_EQ(live.status(other).cpus.count(), 3u);
  for (int i = 0; i < 3; i++)
    live.system.add(pid);
  live.pass(kSecond);
  EXPECT_EQ(live.status(pid).reason, Reason::Policy);
  EXPECT_EQ(live.status(other).cpus.count(), 2u);
  EXPECT_TRUE((live.system.thread(pid).mask & live.system.thread(other).mask).none());
}

TEST(Managed, OneThreadIsPlacedByThosePoliciesThatPlaceThreads) {
  Live live("1x3+1x1", "hafs");
  const pid_t pid = live.run(1);
  live.run(1);
  live.pass(kSecond / 2);
  EXPECT_EQ(live.system.thread(pid).changes, 0);
  live.pass(3 * kSecond);
  EXPECT_EQ(live.system.thread(pid).mask.count(), 1u);
}

TEST(Managed, SleepersLendTheirCores) {
  Live live("4x3+4x1", "equi");
  const pid_t pid = live.run(8), other = live.run(8);
  live.pass(kSecond);
  const CpuSet had = live.system.thread(pid).mask;
  const auto run = [&](bool runs, pid_t but = 0) {
    for (auto &[tid, thread] : live.system.table.at(pid).threads)
      thread.runs = runs || tid == but;
  };
  run(false);
  live.pass(2 * live.manager->period());
  EXPECT_EQ(live.status(pid).reason, Reason::Sleeps);
  EXPECT_EQ(live.status(other).cpus.count(), 8u);
  EXPECT_EQ(live.system.thread(pid).mask, had) << "it wakes where it was";
  run(true);
  live.pass(kSecond);
  EXPECT_EQ(live.system.thread(pid).mask, had);
  EXPECT_TRUE((live.status(pid).cpus & live.status(other).cpus).none());
  // A part of it.
  run(false, pid);
  live.pass(kSecond);
  EXPECT_EQ(live.status(pid).reason, Reason::Policy);
  EXPECT_EQ(live.status(other).cpus.count(), 7u);
  live.pass(2 * kSecond);
  EXPECT_EQ(live.status(pid).threads, 1);
}

TEST(Managed, SleepersKeepNobodyFromRunning) {
  for (const char *const policy : {"share", "equi", "hafs"}) {
    Live live("1x3+1x1", policy);
    for (int i = 0; i < 3; i++)
      live.system.thread(live.run(1)).runs = false;
    const pid_t pid = live.run(2);
    live.pass(2 * kSecond);
    EXPECT_EQ(live.status(pid).reason, Reason::Policy) << policy;
    CpuSet all;
    for (const auto &[tid, thread] : live.system.table.at(pid).threads)
      all |= thread.mask;
    EXPECT_EQ(cpu_list(all), "0-1") << policy;
  }
}

TEST(Managed, WhatOthersChangeIsTheirs) {
  Live live("2x3+2x1", "hafs");
  const pid_t one = live.run(1), two = live.run(1), three = live.run(4);
  live.pass(kSecond);
  const char *const theirs[] = {"0,3", "1-2", "0-2"};
  for (const char *const mask : theirs) {
    live.system.thread(one).mask = set_of(mask);
    live.pass(kSecond);
  }
  EXPECT_EQ(cpu_list(live.system.thread(one).mask), "0-2");
  EXPECT_EQ(cpu_list(live.status(one).cpus), "0-2") << "the masks in force, not those wanted";
  EXPECT_EQ(live.status(one).reason, Reason::Foreign);
  ASSERT_EQ(live.messages.size(), 1u);
  EXPECT_NE(live.messages[0].find("masks"), std::string::npos);
  EXPECT_EQ(live.status(two).reason, Reason::Policy);
  live.manager.reset();
  EXPECT_EQ(cpu_list(live.system.thread(one).mask), "0-2");
  EXPECT_EQ(cpu_list(live.system.thread(two).mask), "0-3");
  EXPECT_EQ(cpu_list(live.system.thread(three).mask), "0-3");
}

TEST(Managed, WhatItsUserBoundIsLeftAlone) {
  Live live("2x3+2x1", "equi");
  const pid_t free = live.run(4), bound = live.system.begin(2);
  live.system.thread(bound).mask = set_of("1");
  live.system.thread(bound, bound + 1).mask = set_of("1");
  live.manager->arrive({.pid = bound, .name = "bound"});
  live.pass(2 * kSecond);
  EXPECT_EQ(live.status(bound).reason, Reason::Bound);
  EXPECT_EQ(live.system.thread(bound).changes, 0);
  EXPECT_GT(live.system.thread(free).changes, 0);
}

TEST(Managed, OfARuntimeThatFollowsBoundThreadsAreLeftToIt) {
  Live live("2x3+2x1", "equi");
  const pid_t one = live.system.begin(4), two = live.run(4);
  Counted counted;
  counted.follows = true;
  live.system.table.at(one).counted = counted;
  // One is bound before it is seen, to a core that is granted and one that is not, and one later.
  live.system.thread(one, one + 1).mask = set_of("1-2");
  live.manager->arrive({.pid = one, .name = "p"});
  live.system.thread(one, one + 2).mask = set_of("2");
  live.pass(3 * kSecond);
  const CpuSet granted = live.system.thread(one).mask;
  EXPECT_EQ(granted.count(), 2u);
  EXPECT_EQ(live.system.thread(one, one + 3).mask, granted);
  EXPECT_EQ((granted & set_of("1-2")).count(), 1u);
  EXPECT_EQ(cpu_list(live.system.thread(one, one + 1).mask), "1-2");
  EXPECT_EQ(cpu_list(live.system.thread(one, one + 2).mask), "2");
  EXPECT_TRUE((granted & live.status(two).cpus).none());
  EXPECT_EQ(live.status(one).reason, Reason::Policy) << "and nothing is foreign";
}

// sh -c './a & ./b': the shell has one thread and waits; what it starts belongs to it, also when it
// has ended.
TEST(Managed, AProgramIsATreeOfProcesses) {
  Live live("2x3+2x1", "equi");
  const pid_t shell = live.run(1), other = live.run(4);
  const pid_t early = live.system.fork(shell);
  for (int i = 0; i < 3; i++)
    live.system.add(early);
  live.pass(2 * kSecond);
  EXPECT_EQ(live.status(shell).processes, 2);
  EXPECT_EQ(live.system.thread(early).mask.count(), 2u);
  EXPECT_EQ(cpu_list(live.system.thread(shell).mask), "0-3");
  // It begins with a mask that is ours.
  const pid_t late = live.system.fork(early);
  live.pass(kSecond);
  EXPECT_EQ(live.status(shell).processes, 3);
  EXPECT_EQ(cpu_list(live.system.thread(late).mask), "0-3") << "as it may count them";
  EXPECT_TRUE((live.system.thread(early).mask & live.system.thread(other).mask).none());
  live.system.end(shell);
  live.manager->died(shell);
  live.pass(kSecond);
  EXPECT_EQ(live.status(early).processes, 2) << "it is known by another one";
  EXPECT_THROW(live.manager->arrive({.pid = early}), Refusal) << "and that is its first now";
  const pid_t latest = live.system.fork(late);
  live.manager->release(late);
  for (const pid_t pid : {early, late, latest})
    for (const auto &[tid, thread] : live.system.table.at(pid).threads)
      EXPECT_EQ(cpu_list(thread.mask), "0-3") << pid;
  EXPECT_EQ(live.manager->status().size(), 1u);
}

TEST(Managed, ATreeThatIsThereComesAsAWhole) {
  Live live("2x3+2x1", "equi");
  const pid_t shell = live.system.begin(1);
  live.system.fork(live.system.fork(shell));
  live.run(2);
  live.pass(kSecond);
  live.manager->arrive({.pid = shell, .name = "tree"});
  EXPECT_EQ(live.status(shell).processes, 3);
}

TEST(Managed, AProcessOfAProgramCanBecomeOne) {
  Live live("2x3+2x1", "equi");
  const pid_t parent = live.run(2), other = live.run(2);
  live.pass(kSecond);
  const pid_t child = live.system.fork(parent);
  live.pass(kSecond);
  const pid_t grandchild = live.system.fork(child);
  live.manager->arrive({.pid = child, .name = "own"});
  live.pass(kSecond);
  EXPECT_EQ(live.status(parent).processes, 1);
  EXPECT_EQ(live.status(child).processes, 2);
  live.system.end(parent);
  live.manager->died(parent);
  live.system.end(other);
  live.manager->died(other);
  live.pass(kSecond);
  for (const pid_t pid : {child, grandchild})
    EXPECT_EQ(cpu_list(live.system.thread(pid).mask), "0-3") << "alone, as before it was ours";
}

TEST(Managed, AProcessOfAnotherUserIsNobodysChild) {
  Live live("2x3+2x1", "equi");
  const pid_t parent = live.run(2);
  live.run(2);
  const pid_t child = live.system.fork(parent);
  live.system.table.at(child).owner = geteuid() + 1;
  live.pass(kSecond);
  EXPECT_EQ(live.status(parent).processes, 1);
  EXPECT_EQ(live.system.thread(child).changes, 0);
}

TEST(Managed, TheDaemonOfAShellIsNotInItsProgram) {
  Live live("2x3+2x1", "equi");
  const pid_t shell = live.system.begin(1), keeper = live.system.fork(shell),
              daemon = live.system.fork(keeper);
  live.manager->own = {keeper, daemon};
  live.manager->arrive({.pid = shell, .name = "sh"});
  live.run(2);
  live.pass(kSecond);
  EXPECT_EQ(live.status(shell).processes, 1);
  EXPECT_EQ(live.system.thread(daemon).changes, 0);
  EXPECT_THROW(live.manager->arrive({.pid = daemon}), Refusal);
}

TEST(Managed, ACycleOfAdoptAndReleaseLeavesNoTrace) {
  Live live("2x3+2x1", "hafs");
  const pid_t one = live.system.begin(3), two = live.system.begin(2);
  for (int cycle = 0; cycle < 100; cycle++) {
    for (const pid_t pid : {one, two})
      live.manager->arrive({.pid = pid, .name = "p"});
    live.pass(300 * kMillisecond);
    // One more thread, which begins with a mask that is ours.
    const pid_t tid = live.system.add(one);
    for (const pid_t pid : {one, two})
      live.manager->release(pid);
    for (const pid_t pid : {one, two})
      for (const auto &[each, thread] : live.system.table.at(pid).threads)
        ASSERT_EQ(cpu_list(thread.mask), "0-3") << cycle;
    live.system.end(one, tid);
  }
  EXPECT_GT(live.system.thread(one).changes, 100);
  EXPECT_EQ(live.system.opened(), 0u);
}

TEST(Managed, TheJournalUndoesWhatWasDone) {
  Live live("2x3+2x1", "equi");
  const pid_t one = live.run(3), two = live.run(3);
  live.pass(kSecond);
  const pid_t unseen = live.system.add(one), theirs = live.system.add(two);
  live.system.thread(two, theirs).mask = set_of("0,2");
  const pid_t child = live.system.fork(one), grandchild = live.system.fork(child);
  // The daemon is killed here.
  EXPECT_GT(live.replay(), 4);
  for (const auto &[tid, thread] : live.system.table.at(one).threads)
    EXPECT_EQ(cpu_list(thread.mask), "0-3") << (tid == unseen);
  for (const pid_t pid : {child, grandchild})
    EXPECT_EQ(cpu_list(live.system.thread(pid).mask), "0-3");
  EXPECT_EQ(cpu_list(live.system.thread(two, theirs).mask), "0,2");
  EXPECT_EQ(live.replay(), 0) << "once";
}

TEST(Managed, TheJournalLeavesOthersAlone) {
  Live live("2x3+2x1", "equi");
  const pid_t one = live.run(3), two = live.run(3);
  live.pass(kSecond);
  const CpuSet ours = live.system.thread(one).mask;
  ASSERT_NE(cpu_list(ours), "0-3");
  // Another process with the number, and the mask, of one that has ended.
  live.system.end(one);
  live.system.begin(3, one);
  live.system.thread(one).mask = ours;
  live.replay();
  EXPECT_EQ(live.system.thread(one).mask, ours);
  EXPECT_EQ(cpu_list(live.system.thread(two).mask), "0-3");
}

TEST(Journals, CutOffAndForeignLinesAreNone) {
  const Chip chip = chip_of(parse_machine("4x1"));
  FakeLinux system(chip);
  const pid_t pid = system.begin(1);
  system.thread(pid).mask = set_of("2");
  const Directory directory;
  const std::string who = std::to_string(pid) + " " + std::to_string(pid) + " " +
                          std::to_string(*system.start(pid, pid));
  const auto replayed = [&](const std::string &text) {
    directory.write("journal", text);
    return Journal::replay(directory.path / "journal", system);
  };
  EXPECT_EQ(replayed(who + " 0-3 2"), 0);
  EXPECT_EQ(replayed(who + " 0-3 2 .\n" + who + " - - .\n"), 0);
  EXPECT_EQ(replayed(who + " 0-x 2 .\n"), 0);
  EXPECT_EQ(replayed(who + "  2 .\n"), 0);
  EXPECT_EQ(replayed("\n\377\377 1 2 3 .\n" + who + " 0-3 2 .\n" + who + " - "), 1);
  EXPECT_EQ(cpu_list(system.thread(pid).mask), "0-3");
  EXPECT_EQ(Journal::replay(directory.path / "none", system), 0);
}

TEST(Journals, StayShortAndWhole) {
  const Chip chip = chip_of(parse_machine("4x1"));
  FakeLinux system(chip);
  const pid_t pid = system.begin(1);
  const Directory directory;
  Journal journal(directory.path / "journal");
  const TaskId task{pid, pid, *system.start(pid, pid)};
  for (int i = 0; i < 30000; i++)
    ASSERT_TRUE(journal.set(task, chip.all, set_of(i % 2 ? "1" : "2")));
  EXPECT_LT(fs::file_size(directory.path / "journal"), 300'000u);
  // The one before the last: the change may not have been made.
  system.thread(pid).mask = set_of("2");
  EXPECT_EQ(Journal::replay(directory.path / "journal", system), 1);
}

TEST(Managed, RefusesWhatCannotBe) {
  Live live("2x3+2x1", "equi");
  const pid_t pid = live.run(1), others = live.system.begin(1);
  EXPECT_THROW(live.manager->arrive({.pid = pid}), Refusal);
  EXPECT_THROW(live.manager->arrive({.pid = 1}), Refusal);
  live.system.table.at(others).owner = geteuid() + 1;
  EXPECT_THROW(live.manager->arrive({.pid = others}), Refusal);
  EXPECT_THROW(live.manager->release(others), Refusal);
  for (const char *const policy : {"none", "sf-driven", "a-exact"})
    EXPECT_THROW(live.manager->set_policy(policy, {}), Refusal);
  EXPECT_EQ(live.manager->policy(), "equi");
  live.manager->died(others);
  EXPECT_EQ(live.manager->status().size(), 1u);
}

TEST(Managed, HandsOffWhereThePolicyLoses) {
  Live live("1x3+1x1", "equi");
  std::map<pid_t, double> cpu_s, work_s;
  // Each program does SPEED of work in a second of CPU time.
  const auto pass = [&](Time time, double speed) {
    for (const Time end = live.system.now() + time; live.system.now() < end;) {
      for (auto &[pid, process] : live.system.table) {
        double now = 0;
        for (const auto &[tid, thread] : process.threads)
          now += seconds(thread.times.cpu);
        work_s[pid] += speed * (now - std::exchange(cpu_s[pid], now));
        process.counted.emplace();
        process.counted->work_s = work_s[pid];
      }
      live.manager->tick();
      live.system.advance(live.manager->period());
    }
  };
  const pid_t one = live.run(2), two = live.run(2);
  pass(600 * kMillisecond, 2);
  EXPECT_EQ(live.status(one).reason, Reason::Looking);
  EXPECT_LE(live.system.thread(one).changes, 2);
  pass(20 * kSecond, 2);
  EXPECT_EQ(live.status(one).reason, Reason::Policy);
  pass(4 * kSecond, 1.5);
  EXPECT_EQ(live.status(one).reason, Reason::Policy);
  pass(3 * kSecond, 1.5);
  EXPECT_EQ(live.status(one).reason, Reason::HandsOff);
  EXPECT_EQ(cpu_list(live.system.thread(two).mask), "0-1");
  EXPECT_EQ(live.messages.size(), 1u);
  live.manager->release(two);
  live.manager->arrive({.pid = two, .name = "again"});
  pass(10 * kSecond, 2);
  EXPECT_EQ(live.status(one).reason, Reason::Policy);
}

TEST(Managed, FactorsThatRuntimesMeasureDecide) {
  Live live("1x3+1x1", "hass-s");
  const pid_t one = live.run(1), two = live.run(1);
  const auto measured = [&](pid_t pid, double factor) {
    Counted counted;
    counted.factors = {1, factor};
    live.system.table.at(pid).counted = counted;
  };
  measured(one, 1.2);
  measured(two, 2.8);
  live.pass(10 * kSecond);
  EXPECT_EQ(cpu_list(live.system.thread(two).mask), "0");
  measured(one, 2.8);
  measured(two, 1.2);
  live.pass(10 * kSecond);
  EXPECT_EQ(cpu_list(live.system.thread(one).mask), "0");
}

} // namespace
} // namespace coord
