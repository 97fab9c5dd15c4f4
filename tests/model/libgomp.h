/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What aid-loop.c needs of upstream's libgomp.h, for teams that the tests make up.  */

#ifndef LIBGOMP_H
#define LIBGOMP_H 1

#include "aid-loop.h"
#include "amp-types.h"
#include "classes.h"
#include "lab.h"
#include "options.h"
#include "schedules.h"
#include "sf-file.h"
#include <stdbool.h>
#include <stddef.h>

enum gomp_schedule_type { GFS_RUNTIME, GFS_STATIC, GFS_DYNAMIC };

struct gomp_team {
  unsigned nthreads;
};

struct gomp_work_share {
  struct gomp_amp_loop *amp;
};

struct gomp_team_state {
  struct gomp_team *team;
  unsigned team_id;
  struct gomp_amp_thread amp;
};

struct gomp_thread {
  struct gomp_team_state ts;
};

/* The thread that the test lets run.  */
extern struct gomp_thread *gomp_thread(void);

#endif /* LIBGOMP_H */
