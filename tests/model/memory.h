// SPDX-License-Identifier: GPL-3.0-or-later
// The shared memory of a loop as C11 sees it: what each thread may read, and which accesses race.
//
// Release and acquire by views, as in operational models of that part of C11: a thread may read
// any message of a location that is not older than one it knows of. Two accesses of which one is a
// write and one is not atomic race unless one happens before the other. Stores come last in the
// location's order; the code that is checked has no two that are not ordered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace model {

enum class Access { kPlainRead, kPlainWrite, kAtomicRead, kAtomicWrite };

class Memory {
public:
  static constexpr unsigned kThreads = 4, kWords = 16, kLoaded = 2, kMessages = 48;

  // `words` are all that threads share, the first kLoaded of them those that atomic loads may read;
  // the others are only modified, or plain. All are zero.
  void start(unsigned threads, const std::vector<const void *> &words);

  // `thread` has ended.
  void retire(unsigned thread);

  // How many messages of the word at `address` an atomic load of `thread` may read; the last of
  // them is the newest.
  unsigned readable(unsigned thread, const void *address) const;

  // An atomic load that reads number `choice` of them.
  uint64_t load(unsigned thread, const void *address, bool acquire, unsigned choice);

  // An atomic read-modify-write, or a store, that leaves `value`. The caller changes the memory.
  void modify(unsigned thread, const void *address, bool acquire, bool release, uint64_t value);
  void store(unsigned thread, const void *address, bool release, uint64_t value);

  void plain(unsigned thread, const void *address, bool write);

  // What is wrong, or a null pointer.
  const char *error() const { return error_; }
  const void *culprit() const { return culprit_; }

private:
  // A set of accesses: the last of each kind to each word by each thread.
  struct Facts {
    uint64_t bits[4];
  };
  struct Message {
    uint64_t value;
    Facts known;           // to who acquires it
    uint8_t view[kLoaded]; // the oldest messages that may be read after that
  };

  unsigned word(const void *address);
  int loaded(const void *address) const;
  void access(unsigned thread, const void *address, Access kind);
  void learn(unsigned thread, const Message &message);
  Message message(unsigned thread, bool release, uint64_t value, const Message *continued) const;
  void append(unsigned thread, unsigned which, const Message &message);
  void fail(const char *what, const void *address);

  unsigned threads_, words_;
  const void *address_[kWords];
  bool retired_[kThreads];
  Facts happened_, known_[kThreads];
  uint8_t view_[kThreads][kLoaded];
  uint8_t count_[kLoaded];
  Message messages_[kLoaded][kMessages];
  Message newest_[kWords]; // of each word that is not loaded
  const char *error_;
  const void *culprit_;
};

} // namespace model
