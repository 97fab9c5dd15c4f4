/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The OpenMP regions of one function and the loops that bind to each.  */

#ifndef AMP_REGION_H
#define AMP_REGION_H

/* Code that one team or task runs.  */
struct amp_region
{
  gimple *construct;		/* NULL: the function itself.  */
  gimple_seq body;
  /* The function itself: its worksharing loops are orphaned.  */
  bool orphaned;
  /* May run on a device.  */
  bool offloaded;
  /* The construct that is both this region and its loop, such as parallel for;
     UNKNOWN_LOCATION if the loop is a construct of its own.  In Fortran the
     loop's own location is within its body then.  */
  location_t combined;
  /* The worksharing loops, in source order.  */
  std::vector<gomp_for *> loops;
  /* Loops of other kinds (simd, distribute, taskloop): the outermost one of
     each construct.  */
  std::vector<gomp_for *> others;
};

/* The regions of function DECL, whose body is high GIMPLE, the orphaned one
   first.  */
extern std::vector<amp_region> amp_regions_of (tree decl);

/* Call VISIT (STMT, NESTED) for each statement of SEQ, and of what it holds if
   VISIT returns true; NESTED: in a parallel, task, teams or target region
   within SEQ.  */
extern void amp_walk (gimple_seq seq, bool nested,
		      bool (*visit) (gimple *, bool, void *), void *data);

#endif
