/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The decision, loop by loop, which OpenMP worksharing loops get
   schedule(runtime).  */

#ifndef AMP_ROUTE_H
#define AMP_ROUTE_H

/* A mode, and perhaps AMP_ROUTE_EXPLAIN: what -fopenmp-loop-route= sets.  */
enum amp_route_options
{
  AMP_ROUTE_NONE,		/* No loop.  */
  AMP_ROUTE_DEFAULT,		/* Loops without a clause, but nowait
				   chains.  */
  AMP_ROUTE_STATIC,		/* Those, and schedule(static) ones.  */
  AMP_ROUTE_ALL,		/* Every loop without a clause.  */
  AMP_ROUTE_MODES = 3,		/* Masks the mode.  */
  AMP_ROUTE_EXPLAIN = 4		/* Tell of each loop, one note a loop.  */
};

/* Route the loops of function DECL as OPTIONS say.  Its body is high GIMPLE,
   after nested functions are gone and before OpenMP lowering; the call for the
   translation unit's first function, with or without loops, must come while no
   other is lowered.  */
extern void amp_route_function (tree decl, int options);

#endif
