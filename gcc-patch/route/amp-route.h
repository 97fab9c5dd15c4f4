/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The decision which OpenMP worksharing loops get schedule(runtime).  */

#ifndef AMP_ROUTE_H
#define AMP_ROUTE_H

/* A mode, with or without AMP_ROUTE_EXPLAIN. -fopenmp-loop-route= sets
   both.  */
enum amp_route_options
{
  AMP_ROUTE_NONE,		/* No loop.  */
  AMP_ROUTE_DEFAULT,		/* Without a clause, but no nowait chains.  */
  AMP_ROUTE_STATIC,		/* Those, and schedule(static) ones.  */
  AMP_ROUTE_ALL,		/* Every loop without a clause.  */
  AMP_ROUTE_MODES = 3,		/* The mask of the mode.  */
  AMP_ROUTE_EXPLAIN = 4		/* Report each loop in a note.  */
};

/* Route the loops of function DECL as OPTIONS say.  The body of DECL is high
   GIMPLE, without nested functions and before OpenMP lowering.  The call for
   the translation unit's first function, with or without loops, must come
   while no other function is lowered.  */
extern void amp_route_function (tree decl, int options);

#endif
