/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs without a race, and the same with one, for ThreadSanitizer and Archer.

     races NAME [bad]  */

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 4, COUNT = 400 };

static int bad;
static volatile int sum, cells[COUNT];
static omp_lock_t lock;

/* Let other threads take part.  */

static void spread(void) { usleep(200); }

/* Threads one after another, by each way of mutual exclusion.  */

static void critical(void) {
#pragma omp parallel num_threads(THREADS)
  for (int i = 0; i < COUNT; i++)
    if (bad)
      sum++;
    else
#pragma omp critical
      sum++;
}

static void locks(void) {
  omp_init_lock(&lock);
#pragma omp parallel num_threads(THREADS)
  for (int i = 0; i < COUNT; i++) {
    if (!bad)
      omp_set_lock(&lock);
    sum++;
    if (!bad)
      omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
}

static void ordered(void) {
#pragma omp parallel for ordered schedule(dynamic) num_threads(THREADS)
  for (int i = 0; i < 50; i++) {
    spread();
    if (bad)
      sum++;
    else
#pragma omp ordered
      sum++;
  }
}

/* Each thread reads what another one wrote before a barrier.  */

static void barriers(void) {
#pragma omp parallel num_threads(THREADS)
  {
    int me = omp_get_thread_num();
    for (int i = 0; i < 20; i++) {
      cells[me] = i;
      if (!bad) {
#pragma omp barrier
      }
      if (cells[(me + 1) % THREADS] < 0)
        abort();
#pragma omp barrier
    }
  }
}

static void loops(void) {
#pragma omp parallel num_threads(THREADS)
  {
#pragma omp for schedule(dynamic, 40) nowait
    for (int i = 0; i < COUNT; i++) {
      if (i % 40 == 0)
        spread();
      cells[i] = i;
    }
    if (!bad) {
#pragma omp barrier
    }
#pragma omp for schedule(dynamic, 3)
    for (int i = 0; i < COUNT; i++)
      if (cells[COUNT - 1 - i] < 0)
        abort();
#pragma omp for schedule(runtime)
    for (int i = 0; i < COUNT; i++)
      cells[i] = i + 1;
  }
}

static void single(void) {
  int copied = 0;
#pragma omp parallel num_threads(THREADS) firstprivate(copied)
  {
#pragma omp single nowait
    sum = 1;
    if (!bad) {
#pragma omp barrier
    }
    if (sum < 0)
      abort();
#pragma omp single copyprivate(copied)
    copied = 7;
    if (copied != 7)
      abort();
  }
}

static void sections(void) {
#pragma omp parallel sections num_threads(THREADS)
  {
    {
      spread();
      cells[0] = 1;
    }
#pragma omp section
    {
      spread();
      cells[bad ? 0 : 1] = 2;
    }
#pragma omp section
    {
      spread();
      cells[bad ? 0 : 2] = 3;
    }
  }
}

/* What a region's threads have written is read behind it, by the next one too.  */

static void regions(void) {
  for (int n = 0; n < 5; n++) {
#pragma omp parallel for num_threads(THREADS)
    for (int i = 0; i < COUNT; i++)
      cells[i] = i + n;
#pragma omp parallel for num_threads(THREADS)
    for (int i = 0; i < COUNT; i++)
      if (cells[COUNT - 1 - i] < 0)
        abort();
    for (int i = 0; i < COUNT; i++)
      sum += cells[i];
  }
#pragma omp parallel num_threads(THREADS)
  if (bad)
    sum++;
}

static void reduction(void) {
  int total = 0;
#pragma omp parallel for reduction(+ : total) num_threads(THREADS)
  for (int i = 0; i < COUNT; i++) {
    total += i;
    if (bad)
      sum += i;
  }
  if (total != COUNT * (COUNT - 1) / 2)
    abort();
}

/* Tasks. */

static void taskwait(void) {
#pragma omp parallel num_threads(THREADS)
#pragma omp single
  for (int i = 0; i < 50; i++) {
#pragma omp task
    cells[i] = i;
    spread();
    if (!bad) {
#pragma omp taskwait
    }
    sum += cells[i];
  }
}

static void taskgroup(void) {
#pragma omp parallel num_threads(THREADS)
#pragma omp single
  {
#pragma omp taskgroup
    {
      for (int i = 0; i < 50; i++)
#pragma omp task
        {
#pragma omp task
          cells[i] = i;
          spread();
        }
      usleep(50000);
      if (bad)
        for (int i = 0; i < 50; i++)
          sum += cells[i];
    }
    for (int i = 0; i < 50; i++)
      sum += cells[i];
  }
}

static void depend(void) {
  int x = 0;
#pragma omp parallel num_threads(THREADS)
#pragma omp single
  for (int i = 0; i < 50; i++) {
    if (bad) {
#pragma omp task shared(x)
      {
        spread();
        x++;
      }
    } else {
#pragma omp task shared(x) depend(inout : x)
      {
        spread();
        x++;
      }
#pragma omp task shared(x) depend(in : x)
      if (x < 0)
        abort();
    }
  }
}

static void taskloop(void) {
#pragma omp parallel num_threads(THREADS)
#pragma omp single
  {
#pragma omp taskloop num_tasks(16)
    for (int i = 0; i < COUNT; i++) {
      if (i % 25 == 0)
        spread();
      if (bad)
        sum++;
      else
        cells[i] = i;
    }
    for (int i = 0; i < COUNT; i++)
      sum += cells[i];
  }
}

static void undeferred(void) {
  int x = 0;
#pragma omp parallel num_threads(THREADS) shared(x)
#pragma omp single
  for (int i = 0; i < 50; i++) {
#pragma omp task shared(x) if (bad)
    x++;
    spread();
    x++;
  }
}

static void nested(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  {
    int mine = omp_get_thread_num(), base = mine * COUNT / 2;
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < COUNT / 2; i++)
      cells[bad ? i : base + i] = i;
    for (int i = 0; i < COUNT / 2; i++)
      if (cells[base + i] < 0)
        abort();
  }
}

static const struct {
  const char *name;
  void (*run)(void);
} programs[] = {{"critical", critical}, {"locks", locks},         {"ordered", ordered},
                {"barriers", barriers}, {"loops", loops},         {"single", single},
                {"sections", sections}, {"regions", regions},     {"reduction", reduction},
                {"taskwait", taskwait}, {"taskgroup", taskgroup}, {"depend", depend},
                {"taskloop", taskloop}, {"undeferred", undeferred}, {"nested", nested}};

int main(int argc, char **argv) {
  bad = argc > 2;
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
    if (argc > 1 ? strcmp(programs[i].name, argv[1]) == 0 : 1) {
      if (argc > 1)
        programs[i].run();
      else
        puts(programs[i].name);
    }
  return 0;
}
