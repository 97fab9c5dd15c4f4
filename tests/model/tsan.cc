// SPDX-License-Identifier: GPL-3.0-or-later
// The calls of GCC's ThreadSanitizer instrumentation that the loop's code makes. One that is
// missing here does not link.
#include "tsan.h"

#include <cstring>

namespace model {

namespace {

Watcher direct;

} // namespace

Watcher *watcher = &direct;

void Watcher::plain(const void *, bool) {}

uint64_t Watcher::load(const void *address, size_t size, int) {
  uint64_t value = 0;
  std::memcpy(&value, address, size); // the lowest bytes first
  return value;
}

void Watcher::store(void *address, size_t size, uint64_t value, int) {
  std::memcpy(address, &value, size);
}

uint64_t Watcher::update(void *address, size_t size, Update how, uint64_t value, int) {
  const uint64_t old = Watcher::load(address, size, 0);
  const uint64_t now = how == Update::kAdd   ? old + value
                       : how == Update::kSub ? old - value
                       : how == Update::kAnd ? (old & value)
                       : how == Update::kOr  ? (old | value)
                                             : value;
  Watcher::store(address, size, now, 0);
  return old;
}

bool Watcher::exchange(void *address, size_t size, uint64_t *expected, uint64_t value, int) {
  const uint64_t old = Watcher::load(address, size, 0);
  if (old != *expected) {
    *expected = old;
    return false;
  }
  Watcher::store(address, size, value, 0);
  return true;
}

} // namespace model

using model::watcher;

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit() {}

#define ACCESS(size)                                                                               \
  void __tsan_read##size(void *address) { watcher->plain(address, false); }                        \
  void __tsan_write##size(void *address) { watcher->plain(address, true); }

#define UPDATE(bits, name, how)                                                                    \
  uint##bits##_t __tsan_atomic##bits##_##name(volatile uint##bits##_t *address,                    \
                                              uint##bits##_t value, int order) {                   \
    return watcher->update(const_cast<uint##bits##_t *>(address), bits / 8, model::Update::how,    \
                           value, order);                                                          \
  }

#define COMPARE(bits, strength)                                                                    \
  int __tsan_atomic##bits##_compare_exchange_##strength(volatile uint##bits##_t *address,          \
                                                        uint##bits##_t *expected,                  \
                                                        uint##bits##_t value, int order, int) {    \
    uint64_t wide = *expected;                                                                     \
    const bool done =                                                                              \
        watcher->exchange(const_cast<uint##bits##_t *>(address), bits / 8, &wide, value, order);   \
    *expected = wide;                                                                              \
    return done;                                                                                   \
  }

#define ATOMIC(bits)                                                                               \
  uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *address, int order) {   \
    return watcher->load(const_cast<const uint##bits##_t *>(address), bits / 8, order);            \
  }                                                                                                \
  void __tsan_atomic##bits##_store(volatile uint##bits##_t *address, uint##bits##_t value,         \
                                   int order) {                                                    \
    watcher->store(const_cast<uint##bits##_t *>(address), bits / 8, value, order);                 \
  }                                                                                                \
  UPDATE(bits, fetch_add, kAdd)                                                                    \
  UPDATE(bits, fetch_sub, kSub)                                                                    \
  UPDATE(bits, fetch_and, kAnd)                                                                    \
  UPDATE(bits, fetch_or, kOr)                                                                      \
  UPDATE(bits, exchange, kSet)                                                                     \
  COMPARE(bits, weak)                                                                              \
  COMPARE(bits, strong)

// Words are of four bytes at least.
void __tsan_read_range(void *address, size_t size) {
  for (size_t at = 0; at < size; at += 4)
    watcher->plain(static_cast<char *>(address) + at, false);
}
void __tsan_write_range(void *address, size_t size) {
  for (size_t at = 0; at < size; at += 4)
    watcher->plain(static_cast<char *>(address) + at, true);
}

ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ATOMIC(8)
ATOMIC(32)
ATOMIC(64)
}
