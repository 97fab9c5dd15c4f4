/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loops of routecost in all their forms.  */

#include "routecost.h"

int routecost_sum;

#define DIRECTIVE(TEXT) _Pragma (#TEXT)

#define FORM(NAME) NAME##_for
#define LOOP(CLAUSES) DIRECTIVE (omp for CLAUSES)
#include "routecost-loops.inc"
#undef LOOP
#undef FORM

#define FORM(NAME) NAME##_nowait
#define LOOP(CLAUSES) DIRECTIVE (omp for nowait CLAUSES)
#include "routecost-loops.inc"
#undef LOOP
#undef FORM

#define FORM(NAME) NAME##_parallel
#define LOOP(CLAUSES) DIRECTIVE (omp parallel for CLAUSES)
#include "routecost-loops.inc"
#undef LOOP
#undef FORM

#define CONSTANT(COUNT, FORM) \
  { "constant", #FORM, constant_##COUNT##_##FORM, STORES_INDEX, COUNT },

#define LOOPS(FORM) \
  { "saxpy", #FORM, saxpy_##FORM, ADDS_PRODUCT, -1 }, \
  { "sum", #FORM, sum_##FORM, SUMS, -1 }, \
  { "fill_int", #FORM, fill_int_##FORM, STORES_INDEX, -1 }, \
  { "fill_unsigned", #FORM, fill_unsigned_##FORM, STORES_INDEX, -1 }, \
  { "fill_size", #FORM, fill_size_##FORM, STORES_INDEX, -1 }, \
  { "gather", #FORM, gather_##FORM, STORES_GATHERED, -1 }, \
  { "plane", #FORM, plane_##FORM, ADDS_C, -1 }, \
  ROUTECOST_COUNTS (CONSTANT, FORM)

const struct loop routecost_loops[] = { LOOPS (for) LOOPS (nowait) LOOPS (parallel) { 0 } };
