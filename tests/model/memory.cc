// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps for every word its messages, and for every thread what it knows of others' accesses.
#include "memory.h"

#include <algorithm>
#include <cstring>

namespace model {

namespace {

unsigned fact(Access kind, unsigned word, unsigned thread) {
  return (unsigned(kind) * Memory::kWords + word) * Memory::kThreads + thread;
}

bool conflicts(Access a, Access b) {
  const auto writes = [](Access x) {
    return x == Access::kPlainWrite || x == Access::kAtomicWrite;
  };
  const auto plain = [](Access x) { return x == Access::kPlainRead || x == Access::kPlainWrite; };
  return (writes(a) || writes(b)) && (plain(a) || plain(b));
}

} // namespace

void Memory::start(unsigned threads, const std::vector<const void *> &words) {
  // All of it, padding too: states are compared byte by byte.
  std::memset(static_cast<void *>(this), 0, sizeof *this);
  threads_ = threads;
  words_ = words.size();
  std::copy(words.begin(), words.end(), address_);
  std::fill(count_, count_ + kLoaded, 1); // zero, from before the threads
}

void Memory::retire(unsigned thread) {
  retired_[thread] = true;
  std::memset(&known_[thread], 0, sizeof known_[thread]);
  std::memset(view_[thread], 0, sizeof view_[thread]);
}

void Memory::fail(const char *what, const void *address) {
  if (!error_) {
    error_ = what;
    culprit_ = address;
  }
}

unsigned Memory::word(const void *address) {
  const auto end = address_ + words_;
  const auto at = std::find(address_, end, address);
  if (at == end) {
    fail("an access to what is not shared", address);
    return 0;
  }
  return at - address_;
}

int Memory::loaded(const void *address) const {
  for (unsigned i = 0; i < kLoaded; i++)
    if (address_[i] == address)
      return i;
  return -1;
}

void Memory::access(unsigned thread, const void *address, Access kind) {
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

void Memory::learn(unsigned thread, const Message &message) {
  for (unsigned i = 0; i < 4; i++)
    known_[thread].bits[i] |= message.known.bits[i];
  for (unsigned i = 0; i < kLoaded; i++)
    view_[thread][i] = std::max(view_[thread][i], message.view[i]);
}

// What a write of `thread` says: what it knows, if it releases, and what the one said that it
// continues.
Memory::Message Memory::message(unsigned thread, bool release, uint64_t value,
                                const Message *continued) const {
  Message message;
  std::memset(static_cast<void *>(&message), 0, sizeof message);
  if (continued)
    message = *continued;
  message.value = value;
  if (release) {
    for (unsigned i = 0; i < 4; i++)
      message.known.bits[i] |= known_[thread].bits[i];
    for (unsigned i = 0; i < kLoaded; i++)
      message.view[i] = std::max(message.view[i], view_[thread][i]);
  }
  return message;
}

// Adds a message of a loaded word, and forgets those that no thread can read any more.
void Memory::append(unsigned thread, unsigned which, const Message &message) {
  if (count_[which] == kMessages)
    return fail("more messages than the checker has room for", address_[which]);
  view_[thread][which] = count_[which];
  messages_[which][count_[which]++] = message;

  uint8_t old = view_[thread][which];
  for (unsigned t = 0; t < threads_; t++)
    if (!retired_[t])
      old = std::min(old, view_[t][which]);
  if (old == 0)
    return;
  Message *const first = messages_[which];
  std::memmove(static_cast<void *>(first), first + old, (count_[which] - old) * sizeof *first);
  count_[which] -= old;
  std::memset(static_cast<void *>(first + count_[which]), 0, old * sizeof *first);
  const auto shift = [old](uint8_t &view) { view = view > old ? view - old : 0; };
  for (unsigned t = 0; t < threads_; t++)
    shift(view_[t][which]);
  for (unsigned i = 0; i < kLoaded; i++)
    for (unsigned m = 0; m < count_[i]; m++)
      shift(messages_[i][m].view[which]);
  for (unsigned i = 0; i < words_; i++)
    shift(newest_[i].view[which]);
}

unsigned Memory::readable(unsigned thread, const void *address) const {
  const int which = loaded(address);
  return which < 0 ? 1 : count_[which] - view_[thread][which];
}

uint64_t Memory::load(unsigned thread, const void *address, bool acquire, unsigned choice) {
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

void Memory::modify(unsigned thread, const void *address, bool acquire, bool release,
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

void Memory::store(unsigned thread, const void *address, bool release, uint64_t value) {
  access(thread, address, Access::kAtomicWrite);
  const int which = loaded(address);
  if (which < 0)
    newest_[word(address)] = message(thread, release, value, nullptr);
  else
    append(thread, which, message(thread, release, value, nullptr));
}

void Memory::plain(unsigned thread, const void *address, bool write) {
  access(thread, address, write ? Access::kPlainWrite : Access::kPlainRead);
  if (!write)
    return;
  if (loaded(address) >= 0)
    fail("a plain write to a word that is loaded", address);
  else
    newest_[word(address)] = message(thread, false, 0, nullptr);
}

} // namespace model
