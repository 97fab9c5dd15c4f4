// SPDX-License-Identifier: GPL-3.0-or-later
// Every construct for which GCC 13 to 17 call a function that GCC 12's libgomp lacks. It prints the
// same on each library, and ends with 1 if a result is wrong.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000, THREADS = 6 };

static int faults;

static void expect(const char *what, long found, long expected) {
  printf("%s: %ld\n", what, found);
  if (found != expected) {
    printf("  expected %ld\n", expected);
    faults++;
  }
}

// A number that tells arrays of N apart.
static long digest(const int *values) {
  long sum = 0;
  for (int i = 0; i < N; i++)
    sum = (sum * 31 + values[i]) % 1000003;
  return sum;
}

// Static loops, with the blocks and chunks that threads get.
static void static_loops(void) {
  static int runs[N], expected[N], owner[N];
  for (int trips = 0; trips <= N; trips = trips * 3 + 1) {
#pragma omp parallel num_threads(THREADS)
    {
#pragma omp for
      for (int i = 0; i < trips; i++)
        runs[i]++;
#pragma omp for schedule(static, 3) nowait
      for (int i = 0; i < trips; i++)
        owner[i] = omp_get_thread_num();
#pragma omp for schedule(static, 3)
      for (int i = 0; i < trips; i++)
        runs[i] += omp_get_thread_num() == owner[i] ? 1 : 1000;
#pragma omp for collapse(2) schedule(static)
      for (int i = 0; i < trips / 10; i++)
        for (int j = 0; j < 10; j++)
          runs[i * 10 + j]++;
    }
    for (int i = 0; i < trips; i++)
      expected[i] += 2 + (i < trips / 10 * 10);
  }
  expect("static loops", digest(runs), digest(expected));
  // Trips are 364 in the last of these loops.
  for (int i = 0; i < N; i++)
    expected[i] = i < 364 ? i / 3 % THREADS : 0;
  expect("owners of chunks", digest(owner), digest(expected));
#pragma omp parallel for num_threads(3) schedule(static)
  for (unsigned long i = 0; i < N; i++)
    owner[i] = omp_get_thread_num();
  for (int i = 0; i < N; i++)
    expected[i] = i < 334 ? 0 : i < 667 ? 1 : 2;
  expect("owners of blocks", digest(owner), digest(expected));
}

static void nested(void) {
  long sum = 0;
  omp_set_max_active_levels(2);
#pragma omp parallel for num_threads(3) reduction(+ : sum)
  for (int i = 0; i < 30; i++) {
#pragma omp parallel for num_threads(2) reduction(+ : sum)
    for (int j = 0; j < 50; j++)
      sum += i * j;
  }
  omp_set_max_active_levels(1);
  expect("nested", sum, 435 * 1225);
}

static void leagues(void) {
  static int runs[N], expected[N];
#pragma omp teams distribute parallel for num_teams(3) thread_limit(4)
  for (int i = 0; i < N; i++)
    runs[i]++;
#pragma omp teams num_teams(2)
#pragma omp distribute dist_schedule(static, 10)
  for (int i = 0; i < N; i++)
    runs[i] += 2;
  for (int i = 0; i < N; i++)
    expected[i] = 3;
  expect("leagues", digest(runs), digest(expected));
}

// A type whose reduction no atomic operation can do.
struct pair {
  long sum, count;
};
static void add(struct pair *to, const struct pair *from) {
  to->sum += from->sum;
  to->count += from->count;
}
#pragma omp declare reduction(add : struct pair : add(&omp_out, &omp_in)) \
    initializer(omp_priv = (struct pair){0, 0})

static void reductions(void) {
  struct pair pair = {0, 0};
  long first = 0, second = 1;
#pragma omp parallel for num_threads(THREADS) reduction(add : pair) \
    reduction(+ : first) reduction(* : second)
  for (int i = 0; i < N; i++) {
    add(&pair, &(struct pair){i, 1});
    first += i;
    second *= i % 100 == 7 ? 2 : 1;
  }
  expect("pairs", pair.sum * 1000 + pair.count, 499500L * 1000 + N);
  expect("sums and products", first + second, 499500 + 1024);
}

static void scopes(void) {
  int sum = 0, tasks = 0;
#pragma omp parallel num_threads(THREADS)
  {
#pragma omp scope reduction(+ : sum)
    sum += omp_get_thread_num();
#pragma omp scope reduction(task, + : tasks)
    for (int i = 0; i < 10; i++) {
#pragma omp task in_reduction(+ : tasks)
      tasks++;
    }
#pragma omp barrier
#pragma omp scope
    {
    }
  }
  expect("scopes", sum, 15);
  expect("task reductions", tasks, 10 * THREADS);
}

static void one_thread(void) {
  int singles = 0, masked = 0, copied = 0;
#pragma omp parallel num_threads(THREADS) reduction(+ : masked, copied)
  {
    for (int i = 0; i < 50; i++) {
      int given;
#pragma omp single
      singles++;
#pragma omp single nowait
#pragma omp atomic
      singles++;
#pragma omp single copyprivate(given)
      given = i;
      copied += given;
#pragma omp masked filter(i % (THREADS + 1))
      masked++;
#pragma omp masked
      masked++;
    }
  }
  expect("singles", singles, 100);
  expect("copies", copied, THREADS * 1225);
  // Number 6 is no thread of the team: 7 of the filters find none.
  expect("masked", masked, 50 - 7 + 50);
}

static void cancelled(void) {
  int before = 0, after = 0;
#pragma omp parallel num_threads(4)
  {
#pragma omp atomic
    before++;
    if (omp_get_thread_num() == 1) {
#pragma omp cancel parallel
    }
#pragma omp barrier
#pragma omp atomic
    after++;
  }
  expect("before a cancelled barrier", before, 4);
  expect("behind it", after, 0);
  int done = 0;
#pragma omp parallel num_threads(4)
  {
#pragma omp for
    for (int i = 0; i < 100; i++) {
#pragma omp cancel for if (i == 30)
#pragma omp atomic
      done++;
    }
  }
  if (done >= 100)
    faults++;
}

static void tasks(void) {
  int value = 0, seen = -1, explicit_tasks = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task depend(out : value)
    value = 4;
#pragma omp taskwait depend(inout : value) nowait
#pragma omp task depend(in : value)
    {
      seen = value;
      explicit_tasks += omp_in_explicit_task();
    }
#pragma omp taskwait
    explicit_tasks += 10 * omp_in_explicit_task();
  }
  expect("taskwait nowait", seen, 4);
  expect("explicit tasks", explicit_tasks, 1);
}

static void devices(void) {
  omp_interop_t object = omp_interop_none;
  int device = omp_initial_device, memory[4] = {1, 2, 3, 4}, copy[4] = {0};
#pragma omp interop init(targetsync : object) device(device)
#pragma omp interop use(object)
#pragma omp interop destroy(object)
  expect("interop", object == omp_interop_none, 1);
  expect("properties", omp_get_num_interop_properties(object), 0);
  omp_target_memcpy_async(copy, memory, sizeof copy, 0, 0, device, device, 0, NULL);
#pragma omp taskwait
  omp_target_memset(memory, 0, 2 * sizeof *memory, device);
  expect("copies of memory", copy[0] + 10 * copy[3], 41);
  expect("memory", memory[1] + 10 * memory[2], 30);
  expect("mapped", omp_get_mapped_ptr(memory, device) == memory, 1);
  expect("device", omp_get_device_from_uid(omp_get_uid_from_device(device)), omp_initial_device);
#if __GNUC__ >= 17
  int far;
  omp_get_device_distances(1, &device, &far);
  expect("distance", far, 0);
  expect("tool", omp_control_tool(omp_control_tool_start, 0, NULL), omp_control_tool_notool);
#endif
}

int main(void) {
  static_loops();
  nested();
  leagues();
  reductions();
  scopes();
  one_thread();
  cancelled();
  tasks();
  devices();
  return faults != 0;
}
