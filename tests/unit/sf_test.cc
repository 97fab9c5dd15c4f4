// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of offline speedup factors: the file's reader and writer, and their use per loop.

#include "environment.h"

#include <clocale>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <dlfcn.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" {
#include "base/exit.h"
#include "base/fork-lock.h"
#include "loops/sf-file.h"
#include "loops/sf-lines.h"
#include "machine/allotment.h"
#include "machine/machine-source.h"
#include "options/sf-list.h"
#include "sites/sites.h"
}

namespace {

constexpr unsigned long long machine = 0x0123456789abcdef;

/// What a file of the machine with this fingerprint begins with.
std::string headerOf(unsigned long long fingerprint) {
  char line[64];
  snprintf(line, sizeof line, "# machine %016llx\n", fingerprint);
  return std::string(GOMP_AMP_SF_HEADER "\n") + line;
}

const std::string header = headerOf(machine);

class SpeedupFile : public Environment {
protected:
  SpeedupFile() {
    char name[] = "/tmp/amp-unit-XXXXXX";
    directory = mkdtemp(name);
    path = directory / "sf";
  }
  ~SpeedupFile() override { std::filesystem::remove_all(directory); }

  void write(const std::string &content) { std::ofstream(path, std::ios::binary) << content; }

  std::string content() const {
    std::ostringstream out;
    out << std::ifstream(path).rdbuf();
    return out.str();
  }

  /// Read the file; the lines are leaked, as the library never frees them.
  gomp_amp_sf_lines lines(double max = 32) {
    gomp_amp_sf_lines lines = nullptr;
    gomp_amp_read_sf_lines(&lines, path.c_str(), max, machine);
    return lines;
  }

  std::filesystem::path directory, path;
};

/// Addresses of this program, as loops' return addresses are.
const char sites[4] = {};

std::string nameOf(const void *site) {
  char *name = gomp_amp_site_name(site);
  const std::string copy = name ? name : "";
  free(name);
  return copy;
}

} // namespace

TEST_F(SpeedupFile, SiteIsNamedByModuleAndOffset) {
  Dl_info info;
  ASSERT_NE(dladdr(sites, &info), 0);
  std::ostringstream expected;
  expected << "amp_unit+0x" << std::hex
           << reinterpret_cast<uintptr_t>(sites) - reinterpret_cast<uintptr_t>(info.dli_fbase);
  EXPECT_EQ(nameOf(sites), expected.str());
  EXPECT_EQ(nameOf(nullptr), "");
}

TEST_F(SpeedupFile, ReadsLines) {
  write(header + "# a comment\n\n a+0x10  0:1,1:2.5,3:0.5 # 7\nb+0x20 1:32\n");
  const auto read = lines();
  EXPECT_TRUE(takeMessages().empty());
  const auto *a = gomp_amp_find_sf_line(&read, "a+0x10");
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(a->samples, 7u);
  ASSERT_EQ(a->count, 4u);
  EXPECT_EQ(a->sf[1], 2.5);
  EXPECT_EQ(a->sf[2], 0);
  EXPECT_EQ(a->sf[3], 0.5);
  const auto *b = gomp_amp_find_sf_line(&read, "b+0x20");
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(b->sf[0], 0);
  EXPECT_EQ(gomp_amp_find_sf_line(&read, "c"), nullptr);
}

TEST_F(SpeedupFile, MalformedLineIsReportedWithItsNumberAndTheRestIsUsed) {
  for (const std::string &bad :
       {std::string("x"), std::string("x 1"), std::string("x 1:2,"), std::string("x 1:33"),
        std::string("x 1:0.03"), std::string("x 1:2 3"), std::string("x 1:2,1:3"),
        std::string("x 64:2"), std::string("x 1:-2"), std::string("a+0x1 1:2"),
        std::string(10000, 'y'), "x 1:2" + std::string(5000, ' ') + "z",
        std::string("x\x01\xff 1:z"), std::string("x 1:2\0 3", 8), std::string(" \0 x", 4),
        // What follows a long line's first part is no line of its own, whatever NULs it has.
        "y" + std::string(4094, '\0') + "x 1:2", std::string(5000, ' ') + "x 1:2"}) {
    write(header + std::string("a+0x1 1:4\n") + bad + "\nb+0x2 1:3\n");
    const auto read = lines();
    const auto said = takeMessages();
    ASSERT_EQ(said.size(), 1u) << bad;
    EXPECT_EQ(said[0].find(path.string() + ":4: "), 0u) << said[0];
    ASSERT_NE(gomp_amp_find_sf_line(&read, "a+0x1"), nullptr);
    EXPECT_EQ(gomp_amp_find_sf_line(&read, "a+0x1")->sf[1], 4);
    EXPECT_NE(gomp_amp_find_sf_line(&read, "b+0x2"), nullptr) << bad;
    EXPECT_EQ(gomp_amp_find_sf_line(&read, "x"), nullptr);
  }
}

TEST_F(SpeedupFile, ManyBadLinesAreNotReportedEach) {
  std::string content = header;
  for (int i = 0; i < 1000; i++)
    content += "bad\n";
  write(content + "a 1:2\n");
  const auto read = lines();
  EXPECT_LE(takeMessages().size(), 5u);
  EXPECT_NE(gomp_amp_find_sf_line(&read, "a"), nullptr);
}

TEST_F(SpeedupFile, FileThatIsNoneOfOursIsReportedOnce) {
  for (const std::string &content :
       {std::string(), std::string("a 1:2\n"), std::string(100000, '\0'),
        std::string("# libgomp-amp speedup factors, format 3\na 1:2\n"),
        std::string(GOMP_AMP_SF_HEADER "\n"), std::string(GOMP_AMP_SF_HEADER "\na 1:2\n"),
        std::string(GOMP_AMP_SF_HEADER "\n# machine 123456789abcdef\na 1:2\n"),
        std::string(GOMP_AMP_SF_HEADER "\n# machine 0123456789abcdef0\na 1:2\n"),
        std::string(GOMP_AMP_SF_HEADER "\n# machine 0123456789abcdeg\na 1:2\n")}) {
    write(content);
    EXPECT_EQ(lines(), nullptr);
    EXPECT_EQ(takeMessages().size(), 1u);
  }
  std::filesystem::remove(path);
  EXPECT_EQ(lines(), nullptr);
  EXPECT_EQ(takeMessages().size(), 1u);
  std::filesystem::create_directory(path);
  EXPECT_EQ(lines(), nullptr);
  EXPECT_EQ(takeMessages().size(), 1u);
}

TEST_F(SpeedupFile, FileOfAnotherMachineIsRefusedOnce) {
  write(headerOf(machine + 1) + "a+0x1 0:1,1:4\nb+0x1 0:1,1:4\n");
  EXPECT_EQ(lines(), nullptr);
  const auto said = takeMessages();
  ASSERT_EQ(said.size(), 1u);
  for (const char *part : {"0123456789abcdef", "0123456789abcdf0", "going on without them"})
    EXPECT_NE(said[0].find(part), std::string::npos) << said[0];
}

TEST_F(SpeedupFile, FileForAnyMachineIsReadOnEach) {
  write(GOMP_AMP_SF_HEADER "\n# machine any\na+0x1 0:1,1:4\n");
  const auto read = lines();
  EXPECT_TRUE(takeMessages().empty());
  EXPECT_NE(gomp_amp_find_sf_line(&read, "a+0x1"), nullptr);
  write(GOMP_AMP_SF_HEADER "\n# machine anything\na+0x1 0:1,1:4\n");
  EXPECT_EQ(lines(), nullptr);
  EXPECT_EQ(takeMessages().size(), 1u);
}

TEST_F(SpeedupFile, ListSaysWhichItemIsWrongAndHow) {
  const struct {
    const char *text;
    int result;
    const char *at;
  } cases[] = {{"0:1, 2 : 2.5 x", 3, " x"},
               {"0:1,1:x", GOMP_AMP_SF_MALFORMED, "1:x"},
               {"64:1", GOMP_AMP_SF_MALFORMED, "64:1"},
               {"0:1,", GOMP_AMP_SF_MALFORMED, ""},
               {"0:1,1:0.4,2:1", GOMP_AMP_SF_OUT_OF_RANGE, "1:0.4,2:1"},
               {"3:99", GOMP_AMP_SF_OUT_OF_RANGE, "3:99"},
               {"3:2,4:2,3:1", GOMP_AMP_SF_TWICE, "3:1"}};
  for (const auto &each : cases) {
    double sf[GOMP_AMP_MAX_CLASSES];
    const char *at = each.text;
    EXPECT_EQ(gomp_amp_read_sf_list(&at, 0.5, 32, sf), each.result) << each.text;
    EXPECT_STREQ(at, each.at);
  }
}

TEST_F(SpeedupFile, WhatIsWrittenReadsBackInAnyLocale) {
  setlocale(LC_ALL, "de_DE.UTF-8");
  const double sf[] = {1, 1 / 3., 0, 12.25};
  gomp_amp_sf_lines written = nullptr;
  gomp_amp_add_sf_line(&written, gomp_amp_new_sf_line(strdup("b+0x1"), 3, 4, sf));
  gomp_amp_add_sf_line(&written, gomp_amp_new_sf_line(strdup("a+0x1"), 1, 1, sf));
  gomp_amp_write_sf_lines(&written, path.c_str(), machine);
  EXPECT_EQ(content(),
            header + "a+0x1 0:1.000000 # 1\nb+0x1 0:1.000000,1:0.333333,3:12.250000 # 3\n");
  const auto read = lines(13);
  EXPECT_NE(gomp_amp_find_sf_line(&read, "b+0x1"), nullptr);
  EXPECT_TRUE(takeMessages().empty());
  setlocale(LC_ALL, "C");
}

TEST_F(SpeedupFile, FactorThatRoundingTookBelowTheLeastIsTheLeast) {
  write(header + "a+0x1 0:1,1:0.1427143\n");
  const auto read = lines(7);
  ASSERT_NE(gomp_amp_find_sf_line(&read, "a+0x1"), nullptr);
  EXPECT_EQ(gomp_amp_find_sf_line(&read, "a+0x1")->sf[1], 1 / 7.);
  gomp_amp_write_sf_lines(&read, path.c_str(), machine);
  const auto again = lines(7);
  EXPECT_NE(gomp_amp_find_sf_line(&again, "a+0x1"), nullptr);
  EXPECT_TRUE(takeMessages().empty());
}

// A FIFO would be waited for, and be replaced by a file.
TEST_F(SpeedupFile, WhatIsNoRegularFileIsNeitherReadNorReplaced) {
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(lines(), nullptr);
  const auto unread = takeMessages();
  ASSERT_EQ(unread.size(), 1u);
  EXPECT_NE(unread[0].find("it is no regular file"), std::string::npos) << unread[0];
  const gomp_amp_sf_lines none = nullptr;
  gomp_amp_write_sf_lines(&none, path.c_str(), machine);
  const auto unwritten = takeMessages();
  ASSERT_EQ(unwritten.size(), 1u);
  EXPECT_NE(unwritten[0].find("it is no regular file"), std::string::npos) << unwritten[0];
  EXPECT_TRUE(std::filesystem::is_fifo(path));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory), {}), 1);
}

TEST_F(SpeedupFile, FileThatCannotBeWrittenIsReported) {
  gomp_amp_sf_lines none = nullptr;
  gomp_amp_write_sf_lines(&none, (directory / "no" / "sf").c_str(), machine);
  EXPECT_EQ(takeMessages().size(), 1u);
  EXPECT_TRUE(std::filesystem::is_empty(directory));
  std::filesystem::create_directory(path);
  gomp_amp_write_sf_lines(&none, path.c_str(), machine);
  EXPECT_EQ(takeMessages().size(), 1u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory), {}), 1);
}

/// The rest happens in a child process each: the library reads its file once and writes it at exit.
class Offline : public SpeedupFile {
protected:
  Offline() {
    setenv("GOMP_AMP_THREAD_CLASSES", "0,1", 1);
    // As process.c does.
    gomp_amp_watch_forks();
    gomp_amp_end_by(gomp_amp_save_factors);
  }

  /// The beginning of a file for the classes that the environment asks for.
  static std::string header() {
    const struct gomp_amp_options before = gomp_amp_options;
    gomp_amp_init_options();
    const unsigned long long fingerprint = gomp_amp_classes_fingerprint();
    gomp_amp_options = before;
    return headerOf(fingerprint);
  }

  static void check(bool condition, const char *what) {
    if (!condition) {
      fprintf(stderr, "not so: %s\n", what);
      exit(1);
    }
  }
};

/// What a loop at ADDRESS does when it starts, and when its sample is over.
static bool offline(const void *address, double *sf) {
  return gomp_amp_offline_sf(gomp_amp_factors_site(address), gomp_amp_present_classes(), sf);
}

static void record(const void *address, const double *sf) {
  gomp_amp_record_sf(gomp_amp_factors_site(address), address, sf);
}

#define CHECK(condition) check(condition, #condition)

TEST_F(Offline, FactorsOfTheLoopThenOfTheApplication) {
  write(header() + nameOf(&sites[0]) + " 0:1,1:4\n" + nameOf(&sites[1]) + " 1:4\n");
  setenv("GOMP_AID_SF_FILE", path.c_str(), 1);
  setenv("GOMP_AID_SF", "1:3", 1);
  const auto child = [] {
    gomp_amp_init_options();
    double sf[2] = {};
    CHECK(gomp_amp_offline());
    CHECK(offline(&sites[0], sf) && sf[0] == 1 && sf[1] == 4);
    CHECK(takeMessages().empty());
    CHECK(offline(&sites[2], sf) && sf[1] == 3);
    CHECK(takeMessages().empty());
    // A line that lacks a class is of no use, which is reported once.
    CHECK(offline(&sites[1], sf) && sf[0] == 1 && sf[1] == 3);
    CHECK(takeMessages().size() == 1);
    CHECK(offline(&sites[0], sf) && sf[1] == 4);
    exit(0);
  };
  EXPECT_EXIT(child(), testing::ExitedWithCode(0), "");
}

TEST_F(Offline, NothingGivenMeansSampling) {
  write(header());
  setenv("GOMP_AID_SF_FILE", path.c_str(), 1);
  const auto child = [] {
    gomp_amp_init_options();
    double sf[2] = {};
    CHECK(!offline(&sites[0], sf));
    CHECK(takeMessages().empty());
    exit(0);
  };
  EXPECT_EXIT(child(), testing::ExitedWithCode(0), "");
}

TEST_F(Offline, ApplicationFactorsThatLackAClassAreReportedOnceAndNotUsed) {
  setenv("GOMP_AMP_THREAD_CLASSES", "0,1,2", 1);
  setenv("GOMP_AID_SF", "2:3", 1);
  const auto child = [] {
    gomp_amp_init_options();
    double sf[3] = {};
    CHECK(!offline(&sites[0], sf));
    CHECK(!offline(&sites[1], sf));
    CHECK(takeMessages().size() == 1);
    exit(0);
  };
  EXPECT_EXIT(child(), testing::ExitedWithCode(0), "");
}

TEST_F(Offline, MeansAreSavedAtExitAndOtherLinesKept) {
  write(header() + nameOf(&sites[0]) + " 0:1,1:9 # 2\n" + nameOf(&sites[1]) +
        " 1:9 # 2\nother.so+0x1 0:1,1:7 # 5\n");
  setenv("GOMP_AID_SF_FILE", path.c_str(), 1);
  setenv("GOMP_AID_SF_SAVE", path.c_str(), 1);
  const auto child = [] {
    gomp_amp_init_options();
    double sf[2] = {};
    offline(&sites[0], sf);
    for (double factor : {2.0, 4.0, 1000.0}) {
      sf[0] = 1;
      sf[1] = factor;
      record(&sites[1], sf);
    }
    exit(0);
  };
  EXPECT_EXIT(child(), testing::ExitedWithCode(0), "");
  const std::string saved = content();
  EXPECT_NE(saved.find("\n" + nameOf(&sites[0]) + " 0:1.000000,1:9.000000 # 2\n"),
            std::string::npos)
      << saved;
  // 1000 is more than GOMP_AMP_TEST_SF_MAX: it counts as 32.
  EXPECT_NE(saved.find("\n" + nameOf(&sites[1]) + " 0:1.000000,1:12.666667 # 3\n"),
            std::string::npos)
      << saved;
  EXPECT_NE(saved.find("\nother.so+0x1 0:1.000000,1:7.000000 # 5\n"), std::string::npos) << saved;
}

TEST_F(Offline, ProcessThatRecordedNothingWritesNothing) {
  setenv("GOMP_AID_SF_SAVE", path.c_str(), 1);
  const auto idle = [] {
    gomp_amp_init_options();
    exit(0);
  };
  EXPECT_EXIT(idle(), testing::ExitedWithCode(0), "");
  EXPECT_FALSE(std::filesystem::exists(path));

  const auto forks = [this] {
    gomp_amp_init_options();
    const double sf[2] = {1, 2};
    record(&sites[0], sf);
    const pid_t child = fork();
    if (child == 0)
      exit(0);
    waitpid(child, nullptr, 0);
    CHECK(!std::filesystem::exists(path));
    exit(0);
  };
  EXPECT_EXIT(forks(), testing::ExitedWithCode(0), "");
  EXPECT_TRUE(std::filesystem::exists(path));
}

/// A process that may use CPUS of a machine, which has no more CPUs than the highest of them if the
/// real one has less.
static void runOn(const char *cpus) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  for (const char *cpu = cpus; *cpu != '\0'; cpu++)
    CPU_SET(*cpu - '0', &mask);
  gomp_amp_set_process_mask(sizeof mask, &mask);
  gomp_amp_init_options();
  // An earlier test of this process may have found one.
  gomp_amp_found_machine = nullptr;
}

// Ranks of an MPI program, which share a file that a run on the whole machine saved.
TEST_F(Offline, RanksWithOtherMasksReplayOneFile) {
  unsetenv("GOMP_AMP_THREAD_CLASSES");
  setenv("GOMP_AMP_TOPOLOGY", "0-1=300,2,5=600,3-4=1024", 1);
  setenv("GOMP_AID_SF_SAVE", path.c_str(), 1);
  const auto whole = [] {
    runOn("012345");
    const double sf[3] = {1, 2, 4};
    record(&sites[0], sf);
    exit(0);
  };
  EXPECT_EXIT(whole(), testing::ExitedWithCode(0), "");
  EXPECT_NE(content().find(" 0:1.000000,1:2.000000,2:4.000000 # 1\n"), std::string::npos);

  unsetenv("GOMP_AID_SF_SAVE");
  setenv("GOMP_AID_SF_FILE", path.c_str(), 1);
  for (const char *cpus : {"0125", "2345", "345", "5", "012345"}) {
    const auto rank = [cpus] {
      runOn(cpus);
      double sf[3] = {};
      CHECK(gomp_amp_class_count() == 3);
      CHECK(offline(&sites[0], sf) && sf[0] == 1 && sf[1] == 2 && sf[2] == 4);
      CHECK(takeMessages().empty());
      exit(0);
    };
    EXPECT_EXIT(rank(), testing::ExitedWithCode(0), "") << cpus;
  }

  setenv("GOMP_AMP_TOPOLOGY", "0-1=300,2,5=600,3-4=900", 1);
  const auto other = [] {
    runOn("012345");
    double sf[3] = {};
    CHECK(!offline(&sites[0], sf));
    CHECK(!offline(&sites[1], sf));
    const auto said = takeMessages();
    CHECK(said.size() == 1 && said[0].find("they are of machine") != std::string::npos);
    exit(0);
  };
  EXPECT_EXIT(other(), testing::ExitedWithCode(0), "");
}

// What a rank saved is good for the classes that it had.
TEST_F(Offline, FactorsOfPresentClassesAreEnough) {
  unsetenv("GOMP_AMP_THREAD_CLASSES");
  setenv("GOMP_AMP_TOPOLOGY", "0-1=300,2,5=600,3-4=1024", 1);
  setenv("GOMP_AID_SF", "1:2,2:4", 1);
  const auto upper = [] {
    runOn("2345");
    gomp_amp_options.sf.sf[0] = 0; // as in a line of a file that lacks class 0
    double sf[3] = {};
    CHECK(offline(&sites[0], sf) && sf[1] == 2 && sf[2] == 4);
    // A thread that gets there by a change of its mask is given work all the same.
    CHECK(sf[0] == 2);
    CHECK(takeMessages().empty());
    exit(0);
  };
  EXPECT_EXIT(upper(), testing::ExitedWithCode(0), "");
  const auto lower = [] {
    runOn("0125");
    gomp_amp_options.sf.sf[0] = 0;
    double sf[3] = {};
    CHECK(!offline(&sites[0], sf));
    const auto said = takeMessages();
    CHECK(said.size() == 1 && said[0].find("core class 0 of 0..2") != std::string::npos);
    exit(0);
  };
  EXPECT_EXIT(lower(), testing::ExitedWithCode(0), "");
}
