// SPDX-License-Identifier: GPL-3.0-or-later
// A depth-first search over all states of threads that share memory, each state seen once. A state
// is all that the future depends on: what the threads share, their stacks, and what C11 lets each
// of them see.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>
#include <xxhash.h>

#include "coroutine.h"
#include "memory.h"
#include "tsan.h"

namespace model {

// What bounds a search, in place of a clock: far more than the longest has.
constexpr unsigned long kMostSteps = 2'000'000'000;

struct Findings {
  std::string error; // empty if there is none; else what, and the way to it
  unsigned long states = 0, steps = 0, ends = 0;
};

template <class Mem> class Search : private Watcher {
public:
  // Searches until something is wrong, or all has been seen.
  Findings run();

protected:
  // One step: this thread does its next atomic operation, and reads that message.
  struct Choice {
    unsigned thread, message;
  };
  struct Region {
    void *begin;
    size_t size;
  };

  Search() : before_(watcher) { std::memset(static_cast<void *>(&memory_), 0, sizeof memory_); }
  ~Search() override { watcher = before_; }

  // `words` as Memory::start has them; threads 0..count - 1 run body(thread).
  void start(unsigned count, const std::vector<const void *> &words);

  virtual void body(unsigned thread) = 0;
  // What a state has in addition to the threads' stacks and what they know.
  virtual std::vector<Region> regions() const = 0;
  // A word that is shared and not constant.
  virtual bool shared(const void *address, bool write) const = 0;
  // A write of it is a step.
  virtual bool steps(const void *) const { return true; }
  virtual std::string name(const void *address) const = 0;
  // All threads have ended, or none can go on.
  virtual void check_end() = 0;
  virtual void check_state() {}
  // A state was put back.
  virtual void restored() {}
  // The thread goes on.
  virtual void resume(unsigned) {}
  virtual bool blocked(unsigned) const { return false; }
  // Whether a state may be reached again from itself.
  virtual bool may_wait() const { return false; }
  // Whether each state must have a way to one that ends.
  virtual bool must_end() const { return false; }

  void fail(const std::string &what) {
    if (error_.empty())
      error_ = what;
  }
  // The kernel compared the word for the thread that runs.
  void observe(const void *address) { memory_.observe(running_, address); }
  unsigned running() const { return running_; }
  bool ended(unsigned thread) const { return threads_[thread].ended(); }
  // Others may come first.
  void before_atomic(const void *load);

private:
  using Bytes = std::vector<char>;
  // The bytes by which a state differs from the one after it on the way: these share nearly all.
  class Difference {
  public:
    Difference() = default;
    Difference(const Bytes &before, const Bytes &after);
    void undo(Bytes &after) const;

  private:
    struct Run {
      uint32_t at, size;
    };
    size_t size_ = 0; // of the state before
    std::vector<Run> runs_;
    Bytes bytes_;
  };
  struct Visit {
    Difference before;
    std::vector<Choice> choices;
    size_t next = 0;
    XXH128_hash_t hash;
    uint32_t number;
  };
  struct Hash {
    size_t operator()(const XXH128_hash_t &hash) const { return hash.low64; }
  };
  struct Equal {
    bool operator()(const XXH128_hash_t &a, const XXH128_hash_t &b) const {
      return a.low64 == b.low64 && a.high64 == b.high64;
    }
  };

  // What is known of a state.
  struct Seen {
    bool on_the_way; // that is being gone
    uint32_t number;
  };
  // The states that steps lead to and from, and those that end, by their numbers.
  struct Steps {
    std::vector<uint32_t> from, to, ends;
    bool all_end(size_t states) const;
  };
  // How far a search is.
  struct Course {
    Findings findings;
    std::unordered_map<XXH128_hash_t, Seen, Hash, Equal> seen;
    Steps steps;
    std::vector<Visit> way;
    Bytes last, state; // the state at the end of the way, and this one
  };

  static bool acquires(int order) {
    return order == __ATOMIC_ACQUIRE || order == __ATOMIC_CONSUME || order == __ATOMIC_ACQ_REL ||
           order == __ATOMIC_SEQ_CST;
  }
  static bool releases(int order) {
    return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
  }

  void step(Choice choice);
  void arrive(Course &course);
  void go_on(Course &course);
  void save(Bytes &state) const;
  void restore(const Bytes &state);
  std::vector<Choice> choices() const;

  void plain(const void *address, bool write) override;
  uint64_t load(const void *address, size_t size, int order) override;
  void store(void *address, size_t size, uint64_t value, int order) override;
  uint64_t update(void *address, size_t size, Update how, uint64_t value, int order) override;
  bool exchange(void *address, size_t size, uint64_t *expected, uint64_t value, int order) override;

  Watcher *const before_;
  std::vector<Coroutine> threads_;
  Mem memory_;
  const void *pending_[Mem::kThreads] = {}; // what an atomic load is about to read; else null
  unsigned running_ = 0, message_ = 0;
  std::string error_;
};

template <class Mem>
void Search<Mem>::start(unsigned count, const std::vector<const void *> &words) {
  memory_.start(count, words);
  threads_.reserve(count);
  for (unsigned t = 0; t < count; t++)
    threads_.emplace_back([this, t] {
      body(t);
      memory_.retire(t);
    });
}

template <class Mem> void Search<Mem>::plain(const void *address, bool write) {
  if (shared(address, write))
    memory_.plain(running_, address, write);
}

template <class Mem> void Search<Mem>::before_atomic(const void *load) {
  const unsigned thread = running_;
  pending_[thread] = load;
  threads_[thread].leave();
  pending_[thread] = nullptr;
}

template <class Mem> uint64_t Search<Mem>::load(const void *address, size_t size, int order) {
  if (!shared(address, false))
    return Watcher::load(address, size, order);
  before_atomic(address);
  return memory_.load(running_, address, size, acquires(order), message_);
}

template <class Mem>
void Search<Mem>::store(void *address, size_t size, uint64_t value, int order) {
  if (!steps(address))
    return Watcher::store(address, size, value, order);
  before_atomic(nullptr);
  Watcher::store(address, size, value, order);
  memory_.store(running_, address, releases(order), value);
}

template <class Mem>
uint64_t Search<Mem>::update(void *address, size_t size, Update how, uint64_t value, int order) {
  if (!steps(address))
    return Watcher::update(address, size, how, value, order);
  before_atomic(nullptr);
  const uint64_t old = Watcher::update(address, size, how, value, order);
  memory_.modify(running_, address, acquires(order), releases(order),
                 Watcher::load(address, size, order));
  return old;
}

template <class Mem>
bool Search<Mem>::exchange(void *address, size_t size, uint64_t *expected, uint64_t value,
                           int order) {
  if (!steps(address))
    return Watcher::exchange(address, size, expected, value, order);
  before_atomic(nullptr);
  const bool done = Watcher::exchange(address, size, expected, value, order);
  if (done)
    memory_.modify(running_, address, acquires(order), releases(order), value);
  return done;
}

// Lets the thread do what it is about to do, and go on to before its next atomic operation.
template <class Mem> void Search<Mem>::step(Choice choice) {
  running_ = choice.thread;
  message_ = choice.message;
  resume(choice.thread);
  threads_[choice.thread].enter();
  if (memory_.error())
    fail(std::string(memory_.error()) + ": " + name(memory_.culprit()));
}

// Word by word; of states that are not as long, all from the first word on that differs.
template <class Mem>
Search<Mem>::Difference::Difference(const Bytes &before, const Bytes &after)
    : size_(before.size()) {
  constexpr size_t kWord = sizeof(uint64_t);
  const size_t common = std::min(before.size(), after.size()) / kWord * kWord;
  const auto differs = [&](size_t at) { return std::memcmp(&before[at], &after[at], kWord) != 0; };
  for (size_t at = 0, end; at < before.size(); at = end) {
    end = at + kWord;
    if (at < common && !differs(at))
      continue;
    while (end < common && differs(end))
      end += kWord;
    if (end >= common || before.size() != after.size())
      end = before.size();
    runs_.push_back({uint32_t(at), uint32_t(end - at)});
    bytes_.insert(bytes_.end(), &before[at], before.data() + end);
  }
}

template <class Mem> void Search<Mem>::Difference::undo(Bytes &after) const {
  after.resize(size_);
  const char *from = bytes_.data();
  for (const Run &run : runs_) {
    std::memcpy(&after[run.at], from, run.size);
    from += run.size;
  }
}

template <class Mem> void Search<Mem>::save(Bytes &bytes) const {
  bytes.clear();
  const auto put = [&bytes](const void *from, size_t size) {
    const auto *const begin = static_cast<const char *>(from);
    bytes.insert(bytes.end(), begin, begin + size);
  };
  Mem::parts(memory_, put);
  put(pending_, sizeof pending_);
  for (const Region &region : regions())
    put(region.begin, region.size);
  for (const Coroutine &thread : threads_) {
    const size_t size = thread.ended() ? 0 : thread.stack_size();
    put(&size, sizeof size);
    if (size) {
      put(thread.stack(), size);
      put(thread.registers(), Coroutine::kRegistersSize);
    }
  }
}

template <class Mem> void Search<Mem>::restore(const Bytes &state) {
  const char *at = state.data();
  const auto get = [&at](void *to, size_t size) {
    std::memcpy(to, at, size);
    at += size;
  };
  Mem::parts(memory_, get);
  get(pending_, sizeof pending_);
  for (const Region &region : regions())
    get(region.begin, region.size);
  for (Coroutine &thread : threads_) {
    size_t size;
    get(&size, sizeof size);
    if (size) {
      thread.restore(at, size, at + size);
      at += size + Coroutine::kRegistersSize;
    } else
      thread.end();
  }
  restored();
}

template <class Mem> std::vector<typename Search<Mem>::Choice> Search<Mem>::choices() const {
  std::vector<Choice> all;
  for (unsigned t = 0; t < threads_.size(); t++) {
    if (threads_[t].ended() || blocked(t))
      continue;
    const void *const load = pending_[t];
    const unsigned messages = load ? memory_.readable(t, load) : 1;
    for (unsigned m = 0; m < messages; m++)
      all.push_back({t, m});
  }
  return all;
}

template <class Mem> bool Search<Mem>::Steps::all_end(size_t states) const {
  // The steps that lead to state s are [first[s], first[s + 1]) of `before`.
  std::vector<uint32_t> first(states + 2), before(to.size());
  for (const uint32_t state : to)
    first[state + 2]++;
  std::partial_sum(first.begin(), first.end(), first.begin());
  for (size_t i = 0; i < to.size(); i++)
    before[first[to[i] + 1]++] = from[i];
  std::vector<bool> reached(states);
  std::vector<uint32_t> left;
  const auto reach = [&](uint32_t state) {
    if (!reached[state])
      left.push_back(state);
    reached[state] = true;
  };
  std::for_each(ends.begin(), ends.end(), reach);
  size_t count = 0;
  for (; !left.empty(); count++) {
    const uint32_t state = left.back();
    left.pop_back();
    std::for_each(&before[first[state]], &before[first[state + 1]], reach);
  }
  return count == states;
}

// A state is reached. If nobody was there before, the way goes on from it, or ends.
template <class Mem> void Search<Mem>::arrive(Course &course) {
  save(course.state);
  Visit visit{{}, choices(), 0, XXH3_128bits(course.state.data(), course.state.size()), 0};
  const auto [at, fresh] =
      course.seen.emplace(visit.hash, Seen{true, uint32_t(course.seen.size())});
  visit.number = at->second.number;
  if (must_end() && !course.way.empty()) {
    course.steps.from.push_back(course.way.back().number);
    course.steps.to.push_back(visit.number);
  }
  if (!fresh) {
    if (at->second.on_the_way && !may_wait())
      fail("a state that comes again: it may never end");
    return;
  }
  course.findings.states++;
  check_state();
  if (visit.choices.empty()) {
    course.findings.ends++;
    check_end();
    course.steps.ends.push_back(visit.number);
    at->second.on_the_way = false;
    return;
  }
  visit.before = Difference(course.last, course.state);
  std::swap(course.last, course.state);
  course.way.push_back(std::move(visit));
}

// Takes the next step from the end of the way, or goes back.
template <class Mem> void Search<Mem>::go_on(Course &course) {
  Visit &top = course.way.back();
  if (top.next == top.choices.size()) {
    course.seen[top.hash].on_the_way = false;
    top.before.undo(course.last);
    course.way.pop_back();
    return;
  }
  restore(course.last);
  step(top.choices[top.next++]);
  if (++course.findings.steps > kMostSteps)
    fail("more steps than any search has");
  if (error_.empty())
    arrive(course);
}

template <class Mem> Findings Search<Mem>::run() {
  Course course;
  watcher = this;
  // Up to each thread's first atomic operation.
  for (unsigned t = 0; t < threads_.size(); t++) {
    threads_[t].enter();
    step({t, 0});
  }
  arrive(course);
  while (!course.way.empty() && error_.empty())
    go_on(course);
  watcher = before_;
  if (must_end() && error_.empty() && !course.steps.all_end(course.findings.states))
    fail("threads that wait forever without sleeping");

  if (!error_.empty()) {
    std::ostringstream text;
    text << error_ << "; threads in the order of their operations:";
    for (const Visit &visit : course.way)
      text << ' ' << visit.choices[visit.next - 1].thread;
    course.findings.error = text.str();
  }
  return course.findings;
}

} // namespace model
