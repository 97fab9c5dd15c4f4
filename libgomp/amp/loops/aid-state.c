/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Allocates, prepares and frees the shared state of AID loops.  */

#include <stdlib.h>
#include <string.h>
#include "libgomp.h"
#include "loops/aid-loop.h"
#include "machine/allotment.h"

static inline size_t
round_to_line (size_t size)
{
  return (size + GOMP_AID_LINE - 1) & -(size_t) GOMP_AID_LINE;
}

/* A new state of a loop, all zero.  NULL if there is no memory.  */

static struct gomp_amp_loop *
make_loop (unsigned classes)
{
  struct gomp_amp_loop *loop;
  size_t shared = offsetof (struct gomp_amp_loop, share[classes]);
  size_t private = round_to_line (shared + classes * sizeof loop->sums[0]);
  size_t size = private + classes * (sizeof loop->r[0]
				     + sizeof loop->threads[0]);

  if (posix_memalign ((void **) &loop, GOMP_AID_LINE, size))
    return NULL;
  memset (loop, 0, size);
  loop->classes = classes;
  loop->sums = (void *) ((char *) loop + shared);
  loop->r = (void *) ((char *) loop + private);
  loop->threads = (void *) (loop->r + classes);
  return loop;
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
				       loop->r);
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

  if (!GOMP_AID_LOCK_FREE)
    return without_state ();
  if (__builtin_expect (loop == NULL, 0))
    return make_and_init (ws, kind, ni, chunk);

  loop->offline = false;
  if (loop->generation++ % GENERATIONS == 0)
    /* Relaxed: the values only have to differ.  */
    loop->generation = 1 + __atomic_fetch_add (&generations, GENERATIONS,
					       __ATOMIC_RELAXED);
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
    loop->sums[c] = 0;
  return kind;
}

void
gomp_amp_init_work_shares (struct gomp_work_share *ws, unsigned n)
{
  for (unsigned i = 0; i < n; i++)
    ws[i].amp = NULL;
}

void
gomp_amp_free_work_shares (struct gomp_work_share *ws, unsigned n)
{
  for (unsigned i = 0; i < n; i++)
    free (ws[i].amp);
}
