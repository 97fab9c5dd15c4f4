// SPDX-License-Identifier: GPL-3.0-or-later
// A depth-first search over all states of threads that share memory, each state seen once. A state
// is all that the future depends on: what the threads share, their stacks, and what C11 lets each
// of them see.
#pragma once

#include <cstring>
#include <functional>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>
#include <xxhash.h>

#include "coroutine.h"
#include "memory.h"
#include "tsan.h"

namespace model {

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
  struct Visit {
    Bytes state;
    std::vector<Choice> choices;
    size_t next = 0;
    XXH128_hash_t hash;
  };
  struct Hash {
    size_t operator()(const XXH128_hash_t &hash) const { return hash.low64; }
  };
  struct Equal {
    bool operator()(const XXH128_hash_t &a, const XXH128_hash_t &b) const {
      return a.low64 == b.low64 && a.high64 == b.high64;
    }
  };

  static bool acquires(int order) {
    return order == __ATOMIC_ACQUIRE || order == __ATOMIC_CONSUME || order == __ATOMIC_ACQ_REL ||
           order == __ATOMIC_SEQ_CST;
  }
  static bool releases(int order) {
    return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
  }

  void step(Choice choice);
  Bytes save() const;
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

template <class Mem> typename Search<Mem>::Bytes Search<Mem>::save() const {
  Bytes bytes;
  bytes.reserve(16384);
  const auto put = [&bytes](const void *from, size_t size) {
    const auto *const begin = static_cast<const char *>(from);
    bytes.insert(bytes.end(), begin, begin + size);
  };
  put(&memory_, sizeof memory_);
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
  return bytes;
}

template <class Mem> void Search<Mem>::restore(const Bytes &state) {
  const char *at = state.data();
  const auto get = [&at](void *to, size_t size) {
    std::memcpy(to, at, size);
    at += size;
  };
  get(static_cast<void *>(&memory_), sizeof memory_);
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

template <class Mem> Findings Search<Mem>::run() {
  Findings findings;
  watcher = this;
  // Up to each thread's first atomic operation.
  for (unsigned t = 0; t < threads_.size(); t++) {
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
      if (at->second && !may_wait())
        fail("a state that comes again: it may never end");
      return;
    }
    findings.states++;
    check_state();
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

} // namespace model
