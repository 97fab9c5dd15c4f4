/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* A heap of the threads that are ready to run.  */

#include "libgomp.h"
#include "ready.h"

static struct gomp_virtual_thread **heap;
static size_t size, room;

static inline bool
before (const struct gomp_virtual_thread *a,
	const struct gomp_virtual_thread *b)
{
  if (a->clock != b->clock)
    return a->clock < b->clock;
  /* A thread that waited for its CPU goes before the thread that used it.  */
  if (a->asked != b->asked)
    return a->asked < b->asked;
  return a->order < b->order;
}

struct gomp_virtual_thread *
gomp_virtual_ready (void)
{
  return size > 0 ? heap[0] : NULL;
}

bool
gomp_virtual_ready_before (const struct gomp_virtual_thread *thread)
{
  return size > 0 && before (heap[0], thread);
}

void
gomp_virtual_add_ready (struct gomp_virtual_thread *thread)
{
  size_t i = size++;

  for (; i > 0 && before (thread, heap[(i - 1) / 2]); i = (i - 1) / 2)
    heap[i] = heap[(i - 1) / 2];
  heap[i] = thread;
}

void
gomp_virtual_drop_ready (void)
{
  struct gomp_virtual_thread *last = heap[--size];
  size_t i = 0;

  for (size_t child; (child = 2 * i + 1) < size; i = child)
    {
      if (child + 1 < size && before (heap[child + 1], heap[child]))
	child++;
      if (!before (heap[child], last))
	break;
      heap[i] = heap[child];
    }
  heap[i] = last;
}

void
gomp_virtual_remove_ready (const struct gomp_virtual_thread *thread)
{
  size_t count = size, kept = 0;

  while (heap[kept] != thread)
    kept++;
  /* What is after it may not be in order any more.  */
  size = kept;
  for (size_t i = kept + 1; i < count; i++)
    gomp_virtual_add_ready (heap[i]);
}

void
gomp_virtual_order_ready (void)
{
  size_t count = size;

  size = 0;
  for (size_t i = 0; i < count; i++)
    gomp_virtual_add_ready (heap[i]);
}

void
gomp_virtual_clear_ready (void)
{
  size = 0;
}

void
gomp_virtual_reserve_ready (unsigned threads)
{
  if (threads > room)
    {
      room = 2 * threads;
      heap = gomp_realloc (heap, room * sizeof *heap);
    }
}
