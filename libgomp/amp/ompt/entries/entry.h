/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* OMPT: a tool's hooks around upstream's entry points, without a change of
   upstream's files; around those of task.c also what GOMP_TASK_SCHEDULE=fifo
   does.

   libgomp.h includes entries/F.h at its end where F.c is compiled, for the
   files that amp.mk lists.  The header defines the entry points of the file, as
   GOMP_OMPT_ENTRY says, and then gives upstream's functions of these names,
   which follow, other names.  As those are inlined, an entry takes no
   instruction without a tool but the test for one, and the address of the
   caller is the one that the program's call returns to.

   Where a function of upstream's calls one that has an event, and does so for
   entry points only, the header defines a macro of its name instead.  */

#ifndef GOMP_OMPT_ENTRY_H
#define GOMP_OMPT_ENTRY_H 1

/* The entry point NAME with LINKAGE, which returns RESULT: HOOK, and if that
   does not return, what upstream's function, plain_NAME, does.  */
#define GOMP_OMPT_ENTRY(linkage, result, name, parms, args, hook) \
  static inline __attribute__ ((always_inline)) result			\
  plain_##name parms;							\
									\
  linkage result							\
  name parms								\
  {									\
    hook;								\
    return plain_##name args;						\
  }

#endif /* GOMP_OMPT_ENTRY_H */
