/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* OMPT: the entry points of loop.c and loop_ull.c.

   Programs and schedule(runtime) loops call the same functions of upstream's.
   The latter have begun the loop already, and call them without a hook.  */

#include "ompt/entries/entry.h"

#ifdef GOMP_OMPT_ULL
# define LOOP_INT unsigned long long
# define LOOP_FN(prefix, suffix) prefix##_ull_##suffix
# define LOOP_RANGE_PARMS \
  bool up, LOOP_INT start, LOOP_INT end, LOOP_INT incr
# define LOOP_RANGE up, start, end, incr
# define LOOP_BEGINS(type) \
  gomp_ompt_loop_ull_begins (type, up, start, end, incr)
#else
# define LOOP_INT long
# define LOOP_FN(prefix, suffix) prefix##_##suffix
# define LOOP_RANGE_PARMS LOOP_INT start, LOOP_INT end, LOOP_INT incr
# define LOOP_RANGE start, end, incr
# define LOOP_BEGINS(type) gomp_ompt_loop_begins (type, start, end, incr)
#endif
#define DOACROSS_PARMS unsigned ncounts, LOOP_INT *counts
#define DOACROSS ncounts, counts
#define DOACROSS_BEGINS(type) \
  gomp_ompt_work_begins (type, ncounts ? counts[0] : 0)

/* The start of a loop over PARMS, for which BEGINS calls the tool: of one
   schedule, of run-sched-var, and of any with reductions.  */
#define LOOP_START(name, type, parms, range, begins) \
  GOMP_OMPT_ENTRY (static, bool, name,					\
		   (parms, LOOP_INT chunk_size, LOOP_INT *istart,	\
		    LOOP_INT *iend),					\
		   (range, chunk_size, istart, iend), begins (type))
#define RUNTIME_START(name, parms, range, begins) \
  GOMP_OMPT_ENTRY (, bool, name,					\
		   (parms, LOOP_INT *istart, LOOP_INT *iend),		\
		   (range, istart, iend), begins (gomp_ompt_icv_type ()))
#define ANY_LOOP_START(name, parms, range, begins) \
  GOMP_OMPT_ENTRY (, bool, name,					\
		   (parms, long sched, LOOP_INT chunk_size,		\
		    LOOP_INT *istart, LOOP_INT *iend,			\
		    uintptr_t *reductions, void **mem),			\
		   (range, sched, chunk_size, istart, iend, reductions,	\
		    mem), begins (ompt_work_loop))

#define LOOP_STARTS(kind) \
  LOOP_START (LOOP_FN (gomp_loop, kind##_start), ompt_work_loop_##kind,	\
	      LOOP_RANGE_PARMS, LOOP_RANGE, LOOP_BEGINS)		\
  LOOP_START (LOOP_FN (gomp_loop, ordered_##kind##_start),		\
	      ompt_work_loop_##kind, LOOP_RANGE_PARMS, LOOP_RANGE,	\
	      LOOP_BEGINS)						\
  LOOP_START (LOOP_FN (gomp_loop, doacross_##kind##_start),		\
	      ompt_work_loop_##kind, DOACROSS_PARMS, DOACROSS,		\
	      DOACROSS_BEGINS)

LOOP_STARTS (static)
LOOP_STARTS (dynamic)
LOOP_STARTS (guided)
RUNTIME_START (LOOP_FN (GOMP_loop, ordered_runtime_start), LOOP_RANGE_PARMS,
	       LOOP_RANGE, LOOP_BEGINS)
RUNTIME_START (LOOP_FN (GOMP_loop, doacross_runtime_start), DOACROSS_PARMS,
	       DOACROSS, DOACROSS_BEGINS)
ANY_LOOP_START (LOOP_FN (GOMP_loop, start), LOOP_RANGE_PARMS, LOOP_RANGE,
		LOOP_BEGINS)
ANY_LOOP_START (LOOP_FN (GOMP_loop, ordered_start), LOOP_RANGE_PARMS,
		LOOP_RANGE, LOOP_BEGINS)
ANY_LOOP_START (LOOP_FN (GOMP_loop, doacross_start), DOACROSS_PARMS, DOACROSS,
		DOACROSS_BEGINS)

#ifdef GOMP_OMPT_ULL
# define gomp_loop_ull_static_start plain_gomp_loop_ull_static_start
# define gomp_loop_ull_dynamic_start plain_gomp_loop_ull_dynamic_start
# define gomp_loop_ull_guided_start plain_gomp_loop_ull_guided_start
# define gomp_loop_ull_ordered_static_start \
  plain_gomp_loop_ull_ordered_static_start
# define gomp_loop_ull_ordered_dynamic_start \
  plain_gomp_loop_ull_ordered_dynamic_start
# define gomp_loop_ull_ordered_guided_start \
  plain_gomp_loop_ull_ordered_guided_start
# define gomp_loop_ull_doacross_static_start \
  plain_gomp_loop_ull_doacross_static_start
# define gomp_loop_ull_doacross_dynamic_start \
  plain_gomp_loop_ull_doacross_dynamic_start
# define gomp_loop_ull_doacross_guided_start \
  plain_gomp_loop_ull_doacross_guided_start
# define GOMP_loop_ull_ordered_runtime_start \
  plain_GOMP_loop_ull_ordered_runtime_start
# define GOMP_loop_ull_doacross_runtime_start \
  plain_GOMP_loop_ull_doacross_runtime_start
# define GOMP_loop_ull_start plain_GOMP_loop_ull_start
# define GOMP_loop_ull_ordered_start plain_GOMP_loop_ull_ordered_start
# define GOMP_loop_ull_doacross_start plain_GOMP_loop_ull_doacross_start
#else
# define gomp_loop_static_start plain_gomp_loop_static_start
# define gomp_loop_dynamic_start plain_gomp_loop_dynamic_start
# define gomp_loop_guided_start plain_gomp_loop_guided_start
# define gomp_loop_ordered_static_start plain_gomp_loop_ordered_static_start
# define gomp_loop_ordered_dynamic_start plain_gomp_loop_ordered_dynamic_start
# define gomp_loop_ordered_guided_start plain_gomp_loop_ordered_guided_start
# define gomp_loop_doacross_static_start plain_gomp_loop_doacross_static_start
# define gomp_loop_doacross_dynamic_start plain_gomp_loop_doacross_dynamic_start
# define gomp_loop_doacross_guided_start plain_gomp_loop_doacross_guided_start
# define GOMP_loop_ordered_runtime_start plain_GOMP_loop_ordered_runtime_start
# define GOMP_loop_doacross_runtime_start plain_GOMP_loop_doacross_runtime_start
# define GOMP_loop_start plain_GOMP_loop_start
# define GOMP_loop_ordered_start plain_GOMP_loop_ordered_start
# define GOMP_loop_doacross_start plain_GOMP_loop_doacross_start

/* A parallel loop, whose region BEGINS calls the tool for.  PARMS and ARGS:
   what comes after the range, in parentheses.  */
# define REST(...) , ##__VA_ARGS__
# define PARALLEL_LOOP(begins, name, type, parms, args) \
  GOMP_OMPT_ENTRY (, void, name,					\
		   (void (*fn) (void *), void *data,			\
		    unsigned num_threads, LOOP_RANGE_PARMS REST parms),	\
		   (fn, data, num_threads, LOOP_RANGE REST args),	\
		   begins ();						\
		   gomp_ompt_preset (type, gomp_amp_trips (start, end, incr)))
# define PARALLEL_LOOPS(kind) \
  PARALLEL_LOOP (gomp_ompt_started, GOMP_parallel_loop_##kind##_start,	\
		 ompt_work_loop_##kind, (long chunk), (chunk))		\
  PARALLEL_LOOP (gomp_ompt_called, GOMP_parallel_loop_##kind,		\
		 ompt_work_loop_##kind, (long chunk, unsigned flags),	\
		 (chunk, flags))

PARALLEL_LOOPS (static)
PARALLEL_LOOPS (dynamic)
PARALLEL_LOOPS (guided)
PARALLEL_LOOP (gomp_ompt_started, GOMP_parallel_loop_runtime_start,
	       ompt_work_loop, (), ())
PARALLEL_LOOP (gomp_ompt_called, GOMP_parallel_loop_runtime, ompt_work_loop,
	       (unsigned flags), (flags))
PARALLEL_LOOP (gomp_ompt_called, GOMP_parallel_loop_nonmonotonic_runtime,
	       ompt_work_loop, (unsigned flags), (flags))

# define GOMP_parallel_loop_static_start plain_GOMP_parallel_loop_static_start
# define GOMP_parallel_loop_static plain_GOMP_parallel_loop_static
# define GOMP_parallel_loop_dynamic_start plain_GOMP_parallel_loop_dynamic_start
# define GOMP_parallel_loop_dynamic plain_GOMP_parallel_loop_dynamic
# define GOMP_parallel_loop_guided_start plain_GOMP_parallel_loop_guided_start
# define GOMP_parallel_loop_guided plain_GOMP_parallel_loop_guided
# define GOMP_parallel_loop_runtime_start plain_GOMP_parallel_loop_runtime_start
# define GOMP_parallel_loop_runtime plain_GOMP_parallel_loop_runtime
# define GOMP_parallel_loop_nonmonotonic_runtime \
  plain_GOMP_parallel_loop_nonmonotonic_runtime

# define gomp_work_share_end() \
  do									\
    {									\
      gomp_amp_loop_ends ();						\
      gomp_ompt_work_share_end ();					\
    }									\
  while (0)
# define gomp_work_share_end_cancel() \
  (gomp_amp_loop_ends (), gomp_ompt_work_share_end_cancel ())
# define gomp_work_share_end_nowait() \
  do									\
    {									\
      gomp_amp_loop_ends ();						\
      gomp_ompt_work_share_end_nowait ();				\
    }									\
  while (0)
#endif
