// SPDX-License-Identifier: GPL-3.0-or-later
// The library of thread-state-module.cc. It keeps the number by a key of pthreads (KEY), by one of
// C11 (TSS), in a list by the number of the thread (BY_NUMBER), or in a thread-local variable.
#if defined KEY
#include <cstdint>
#include <pthread.h>
static pthread_key_t key;
__attribute__((constructor)) static void begin() { pthread_key_create(&key, nullptr); }
void keep(int number) {
  pthread_setspecific(key, reinterpret_cast<void *>(static_cast<intptr_t>(number)));
}
int kept() { return static_cast<int>(reinterpret_cast<intptr_t>(pthread_getspecific(key))); }
#elif defined TSS
#include <cstdint>
#include <threads.h>
static tss_t key;
__attribute__((constructor)) static void begin() { tss_create(&key, nullptr); }
void keep(int number) { tss_set(key, reinterpret_cast<void *>(static_cast<intptr_t>(number))); }
int kept() { return static_cast<int>(reinterpret_cast<intptr_t>(tss_get(key))); }
#elif defined BY_NUMBER
#include <map>
#include <mutex>
#include <thread>
static std::map<std::thread::id, int> numbers;
static std::mutex lock;
void keep(int number) {
  const std::lock_guard<std::mutex> guard(lock);
  numbers[std::this_thread::get_id()] = number;
}
int kept() {
  const std::lock_guard<std::mutex> guard(lock);
  return numbers[std::this_thread::get_id()];
}
#else
thread_local int kept_number;
void keep(int number) { kept_number = number; }
int kept() { return kept_number; }
#endif
