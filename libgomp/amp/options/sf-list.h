/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Parsing of class:SF,class:SF,...: the speedup factors (SF) of core classes,
   as in GOMP_AID_SF and in files of factors.  */

#ifndef GOMP_AMP_SF_LIST_H
#define GOMP_AMP_SF_LIST_H 1

#include "options/option-types.h"

#pragma GCC visibility push(hidden)

/* What is wrong with a list: an item is not class:SF with a class below
   GOMP_AMP_MAX_CLASSES; an item's factor is out of range; or its class has a
   factor already.  */
enum gomp_amp_sf_fault
{
  GOMP_AMP_SF_MALFORMED = -3,
  GOMP_AMP_SF_OUT_OF_RANGE = -2,
  GOMP_AMP_SF_TWICE = -1
};

/* Read class:SF,... at *CURSOR into SF, which has GOMP_AMP_MAX_CLASSES
   elements and gets 0 where none is given.  Each SF is in MIN..MAX, and each
   class is given at most once.  Blanks may be around ':' and ','.  Move the
   cursor behind the list and return the highest class + 1.  If an item is
   wrong, return an enum gomp_amp_sf_fault and leave the cursor at the item.  */
extern int gomp_amp_read_sf_list (const char **cursor, double min, double max,
				  double *sf);

#pragma GCC visibility pop

#endif /* GOMP_AMP_SF_LIST_H */
