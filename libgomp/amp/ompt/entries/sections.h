/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* OMPT: the entry points of sections.c.  */

#include "ompt/entries/entry.h"

#define PARALLEL_PARMS \
  void (*fn) (void *), void *data, unsigned num_threads, unsigned count
#define PARALLEL fn, data, num_threads, count

/* With a tool: BEGINS, and the calling thread runs the section that upstream's
   function NAME finds.  */
#define SECTION_ENTRY(name, parms, args, begins) \
  GOMP_OMPT_ENTRY (, unsigned, name, parms, args,			\
		   if (gomp_ompt_p ())					\
		     {							\
		       begins;						\
		       return gomp_ompt_section (plain_##name args);	\
		     })

SECTION_ENTRY (GOMP_sections_start, (unsigned count), (count),
	       gomp_ompt_work_begins (ompt_work_sections, count))
SECTION_ENTRY (GOMP_sections2_start,
	       (unsigned count, uintptr_t *reductions, void **mem),
	       (count, reductions, mem),
	       gomp_ompt_work_begins (ompt_work_sections, count))
SECTION_ENTRY (GOMP_sections_next, (void), (), )
GOMP_OMPT_ENTRY (, void, GOMP_parallel_sections_start, (PARALLEL_PARMS),
		 (PARALLEL),
		 gomp_ompt_started ();
		 gomp_ompt_preset (ompt_work_sections, count))
GOMP_OMPT_ENTRY (, void, GOMP_parallel_sections,
		 (PARALLEL_PARMS, unsigned flags), (PARALLEL, flags),
		 gomp_ompt_called ();
		 gomp_ompt_preset (ompt_work_sections, count))

#define GOMP_sections_start plain_GOMP_sections_start
#define GOMP_sections2_start plain_GOMP_sections2_start
#define GOMP_sections_next plain_GOMP_sections_next
#define GOMP_parallel_sections_start plain_GOMP_parallel_sections_start
#define GOMP_parallel_sections plain_GOMP_parallel_sections

#define gomp_work_share_end() gomp_ompt_work_share_end ()
#define gomp_work_share_end_cancel() gomp_ompt_work_share_end_cancel ()
#define gomp_work_share_end_nowait() gomp_ompt_work_share_end_nowait ()
