/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Takes ids from workers of a folded team that are done late.  */

#include "libgomp.h"
#include "fold/fold.h"
#include "fold/fold-bind.h"
#include "fold/fold-move.h"
#include "fold/fold-pull.h"

/* What it costs to take an id, and how much that has to save, in
   nanoseconds.  */
#define COST_NS 50000
#define LEAST_NS 100000

bool
gomp_fold_helps (unsigned phases, struct gomp_fold_helps *how)
{
  enum gomp_amp_fold_help kind = gomp_amp_options.fold_help;

  how->steal = kind != GOMP_AMP_HELP_PULL;
  how->pull = kind != GOMP_AMP_HELP_STEAL;
  how->cost = (double) COST_NS / GOMP_FOLD_TICK_NS * phases;
  how->least = (double) LEAST_NS / GOMP_FOLD_TICK_NS * phases;
  return kind != GOMP_AMP_HELP_OFF;
}

void
gomp_fold_begin_phase (struct gomp_fold_pool *fold, struct gomp_fold_team *team)
{
  if (!__atomic_load_n (&team->help, __ATOMIC_RELAXED))
    return;
  __atomic_store_n (&team->begin, gomp_fold_ticks (), __ATOMIC_RELAXED);
  __atomic_store_n (&team->phase, ++fold->phases, __ATOMIC_RELAXED);
}

static inline unsigned
phase_of (const struct gomp_fold_team *team)
{
  return __atomic_load_n (&team->phase, __ATOMIC_RELAXED);
}

/* What is known of worker W of TEAM, in the phase PHASE.  */

static struct gomp_fold_post *
post_in (const struct gomp_fold_team *team, unsigned w, unsigned phase)
{
  struct gomp_fold_post *post = &team->post[w];

  if (__atomic_load_n (&post->phase, __ATOMIC_RELAXED) != phase)
    {
      __atomic_store_n (&post->taken, 0, __ATOMIC_RELAXED);
      __atomic_store_n (&post->arrived, 0, __ATOMIC_RELAXED);
      __atomic_store_n (&post->done, 0, __ATOMIC_RELAXED);
      __atomic_store_n (&post->phase, phase, __ATOMIC_RELAXED);
    }
  return post;
}

static inline double
load_of (const struct gomp_fold_post *post)
{
  return __atomic_load_n (&post->load, __ATOMIC_RELAXED);
}

static inline double
speed_of (const struct gomp_fold_post *post)
{
  return __atomic_load_n (&post->speed, __ATOMIC_RELAXED);
}

/* ME, the calling thread, has come to the barrier on its own worker's CPU.  */

static void
count_arrival (struct gomp_fold_thread *me)
{
  unsigned phase = phase_of (me->team);
  struct gomp_fold_post *post;

  /* It may have waited there before.  */
  if (me->arrived_in == phase)
    return;
  me->arrived_in = phase;
  post = post_in (me->team, me->own, phase);
  __atomic_store_n (&post->arrived,
		    __atomic_load_n (&post->arrived, __ATOMIC_RELAXED) + 1,
		    __ATOMIC_RELAXED);
}

int
gomp_fold_end_phase (struct gomp_fold_thread *me)
{
  /* Acquire PULLED_AT.  */
  int bound = __atomic_load_n (&me->bound, __ATOMIC_ACQUIRE);
  const struct gomp_fold_post *post = me->team->post;

  /* The first id is never taken.  */
  if (bound == me->own || me->number == 0)
    count_arrival (me);
  if (bound < 0 || bound == me->own
      || !__atomic_exchange_n (&me->counts, false, __ATOMIC_RELAXED)
      || (unsigned) bound >= me->team->workers)
    return -1;
  if (speed_of (&post[me->own]) == 0)
    return bound;
  /* At home it would have run for so much longer or shorter.  */
  double there
    = gomp_fold_watch_since (me, __atomic_load_n (&me->pulled_at,
						  __ATOMIC_RELAXED));
  long more = there * (speed_of (&post[bound]) / speed_of (&post[me->own])
			- 1);

  __atomic_store_n (&me->stopwatch, me->stopwatch + 2 * more, __ATOMIC_RELAXED);
  return bound;
}

bool
gomp_fold_rebind (struct gomp_fold_thread *thread, int from, int to,
		  unsigned phase)
{
  const struct gomp_fold_pool *fold = gomp_thread ()->thread_pool->amp_fold;
  int pulled = GOMP_FOLD_PULLED;
  int tid = __atomic_load_n (&thread->id.tid, __ATOMIC_RELAXED);

  if (tid == 0
      || !__atomic_compare_exchange_n (&thread->bound, &from, pulled, false,
				       __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
    return false;
  if (from >= 0 && !gomp_fold_has_mask_of (tid, from))
    {
      /* The program has bound it.  */
      __atomic_compare_exchange_n (&thread->bound, &pulled, from, false,
				   __ATOMIC_RELEASE, __ATOMIC_RELAXED);
      return false;
    }
  /* Relaxed: its thread, on its way into the barrier, may look at them while it
     is sent home.  */
  __atomic_store_n (&thread->pulled_in, phase, __ATOMIC_RELAXED);
  __atomic_store_n (&thread->pulled_at, gomp_fold_read_watch (thread),
		    __ATOMIC_RELAXED);
  __atomic_store_n (&thread->counts,
		    to != __atomic_load_n (&thread->own, __ATOMIC_RELAXED),
		    __ATOMIC_RELAXED);
  gomp_fold_bind_thread (tid, to);
  /* Who watches may have let it go meanwhile, unless it leaves all as it
     is.  */
  if (!__atomic_compare_exchange_n (&thread->bound, &pulled, to, false,
				    __ATOMIC_RELEASE, __ATOMIC_RELAXED)
      && pulled == -1 && !__atomic_load_n (&fold->off, __ATOMIC_RELAXED))
    gomp_fold_unbind_thread (tid, to);
  return true;
}

/* Take the id that worker OWN of TEAM runs.  */

static bool
pull (const struct gomp_fold_team *team, unsigned own, unsigned helper,
      unsigned phase)
{
  struct gomp_fold_worker *worker = &team->worker[own];
  struct gomp_fold_id *id
    = (worker->slots == 1
       ? __atomic_load_n (&worker->id[0], __ATOMIC_ACQUIRE)
       : __atomic_load_n (&worker->holder, __ATOMIC_RELAXED));
  struct gomp_fold_thread *thread = (void *) id;

  return (id != NULL
	  && __atomic_load_n (&thread->stopwatch, __ATOMIC_RELAXED) % 2 != 0
	  && gomp_fold_rebind (thread, own, helper, phase));
}

/* Take an id of worker OWN of TEAM that has not begun.  Not id 0: it has to be
   where it is when the region ends.  */

static bool
steal (const struct gomp_fold_team *team, unsigned own, unsigned helper,
       unsigned phase)
{
  struct gomp_fold_worker *worker = &team->worker[own];
  struct gomp_fold_id *id = gomp_fold_take (worker, own == team->home);
  bool taken;

  if (id == NULL)
    return false;
  taken = gomp_fold_rebind ((void *) id, own, helper, phase);
  /* Also one that was not taken: to run early is always right.  */
  gomp_fold_run (worker, id);
  return taken;
}

/* What worker W of TEAM has to do in PHASE, which began NOW ticks ago and is
   SCALE times as long as others.  */

static struct gomp_fold_load
estimate (const struct gomp_fold_team *team, unsigned w, unsigned phase,
	  double now, double scale)
{
  const struct gomp_fold_post *post = post_in (team, w, phase);
  unsigned slots = team->worker[w].slots;
  unsigned taken = __atomic_load_n (&post->taken, __ATOMIC_RELAXED);
  unsigned arrived = __atomic_load_n (&post->arrived, __ATOMIC_RELAXED);
  /* One runs.  */
  unsigned begun = arrived + taken + 1;
  struct gomp_fold_load load = { .speed = speed_of (post) };

  if (slots == 0)
    return load;
  load.each = scale * load_of (post) / slots;
  load.end = scale * load_of (post) - load.each * taken;
  if (begun < slots)
    {
      /* What has not begun is known, and how long the others took.  */
      if (arrived != 0)
	load.each = now / (arrived + .5);
      load.end = now + (slots - begun + .5) * load.each;
    }
  else if (begun > slots)
    load.end = now;
  return load;
}

bool
gomp_fold_help (const struct gomp_fold_thread *me, unsigned helper)
{
  struct gomp_fold_team *team = me->team;
  struct gomp_fold_load load[GOMP_FOLD_MOST_HELPERS];
  struct gomp_fold_helps how;
  unsigned phase = phase_of (team), other;
  struct gomp_fold_post *post = post_in (team, helper, phase);
  /* Not negative but where another phase has begun since.  */
  long now = (gomp_fold_ticks ()
	      - __atomic_load_n (&team->begin, __ATOMIC_RELAXED));
  unsigned long done = __atomic_load_n (&post->done, __ATOMIC_RELAXED);
  enum gomp_fold_help way;
  double scale;

  if (!gomp_fold_helps (1, &how) || team->workers > GOMP_FOLD_MOST_HELPERS
      || __atomic_load_n (&team->disbanded, __ATOMIC_RELAXED)
      || load_of (post) == 0 || now < 0)
    return false;
  /* It was done early because it was helped.  */
  if (__atomic_load_n (&post->taken, __ATOMIC_RELAXED) != 0)
    return false;
  if (done == 0)
    {
      done = now + 1;
      __atomic_store_n (&post->done, done, __ATOMIC_RELAXED);
    }
  /* The phases of a program are not equally long.  */
  scale = done / load_of (post);
  for (unsigned w = 0; w < team->workers; w++)
    load[w] = estimate (team, w, phase, now, scale);
  way = gomp_fold_choose_help (&how, load, team->workers, helper, now, &other);
  if (way == GOMP_FOLD_NO_HELP
      || !(way == GOMP_FOLD_STEAL ? steal (team, other, helper, phase)
	   : pull (team, other, helper, phase)))
    return false;
  __atomic_fetch_add (&team->post[other].taken, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add (&team->helps, 1, __ATOMIC_RELAXED);
  __atomic_store_n (&team->taken, true, __ATOMIC_RELAXED);
  return true;
}

void
gomp_fold_send_home (struct gomp_fold_team *team)
{
  if (!__atomic_load_n (&team->taken, __ATOMIC_RELAXED))
    return;
  __atomic_store_n (&team->taken, false, __ATOMIC_RELAXED);
  for (unsigned id = 0; id < team->ids; id++)
    {
      /* Acquire, as in fold-turn.c.  */
      struct gomp_fold_thread *thread
	= (void *) __atomic_load_n (&team->slot[id], __ATOMIC_ACQUIRE);
      /* Acquire OWN.  */
      int bound = (thread != NULL
		   ? __atomic_load_n (&thread->bound, __ATOMIC_ACQUIRE) : -1);

      if (bound >= 0 && bound != thread->own)
	gomp_fold_rebind (thread, bound, thread->own, phase_of (team));
    }
}

void
gomp_fold_go_home (struct gomp_fold_thread *me)
{
  /* Acquire PULLED_IN.  Who takes it now does that for the present phase.  */
  int bound = __atomic_load_n (&me->bound, __ATOMIC_ACQUIRE);

  /* The last thread may be sending it home now.  */
  if (bound >= 0 && bound != me->own
      && (__atomic_load_n (&me->pulled_in, __ATOMIC_RELAXED)
	  != phase_of (me->team)))
    gomp_fold_rebind (me, bound, me->own, phase_of (me->team));
}
