// SPDX-License-Identifier: GPL-3.0-or-later
// The shared memory of a loop as C11 sees it: what each thread may read, and which accesses race.
//
// Release and acquire by views, as in operational models of that part of C11: a thread may read
// any message of a location that is not older than one it knows of. Two accesses of which one is a
// write and one is not atomic race unless one happens before the other. Stores come last in the
// location's order; the code that is checked has no two that are not ordered.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace model {

enum class Access { kPlainRead, kPlainWrite, kAtomicRead, kAtomicWrite };

// Has room for that many words and, of each that is loaded, messages that some thread may still
// read.
template <unsigned Loaded, unsigned Words, unsigned Messages, bool Forgets = false> class Memory {
public:
  static constexpr unsigned kThreads = 4, kWords = Words, kLoaded = Loaded, kMessages = Messages;

  // `words` are all that threads share, the first kLoaded of them those that atomic loads may read;
  // the others are only modified, or plain. All are zero.
  void start(unsigned threads, const std::vector<const void *> &words);

  // `thread` has ended.
  void retire(unsigned thread);

  // How many messages of the word at `address` an atomic load of `thread` may read; the last of
  // them is the newest.
  unsigned readable(unsigned thread, const void *address) const;

  // An atomic load that reads number `choice` of them.
  uint64_t load(unsigned thread, const void *address, size_t size, bool acquire, unsigned choice);

  // An atomic read-modify-write, or a store, that leaves `value`. The caller changes the memory.
  void modify(unsigned thread, const void *address, bool acquire, bool release, uint64_t value);
  void store(unsigned thread, const void *address, bool release, uint64_t value);

  void plain(unsigned thread, const void *address, bool write);

  // `thread` knows what the word at `address` holds now, by other means than a load.
  void observe(unsigned thread, const void *address);

  // What is wrong, or a null pointer.
  const char *error() const { return error_; }
  const void *culprit() const { return culprit_; }

  // Calls each(begin, size) with the parts of MEMORY that are not constant. The first has what says
  // how long the others are.
  template <class Self, class Each> static void parts(Self &memory, Each each) {
    each(memory.retired_, reinterpret_cast<const char *>(memory.newest_) -
                              reinterpret_cast<const char *>(memory.retired_));
    each(memory.newest_, memory.words_ * sizeof(Message));
    // Nobody reads behind the newest message of a word.
    for (unsigned i = 0; i < kLoaded; i++)
      each(memory.messages_[i], memory.count_[i] * sizeof(Message));
  }

private:
  // A set of accesses: the last of each kind to each word by each thread.
  static constexpr unsigned kBits = (4 * kWords * kThreads + 63) / 64;
  struct Facts {
    uint64_t bits[kBits];
  };
  struct Message {
    uint64_t value;
    Facts known;           // to who acquires it
    uint8_t view[kLoaded]; // the oldest messages that may be read after that
  };

  static unsigned fact(Access kind, unsigned word, unsigned thread) {
    return (unsigned(kind) * kWords + word) * kThreads + thread;
  }
  unsigned word(const void *address);
  int loaded(const void *address) const;
  void access(unsigned thread, const void *address, Access kind);
  void learn(unsigned thread, const Message &message);
  Message message(unsigned thread, bool release, uint64_t value, const Message *continued) const;
  void append(unsigned thread, unsigned which, const Message &message);
  void forget(unsigned which, uint8_t old);
  void fail(const char *what, const void *address);

  unsigned threads_, words_;
  const void *address_[kWords];
  bool retired_[kThreads];
  Facts happened_, known_[kThreads];
  uint8_t view_[kThreads][kLoaded];
  uint8_t count_[kLoaded];
  const char *error_;
  const void *culprit_;
  Message newest_[kWords]; // of each word that is not loaded
  Message messages_[kLoaded][kMessages];
};

inline bool conflicts(Access a, Access b) {
  const auto writes = [](Access x) {
    return x == Access::kPlainWrite || x == Access::kAtomicWrite;
  };
  const auto plain = [](Access x) { return x == Access::kPlainRead || x == Access::kPlainWrite; };
  return (writes(a) || writes(b)) && (plain(a) || plain(b));
}

template <unsigned L, unsigned W, unsigned M, bool F>
void Memory<L, W, M, F>::start(unsigned threads, const std::vector<const void *> &words) {
  // All of it, padding too: states are compared byte by byte.
  std::memset(static_cast<void *>(this), 0, sizeof *this);
  threads_ = threads;
  words_ = words.size();
  std::copy(words.begin(), words.end(), address_);
  std::fill(count_, count_ + kLoaded, 1); // zero, from before the threads
}

template <unsigned L, unsigned W, unsigned M, bool F>
void Memory<L, W, M, F>::retire(unsigned thread) {
  retired_[thread] = true;
  std::memset(&known_[thread], 0, sizeof known_[thread]);
  std::memset(view_[thread], 0, sizeof view_[thread]);
}

template <unsigned L, unsigned W, unsigned M, bool F>
void Memory<L, W, M, F>::fail(const char *what, const void *address) {
  if (!error_) {
    error_ = what;
    culprit_ = address;
  }
}

template <unsigned L, unsigned W, unsigned M, bool F>
unsigned Memory<L, W, M, F>::word(const void *address) {
  const auto end = address_ + words_;
  const auto at = std::find(address_, end, address);
  if (at == end) {
    fail("an access to what is not shared", address);
    return 0;
  }
  return at - address_;
}

template <unsigned L, unsigned W, unsigned M, bool F>
int Memory<L, W, M, F>::loaded(const void *address) const {
  for (unsigned i = 0; i < kLoaded; i++)
    if (address_[i] == address)
      return i;
  return -1;
}

template <unsigned L, unsigned W, unsigned M, bool F>
void Memory<L, W, M, F>::access(unsigned thread, const void *address, Access kind) {
  const unsigned w = word(address);
  const auto has = [](const Facts &facts, unsigned f) { return facts.bits[f / 64] >> f % 64 & 1; };
  for (Access other :
       {Access::kPlainRead, Access::kPlainWrite, Access::kAtomicRead, Access::kAtomicWrite})
    if (conflicts(kind, other))
      for (unsigned t = 0; t < threads_; t++) {
        const unsigned f = fact(other, w, t);
        if (t != thread && has(happened_, f) && !has(known_[thread], f))
          fail("a data race", address);
      }

  const unsigned f = fact(kind, w, thread);
  const uint64_t bit = uint64_t(1) << f % 64;
  happened_.bits[f / 64] |= bit;
  for (unsigned t = 0; t < threads_; t++)
    known_[t].bits[f / 64] &= ~bit;
  for (unsigned i = 0; i < kLoaded; i++)
    for (unsigned m = 0; m < count_[i]; m++)
      messages_[i][m].known.bits[f / 64] &= ~bit;
  for (unsigned i = 0; i < words_; i++)
    newest_[i].known.bits[f / 64] &= ~bit;
  known_[thread].bits[f / 64] |= bit;
}

template <unsigned L, unsigned W, unsigned M, bool F>
void Memory<L, W, M, F>::learn(unsigned thread, const Message &message) {
  for (unsigned i = 0; i < kBits; i++)
    known_[thread].bits[i] |= message.known.bits[i];
  for (unsigned i = 0; i < kLoaded; i++)
    view_[thread][i] = std::max(view_[thread][i], message.view[i]);
}

// What a write of `thread` says: what it knows, if it releases, and what the one said that it
// continues.
template <unsigned L, unsigned W, unsigned M, bool F>
typename Memory<L, W, M, F>::Message Memory<L, W, M, F>::message(unsigned thread, bool release,
                                                                 uint64_t value,
                                                                 const Message *continued) const {
  Message message;
  std::memset(static_cast<void *>(&message), 0, sizeof message);
  if (continued)
    message = *continued;
  message.value = value;
  if (release) {
    for (unsigned i = 0; i < kBits; i++)
      message.known.bits[i] |= known_[thread].bits[i];
    for (unsigned i = 0; i < kLoaded; i++)
      message.view[i] = std::max(message.view[i], view_[thread][i]);
  }
  return message;
}

// Adds a message of a loaded word, and forgets those that no thread can read any more.
template <unsigned L, unsigned W, unsigned M, bool F>
void Memory<L, W, M, F>::append(unsigned thread, unsigned which, const Message &message) {
  if (count_[which] == kMessages) {
    if (!F)
      return fail("more messages than the checker has room for", address_[which]);
    forget(which, 1);
  }
  view_[thread][which] = count_[which];
  messages_[which][count_[which]++] = message;

  uint8_t old = view_[thread][which];
  for (unsigned t = 0; t < threads_; t++)
    if (!retired_[t])
      old = std::min(old, view_[t][which]);
  if (old != 0)
    forget(which, old);
}

// The first `old` messages of a word can no longer be read.
template <unsigned L, unsigned W, unsigned M, bool F>
void Memory<L, W, M, F>::forget(unsigned which, uint8_t old) {
  Message *const first = messages_[which];
  std::memmove(static_cast<void *>(first), first + old, (count_[which] - old) * sizeof *first);
  count_[which] -= old;
  const auto shift = [old](uint8_t &view) { view = view > old ? view - old : 0; };
  for (unsigned t = 0; t < threads_; t++)
    shift(view_[t][which]);
  for (unsigned i = 0; i < kLoaded; i++)
    for (unsigned m = 0; m < count_[i]; m++)
      shift(messages_[i][m].view[which]);
  for (unsigned i = 0; i < words_; i++)
    shift(newest_[i].view[which]);
}

template <unsigned L, unsigned W, unsigned M, bool F>
unsigned Memory<L, W, M, F>::readable(unsigned thread, const void *address) const {
  const int which = loaded(address);
  return which < 0 ? 1 : count_[which] - view_[thread][which];
}

template <unsigned L, unsigned W, unsigned M, bool F>
uint64_t Memory<L, W, M, F>::load(unsigned thread, const void *address, size_t, bool acquire,
                                  unsigned choice) {
  const int which = loaded(address);
  if (which < 0) {
    fail("an atomic load that the checker does not know of", address);
    return 0;
  }
  access(thread, address, Access::kAtomicRead);
  view_[thread][which] += choice;
  const Message message = messages_[which][view_[thread][which]];
  if (acquire)
    learn(thread, message);
  return message.value;
}

template <unsigned L, unsigned W, unsigned M, bool F>
void Memory<L, W, M, F>::modify(unsigned thread, const void *address, bool acquire, bool release,
                                uint64_t value) {
  access(thread, address, Access::kAtomicWrite);
  const int which = loaded(address);
  const unsigned w = word(address);
  const Message before = which < 0 ? newest_[w] : messages_[which][count_[which] - 1];
  if (which >= 0)
    view_[thread][which] = count_[which] - 1;
  if (acquire)
    learn(thread, before);
  if (which >= 0)
    append(thread, which, message(thread, release, value, &before));
  else
    newest_[w] = message(thread, release, value, &before);
}

template <unsigned L, unsigned W, unsigned M, bool F>
void Memory<L, W, M, F>::store(unsigned thread, const void *address, bool release, uint64_t value) {
  access(thread, address, Access::kAtomicWrite);
  const int which = loaded(address);
  if (which < 0)
    newest_[word(address)] = message(thread, release, value, nullptr);
  else
    append(thread, which, message(thread, release, value, nullptr));
}

template <unsigned L, unsigned W, unsigned M, bool F>
void Memory<L, W, M, F>::plain(unsigned thread, const void *address, bool write) {
  access(thread, address, write ? Access::kPlainWrite : Access::kPlainRead);
  if (!write)
    return;
  if (loaded(address) >= 0)
    fail("a plain write to a word that is loaded", address);
  else
    newest_[word(address)] = message(thread, false, 0, nullptr);
}

template <unsigned L, unsigned W, unsigned M, bool F>
void Memory<L, W, M, F>::observe(unsigned thread, const void *address) {
  const int which = loaded(address);
  if (which >= 0)
    view_[thread][which] = count_[which] - 1;
}

// Memory in which everything happens in one order, that everybody sees. Finds no races, and has far
// fewer states.
class Sequential {
public:
  static constexpr unsigned kThreads = 4, kWords = 64, kLoaded = 0;
  void start(unsigned, const std::vector<const void *> &) {}
  void retire(unsigned) {}
  unsigned readable(unsigned, const void *) const { return 1; }
  uint64_t load(unsigned, const void *address, size_t size, bool, unsigned) {
    uint64_t value = 0;
    std::memcpy(&value, address, size);
    return value;
  }
  void modify(unsigned, const void *, bool, bool, uint64_t) {}
  void store(unsigned, const void *, bool, uint64_t) {}
  void plain(unsigned, const void *, bool) {}
  void observe(unsigned, const void *) {}
  const char *error() const { return nullptr; }
  const void *culprit() const { return nullptr; }
  template <class Each> static void parts(const Sequential &, Each) {}
};

} // namespace model
