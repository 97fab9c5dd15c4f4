/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Allocates, prepares and frees the shared state of AID loops.  */

#include <stdlib.h>
#include <string.h>
#include "libgomp.h"
#include "base/assert.h"
#include "loops/aid-loop.h"
#include "machine/allotment.h"

/* The number of classes when a work share first had no state for an AID loop.
   Work shares that are allocated after that get theirs at once, in a block: to
   allocate each by itself takes as much memory again.  */
static unsigned char block_classes;

/* A new state of a loop, all zero.  NULL if there is no memory.  */

static struct gomp_amp_loop *
make_loop (unsigned classes)
{
  struct gomp_amp_loop *loop;
  size_t size = gomp_aid_loop_size (classes);

  if (posix_memalign ((void **) &loop, GOMP_AID_LINE, size))
    return NULL;
  memset (loop, 0, size);
  loop->classes = classes;
  return loop;
}

/* N new states SIZE bytes apart, all zero.  NULL if there is no memory.  The
   system gives pages of zeros, and those that no loop uses cost nothing.  A
   state is about as large as a work share, and upstream writes to all work
   shares of a block at once.  So with two classes a chain of loops takes from
   1.5 times upstream's memory, if its last block is new, to 1.95 times, if that
   is full.  */

static char *
make_block (unsigned n, size_t size)
{
  char *memory = calloc (1, sizeof (char *) + GOMP_AID_LINE + n * size);
  char *first;

  if (memory == NULL)
    return NULL;
  first = (char *) (((uintptr_t) memory + sizeof memory + GOMP_AID_LINE - 1)
		    & -(uintptr_t) GOMP_AID_LINE);
  memcpy (first - sizeof memory, &memory, sizeof memory);
  ((struct gomp_amp_loop *) first)->block = true;
  return first;
}

static void
free_block (struct gomp_amp_loop *first)
{
  char *memory;

  memcpy (&memory, (char *) first - sizeof memory, sizeof memory);
  free (memory);
}

/* The calling thread's loop has no state, so it is dynamic.  */

static int
without_state (void)
{
  gomp_thread ()->ts.amp.why |= GOMP_AMP_NO_STATE;
  return GFS_DYNAMIC;
}

/* The classes that the threads of TEAM can be of, one bit each.  */

static inline unsigned long long
classes_of_team (const struct gomp_team *team)
{
  if (gomp_amp_classes_forced () || team == NULL
      || team->amp_places.allotment == NULL)
    return gomp_amp_present_classes ();
  return team->amp_places.allotment->present;
}

bool gomp_amp_wants_sites;
void (*gomp_aid_measured) (unsigned, const double *);

void
gomp_aid_find_site (struct gomp_amp_loop *loop,
		       const struct gomp_team *team, const void *address)
{
  loop->address = address;
  /* With factors, an even loop would be allotted as a whole.  */
  if (!(loop->traits & GOMP_AMP_SAMPLES))
    return;
  loop->site = gomp_amp_factors_site (address);
  loop->offline = gomp_amp_offline_sf (loop->site, classes_of_team (team),
				       gomp_aid_r (loop));
}

/* gomp_aid_init for a work share without state.  Not part of that, which hardly
   ever calls this, so that it has fewer registers to save.  */

static int __attribute__ ((noinline))
make_and_init (struct gomp_work_share *ws, int kind, gomp_aid_count ni,
	       gomp_aid_count chunk)
{
  ws->amp = make_loop (gomp_amp_class_count ());
  if (ws->amp == NULL)
    return without_state ();
  /* Relaxed: nothing else is published by it.  */
  if (__atomic_load_n (&block_classes, __ATOMIC_RELAXED) == 0)
    {
      unsigned char none = 0;
      __atomic_compare_exchange_n (&block_classes, &none,
				   gomp_amp_class_count (), false,
				   __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    }
  return gomp_aid_init (ws, kind, ni, chunk);
}

int
gomp_aid_init (struct gomp_work_share *ws, int kind, gomp_aid_count ni,
	       gomp_aid_count chunk)
{
  /* Generations are allocated in blocks, so that a loop seldom accesses the
     word that all teams share.  No loop has 0.  */
  enum { GENERATIONS = 1 << 16 };
  static unsigned long long generations = GENERATIONS;

  struct gomp_amp_loop *loop = ws->amp;
  unsigned traits = gomp_amp_traits_of (kind);

  GOMP_AMP_ASSERT ((kind & GFS_AMP) && !(kind & GFS_MONOTONIC));
  if (!GOMP_AID_LOCK_FREE)
    return without_state ();
  if (__builtin_expect (loop == NULL, 0))
    return make_and_init (ws, kind, ni, chunk);

  loop->offline = loop->planned = loop->learned = false;
  loop->record = NULL;
  if (loop->generation++ % GENERATIONS == 0)
    {
      if (loop->classes == 0)
	loop->classes = __atomic_load_n (&block_classes, __ATOMIC_RELAXED);
      /* Relaxed: the values only have to differ.  */
      loop->generation = 1 + __atomic_fetch_add (&generations, GENERATIONS,
						 __ATOMIC_RELAXED);
    }
  GOMP_AMP_ASSERT (loop->generation != 0 && loop->classes != 0);
  loop->ni = ni;
  loop->traits = traits;
  loop->chunk = chunk ? chunk : 1;
  loop->timed = chunk == 0;
  /* If neither is given, aid_hybrid allots nothing: timed chunks suit
     iterations of any cost, and the cost of those to come is not known.  */
  if ((traits & GOMP_AMP_TAIL) && loop->timed)
    loop->arg = gomp_amp_schedule_arg[GOMP_AMP_SCHEDULE_INDEX (kind)];
  else if (traits & (GOMP_AMP_TAIL | GOMP_AMP_PHASES))
    loop->arg = gomp_amp_schedule_effective_arg (kind, chunk);
  else
    loop->arg = 100;
  /* 2 * NI for each of 2^23 threads fits.  */
  loop->roomy = ni < 1ULL << 40;
  loop->next = 0;
  loop->phase = 0;
  loop->arrived = 0;
  for (unsigned c = 0; c < loop->classes; c++)
    gomp_aid_sums (loop)[c] = 0;
  return kind;
}

void
gomp_amp_init_work_shares (struct gomp_work_share *ws, unsigned n)
{
  unsigned classes = __atomic_load_n (&block_classes, __ATOMIC_RELAXED);
  size_t size = gomp_aid_loop_size (classes);
  char *state = NULL;

  /* Those of a new team are few, and hardly any of them gets a state.  */
  if (n > 8 && classes != 0)
    state = make_block (n, size);
  if (state == NULL)
    for (unsigned i = 0; i < n; i++)
      ws[i].amp = NULL;
  else
    for (unsigned i = 0; i < n; i++)
      ws[i].amp = (struct gomp_amp_loop *) (state + i * size);
}

void
gomp_amp_free_work_shares (struct gomp_work_share *ws, unsigned n)
{
  if (ws[0].amp != NULL && ws[0].amp->block)
    free_block (ws[0].amp);
  else
    for (unsigned i = 0; i < n; i++)
      if (ws[i].amp != NULL)
	free (ws[i].amp);
}
