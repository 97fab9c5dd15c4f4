// SPDX-License-Identifier: GPL-3.0-or-later
// Searches the states of a loop's threads.
#include "explorer.h"

#include <algorithm>
#include <cstring>

#include "state_search.h"

namespace model {

namespace {

// The pool's counter and the phase are loaded; more words than that are modified.
class Explorer : public Search<Memory<2, 16, 48>> {
public:
  explicit Explorer(const Case &what);

private:
  static constexpr unsigned kThreads = Memory<2, 16, 48>::kThreads;

  // What changes, other than the loop and the threads' state.
  struct World {
    uint64_t ran; // iterations, a bit each
    uint64_t time[kThreads];
    unsigned blocks[kThreads]; // that the thread took
    unsigned char cls[kThreads];
  };

  void body(unsigned thread) override;
  std::vector<Region> regions() const override;
  bool shared(const void *address, bool write) const override;
  std::string name(const void *address) const override;
  void check_end() override;
  void resume(unsigned thread) override;
  void restored() override;
  void check_allotment(unsigned thread, gomp_aid_count count);

  const Case &case_;
  Team team_;
  std::vector<const void *> words_;
  World world_;
};

Explorer::Explorer(const Case &what) : case_(what), team_(what.setting) {
  gomp_amp_loop *const loop = team_.loop();
  loop->roomy = what.roomy;
  words_ = {&loop->next, &loop->phase, &loop->arrived};
  for (unsigned c = 0; c < loop->classes; c++)
    words_.insert(words_.end(), {&loop->share[c], &gomp_aid_sums(loop)[c], &gomp_aid_r(loop)[c]});
  std::memset(static_cast<void *>(&world_), 0, sizeof world_);
  std::copy(what.setting.classes.begin(), what.setting.classes.end(), world_.cls);
  start(team_.size(), words_);
}

void Explorer::body(unsigned thread) {
  for (;;) {
    gomp_aid_count first = 0, count = 0;
    clock_now = 1000 + world_.time[thread];
    for (const Move &move : case_.moves)
      if (move.thread == thread && move.block == world_.blocks[thread])
        team_.migrate(thread, world_.cls[thread] = move.cls);
    if (!team_.next(thread, &first, &count))
      break;
    world_.blocks[thread]++;
    check_allotment(thread, count);
    if (count == 0 || first >= case_.setting.ni || count > case_.setting.ni - first) {
      fail("iterations that the loop has not");
      break;
    }
    const uint64_t bits = ((count < 64 ? uint64_t(1) << count : 0) - 1) << first;
    if (world_.ran & bits)
      fail("an iteration twice");
    world_.ran |= bits;
    world_.time[thread] += count * case_.cost[thread];
  }
}

bool Explorer::shared(const void *address, bool write) const {
  const auto *const at = static_cast<const char *>(address);
  const auto *const begin = reinterpret_cast<const char *>(team_.loop());
  const auto *const end =
      reinterpret_cast<const char *>(gomp_aid_r(team_.loop()) + team_.loop()->classes);
  // What comes before the pool is constant.
  return at >= begin && at < end && (write || address >= &team_.loop()->next);
}

std::string Explorer::name(const void *address) const {
  static const char *const first[] = {"next", "phase", "arrived"};
  static const char *const of_class[] = {"share", "sums", "r"};
  for (size_t i = 0; i < words_.size(); i++)
    if (words_[i] == address)
      return i < 3 ? first[i] : of_class[(i - 3) % 3] + ("[" + std::to_string((i - 3) / 3) + "]");
  return "another word";
}

void Explorer::resume(unsigned thread) {
  team_.run(thread);
  clock_now = 1000 + world_.time[thread];
}

void Explorer::restored() {
  for (unsigned t = 0; t < team_.size(); t++)
    team_.migrate(t, world_.cls[t]);
}

std::vector<Explorer::Region> Explorer::regions() const {
  auto *const self = const_cast<Explorer *>(this);
  gomp_amp_loop *const loop = team_.loop();
  auto *const begin = reinterpret_cast<char *>(&loop->next);
  std::vector<Region> all = {
      {&self->world_, sizeof world_},
      {begin, size_t(reinterpret_cast<char *>(gomp_aid_r(loop) + loop->classes) - begin)}};
  for (unsigned t = 0; t < team_.size(); t++)
    all.push_back({&self->team_.state(t), sizeof team_.state(t)});
  return all;
}

// Nobody is left.
void Explorer::check_end() {
  const gomp_aid_count ni = case_.setting.ni;
  if (world_.ran != (ni < 64 ? uint64_t(1) << ni : 0) - 1)
    fail("an iteration is lost");
  if (case_.setting.kind == GFS_AID_DYNAMIC || team_.loop()->phase == 0)
    return;
  if (team_.loop()->arg == 0 || team_.loop()->phase != 1)
    return;
  // Shares add up to what is to be allotted, but for what rounding leaves, whichever thread moved.
  const gomp_aid_count all = ni * team_.loop()->arg / 100;
  gomp_aid_count due = 0;
  for (unsigned t = 0; t < team_.size(); t++)
    due += team_.loop()->share[team_.state(t).cls];
  if (due > all)
    fail("shares of more than the loop");
  if (due + team_.size() < all)
    fail("shares of less than the loop");
}

// The thread has taken `count` iterations: if they are an allotment they are not more than what
// was counted for it.
void Explorer::check_allotment(unsigned thread, gomp_aid_count count) {
  const gomp_amp_thread &state = team_.state(thread);
  const gomp_amp_loop *const loop = team_.loop();
  if (case_.setting.kind == GFS_AID_DYNAMIC || loop->arg == 0 || state.phase == 0 ||
      count <= std::max(loop->chunk, state.unit))
    return;
  const gomp_aid_count given = state.phase == GOMP_AID_LATE ? count : state.taken;
  if (given > loop->share[state.cls])
    fail("more than its share");
}

} // namespace

Findings explore(const Case &what) { return Explorer(what).run(); }

} // namespace model
