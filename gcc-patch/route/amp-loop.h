/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The properties of one OpenMP loop: its schedule, and whether a run-time
   schedule is possible for it.  */

#ifndef AMP_LOOP_H
#define AMP_LOOP_H

/* The schedule of a loop in the source, in the categories that routing
   needs.  */
enum amp_loop_schedule
{
  AMP_LOOP_ABSENT,		/* No clause: GCC compiles it as static.  */
  AMP_LOOP_STATIC,		/* schedule(static), without chunk, without
				   a monotonic or simd modifier.  */
  AMP_LOOP_STATIC_LIKE,		/* auto, and every other form of static.  */
  AMP_LOOP_FREE			/* dynamic, guided, runtime.  */
};

/* The facts about a worksharing loop on which routing decides.  */
struct amp_loop_traits
{
  enum amp_loop_schedule schedule;
  /* The loop ends without a barrier.  */
  bool nowait;
  /* Why the loop is never routed, in words for the user; NULL if it may
     be.  */
  const char *refusal;

  /* GCC gives iteration i of this loop to a thread that depends only on i, the
     trip count and the team.  */
  bool maps_statically () const { return schedule != AMP_LOOP_FREE; }
};

/* The traits of LOOP, a loop of kind GF_OMP_FOR_KIND_FOR.  OFFLOADED: it is in
   code that may run on a device.  */
extern amp_loop_traits amp_loop_traits_of (gomp_for *loop, bool offloaded);

/* Why LOOP, which is not a worksharing loop, is not routed.  */
extern const char *amp_loop_other_kind (gomp_for *loop);

/* Give LOOP the clause schedule(nonmonotonic:runtime).  It replaces its
   schedule clause if there is one.  */
extern void amp_loop_set_runtime (gomp_for *loop);

#endif
