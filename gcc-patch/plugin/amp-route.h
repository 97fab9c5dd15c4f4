/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The decision, loop by loop, which OpenMP worksharing loops get
   schedule(runtime).  */

#ifndef AMP_ROUTE_H
#define AMP_ROUTE_H

enum amp_route_mode
{
  AMP_ROUTE_NONE,		/* No loop.  */
  AMP_ROUTE_DEFAULT,		/* Loops without a clause, but nowait chains.  */
  AMP_ROUTE_STATIC,		/* Those, and schedule(static) ones.  */
  AMP_ROUTE_ALL			/* Every loop without a clause.  */
};

/* Turn NAME (none, default, static, all) into *MODE.  Returns false, and
   leaves *MODE alone, if it is none of these.  */
extern bool amp_route_parse_mode (const char *name, enum amp_route_mode *mode);

/* Look at the whole translation unit, if MODE needs that; to be called for
   every function before its lowering, the first call counts.  */
extern void amp_route_prepare (enum amp_route_mode mode);

/* Route the loops of function DECL, whose body is high GIMPLE after nested
   functions are gone and before OpenMP lowering.  EXPLAIN: tell what becomes
   of each loop, one note a loop.  */
extern void amp_route_function (tree decl, enum amp_route_mode mode,
				bool explain);

#endif
