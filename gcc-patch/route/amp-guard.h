/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes routed loops call the guard (guard/guard.cc), which makes them static
   on another libgomp, and puts the guard into the unit.  */

#ifndef AMP_GUARD_H
#define AMP_GUARD_H

/* Called when a function is about to be lowered and none of its loops is
   routed yet.  */
extern void amp_guard_begin ();

/* The first call for function DECL makes its routed loops call the guard.  The
   call must come before these loops are lowered, and the function must be
   expanded before another one begins.  */
extern void amp_guard_function (tree decl);

#endif
