// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of the table of sites.

#include "messages.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" {
#include "base/fork-lock.h"
#include "sites/sites.h"
}

namespace {

using Site = struct gomp_amp_site *;

/// Addresses of this program, as loops' return addresses are.
const char code[1000] = {};

/// An address that is in no module, as that of generated code.
const void *generated(uintptr_t number) {
  return reinterpret_cast<const void *>(0x1000 + 32 * number);
}

void *recordOf(Site site) { return gomp_amp_site_record(site, GOMP_AMP_SITE_FACTORS); }

/// A module under a name of its own, loaded again and again.
class Module {
public:
  explicit Module(const std::string &name) {
    char scratch[] = "/tmp/amp-unit-XXXXXX";
    directory_ = mkdtemp(scratch);
    path_ = directory_ / name;
    std::filesystem::copy_file(AMP_FAKE_HWLOC, path_);
  }
  ~Module() {
    unload();
    std::filesystem::remove_all(directory_);
  }
  /// Load it; returns an address in it.
  const void *load() {
    handle_ = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);
    return handle_ ? dlsym(handle_, "hwloc_get_api_version") : nullptr;
  }
  void unload() {
    if (handle_)
      dlclose(handle_);
    handle_ = nullptr;
  }

private:
  std::filesystem::path directory_, path_;
  void *handle_ = nullptr;
};

} // namespace

TEST(Sites, AreFoundOnceTheyWereAdded) {
  EXPECT_EQ(gomp_amp_find_site(&code[0]), nullptr);
  const Site site = gomp_amp_site(&code[0]);
  ASSERT_NE(site, nullptr);
  EXPECT_EQ(site->address, &code[0]);
  char *const name = gomp_amp_site_name(&code[0]);
  EXPECT_STREQ(site->name, name);
  free(name);
  EXPECT_EQ(gomp_amp_find_site(&code[0]), site);
  EXPECT_EQ(gomp_amp_site(&code[0]), site);
  // By who had to wait for the lock while another thread added it.
  EXPECT_EQ(gomp_amp_add_site(&code[0]), site);
  EXPECT_EQ(gomp_amp_find_site(&code[1]), nullptr);
  EXPECT_NE(gomp_amp_site(&code[1]), site);
}

TEST(Sites, ShareBuckets) {
  std::vector<Site> sites;
  for (uintptr_t i = 0; i < 3 * GOMP_AMP_SITE_BUCKETS; i++) {
    sites.push_back(gomp_amp_site(generated(i)));
    ASSERT_NE(sites.back(), nullptr);
    EXPECT_EQ(sites.back()->name, nullptr);
  }
  for (uintptr_t i = 0; i < sites.size(); i++) {
    ASSERT_EQ(gomp_amp_find_site(generated(i)), sites[i]) << i;
    ASSERT_EQ(sites[i]->address, generated(i));
  }
}

TEST(Sites, HaveOneRecordOfEachOwner) {
  int first, second;
  const Site site = gomp_amp_site(&code[0]), other = gomp_amp_site(&code[1]);
  EXPECT_EQ(recordOf(site), nullptr);
  EXPECT_EQ(gomp_amp_publish_record(site, GOMP_AMP_SITE_FACTORS, &first), &first);
  EXPECT_EQ(gomp_amp_publish_record(site, GOMP_AMP_SITE_FACTORS, &second), &first);
  EXPECT_EQ(recordOf(site), &first);
  EXPECT_EQ(recordOf(other), nullptr);
  EXPECT_EQ(gomp_amp_site_record(site, GOMP_AMP_SITE_TASKS), nullptr);
  EXPECT_EQ(gomp_amp_publish_record(site, GOMP_AMP_SITE_TASKS, &second), &second);
  EXPECT_EQ(recordOf(site), &first);
}

TEST(Sites, HaveALimitThatIsReportedOnce) {
  gomp_amp_sites_matter = true;
  uintptr_t made = 0;
  while (made < 2 * GOMP_AMP_MAX_SITES && gomp_amp_site(generated(made)))
    made++;
  EXPECT_EQ(made, uintptr_t(GOMP_AMP_MAX_SITES));
  EXPECT_EQ(gomp_amp_site(generated(made + 1)), nullptr);
  for (uintptr_t known : {uintptr_t(0), made - 1}) {
    ASSERT_NE(gomp_amp_find_site(generated(known)), nullptr);
    EXPECT_EQ(gomp_amp_add_site(generated(known)), gomp_amp_find_site(generated(known)));
  }
  const auto said = takeMessages();
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0].find("There are more than 65536 loops"), 0u) << said[0];
}

TEST(Sites, OfAnUnloadedModuleLeaveAndComeBack) {
  Module a("a.so"), b("b.so");
  int record;
  const void *const first = a.load();
  ASSERT_NE(first, nullptr) << dlerror();
  const Site site = gomp_amp_site(first), staying = gomp_amp_site(&code[0]);
  gomp_amp_publish_record(site, GOMP_AMP_SITE_FACTORS, &record);
  a.unload();
  const void *const second = b.load();
  if (first == second) {
    // Nobody has noticed yet.
    EXPECT_EQ(gomp_amp_find_site(second), site);
    const Site checked = gomp_amp_check_site(site, second);
    EXPECT_NE(checked, site);
    EXPECT_EQ(gomp_amp_check_site(site, second), checked);
    EXPECT_EQ(gomp_amp_check_site(checked, second), checked);
    EXPECT_EQ(gomp_amp_find_site(second), checked);
  } else {
    // The next site that is added shows that the module is gone.
    gomp_amp_site(&code[1]);
    EXPECT_EQ(gomp_amp_find_site(first), nullptr);
  }
  EXPECT_EQ(gomp_amp_find_site(&code[0]), staying);
  const Site other = gomp_amp_site(second);
  EXPECT_NE(other, site);
  EXPECT_EQ(recordOf(other), nullptr);

  // B still takes the place, so that A is elsewhere now.
  const void *const third = a.load();
  EXPECT_NE(third, second);
  EXPECT_EQ(gomp_amp_site(third), site);
  EXPECT_EQ(site->address, third);
  EXPECT_EQ(recordOf(site), &record);
  EXPECT_EQ(gomp_amp_find_site(second), other);
  if (first != second)
    GTEST_SKIP() << "the modules were not mapped at one address; that apart all is well";
}

// Readers take no lock: sites come, and those of a module come and go, while they look for others.
TEST(Sites, AreFoundWhileOthersComeAndGo) {
  constexpr size_t kKnown = 300;
  std::array<Site, kKnown> known;
  for (size_t i = 0; i < kKnown; i++)
    known[i] = gomp_amp_site(&code[i]);
  std::atomic<bool> done{false};
  std::atomic<unsigned> wrong{0};
  std::vector<std::thread> readers;
  for (int reader = 0; reader < 3; reader++)
    readers.emplace_back([&] {
      while (!done)
        for (size_t i = 0; i < kKnown; i++) {
          // A search may miss a site, but finds no other one, and the table has no second one.
          const Site found = gomp_amp_find_site(&code[i]);
          wrong += (found != nullptr && found != known[i]) || gomp_amp_site(&code[i]) != known[i] ||
                   gomp_amp_site_record(known[i], GOMP_AMP_SITE_FACTORS) != nullptr;
        }
    });
  Module module("a.so");
  uintptr_t number = 0;
  for (int times = 0; times < 30; times++) {
    const char *const start = static_cast<const char *>(module.load());
    for (int i = 0; i < 20; i++)
      gomp_amp_site(start + i);
    module.unload();
    for (int i = 0; i < 100; i++)
      gomp_amp_site(generated(number++));
  }
  done = true;
  for (std::thread &reader : readers)
    reader.join();
  EXPECT_EQ(wrong, 0u);
}

TEST(Sites, AreTheSameForThreadsThatAddThemTogether) {
  constexpr uintptr_t kCount = 3000;
  std::array<std::vector<Site>, 4> found;
  std::vector<std::thread> threads;
  for (auto &each : found)
    threads.emplace_back([&each] {
      for (uintptr_t i = 0; i < kCount; i++)
        each.push_back(gomp_amp_site(generated(i)));
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const auto &each : found)
    EXPECT_EQ(each, found[0]);
}

TEST(Sites, CanBeAddedInAChildOfAThreadThatForksBesideAWriter) {
  gomp_amp_watch_forks();
  std::atomic<bool> done{false};
  std::thread writer([&done] {
    for (uintptr_t i = 0; !done; i++)
      gomp_amp_add_site(generated(i % 40000));
  });
  for (int times = 0; times < 50; times++) {
    const pid_t child = fork();
    if (child == 0) {
      // A lock that nobody will release would be waited for.
      alarm(900);
      const Site site = gomp_amp_site(&code[0]);
      _exit(site && gomp_amp_find_site(&code[0]) == site ? 0 : 1);
    }
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  done = true;
  writer.join();
}
