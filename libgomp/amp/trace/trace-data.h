/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The rings; for trace*.c only.  trace.h explains the terms.

   A ring has one writer.  It stores an event and then HEAD, with release, and
   the next event not before HEAD, by a fence.  A thread that reads it loads
   HEAD, copies the events, loads HEAD again and drops what may have been
   overwritten meanwhile.

   GOMP_AMP_LOCK_REPORT guards the list of rings and their USED.  A ring is
   never freed.  When its thread has ended another thread goes on with it, so
   that a program whose threads come and go needs no more memory.  */

#ifndef GOMP_AMP_TRACE_DATA_H
#define GOMP_AMP_TRACE_DATA_H 1

#include <stdbool.h>
#include "trace/trace.h"

#pragma GCC visibility push(hidden)

/* The most bytes of all rings together.  */
#define GOMP_TRACE_BYTES (256UL << 20)

/* The kinds of events, with the words of struct gomp_trace_event after the
   first one.  A SPAN is a time in nanoseconds of 48 bits, above 16
   bits of another value.  A PLACE is a worker's number, or GOMP_TRACE_NO_WORKER
   of a thread that takes no turns.  */
enum gomp_trace_kind
{
  /* Run; ids << 32 | level << 16 | site.  */
  GOMP_TRACE_REGION_BEGINS,
  /* Run; how.  */
  GOMP_TRACE_REGION_ENDS,
  /* Run; id << 32 | level << 16 | place; pool.  */
  GOMP_TRACE_ID_BEGINS,
  /* Run; id << 32 | class << 16 | place.  */
  GOMP_TRACE_ID_ENDS,
  /* Span, enum gomp_trace_wait; place when it ended; pool.  */
  GOMP_TRACE_WAITED,
  /* Span, site.  */
  GOMP_TRACE_TASK,
  /* Id << 32 | from << 16 | place; pool.  */
  GOMP_TRACE_STOLEN,
  GOMP_TRACE_LATE,
  /* Number of classes << 16 | site; four factors of type float.  */
  GOMP_TRACE_FACTORS,
  /* No words.  Regions and ids that its thread has not ended never end.  */
  GOMP_TRACE_THREAD_ENDS,
  /* And more for other values of enum gomp_report_way.  Span, site; iterations;
     trip count.  */
  GOMP_TRACE_PART
};

enum gomp_trace_wait
{
  GOMP_TRACE_BARRIER,
  GOMP_TRACE_ORDERED,
  /* A lock, or tasks.  */
  GOMP_TRACE_OTHER = 4,
  /* Between regions: not recorded.  */
  GOMP_TRACE_DOCK
};

#define GOMP_TRACE_NO_WORKER 0xffffU
#define GOMP_TRACE_NO_SITE 0xffffU
/* More classes have no factors in an event.  */
#define GOMP_TRACE_FACTORS_MOST 4

/* The first word is the time since the trace began << 8 | kind; if the event
   has a span, that when it began.  */
struct gomp_trace_event
{
  unsigned long long word[4];
};

struct gomp_trace_ring
{
  /* Constant.  */
  struct gomp_trace_ring *next;
  unsigned number;
  struct gomp_trace_event *event;

  bool used;

  /* Written by its thread.  HEAD: how many events there were.  SINCE: when its
     thread began to wait, or 0; WAITS_FOR: enum gomp_trace_wait of that.  */
  unsigned long long head __attribute__ ((aligned (64)));
  unsigned long long since;
  unsigned char waits_for;
  /* For its thread only.  LAST_WAIT: how many events there were after the last
     wait; the rest: that wait.  */
  unsigned long long last_wait, last_began, last_ended;
  const int *last_addr;
  int last_val;
};

struct gomp_trace
{
  struct gomp_trace_ring *rings;
  unsigned count;
  /* The number of events that a ring has room for: a power of two.  */
  unsigned long long size;
  /* Threads that got no ring.  */
  unsigned long long without;
  /* When it began by gomp_amp_clock, and by the clock of the world.  */
  unsigned long long began, began_real;
};

extern struct gomp_trace gomp_trace;

/* What is in RING, which its thread may write meanwhile: *COUNT events, after
   *LOST that are not there any more.  The caller frees them.  NULL if memory is
   short.  */
extern struct gomp_trace_event *
gomp_trace_copy (const struct gomp_trace_ring *ring, unsigned long long *count,
		 unsigned long long *lost);

#pragma GCC visibility pop

#endif /* GOMP_AMP_TRACE_DATA_H */
