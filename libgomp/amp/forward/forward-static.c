/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Static loops and distribute, by which GCC 17 asks for the number of the
   thread or team, and for how many there are, in one call.  */

#include "libgomp.h"
#include "forward-lacks.h"
#include "ompt/ompt.h"

/* A base has all of them or none.  */
#ifdef GOMP_LACKS_GOMP_loop_static_worksharing

/* COUNT workers, of which the caller is NUMBER.  The program computes its own
   part from this: the count is the low half, the real part.  */

static inline _Complex int
answer (unsigned count, unsigned number)
{
  _Complex int result;

  __real__ result = count;
  __imag__ result = number;
  return result;
}

/* Of the innermost team.  Budget: 11 instructions, as many as upstream's.  A
   folded team's thread has its id in the team, as any other.  */

static inline _Complex int
threads (void)
{
  struct gomp_thread *thr = gomp_thread ();
  struct gomp_team *team = thr->ts.team;

  return answer (team ? team->nthreads : 1, thr->ts.team_id);
}

/* Of the league.  The thread keeps the number of the last team in it.  */

static inline _Complex int
teams (void)
{
  struct gomp_thread *thr = gomp_thread ();

  return answer (thr->num_teams + 1, thr->team_num);
}

/* A loop of ITERATIONS begins.  */

_Complex int
GOMP_loop_static_worksharing (unsigned long long iterations
			      __attribute__ ((unused)))
{
  return threads ();
}

_Complex int
GOMP_distribute_static_worksharing (unsigned long long iterations
				    __attribute__ ((unused)))
{
  return teams ();
}

/* A loop begins in code compiled with -fopenmp-ompt=basic or extended.  That
   reports the loop's end as well, and if extended each block of iterations.  A
   tool listens to loops.  */

_Complex int
GOMP_loop_static_worksharing_start (unsigned long long iterations)
{
  gomp_ompt_work_begins (ompt_work_loop_static, iterations);
  return threads ();
}

void
GOMP_loop_static_worksharing_dispatch (unsigned long long start,
				       unsigned long long iterations)
{
  if (gomp_ompt_p ())
    gomp_ompt_begin_chunk (start, iterations);
}

void
GOMP_loop_static_worksharing_end (void)
{
  if (gomp_ompt_p ())
    gomp_ompt_end_work ();
}

_Complex int
GOMP_distribute_static_worksharing_start (unsigned long long iterations
					  __attribute__ ((unused)))
{
  return teams ();
}

void
GOMP_distribute_static_worksharing_dispatch (unsigned long long start
					     __attribute__ ((unused)),
					     unsigned long long iterations
					     __attribute__ ((unused)))
{
}

void
GOMP_distribute_static_worksharing_end (void)
{
}
#endif
