// SPDX-License-Identifier: GPL-3.0-or-later
// Ids of called regions under every interleaving of the atomic operations of those that take them:
// each id runs once, no two accesses race.
#include <gtest/gtest.h>

#include <cstring>
#include <iostream>

#include "state_search.h"
#include "take_program.h"

namespace {

using model::Findings;

struct Program {
  const char *name;
  bool timed;        // worker 1 leaves ids
  bool rescue;       // a third thread takes what is left of worker 0's share
  bool revoked;      // a third thread revokes both shares, and gives them back
  unsigned first[2]; // how many ids worker 0 has in each region
};

using TakeMemory = model::Memory<14, 48, 1, true>;

class Takes : public model::Search<TakeMemory> {
public:
  explicit Takes(const Program &program);

private:
  void body(unsigned thread) override {
    (thread == 0 ? take_home : thread == 1 ? take_other : third_)();
  }
  std::vector<Region> regions() const override { return {{&take_world, sizeof take_world}}; }
  bool shared(const void *address, bool) const override { return !name(address).empty(); }
  std::string name(const void *address) const override;
  void check_end() override;
  void check_state() override;
  bool may_wait() const override { return true; }

  std::vector<std::pair<const void *, std::string>> words_;
  void (*third_)();
};

// What takers guess by, for both regions. A fast worker and one of a third of its speed.
void deal(const Program &program) {
  static unsigned order[] = {0, 2, 1}, first[2][3];
  static float cost[] = {0, 1000, 2000, 3000}, slow[] = {1, 3};
  for (int region = 0; region < TAKE_REGIONS; region++) {
    first[region][1] = program.first[region];
    first[region][2] = TAKE_IDS;
    take_dealt[region] = {TAKE_IDS, order, first[region], slow, take_world.times[region],
                          cost,     0,     program.timed};
  }
}

Takes::Takes(const Program &program) : third_(program.revoked ? take_revoke : take_rescue) {
  take_world = {};
  take_world.regions = program.revoked ? 1 : TAKE_REGIONS;
  take_world.shares = {TAKE_WORKERS, 0, take_world.share, nullptr, 0};
  deal(program);
  const auto word = [this](const void *address, const std::string &name) {
    words_.emplace_back(address, name);
  };
  for (auto &share : take_world.share) {
    word(&share.word, "word");
    word(&share.begun, "begun");
    word(&share.expected, "expected");
    word(&share.slow, "slow");
    word(&share.manner, "manner");
  }
  word(&take_world.shares.home, "home");
  word(&take_world.shares.dealt, "dealt");
  word(&take_world.shares.began, "began");
  word(&take_world.awaited, "awaited");
  for (auto &share : take_world.share) {
    word(&share.at, "at");
    word(&share.uncounted, "uncounted");
    word(&share.ran, "ran");
    word(&share.since_ns, "since_ns");
    word(&share.first_ns, "first_ns");
    word(&share.last_ns, "last_ns");
  }
  for (auto &region : take_world.times)
    for (auto &run : region) {
      word(&run.ns, "ns");
      word(&run.worker, "worker");
    }
  word(&take_world.region, "region");
  for (auto &region : take_world.done)
    for (auto &done : region)
      word(&done, "done");
  std::vector<const void *> addresses;
  for (const auto &entry : words_)
    addresses.push_back(entry.first);
  start(program.rescue || program.revoked ? 3 : 2, addresses);
}

std::string Takes::name(const void *address) const {
  for (const auto &word : words_)
    if (word.first == address)
      return word.second;
  return "";
}

void Takes::check_state() {
  if (take_world.left)
    fail("an id that nobody may take");
  for (const auto &region : take_world.done)
    for (const int done : region)
      if (done > 1)
        fail("an id that ran twice");
}

void Takes::check_end() {
  for (int region = 0; region < take_world.regions; region++)
    for (const int done : take_world.done[region])
      if (done != 1)
        fail("an id that did not run");
  for (unsigned thread = 0; thread < 2; thread++)
    if (!ended(thread))
      fail("a thread that does not end");
}

const Program kPrograms[] = {
    {"shared", false, false, false, {2, 1}},        {"alone", false, false, false, {3, 3}},
    {"leaving", true, false, false, {2, 1}},        {"rescue", false, true, false, {2, 3}},
    {"leaving_rescue", true, true, false, {2, 3}},  {"revoked", false, false, true, {1, 2}},
    {"leaving_revoked", true, false, true, {1, 2}},
};

class Taken : public testing::TestWithParam<Program> {};

TEST_P(Taken, EachIdRunsOnce) {
  const Findings findings = Takes(GetParam()).run();
  std::cout << GetParam().name << ": " << findings.states << " states, " << findings.steps
            << " steps, " << findings.ends << " ends\n";
  EXPECT_EQ(findings.error, "");
  EXPECT_GT(findings.ends, 0u);
}

INSTANTIATE_TEST_SUITE_P(Take, Taken, testing::ValuesIn(kPrograms),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
