/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What aid-loop.c and loop-kind.c need of upstream's libgomp.h, for teams that the tests
 * make up.
 */

#ifndef LIBGOMP_H
#define LIBGOMP_H 1

#include "amp-types.h"
#include "base/events.h"
#include "loops/aid-loop.h"
#include "loops/sf-file.h"
#include "machine/machine.h"
#include "options/options.h"
#include "options/schedules.h"
#include <stdbool.h>
#include <stddef.h>

enum gomp_schedule_type {
  GFS_RUNTIME,
  GFS_STATIC,
  GFS_DYNAMIC,
  GFS_GUIDED,
  GFS_AUTO,
  GFS_MONOTONIC = 0x80000000U
};

struct gomp_task_icv {
  enum gomp_schedule_type run_sched_var;
  int run_sched_chunk_size;
  bool run_sched_given;
};

struct gomp_task {
  struct gomp_task_icv icv;
};

// What declarations name.
typedef struct gomp_barrier gomp_barrier_t;

struct gomp_team {
  unsigned nthreads;
  const struct gomp_task_icv *amp_icv;
  enum gomp_amp_asymmetric amp_asymmetric;
  struct gomp_amp_places amp_places;
  unsigned long long amp_members[GOMP_AMP_TEAM_CLASSES];
  struct gomp_work_share *work_shares;
  struct gomp_task implicit_task[1];
};

struct gomp_work_share {
  struct gomp_amp_loop *amp;
};

struct gomp_team_state {
  struct gomp_team *team;
  unsigned team_id;
  unsigned level;
  unsigned long static_trip;
  struct gomp_amp_thread amp;
};

struct gomp_thread {
  struct gomp_team_state ts;
};

/* The thread that the test lets run.  */
extern struct gomp_thread *gomp_thread(void);

/* The control variables of its task.  */
extern struct gomp_task_icv *gomp_icv(bool write);

#endif /* LIBGOMP_H */
