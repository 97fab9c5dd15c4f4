/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The virtual machine: its classes of cores and their speeds.  */

#ifndef GOMP_VIRTUAL_MACHINE_H
#define GOMP_VIRTUAL_MACHINE_H 1

#include <stdbool.h>
#include "options/options.h"

#pragma GCC visibility push(hidden)

#define GOMP_VIRTUAL_MAX_CPUS 1024

/* Classes are in the order of the machine's name, the fastest first.  CPUs are
   numbered in that order.  */
struct gomp_virtual_machine
{
  const char *name;		/* As the user wrote it.  */
  unsigned classes;
  unsigned cpus;
  unsigned count[GOMP_AMP_MAX_CLASSES];	/* CPUs of a class.  */
  double speed[GOMP_AMP_MAX_CLASSES];	/* On the user's scale.  */
  unsigned char class_of_cpu[GOMP_VIRTUAL_MAX_CPUS];
};

extern struct gomp_virtual_machine gomp_virtual_machine;

/* SLOWNESS is the time of a computation on each class divided by its time on
   the fastest class.  CAPACITY is the number of fastest cores that the whole
   machine is worth.  DEMAND is the memory bandwidth that a core of speed 1
   would use if it were alone, in GB/s.  */
struct gomp_virtual_factors
{
  double slowness[GOMP_AMP_MAX_CLASSES];
  double capacity;
  double demand;
};

/* The factors of all code that is in no loop with factors of its own.  */
extern struct gomp_virtual_factors gomp_virtual_plain;

/* Read TEXT, COUNTxSPEED joined by '+', into MACHINE.  Returns NULL, or what is
   wrong with TEXT.  */
extern const char *gomp_virtual_read_machine
  (const char *text, struct gomp_virtual_machine *machine);

/* Set up gomp_virtual_machine by GOMP_AMP_VIRTUAL.  If its value is bad, report
   that; the machine then has as many cores as the real one, all alike.  */
extern void gomp_virtual_init_machine (void);

/* Compute the capacity of FACTORS from its slownesses.  */
extern void gomp_virtual_sum_capacity (struct gomp_virtual_factors *factors);

#pragma GCC visibility pop

#endif /* GOMP_VIRTUAL_MACHINE_H */
