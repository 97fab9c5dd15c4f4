// SPDX-License-Identifier: GPL-3.0-or-later
// A depth-first search over all states, each seen once. A state is all that the future depends on:
// the loop, the threads with their stacks, and what C11 lets each of them see.
#include "explorer.h"

#include <algorithm>
#include <cstring>
#include <sstream>
#include <unordered_map>
#include <xxhash.h>

#include "coroutine.h"
#include "memory.h"
#include "tsan.h"

namespace model {

namespace {

using Bytes = std::vector<char>;

struct Hash {
  size_t operator()(const XXH128_hash_t &hash) const { return hash.low64; }
};
struct Equal {
  bool operator()(const XXH128_hash_t &a, const XXH128_hash_t &b) const {
    return a.low64 == b.low64 && a.high64 == b.high64;
  }
};

bool acquires(int order) {
  return order == __ATOMIC_ACQUIRE || order == __ATOMIC_CONSUME || order == __ATOMIC_ACQ_REL ||
         order == __ATOMIC_SEQ_CST;
}
bool releases(int order) {
  return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

class Explorer : private Watcher {
public:
  explicit Explorer(const Case &what);
  ~Explorer() override { watcher = before_; }
  Findings run();

private:
  // One step: this thread does its next atomic operation, and reads that message.
  struct Choice {
    unsigned thread, message;
  };
  struct Visit {
    Bytes state;
    std::vector<Choice> choices;
    size_t next = 0;
    XXH128_hash_t hash;
  };

  // What changes, besides the coroutines, the loop and the threads' state.
  struct World {
    Memory memory;
    const void *pending[Memory::kThreads]; // what an atomic load is about to read; else null
    uint64_t ran;                          // iterations, a bit each
    uint64_t time[Memory::kThreads];
    unsigned blocks[Memory::kThreads]; // that the thread took
    unsigned char cls[Memory::kThreads];
  };

  void body(unsigned thread);
  void step(Choice choice);
  Bytes save() const;
  void restore(const Bytes &state);
  std::vector<Choice> choices() const;
  void check_end();
  void check_allotment(unsigned thread, gomp_aid_count count);
  void fail(const std::string &what);
  bool shared(const void *address) const;
  std::string name(const void *address) const;
  void before_atomic(const void *load);

  void plain(const void *address, bool write) override;
  uint64_t load(const void *address, size_t size, int order) override;
  void store(void *address, size_t size, uint64_t value, int order) override;
  uint64_t add(void *address, size_t size, uint64_t value, int order) override;
  bool exchange(void *address, size_t size, uint64_t *expected, uint64_t value, int order) override;

  const Case &case_;
  Team team_;
  Watcher *const before_;
  std::vector<const void *> words_;
  std::vector<Coroutine> threads_;
  World world_;
  unsigned running_ = 0, message_ = 0;
  std::string error_;
};

Explorer::Explorer(const Case &what) : case_(what), team_(what.setting), before_(watcher) {
  gomp_amp_loop *const loop = team_.loop();
  loop->roomy = what.roomy;
  words_ = {&loop->next, &loop->phase, &loop->arrived};
  for (unsigned c = 0; c < loop->classes; c++)
    words_.insert(words_.end(), {&loop->share[c], &loop->sums[c], &loop->r[c], &loop->threads[c]});
  std::memset(static_cast<void *>(&world_), 0, sizeof world_);
  std::copy(what.setting.classes.begin(), what.setting.classes.end(), world_.cls);
  world_.memory.start(team_.size(), words_);
  threads_.reserve(team_.size());
  for (unsigned t = 0; t < team_.size(); t++)
    threads_.emplace_back([this, t] { body(t); });
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
  world_.memory.retire(thread);
}

void Explorer::fail(const std::string &what) {
  if (error_.empty())
    error_ = what;
}

bool Explorer::shared(const void *address) const {
  const auto *const at = static_cast<const char *>(address);
  const auto *const begin = reinterpret_cast<const char *>(team_.loop());
  const auto *const end =
      reinterpret_cast<const char *>(team_.loop()->threads + team_.loop()->classes);
  return at >= begin && at < end;
}

std::string Explorer::name(const void *address) const {
  static const char *const first[] = {"next", "phase", "arrived"};
  static const char *const of_class[] = {"share", "sums", "r", "threads"};
  for (size_t i = 0; i < words_.size(); i++)
    if (words_[i] == address)
      return i < 3 ? first[i] : of_class[(i - 3) % 4] + ("[" + std::to_string((i - 3) / 4) + "]");
  return "another word";
}

void Explorer::plain(const void *address, bool write) {
  if (!shared(address))
    return;
  if (address < &team_.loop()->next && !write)
    return; // constant
  world_.memory.plain(running_, address, write);
}

// Others may come first.
void Explorer::before_atomic(const void *load) {
  world_.pending[running_] = load;
  const unsigned thread = running_;
  threads_[thread].leave();
  clock_now = 1000 + world_.time[thread];
  world_.pending[thread] = nullptr;
}

uint64_t Explorer::load(const void *address, size_t size, int order) {
  if (!shared(address))
    return Watcher::load(address, size, order);
  before_atomic(address);
  return world_.memory.load(running_, address, acquires(order), message_);
}

void Explorer::store(void *address, size_t size, uint64_t value, int order) {
  before_atomic(nullptr);
  Watcher::store(address, size, value, order);
  world_.memory.store(running_, address, releases(order), value);
}

uint64_t Explorer::add(void *address, size_t size, uint64_t value, int order) {
  before_atomic(nullptr);
  const uint64_t old = Watcher::add(address, size, value, order);
  world_.memory.modify(running_, address, acquires(order), releases(order), old + value);
  return old;
}

bool Explorer::exchange(void *address, size_t size, uint64_t *expected, uint64_t value, int order) {
  before_atomic(nullptr);
  const bool done = Watcher::exchange(address, size, expected, value, order);
  if (done)
    world_.memory.modify(running_, address, acquires(order), releases(order), value);
  return done;
}

// Lets the thread do what it is about to do, and go on to before its next atomic operation.
void Explorer::step(Choice choice) {
  running_ = choice.thread;
  message_ = choice.message;
  team_.run(choice.thread);
  threads_[choice.thread].enter();
  if (world_.memory.error())
    fail(std::string(world_.memory.error()) + ": " + name(world_.memory.culprit()));
}

template <typename T> void put(Bytes &bytes, const T *from, size_t size) {
  const auto *const begin = reinterpret_cast<const char *>(from);
  bytes.insert(bytes.end(), begin, begin + size);
}

Bytes Explorer::save() const {
  Bytes bytes;
  bytes.reserve(16384);
  put(bytes, &world_, sizeof world_);
  gomp_amp_loop *const loop = team_.loop();
  put(bytes, &loop->next,
      reinterpret_cast<char *>(loop->threads + loop->classes) -
          reinterpret_cast<char *>(&loop->next));
  for (unsigned t = 0; t < team_.size(); t++) {
    put(bytes, &team_.state(t), sizeof team_.state(t));
    const size_t size = threads_[t].ended() ? 0 : threads_[t].stack_size();
    put(bytes, &size, sizeof size);
    if (size) {
      put(bytes, static_cast<const char *>(threads_[t].stack()), size);
      put(bytes, static_cast<const char *>(threads_[t].registers()), Coroutine::kRegistersSize);
    }
  }
  return bytes;
}

void Explorer::restore(const Bytes &state) {
  const char *at = state.data();
  const auto get = [&at](void *to, size_t size) {
    std::memcpy(to, at, size);
    at += size;
  };
  get(&world_, sizeof world_);
  gomp_amp_loop *const loop = team_.loop();
  get(&loop->next, reinterpret_cast<char *>(loop->threads + loop->classes) -
                       reinterpret_cast<char *>(&loop->next));
  for (unsigned t = 0; t < team_.size(); t++) {
    team_.migrate(t, world_.cls[t]);
    get(&team_.state(t), sizeof team_.state(t));
    size_t size;
    get(&size, sizeof size);
    if (size) {
      threads_[t].restore(at, size, at + size);
      at += size + Coroutine::kRegistersSize;
    } else
      threads_[t].end();
  }
}

std::vector<Explorer::Choice> Explorer::choices() const {
  std::vector<Choice> all;
  for (unsigned t = 0; t < team_.size(); t++) {
    if (threads_[t].ended())
      continue;
    const void *const load = world_.pending[t];
    const unsigned messages = load ? world_.memory.readable(t, load) : 1;
    for (unsigned m = 0; m < messages; m++)
      all.push_back({t, m});
  }
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

Findings Explorer::run() {
  Findings findings;
  watcher = this;
  // Up to each thread's first atomic operation.
  for (unsigned t = 0; t < team_.size(); t++) {
    threads_[t].enter();
    step({t, 0});
  }
  // Whether a state is on the way that is being gone.
  std::unordered_map<XXH128_hash_t, bool, Hash, Equal> seen;
  std::vector<Visit> way;
  const auto arrive = [&] {
    Visit visit{save(), choices(), 0, {}};
    visit.hash = XXH3_128bits(visit.state.data(), visit.state.size());
    const auto [at, fresh] = seen.emplace(visit.hash, true);
    if (!fresh) {
      if (at->second)
        fail("a state that comes again: it may never end");
      return;
    }
    findings.states++;
    if (visit.choices.empty()) {
      findings.ends++;
      check_end();
      at->second = false;
      return;
    }
    way.push_back(std::move(visit));
  };

  arrive();
  while (!way.empty() && error_.empty()) {
    Visit &top = way.back();
    if (top.next == top.choices.size()) {
      seen[top.hash] = false;
      way.pop_back();
      continue;
    }
    restore(top.state);
    step(top.choices[top.next++]);
    findings.steps++;
    if (error_.empty())
      arrive();
  }
  watcher = before_;

  if (!error_.empty()) {
    std::ostringstream text;
    text << error_ << "; threads in the order of their operations:";
    for (const Visit &visit : way)
      text << ' ' << visit.choices[visit.next - 1].thread;
    findings.error = text.str();
  }
  return findings;
}

} // namespace

Findings explore(const Case &what) { return Explorer(what).run(); }

} // namespace model
