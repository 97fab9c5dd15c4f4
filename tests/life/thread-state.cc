// SPDX-License-Identifier: GPL-3.0-or-later
// What a region leaves in its threads: each of them finds it again in the next region, and no other
// one does, although ids may be called by one thread.
//
// thread-state <case>: this program itself, which shows nothing from outside
// thread-state <module>: a module of thread-state-module.cc, whose library keeps a number for each
// thread
#include "life.h"

#include <csignal>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __SSE__
#include <xmmintrin.h>
#endif

namespace {

constexpr int kRegions = 60;

// Long enough for all workers to come.
void work() {
  volatile double x = 1;
  for (int i = 0; i < 20000; i++)
    x = x * 1.000001;
}

void warm_up() {
  for (int i = 0; i < 20; i++)
#pragma omp parallel
    work();
}

template <typename Holds> void hold_in_all(const char *what, Holds holds) {
  int missed = 0;
  for (int i = 0; i < kRegions; i++)
#pragma omp parallel reduction(+ : missed)
  {
    work();
    missed += !holds();
  }
  life::check(missed == 0, "%s: missed %d times", what, missed);
}

// A system call, which nothing shows from outside.
bool blocks_alarm(int how) {
  unsigned long set = 1UL << (SIGALRM - 1), old = 0;
  syscall(SYS_rt_sigprocmask, how, how == -1 ? nullptr : &set, &old, sizeof set);
  return old & set;
}

void signals() {
  warm_up();
#pragma omp parallel
  {
    blocks_alarm(SIG_BLOCK);
    work();
  }
  hold_in_all("a blocked signal", [] { return blocks_alarm(-1); });
}

#ifdef __SSE__
constexpr unsigned kToZero = 0x8040; // denormals are zero, as operands and as results

bool flushes() { return (_mm_getcsr() & kToZero) == kToZero; }
void flush(bool to_zero) { _mm_setcsr(to_zero ? _mm_getcsr() | kToZero : _mm_getcsr() & ~kToZero); }

// One region switches it on in all threads and another one off, again and again.
void controls() {
  warm_up();
  for (int i = 0; i < 6; i++) {
#pragma omp parallel
    flush(true);
    hold_in_all("denormals are zero", flushes);
#pragma omp parallel
    flush(false);
    hold_in_all("denormals are not", [] { return !flushes(); });
  }
}

// One id changes it in a called region: no other id sees that, nor does what follows.
void another_ids_controls() {
  int missed = 0;
  for (int i = 0; i < kRegions; i++) {
#pragma omp parallel reduction(+ : missed)
    {
      work();
      if (omp_get_thread_num() != omp_get_num_threads() - 1)
        missed += flushes();
      else if (i == kRegions / 2)
        flush(true);
      work();
    }
    life::check(!flushes(), "region %d: the initial thread has what an id set", i);
  }
  life::check(missed == 0, "%d ids have what another one set", missed);
}

// The initial thread finds what it set, and no exception of another id.
void own_controls() {
  warm_up();
  for (int i = 0; i < kRegions; i++) {
    _MM_SET_EXCEPTION_STATE(0);
#pragma omp parallel
    {
      work();
      if (omp_get_thread_num() != 0)
        _MM_SET_EXCEPTION_STATE(_MM_EXCEPT_DIV_ZERO);
      else if (i == kRegions - 1)
        flush(true);
    }
    life::check(!(_MM_GET_EXCEPTION_STATE() & _MM_EXCEPT_DIV_ZERO),
                "region %d: the initial thread has divided by zero", i);
  }
  life::check(flushes(), "what the initial thread set is gone");
}
#endif

void run_module(const char *name) {
  void *const module = dlopen(name, RTLD_NOW);
  life::check(module != nullptr, "%s", dlerror());
  warm_up();
  const int missed = reinterpret_cast<int (*)(int)>(dlsym(module, "misses"))(kRegions);
  life::check(missed == 0, "%d times a thread found another one's number", missed);
}

} // namespace

int main(int argc, char **argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  life::ours();
  if (what == "signals")
    signals();
#ifdef __SSE__
  else if (what == "controls")
    controls();
  else if (what == "another-ids-controls")
    another_ids_controls();
  else if (what == "own-controls")
    own_controls();
#endif
  else if (what.find('/') != what.npos)
    run_module(argv[1]);
  else
    life::skip("no case %s on this processor", what.c_str());
  std::puts("ok");
}
