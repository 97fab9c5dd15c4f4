/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Reads the description of the virtual machine, and is the source of its core
   classes.  */

#include "virtual-machine.h"
#include "machine/machine-source.h"
#include "base/parse.h"
#include <string.h>
#include <unistd.h>

struct gomp_virtual_machine gomp_virtual_machine;
struct gomp_virtual_factors gomp_virtual_plain;

/* A speed outside this range is treated as a mistake.  */
#define MIN_SPEED 0.001
#define MAX_SPEED 1000.0

const char *
gomp_virtual_read_machine (const char *text,
			   struct gomp_virtual_machine *machine)
{
  const char *at = text;

  memset (machine, 0, sizeof *machine);
  machine->name = text;
  do
    {
      unsigned class = machine->classes;
      unsigned long count;
      double speed;

      if (class == GOMP_AMP_MAX_CLASSES)
	return "too many classes";
      if (!gomp_amp_read_number (&at, GOMP_VIRTUAL_MAX_CPUS, &count)
	  || count == 0 || count > GOMP_VIRTUAL_MAX_CPUS - machine->cpus)
	return "a number of cores is missing or out of range";
      if (*at++ != 'x')
	return "a number of cores without an x";
      if (!gomp_amp_read_decimal (&at, MAX_SPEED, &speed) || speed < MIN_SPEED)
	return "a speed is missing or out of range";
      if (class > 0 && speed >= machine->speed[class - 1])
	return "a class is not slower than the one before it";
      machine->count[class] = count;
      machine->speed[class] = speed;
      memset (&machine->class_of_cpu[machine->cpus], class, count);
      machine->cpus += count;
      machine->classes++;
    }
  while (gomp_amp_read_char (&at, '+'));
  return *at == '\0' ? NULL : "more follows a speed";
}

void
gomp_virtual_sum_capacity (struct gomp_virtual_factors *factors)
{
  factors->capacity = 0;
  for (unsigned class = 0; class < gomp_virtual_machine.classes; class++)
    factors->capacity
      += gomp_virtual_machine.count[class] / factors->slowness[class];
}

void
gomp_virtual_init_machine (void)
{
  struct gomp_virtual_machine *machine = &gomp_virtual_machine;
  const char *text = gomp_amp_options.virtual_machine;
  const char *error = NULL;

  if (text != NULL)
    {
      error = gomp_virtual_read_machine (text, machine);
      if (error != NULL)
	gomp_amp_option_error ("GOMP_AMP_VIRTUAL", text, error,
			       "using as many cores as there are, all alike");
    }
  if (text == NULL || error != NULL)
    {
      long cpus = sysconf (_SC_NPROCESSORS_ONLN);

      memset (machine, 0, sizeof *machine);
      machine->name = "symmetric";
      machine->classes = 1;
      machine->cpus = cpus < 1 ? 1
		      : cpus > GOMP_VIRTUAL_MAX_CPUS ? GOMP_VIRTUAL_MAX_CPUS
						     : cpus;
      machine->count[0] = machine->cpus;
      machine->speed[0] = 1;
    }
  for (unsigned class = 0; class < machine->classes; class++)
    gomp_virtual_plain.slowness[class]
      = machine->speed[0] / machine->speed[class];
  gomp_virtual_sum_capacity (&gomp_virtual_plain);
}

bool
gomp_amp_virtual_source (struct gomp_amp_probe *probe)
{
  for (unsigned cpu = 0; cpu < probe->ncpus; cpu++)
    if (cpu < gomp_virtual_machine.cpus)
      {
	unsigned class = gomp_virtual_machine.class_of_cpu[cpu];

	/* In units of the lowest possible speed.  */
	probe->value[cpu]
	  = gomp_virtual_machine.speed[class] / MIN_SPEED + 0.5;
      }
  probe->source = "virtual machine";
  /* No source may use the real CPUs' siblings for the virtual CPUs.  */
  probe->root = "/dev/null";
  return true;
}
