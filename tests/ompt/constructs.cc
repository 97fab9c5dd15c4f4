// SPDX-License-Identifier: GPL-3.0-or-later
// Runs one kind of construct a known number of times. tool_test.py knows which events that makes.
//   constructs KIND THREADS [SECONDS]
// With SECONDS again and again.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

enum { TIMES = 3 };
int threads;
volatile long sum;

void regions() {
  for (int i = 0; i < TIMES; i++) {
#pragma omp parallel num_threads(threads)
#pragma omp atomic
    sum += 1;
  }
}

void barriers() {
  for (int i = 0; i < TIMES; i++) {
#pragma omp parallel num_threads(threads)
    {
#pragma omp barrier
      sum = 1;
#pragma omp barrier
    }
  }
}

void loops() {
#pragma omp parallel num_threads(threads)
  for (int i = 0; i < TIMES; i++) {
#pragma omp for schedule(dynamic)
    for (int j = 0; j < 100; j++)
      sum = j;
#pragma omp for schedule(runtime) nowait
    for (unsigned long long j = 0; j < 100; j++)
      sum = j;
#pragma omp for ordered schedule(static, 1)
    for (int j = 0; j < 10; j++)
#pragma omp ordered
      sum = j;
  }
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (int j = 0; j < 100; j++)
    sum = j;
#pragma omp parallel for schedule(runtime) num_threads(threads)
  for (int j = 0; j < 100; j++)
    sum = j;
}

void sections() {
#pragma omp parallel num_threads(threads)
  for (int i = 0; i < TIMES; i++) {
#pragma omp sections
    {
      sum = 1;
#pragma omp section
      sum = 2;
#pragma omp section
      sum = 3;
    }
  }
#pragma omp parallel sections num_threads(threads)
  {
    sum = 1;
#pragma omp section
    sum = 2;
  }
}

void singles() {
  int copied = 0;
#pragma omp parallel num_threads(threads) firstprivate(copied)
  for (int i = 0; i < TIMES; i++) {
#pragma omp single
    sum = i;
#pragma omp single nowait
    sum = i;
#pragma omp single copyprivate(copied)
    copied = i;
    if (copied != i)
      abort();
  }
}

omp_lock_t lock;
omp_nest_lock_t nest;

void mutexes() {
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
  long double wide = 0;
#pragma omp parallel num_threads(threads)
  for (int i = 0; i < TIMES; i++) {
#pragma omp critical
    sum = i;
#pragma omp critical(named)
    sum = i;
    omp_set_lock(&lock);
    if (omp_test_lock(&lock))
      abort();
    omp_unset_lock(&lock);
    while (!omp_test_lock(&lock))
      sched_yield();
    omp_unset_lock(&lock);
    omp_set_nest_lock(&nest);
    omp_set_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
    // Wider than what one instruction can change.
#pragma omp atomic
    wide += 1;
  }
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nest);
  if (wide != TIMES * threads)
    abort();
}

void tasks() {
  int x = 0, y = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
    for (int i = 0; i < 10; i++)
#pragma omp task
    {
#pragma omp task
      sum = i;
#pragma omp taskwait
    }
#pragma omp taskwait
    for (int i = 0; i < 5; i++) {
#pragma omp task depend(out : x) depend(in : y)
      x++;
#pragma omp task depend(inout : y)
      y++;
    }
#pragma omp taskwait depend(in : x)
#pragma omp task if (0)
    sum = 1;
#pragma omp taskgroup
    {
#pragma omp task
      sum = 2;
    }
#pragma omp taskloop num_tasks(8)
    for (int i = 0; i < 80; i++)
      sum = i;
#pragma omp taskloop num_tasks(4) nogroup
    for (int i = 0; i < 80; i++)
      sum = i;
  }
}

// The tasks of a taskloop are all created at one place, whatever runs in between.
void undeferred() {
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
#pragma omp taskloop num_tasks(4) if (0)
    for (int i = 0; i < 4; i++) {
#pragma omp task if (0)
      sum = i;
      sum = i + 1;
    }
    sum = 0;
  }
}

void nested() {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(threads)
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task
  sum = 1;
}

// Tasks of each kind that encounter regions, and threads of these that are late.
void mixed() {
  omp_set_max_active_levels(3);
#pragma omp parallel num_threads(threads)
  {
#pragma omp task if (0)
    {
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
      sum = 1;
    }
#pragma omp taskgroup
#pragma omp task
    {
#pragma omp parallel num_threads(2)
      sum = 2;
    }
    omp_event_handle_t event;
#pragma omp task detach(event)
    {
#pragma omp parallel num_threads(2)
      sum = 3;
      omp_fulfill_event(event);
    }
  }
}

void cancelled() {
#pragma omp parallel num_threads(threads)
  {
#pragma omp taskgroup
    {
      for (int i = 0; i < 50; i++)
#pragma omp task
      {
#pragma omp cancel taskgroup if (i == 3)
      }
    }
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 100; i++) {
#pragma omp cancel for if (i == 50)
    }
#pragma omp cancel parallel if (omp_get_thread_num() == 0)
  }
}

omp_event_handle_t given[4];
int has_given;

void *fulfill(void *) {
  for (int i = 0; i < 4; i++)
    omp_fulfill_event(given[i]);
  return nullptr;
}

void detached() {
  pthread_t other;
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
    for (int i = 0; i < 4; i++) {
      omp_event_handle_t event;
#pragma omp task detach(event) firstprivate(i)
      {
        given[i] = event;
#pragma omp atomic
        has_given++;
      }
      omp_event_handle_t early;
#pragma omp task detach(early)
      omp_fulfill_event(early);
    }
    int all;
    do {
#pragma omp taskyield
#pragma omp atomic read
      all = has_given;
    } while (all < 4 && threads > 1);
#pragma omp task
    {
      pthread_create(&other, nullptr, fulfill, nullptr);
      pthread_join(other, nullptr);
    }
  }
}

void *foreign(void *) {
#pragma omp parallel num_threads(threads)
#pragma omp atomic
  sum += 1;
  return nullptr;
}

void others() {
  for (int i = 0; i < TIMES; i++) {
    pthread_t other;
    pthread_create(&other, nullptr, foreign, nullptr);
    pthread_join(other, nullptr);
  }
}

void forks() {
  regions();
  if (pid_t child = fork(); child != 0) {
    int status;
    waitpid(child, &status, 0);
    if (status != 0)
      abort();
    regions();
  } else {
    // Threads of the parent may have been about to end their implicit tasks.
    setenv("OMPT_UNFINISHED", "1", 1);
    // The pool of a child is its parent's: only a thread of its own can have regions.
    others();
  }
}

void control() {
  // Libraries of GCC before 17 do not have it.
  auto omp_control_tool = (int (*)(int, int, void *))dlsym(RTLD_DEFAULT, "omp_control_tool");
  printf("%d\n", omp_control_tool(1, 2, nullptr));
  regions();
  printf("%d\n", omp_control_tool(4, 0, nullptr));
  regions();
  printf("%d\n", omp_control_tool(1, 2, nullptr));
}

// A loop goes on after a region in it.
void inside() {
  auto omp_control_tool = (int (*)(int, int, void *))dlsym(RTLD_DEFAULT, "omp_control_tool");
#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (int i = 0; i < 10; i++) {
    int before = omp_control_tool(64, 0, nullptr);
    regions();
    if (before == 0 || omp_control_tool(64, 0, nullptr) != before)
      abort();
  }
}

// Taskgroups with a reduction outside of regions: the first one gets a team.
void orphans() {
  int sum = 0;
  for (int i = 0; i < 2; i++) {
#pragma omp taskgroup
#pragma omp taskgroup task_reduction(+ : sum)
    {
#pragma omp task in_reduction(+ : sum)
      sum++;
    }
  }
  if (sum != 2)
    abort();
}

// A thread ends the tool while the others wait.
void quits() {
  auto omp_control_tool = (int (*)(int, int, void *))dlsym(RTLD_DEFAULT, "omp_control_tool");
#pragma omp parallel num_threads(threads)
  {
    if (omp_get_thread_num() == 0) {
      usleep(50000);
      omp_control_tool(4, 0, nullptr);
    }
#pragma omp barrier
  }
}

// All threads end the process.
void together() {
#pragma omp parallel num_threads(threads)
  {
#pragma omp barrier
    exit(0);
  }
}

// What GCC 17 calls, which older compilers do not.
template <typename F> void look_up(F *&function, const char *name) {
  function = (F *)dlsym(RTLD_DEFAULT, name);
  if (function == nullptr)
    abort();
}

void later() {
  __complex__ int (*static_start)(unsigned long long);
  void (*static_dispatch)(unsigned long long, unsigned long long), (*static_end)();
  bool (*masked_start)(int), (*single_start)();
  void (*masked_end)(), (*single_end)();
  look_up(static_start, "GOMP_loop_static_worksharing_start");
  look_up(static_dispatch, "GOMP_loop_static_worksharing_dispatch");
  look_up(static_end, "GOMP_loop_static_worksharing_end");
  look_up(masked_start, "GOMP_has_masked_thread_num_with_end");
  look_up(masked_end, "GOMP_masked_end");
  look_up(single_start, "GOMP_single_start_with_end");
  look_up(single_end, "GOMP_single_end");
#pragma omp parallel num_threads(threads)
  for (int i = 0; i < TIMES; i++) {
    static_start(100);
    static_dispatch(0, 10);
    static_dispatch(50, 10);
    static_end();
    if (masked_start(0))
      masked_end();
    if (single_start())
      single_end();
  }
}

void ends() {
#pragma omp parallel num_threads(threads)
  {
#pragma omp barrier
    if (omp_get_thread_num() == 1)
      exit(0);
#pragma omp barrier
  }
}

const struct {
  const char *name;
  void (*run)();
} kinds[] = {{"regions", regions},     {"barriers", barriers},
             {"loops", loops},         {"sections", sections},
             {"singles", singles},     {"mutexes", mutexes},
             {"tasks", tasks},         {"undeferred", undeferred},
             {"nested", nested},       {"mixed", mixed},
             {"cancelled", cancelled}, {"detached", detached},
             {"others", others},       {"forks", forks},
             {"control", control},     {"later", later},
             {"ends", ends},           {"quits", quits},
             {"inside", inside},       {"orphans", orphans},
             {"together", together}};

} // namespace

int main(int argc, char **argv) {
  threads = argc > 2 ? atoi(argv[2]) : 4;
  for (const auto &kind : kinds)
    if (argc > 1 && strcmp(kind.name, argv[1]) == 0) {
      double end = omp_get_wtime() + (argc > 3 ? atof(argv[3]) : 0);
      do
        kind.run();
      while (omp_get_wtime() < end);
      return 0;
    }
  return 2;
}
