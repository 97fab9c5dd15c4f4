// SPDX-License-Identifier: GPL-3.0-or-later
// By what a program knows a thread, and what its threads wait for outside of OpenMP: each id of a
// folded team is a thread of its own, whichever kernel thread runs it. The cases are those of
// programs that went wrong when ids shared threads. None of them imports what speaks of the
// kernel's threads.
//
// identity <case, or all> <module of identity-plugin.cc> <the same with KERNEL>
#include "life.h"

#include <pthread.h>
#include <semaphore.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <threads.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cfenv>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <exception>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr int kRounds = 60;

// How many ids a team has, none of them 0.
int ids() { return omp_get_max_threads(); }

// Long enough for all workers to come.
void work() {
  volatile double x = 1;
  for (int i = 0; i < 20000; i++)
    x = x * 1.000001;
}

// A region of its own for each BODY, which is called with the number of each id. Others of the
// worker run between its parts.
template <typename Body> void each(Body body) {
#pragma omp parallel
  {
    work();
#pragma omp barrier
    body(omp_get_thread_num());
  }
}

// Each id does FIRST in one region and finds by HOLDS that it is still so in many later ones.
template <typename First, typename Holds>
void stays(const char *what, First first, Holds holds, int rounds = kRounds) {
  std::atomic<int> missed{0};
  each(first);
  for (int round = 0; round < rounds; round++)
    each([&](int me) { missed += !holds(me); });
  life::check(missed == 0, "%s: missed %d times of %d", what, missed.load(), rounds * ids());
}

// By what a thread is known.

template <typename Key> void known_by(const char *what, Key key) {
  std::vector<decltype(key())> keys(ids());
  stays(
      what, [&](int me) { keys[me] = key(); }, [&](int me) { return keys[me] == key(); });
  life::check(int(std::set<decltype(key())>(keys.begin(), keys.end()).size()) == ids(),
              "%s: two ids have the same", what);
}

void known() {
  known_by("the address of errno", [] { return &errno; });
  known_by("the thread pointer", [] { return __builtin_thread_pointer(); });
  known_by("pthread_self", [] { return pthread_self(); });
}

// An interpreter guards its recursion by the distance from where its stack began.
void stack() {
  const auto here = [] { return reinterpret_cast<uintptr_t>(__builtin_frame_address(0)); };
  std::vector<uintptr_t> at(ids());
  stays(
      "the stack", [&](int me) { at[me] = here(); },
      [&](int me) { return (at[me] - here()) + 65536 < 131072; });
}

// What a thread keeps.

thread_local int variable;
int private_variable;
#pragma omp threadprivate(private_variable)

void variables(const char *name) {
  pthread_key_t key;
  tss_t other_key;
  life::check(pthread_key_create(&key, nullptr) == 0 && tss_create(&other_key, nullptr) == 0,
              "no keys");
  void *const module = dlopen(name, RTLD_NOW);
  life::check(module != nullptr, "%s", dlerror());
  const auto plugged = reinterpret_cast<int *(*)()>(dlsym(module, "plugin_variable"));
  stays(
      "variables",
      [&](int me) {
        variable = private_variable = *plugged() = me;
        pthread_setspecific(key, &variable);
        tss_set(other_key, &variable);
      },
      [&](int me) {
        return variable == me && private_variable == me && *plugged() == me &&
               pthread_getspecific(key) == &variable && tss_get(other_key) == &variable;
      });
  pthread_key_delete(key);
  tss_delete(other_key);
}

thread_local unsigned long seed;
std::atomic<int> of_another;
std::atomic<unsigned long> drawn;

unsigned long next(unsigned long of) { return of * 6364136223846793005UL + 1442695040888963407UL; }

// The region is a framework's, which knows nothing of what it calls.
void callbacks(const char *name) {
  void *const module = dlopen(name, RTLD_NOW);
  const auto run = reinterpret_cast<void (*)(void (*)(int))>(dlsym(module, "plugin_run"));
  run([](int me) { seed = unsigned(me); });
  std::vector<unsigned long> expected(ids());
  of_another = 0;
  for (int id = 0; id < ids(); id++)
    expected[id] = unsigned(id);
  for (int round = 0; round < kRounds; round++) {
    unsigned long sum = 0;
    for (unsigned long &one : expected)
      sum += one = next(one);
    drawn = 0;
    run([](int) { drawn += seed = next(seed); });
    of_another += drawn != sum;
  }
  life::check(of_another == 0, "%d times a generator was another id's", of_another.load());
}

void numbers_of_errors() {
  stays(
      "errno", [](int me) { errno = me + 1; },
      [](int me) {
        const bool kept = errno == me + 1;
#pragma omp barrier
        return kept && errno == me + 1;
      });
  std::atomic<int> wrong{0};
  for (int round = 0; round < kRounds; round++) {
    errno = 0;
    each([&](int me) {
      const std::string number = std::to_string(100000 + me);
      const char *const text = std::strerror(100000 + me);
#pragma omp barrier
      wrong += std::strstr(text, number.c_str()) == nullptr;
      if (me != 0)
        errno = EDOM;
    });
    wrong += errno == EDOM;
  }
  life::check(wrong == 0, "%d times errno or strerror's buffer was another id's", wrong.load());
}

// What a thread has set up late: the region ran without an effect before.
void late() {
  std::atomic<int> missed{0};
  for (int round = 0; round < 2 * kRounds; round++) {
    each([&](int me) {
      if (round == kRounds)
        variable = 1000 + me;
    });
    if (round >= kRounds)
      each([&](int me) { missed += variable != 1000 + me; });
  }
  life::check(missed == 0, "%d times an id ran without its set-up", missed.load());
}

// Floating-point environments.

void controls() {
  static const int kRounding[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  stays(
      "rounding", [](int me) { std::fesetround(kRounding[me % 4]); },
      [](int me) {
        volatile double one = 1, three = 3;
        return std::fegetround() == kRounding[me % 4] && (one / three > 1. / 3) == (me % 4 == 1);
      });
  each([](int) { std::fesetround(FE_TONEAREST); });
}

// Of all units: x86-64 has two.
bool sticky() { return std::fetestexcept(FE_DIVBYZERO) != 0; }
void clear() { std::feclearexcept(FE_ALL_EXCEPT); }

// Of all ids number 1 alone divides by zero.
void flags() {
  std::atomic<int> wrong{0};
  each([](int) { clear(); });
  for (int round = 0; round < kRounds; round++) {
    each([&](int me) {
      volatile double zero = 0, quotient = 1;
      volatile long double wide = 1;
      if (me == 1 && round % 2 == 0)
        quotient = quotient / zero;
      if (me == 1 && round % 2 != 0)
        wide = wide / zero;
#pragma omp barrier
      wrong += sticky() != (me == 1);
      clear();
    });
    wrong += sticky();
  }
  life::check(wrong == 0, "%d false reports of a division by zero", wrong.load());
  each([](int) { clear(); });
}

// Exceptions in flight, and the ones that are handled.
void exceptions() {
  std::atomic<int> wrong{0};
  struct Unwound {
    std::atomic<int> &wrong;
    ~Unwound() {
      if (std::uncaught_exceptions() != 1)
        wrong++;
#pragma omp critical
      wrong += std::uncaught_exceptions() != 1;
    }
  };
  for (int round = 0; round < kRounds; round++)
    each([&](int me) {
      const std::string mine = std::to_string(me);
      try {
        try {
          const Unwound unwound{wrong};
          throw std::runtime_error(mine);
        } catch (const std::exception &) {
          const std::exception_ptr before = std::current_exception();
#pragma omp barrier
          wrong += std::current_exception() != before;
          throw;
        }
      } catch (const std::exception &error) {
#pragma omp barrier
        wrong += error.what() != mine;
      }
#pragma omp barrier
      wrong += std::uncaught_exceptions() != 0 || std::current_exception() != nullptr;
    });
  life::check(wrong == 0, "%d times an exception was another id's", wrong.load());
}

// Locks that know their owner.

void locks() {
  std::vector<pthread_mutex_t> recursive(ids()), checked(ids());
  std::vector<pthread_rwlock_t> shared(ids());
  std::vector<FILE *> file(ids());
  pthread_mutexattr_t recursing, checking;
  pthread_mutexattr_init(&recursing);
  pthread_mutexattr_init(&checking);
  pthread_mutexattr_settype(&recursing, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutexattr_settype(&checking, PTHREAD_MUTEX_ERRORCHECK);
  for (int id = 0; id < ids(); id++) {
    pthread_mutex_init(&recursive[id], &recursing);
    pthread_mutex_init(&checked[id], &checking);
    pthread_rwlock_init(&shared[id], nullptr);
    file[id] = std::fopen("/dev/null", "w");
  }
  std::atomic<int> wrong{0};
  for (int round = 0; round < kRounds; round++) {
    // Each takes the first that is free.
    std::vector<int> taken(ids());
    each([&](int me) {
      while (pthread_mutex_trylock(&recursive[taken[me]]) != 0)
        taken[me]++;
      wrong += pthread_mutex_lock(&checked[me]) != 0 || pthread_rwlock_wrlock(&shared[me]) != 0;
      flockfile(file[me]);
    });
    wrong += int(std::set<int>(taken.begin(), taken.end()).size()) != ids();
    each([&](int me) {
      const int other = (me + 1) % ids();
      wrong += pthread_mutex_unlock(&checked[other]) != EPERM ||
               pthread_mutex_lock(&checked[me]) != EDEADLK ||
               pthread_rwlock_rdlock(&shared[me]) != EDEADLK || ftrylockfile(file[other]) == 0;
    });
    each([&](int me) {
      wrong += pthread_mutex_unlock(&recursive[taken[me]]) != 0 ||
               pthread_mutex_unlock(&checked[me]) != 0 || pthread_rwlock_unlock(&shared[me]) != 0;
      funlockfile(file[me]);
    });
  }
  life::check(wrong == 0, "%d times a lock was another id's", wrong.load());
  for (FILE *const one : file)
    std::fclose(one);
}

// What ids leave to the serial part of what the kernel keeps of a thread.
void left(const char *, const char *name) {
  void *const module = dlopen(name, RTLD_NOW);
  life::check(module != nullptr, "%s", dlerror());
  const auto change = reinterpret_cast<int (*)()>(dlsym(module, "plugin_change"));
  for (int round = 0; round < 5; round++) {
    unsigned long blocked = 0;
    life::check(change() == 0, "nothing was changed");
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, nullptr, &blocked, sizeof blocked);
    life::check(!(blocked >> (SIGUSR2 - 1) & 1), "the initial thread blocks a signal");
    life::check(getpriority(PRIO_PROCESS, id_t(syscall(SYS_gettid))) == 0,
                "the initial thread is nice");
  }
}

// A profiler's signal at 1 kHz, whose handler uses errno and a thread-local variable.

thread_local volatile long handled;
std::atomic<long> all_handled;

void profiled() {
  struct sigaction action = {}, old;
  action.sa_handler = [](int) {
    const int before = errno;
    handled = handled + 1;
    all_handled++;
    errno = ENOTTY;
    errno = before;
  };
  action.sa_flags = SA_RESTART;
  sigaction(SIGPROF, &action, &old);
  std::atomic<int> wrong{0};
  std::atomic<long> sum{0};
  each([](int) { handled = 0; });
  all_handled = 0;
  const itimerval often = {{0, 1000}, {0, 1000}}, never = {};
  setitimer(ITIMER_PROF, &often, nullptr);
  for (int round = 0; all_handled < 200; round++)
    each([&](int me) {
      for (int i = 0; i < 50; i++) {
        errno = me + 1;
#pragma omp barrier
        wrong += errno != me + 1;
      }
    });
  setitimer(ITIMER_PROF, &never, nullptr);
  each([&](int) { sum += handled; });
  life::check(wrong == 0, "errno was another one %d times", wrong.load());
  life::check(sum == all_handled, "%ld of %ld signals were counted", sum.load(),
              all_handled.load());
  sigaction(SIGPROF, &old, nullptr);
}

// Waits that OpenMP does not see. A hang is a failure.

// The last id feeds all others, and each waits for its answer.
void queue() {
  std::mutex mutex;
  std::condition_variable came;
  for (int round = 0; round < 10; round++) {
    std::deque<int> items;
    int taken = 0;
    each([&](int me) {
      const int others = ids() - 1;
      std::unique_lock lock(mutex);
      if (me == others)
        for (int i = 0; i < 3 * others; i++) {
          items.push_back(i);
          came.notify_one();
        }
      else
        for (int i = 0; i < 3; i++) {
          came.wait(lock, [&] { return !items.empty(); });
          items.pop_front();
          taken++;
        }
    });
    life::check(taken == 3 * (ids() - 1), "%d items were taken", taken);
  }
}

// A token that goes round.
template <typename Send, typename Receive> void ring(Send send, Receive receive) {
  for (int round = 0; round < 5; round++) {
    int seen = 0;
    each([&](int me) {
      for (int turn = 0; turn < 2; turn++) {
        // The last one begins, so that any thread that comes first waits.
        if (me != ids() - 1 || turn != 0)
          receive(me);
        seen++;
        send((me + ids() - 1) % ids());
      }
      if (me == ids() - 1)
        receive(me);
    });
    life::check(seen == 2 * ids(), "the token was seen %d times", seen);
  }
}

void pipes() {
  std::vector<int> from(ids()), to(ids());
  for (int id = 0; id < ids(); id++) {
    int ends[2];
    life::check(pipe(ends) == 0, "no pipe");
    from[id] = ends[0];
    to[id] = ends[1];
  }
  char token = 0;
  ring([&](int id) { life::check(write(to[id], &token, 1) == 1, "no token"); },
       [&](int id) {
         char got;
         life::check(read(from[id], &got, 1) == 1, "no token");
       });
}

void semaphores() {
  std::vector<sem_t> semaphore(ids());
  for (sem_t &one : semaphore)
    sem_init(&one, 0, 0);
  ring([&](int id) { sem_post(&semaphore[id]); }, [&](int id) { sem_wait(&semaphore[id]); });
}

void flagged() {
  std::vector<std::atomic<int>> flag(ids());
  ring([&](int id) { flag[id]++; },
       [&](int id) {
         while (flag[id] == 0)
           continue;
         flag[id]--;
       });
}

void sleepers() {
  std::atomic<int> slept{0};
  for (int round = 0; round < 5; round++)
    each([&](int) {
      usleep(30000);
      slept++;
    });
  life::check(slept == 5 * ids(), "%d slept", slept.load());
}

using Body = void (*)(const char *plugin, const char *kernel);

const struct {
  const char *name;
  Body run;
} kCases[] = {
    {"known", [](auto...) { known(); }},
    {"stack", [](auto...) { stack(); }},
    {"variables", [](const char *plugin, const char *) { variables(plugin); }},
    {"callbacks", [](const char *plugin, const char *) { callbacks(plugin); }},
    {"errno", [](auto...) { numbers_of_errors(); }},
    {"late", [](auto...) { late(); }},
    {"controls", [](auto...) { controls(); }},
    {"flags", [](auto...) { flags(); }},
    {"exceptions", [](auto...) { exceptions(); }},
    {"locks", [](auto...) { locks(); }},
    {"left", left},
    {"profiled", [](auto...) { profiled(); }},
    {"queue", [](auto...) { queue(); }},
    {"pipes", [](auto...) { pipes(); }},
    {"semaphores", [](auto...) { semaphores(); }},
    {"flagged", [](auto...) { flagged(); }},
    {"sleepers", [](auto...) { sleepers(); }},
};

} // namespace

int main(int argc, char **argv) {
  life::ours();
  life::check(argc == 4, "usage: identity CASE PLUGIN KERNEL");
  life::carried();
  bool any = false;
  for (const auto &one : kCases)
    if (std::strcmp(argv[1], "all") == 0 || std::strcmp(argv[1], one.name) == 0) {
      any = true;
      one.run(argv[2], argv[3]);
    }
  life::check(any, "no case %s", argv[1]);
  return 0;
}
