/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Records what threads do, for GOMP_AMP_TRACE.  */

#define _GNU_SOURCE 1
#include "libgomp.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/clock.h"
#include "base/fork-lock.h"
#include "fold/fold.h"
#include "trace/trace-data.h"
#include "report/report-data.h"

bool gomp_trace_on;
struct gomp_trace gomp_trace;

/* Waits for the same word are one, if no longer time is between them: a thread
   spins first, and then sleeps.  */
#define SAME_WAIT_NS 2000

/* The calling thread's ring; NULL until it has one.  NONE: it gets none.  */
static __thread struct gomp_trace_ring *ring;
static __thread bool none;

static struct gomp_trace_ring * __attribute__ ((noinline, cold))
make_ring (void)
{
  struct gomp_trace_ring *made;
  unsigned long long bytes = gomp_trace.size * sizeof *made->event;

  gomp_amp_acquire (GOMP_AMP_LOCK_REPORT);
  for (made = gomp_trace.rings; made != NULL; made = made->next)
    if (!made->used)
      break;
  if (made == NULL && (gomp_trace.count + 1) * bytes <= GOMP_TRACE_BYTES
      && posix_memalign ((void **) &made, __alignof__ (*made),
			 sizeof *made) == 0)
    {
      memset (made, 0, sizeof *made);
      /* Pages that are never written take no memory.  */
      made->event = calloc (1, bytes);
      if (made->event == NULL)
	{
	  free (made);
	  made = NULL;
	}
      else
	{
	  made->number = gomp_trace.count++;
	  made->next = gomp_trace.rings;
	  gomp_trace.rings = made;
	}
    }
  if (made != NULL)
    made->used = true;
  else
    gomp_trace.without++;
  gomp_amp_release (GOMP_AMP_LOCK_REPORT);
  ring = made;
  none = made == NULL;
  if (made != NULL)
    gomp_watch_thread_keeps ();
  return made;
}

static inline struct gomp_trace_ring *
get_ring (void)
{
  if (__builtin_expect (ring != NULL, 1))
    return ring;
  return none ? NULL : make_ring ();
}

/* Add an event to TO.  */

static inline void
add (struct gomp_trace_ring *to, unsigned kind, unsigned long long time,
     unsigned long long a, unsigned long long b, unsigned long long c)
{
  unsigned long long head = to->head;
  struct gomp_trace_event *event = &to->event[head & (gomp_trace.size - 1)];

  /* Release the last store of HEAD: a thread that copies what follows has to
     see that the event before is complete, and so that this one overwrites the
     oldest.  */
  __atomic_thread_fence (__ATOMIC_RELEASE);
  GOMP_REPORT_WRITE (event->word[0], (time - gomp_trace.began) << 8 | kind);
  GOMP_REPORT_WRITE (event->word[1], a);
  GOMP_REPORT_WRITE (event->word[2], b);
  GOMP_REPORT_WRITE (event->word[3], c);
  /* Release: the thread that writes the file reads the event.  */
  if (GOMP_AID_LOCK_FREE)
    __atomic_store_n (&to->head, head + 1, __ATOMIC_RELEASE);
  else
    to->head = head + 1;
}

void
gomp_trace_thread_ends (void)
{
  none = false;
  if (ring == NULL)
    return;
  GOMP_REPORT_WRITE (ring->since, 0);
  add (ring, GOMP_TRACE_THREAD_ENDS, gomp_amp_clock (), 0, 0, 0);
  gomp_amp_acquire (GOMP_AMP_LOCK_REPORT);
  ring->used = false;
  gomp_amp_release (GOMP_AMP_LOCK_REPORT);
  ring = NULL;
}

/* A span from BEGAN to NOW, with LOW.  */

static inline unsigned long long
span (unsigned long long began, unsigned long long now, unsigned low)
{
  return (now - began) << 16 | low;
}

/* THR's place, and the identity of its pool.  */

static inline unsigned
place_of (const struct gomp_thread *thr)
{
  int worker = gomp_fold_worker_of (thr);

  return (worker >= 0 && worker < (int) GOMP_TRACE_NO_WORKER ? (unsigned) worker
	  : GOMP_TRACE_NO_WORKER);
}

static inline unsigned long long
pool_of (const struct gomp_thread *thr)
{
  return (uintptr_t) thr->thread_pool;
}

static inline unsigned
site_number (const struct gomp_report_site *site)
{
  return site != NULL ? site->number : GOMP_TRACE_NO_SITE;
}

void
gomp_trace_region_begins (const struct gomp_report_run *run,
			  unsigned long long now)
{
  struct gomp_trace_ring *mine = get_ring ();

  if (mine != NULL)
    add (mine, GOMP_TRACE_REGION_BEGINS, now, run->serial,
	 ((unsigned long long) run->ids << 32
	  | (run->nested ? 2U : 1U) << 16 | site_number (run->site)), 0);
}

void
gomp_trace_region_ends (const struct gomp_report_run *run, unsigned how,
			unsigned long long now)
{
  struct gomp_trace_ring *mine = get_ring ();

  if (mine != NULL)
    add (mine, GOMP_TRACE_REGION_ENDS, now, run->serial, how, 0);
}

void
gomp_trace_id_begins (const struct gomp_report_run *run,
		      struct gomp_thread *thr, unsigned long long now)
{
  struct gomp_trace_ring *mine = get_ring ();

  if (mine != NULL)
    add (mine, GOMP_TRACE_ID_BEGINS, now, run->serial,
	 ((unsigned long long) thr->ts.team_id << 32
	  | (run->nested ? 2U : 1U) << 16 | place_of (thr)), pool_of (thr));
}

void
gomp_trace_id_ends (const struct gomp_report_run *run, struct gomp_thread *thr,
		    unsigned cls, unsigned long long now)
{
  struct gomp_trace_ring *mine = get_ring ();

  if (mine != NULL)
    add (mine, GOMP_TRACE_ID_ENDS, now, run->serial,
	 ((unsigned long long) thr->ts.team_id << 32 | cls << 16
	  | place_of (thr)), 0);
}

/* What THR waits for if it waits for *ADDR.  */

static inline enum gomp_trace_wait
wait_kind (const struct gomp_thread *thr, const int *addr)
{
  const struct gomp_team *team = thr->ts.team;
  const struct gomp_thread_pool *pool = thr->thread_pool;

  if (team != NULL && addr == (const int *) &team->barrier.generation)
    return GOMP_TRACE_BARRIER;
  if (pool != NULL
      && addr == (const int *) &pool->threads_dock.bar.generation)
    return GOMP_TRACE_DOCK;
  if (team != NULL && team->nthreads > 1
      && addr == (const int *) team->ordered_release[thr->ts.team_id])
    return GOMP_TRACE_ORDERED;
  return GOMP_TRACE_OTHER;
}

void
gomp_trace_waits (struct gomp_thread *thr, const int *addr,
		  unsigned long long began)
{
  enum gomp_trace_wait kind;

  /* A thread that has done nothing yet gets no ring for its waits.  */
  if (ring == NULL)
    return;
  kind = wait_kind (thr, addr);
  if (kind == GOMP_TRACE_DOCK)
    return;
  ring->waits_for = kind;
  GOMP_REPORT_WRITE (ring->since, began);
}

void
gomp_trace_waited (struct gomp_thread *thr, const int *addr, int val,
		   unsigned long long began, unsigned long long now)
{
  /* The thread may have run others meanwhile, or have ended.  */
  if (ring == NULL || ring->since == 0 || ring->since != began)
    return;
  if (ring->last_wait == ring->head && ring->head != 0
      && ring->last_addr == addr && ring->last_val == val
      && began - ring->last_ended < SAME_WAIT_NS)
    {
      struct gomp_trace_event *event
	= &ring->event[(ring->head - 1) & (gomp_trace.size - 1)];

      GOMP_REPORT_WRITE (event->word[1],
			 span (ring->last_began, now, ring->waits_for));
      GOMP_REPORT_WRITE (event->word[2], place_of (thr));
    }
  else
    {
      add (ring, GOMP_TRACE_WAITED, began, span (began, now, ring->waits_for),
	   place_of (thr), pool_of (thr));
      ring->last_wait = ring->head;
      ring->last_began = began;
      ring->last_addr = addr;
      ring->last_val = val;
    }
  ring->last_ended = now;
  GOMP_REPORT_WRITE (ring->since, 0);
}

void
gomp_trace_part (const void *address, unsigned way, unsigned long long ni,
		 unsigned long long count, unsigned long long began,
		 unsigned long long now)
{
  struct gomp_trace_ring *mine = get_ring ();

  if (mine != NULL)
    add (mine, GOMP_TRACE_PART + way, began,
	 span (began, now, site_number (gomp_report_loop_site (address))),
	 count, ni);
}

void
gomp_trace_task (void (*fn) (void *), unsigned long long began,
		 unsigned long long now)
{
  struct gomp_trace_ring *mine = get_ring ();

  if (mine != NULL)
    add (mine, GOMP_TRACE_TASK, began,
	 span (began, now, site_number (gomp_report_task_site (fn))), 0, 0);
}

/* An instant of KIND now.  */

static void
note_id (unsigned kind, unsigned from, unsigned id)
{
  struct gomp_thread *thr = gomp_thread ();
  struct gomp_trace_ring *mine = get_ring ();

  if (mine != NULL)
    add (mine, kind, gomp_amp_clock (),
	 ((unsigned long long) id << 32 | (from & 0xffff) << 16
	  | place_of (thr)), pool_of (thr), 0);
}

void
gomp_trace_stolen (unsigned from, unsigned id)
{
  note_id (GOMP_TRACE_STOLEN, from, id);
}

void
gomp_trace_late (unsigned from, unsigned id)
{
  note_id (GOMP_TRACE_LATE, from, id);
}

void
gomp_trace_factors (const void *address, unsigned classes, const double *r)
{
  struct gomp_trace_ring *mine = get_ring ();
  union
  {
    float factor[GOMP_TRACE_FACTORS_MOST];
    unsigned long long word[2];
  } packed = { { 0 } };

  if (mine == NULL)
    return;
  if (classes > GOMP_TRACE_FACTORS_MOST)
    classes = GOMP_TRACE_FACTORS_MOST;
  for (unsigned c = 0; c < classes; c++)
    packed.factor[c] = r[c];
  add (mine, GOMP_TRACE_FACTORS, gomp_amp_clock (),
       classes << 16 | site_number (gomp_report_loop_site (address)),
       packed.word[0], packed.word[1]);
}

struct gomp_trace_event *
gomp_trace_copy (const struct gomp_trace_ring *from, unsigned long long *count,
		 unsigned long long *lost)
{
  unsigned long long head, first, later;
  struct gomp_trace_event *copy;

  head = (GOMP_AID_LOCK_FREE ? __atomic_load_n (&from->head, __ATOMIC_ACQUIRE)
	  : from->head);
  first = head > gomp_trace.size ? head - gomp_trace.size : 0;
  copy = malloc ((head - first + 1) * sizeof *copy);
  if (copy == NULL)
    return NULL;
  for (unsigned long long i = first; i < head; i++)
    for (unsigned w = 0; w < 4; w++)
      copy[i - first].word[w]
	= GOMP_REPORT_READ (from->event[i & (gomp_trace.size - 1)].word[w]);
  __atomic_thread_fence (__ATOMIC_ACQUIRE);
  later = GOMP_REPORT_READ (from->head);
  /* The event that its thread writes at the moment is counted in later.  */
  if (later != head && later + 1 - first > gomp_trace.size)
    {
      unsigned long long drop = later + 1 - first - gomp_trace.size;

      if (drop > head - first)
	drop = head - first;
      memmove (copy, copy + drop, (head - first - drop) * sizeof *copy);
      first += drop;
    }
  *count = head - first;
  *lost = first;
  return copy;
}

void
gomp_trace_begin_child (void)
{
  for (struct gomp_trace_ring *each = gomp_trace.rings; each != NULL;
       each = each->next)
    {
      each->used = each == ring;
      each->head = 0;
      each->since = 0;
      each->last_wait = 0;
    }
  gomp_trace.without = 0;
}

void
gomp_trace_init (void)
{
  struct timespec real;

  if (gomp_amp_options.trace == NULL)
    return;
  gomp_trace.size = 1;
  while (gomp_trace.size * 2 <= gomp_amp_options.trace_events)
    gomp_trace.size *= 2;
  gomp_trace.began = gomp_amp_clock ();
  clock_gettime (CLOCK_REALTIME, &real);
  gomp_trace.began_real = real.tv_sec * 1000000000ULL + real.tv_nsec;
  gomp_trace_on = true;
}
