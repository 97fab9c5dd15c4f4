/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes routed loops call the guard (guard/guard.cc), by which they run static
   on a libgomp that is not ours, and puts the guard into the unit.  */

#ifndef AMP_GUARD_H
#define AMP_GUARD_H

/* A function is about to be lowered: none of its loops is routed yet.  */
extern void amp_guard_begin ();

/* The first call for a function, DECL, makes the loops of it that are routed
   call the guard.  It must come before those are lowered, and the function must
   be expanded before another begins.  */
extern void amp_guard_function (tree decl);

#endif
