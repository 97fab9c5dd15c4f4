// SPDX-License-Identifier: GPL-3.0-or-later
// Whether all threads of a team take what learn.c knows about a loop for the same, whatever the
// order in which they run between two barriers, the addresses from which they start the loop, and
// the times that they measure.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

#include "two_classes.h"

extern "C" {
#include "base/clock.h"
#include "libgomp.h"
}

namespace {

using Random = std::mt19937_64;

unsigned below(Random &random, unsigned limit) { return unsigned(random() % limit); }

struct Step {
  enum { loop, barrier } what;
  // A loop's place in the program, and its trip count.
  unsigned place;
  gomp_aid_count ni;
};

// What all threads of a region do, in this order: nests of sequential loops around worksharing
// loops, some without a barrier at their end, with trip counts that stay or change.
struct Region {
  std::vector<Step> steps;

  void fill(Random &random, unsigned depth, unsigned &places) {
    const unsigned parts = 1 + below(random, 4);
    for (unsigned i = 0; i < parts; i++) {
      if (depth < 2 && below(random, 3) == 0) {
        const unsigned times = 1 + below(random, 6);
        Region inner;
        inner.fill(random, depth + 1, places);
        const bool changes = below(random, 3) == 0;
        for (unsigned k = 0; k < times; k++)
          for (Step step : inner.steps) {
            if (changes && step.ni > 0)
              step.ni += k * (1 + step.ni / 16);
            steps.push_back(step);
          }
        continue;
      }
      const gomp_aid_count trips[] = {0, 1, 3, 17, 64, 1000, 123457, 1ULL << 35};
      steps.push_back({Step::loop, places++, trips[below(random, 8)]});
      if (below(random, 3) != 0)
        steps.push_back({Step::barrier, 0, 0});
    }
  }
};

// What one thread found at the start of one loop.
struct Found {
  const gomp_learn_loop *loop;
  bool parts, timed;
};

class Simulated {
public:
  Simulated(unsigned threads, bool alike, Random &random) : random_(random), threads_(threads) {
    team_.nthreads = threads;
    team_.amp_asymmetric = alike ? GOMP_AMP_SYMMETRIC : GOMP_AMP_ASYMMETRIC;
    for (unsigned i = 0; i < threads; i++) {
      threads_[i].ts.team = &team_;
      threads_[i].ts.team_id = i;
    }
  }
  ~Simulated() { gomp_learn_free(pool_.amp_learn); }

  unsigned parts() const { return parts_; }
  unsigned timed() const { return timed_; }
  // Loops that were taken for what they are.
  unsigned right() const { return right_; }

  // One execution of a region. A COPIED loop has two addresses: which one a thread uses is chance.
  void execute(const Region &region, unsigned number, bool copied) {
    gomp_learn_start_team(&pool_, &team_,
                          reinterpret_cast<void (*)(void *)>(uintptr_t(0x1000 + 64 * number)));
    // There was no memory for it.
    if (!team_.amp_learn)
      return;
    std::vector<size_t> at(threads_.size(), 0);
    std::vector<std::vector<Found>> found(region.steps.size());
    std::vector<gomp_aid_count> covered(region.steps.size(), 0);
    unsigned waiting = 0;
    std::vector<bool> waits(threads_.size(), false);
    size_t left = threads_.size();
    while (left > 0) {
      const unsigned t = below(random_, unsigned(threads_.size()));
      if (waits[t] || at[t] > region.steps.size())
        continue;
      // The end of the region is a barrier.
      if (at[t] == region.steps.size() || region.steps[at[t]].what == Step::barrier) {
        waits[t] = true;
        if (++waiting == left) {
          gomp_learn_all_met(team_.amp_learn);
          for (unsigned i = 0; i < threads_.size(); i++)
            waits[i] = false, at[i]++;
          waiting = 0;
          if (at[0] > region.steps.size())
            left = 0;
        }
        continue;
      }
      const Step &step = region.steps[at[t]];
      const uintptr_t copy = copied && below(random_, 2) ? 1 << 20 : 0;
      start(t, step, reinterpret_cast<void *>(0x100000 + copy + 64 * step.place), found[at[t]],
            covered[at[t]]);
      if (testing::Test::HasFatalFailure())
        return;
      at[t]++;
    }
    for (size_t i = 0; i < region.steps.size(); i++)
      if (region.steps[i].what == Step::loop && found[i][0].parts) {
        ASSERT_EQ(covered[i], region.steps[i].ni);
      }
  }

private:
  void start(unsigned t, const Step &step, const void *address, std::vector<Found> &found,
             gomp_aid_count &covered) {
    gomp_learn_loop *loop = gomp_learn_find(&threads_[t], team_.amp_learn, address, step.ni);
    const Found mine = {loop, loop && loop->cut->mode == GOMP_CUT_PARTS,
                        loop && gomp_learn_timed(loop, step.ni)};
    for (const Found &other : found) {
      ASSERT_EQ(other.loop, mine.loop);
      ASSERT_EQ(other.parts, mine.parts);
      ASSERT_EQ(other.timed, mine.timed);
    }
    found.push_back(mine);
    if (!loop)
      return;
    unsigned long long first, last_end = 0;
    for (unsigned i = 0; i < threads_.size(); i++) {
      const unsigned long long count = gomp_cut_part(loop->cut, i, step.ni, &first);
      ASSERT_EQ(first, last_end) << "thread " << i << " of " << threads_.size();
      last_end = first + count;
      if (i == t)
        covered += count;
    }
    ASSERT_EQ(last_end, step.ni);
    right_ += loop->step->address == address;
    parts_ += mine.parts;
    timed_ += mine.timed;
    if (mine.timed && below(random_, 50) != 0) {
      const unsigned long long count = gomp_cut_part(loop->cut, t, step.ni, &first);
      gomp_learn_measured(&threads_[t], loop, gomp_amp_clock() - below(random_, 100000), count);
    }
  }

  Random &random_;
  gomp_team team_ = {};
  gomp_thread_pool pool_ = {};
  std::vector<struct gomp_thread> threads_;
  unsigned parts_ = 0, timed_ = 0, right_ = 0;
};

using LearnAgreement = TwoClasses;

} // namespace

TEST_F(LearnAgreement, RandomPrograms) {
  unsigned parts = 0, timed = 0;
  for (unsigned seed = 0; seed < 400; seed++) {
    SCOPED_TRACE(seed);
    Random random(seed);
    unsigned places = 0;
    std::vector<Region> regions(1 + below(random, 3));
    for (Region &region : regions)
      region.fill(random, 0, places);
    Simulated run(2 + below(random, 5), below(random, 2), random);
    const bool copied = below(random, 3) == 0;
    for (unsigned i = 0; i < 40; i++) {
      const unsigned number = below(random, unsigned(regions.size()));
      run.execute(regions[number], number, copied);
      if (HasFatalFailure())
        return;
    }
    parts += run.parts();
    timed += run.timed();
  }
  // It would also agree if it never learned anything.
  EXPECT_GT(parts, 100000u);
  EXPECT_GT(timed, 10000u);
}

TEST_F(LearnAgreement, ASteadyOrderIsFollowed) {
  Random random(1);
  Region region;
  region.steps = {{Step::loop, 0, 1000}, {Step::barrier, 0, 0}, {Step::loop, 1, 1000},
                  {Step::barrier, 0, 0}, {Step::loop, 1, 1000}, {Step::loop, 2, 500},
                  {Step::barrier, 0, 0}};
  Simulated run(4, true, random);
  for (unsigned i = 0; i < 8; i++)
    run.execute(region, 0, false);
  const unsigned before = run.right();
  for (unsigned i = 0; i < 10; i++)
    run.execute(region, 0, false);
  // Place 1 has two successors, so that one of the four loops is taken for another one.
  EXPECT_EQ(run.right() - before, 10 * 4 * 3u);
}

// All pools have one bound: what comes later is not learned, by all threads alike, until a pool
// ends.
TEST_F(LearnAgreement, BeyondTheBoundOfMemory) {
  Random random(1);
  Region many, few;
  for (unsigned place = 0; place < 4000; place++) {
    many.steps.push_back({Step::loop, place, 100 + place});
    many.steps.push_back({Step::barrier, 0, 0});
  }
  few.steps.assign(many.steps.begin(), many.steps.begin() + 8);
  auto first = std::make_unique<Simulated>(4, true, random);
  for (unsigned i = 0; i < 3; i++)
    first->execute(many, 0, false);
  // Some are known, but not all.
  EXPECT_GT(first->right(), 1000u);
  EXPECT_LT(first->right(), 2 * 4 * 4000u);
  Simulated second(4, true, random), third(4, true, random);
  const auto known = [&](Simulated &run) {
    for (unsigned i = 0; i < 10; i++)
      run.execute(few, 1, false);
    return run.right();
  };
  EXPECT_EQ(known(second), 0u);
  first.reset();
  EXPECT_GT(known(second), 100u);
  EXPECT_GT(known(third), 100u);
}
