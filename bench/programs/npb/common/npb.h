/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the NAS Parallel Benchmarks in C share: the names of the classes and the result block, as
   npb.f90 has them for those in Fortran.  */

#ifndef NPB_H
#define NPB_H 1

/* The classes, as words of a bench_option: indices into a program's table of problems.  */
extern const char *const npb_class_names[];

/* What a run was, for the result block.  */
struct npb_run
{
  const char *program;
  long class;
  /* The problem's size, and what its timed part was made of.  */
  long size, iterations;
  double seconds;
  /* The operations of the timed part, in millions, and their kind.  */
  double operations;
  const char *operation;
  int verified;
};

/* Print NPB's result block and the result line of bench.h.  Returns the status to exit with: 0, or
   1 if not verified.  */
int npb_finish (const struct npb_run *run);

#endif
