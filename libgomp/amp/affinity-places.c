/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Binds threads to cores in order of capacity, and foretells whether a team's
   cores differ.  */

#define _GNU_SOURCE 1
#include "libgomp.h"
#include "proc.h"
#include "affinity.h"
#include "cpu.h"

/* Make one place of each CPU in the order asked for.  Returns whether that
   was possible.  */

static bool
fill_places (bool ascending)
{
  const struct gomp_amp_classes *table = gomp_amp_classes ();
  unsigned *order = malloc ((table->ncpus + 1) * sizeof *order);
  unsigned n;

  if (order == NULL)
    return false;
  n = gomp_amp_order_cpus (table, ascending, order);
  gomp_places_list_len = 0;
  gomp_places_list = n > 0 ? gomp_affinity_alloc (n, true) : NULL;
  if (gomp_places_list != NULL)
    for (unsigned i = 0; i < n; i++)
      {
	void *place = gomp_places_list[gomp_places_list_len];

	gomp_affinity_init_place (place);
	if (gomp_affinity_add_cpus (place, order[i], 1, 0, true))
	  ++gomp_places_list_len;
      }
  free (order);
  if (gomp_places_list_len == 0)
    {
      free (gomp_places_list);
      gomp_places_list = NULL;
      return false;
    }
  return true;
}

void
gomp_amp_init_affinity (bool explicit_binding)
{
  int affinity = gomp_amp_options.affinity;

  gomp_amp_init_cpu ();
#ifdef HAVE_PTHREAD_AFFINITY_NP
  if (gomp_cpusetp != NULL)
    gomp_amp_set_process_mask (gomp_cpuset_size, gomp_cpusetp);
#endif

  /* A value that is wrong shall be reported whatever the program does.  */
  if (gomp_amp_options.topology != NULL)
    gomp_amp_classes ();

  if (affinity == GOMP_AMP_AFFINITY_FALSE)
    return;
  if (explicit_binding)
    gomp_error ("GOMP_AMP_AFFINITY is ignored: OMP_PROC_BIND, OMP_PLACES or"
		" GOMP_CPU_AFFINITY is set and rules");
  else if (fill_places (affinity == GOMP_AMP_AFFINITY_SB))
    gomp_global_icv.bind_var = omp_proc_bind_true;
  else
    gomp_error ("GOMP_AMP_AFFINITY is ignored: cannot set up the places;"
		" threads are not bound");
}

/* The class of a place whose CPUs are not all of one.  */
#define PLACE_MIXED 255

_Static_assert (GOMP_AMP_MAX_CLASSES <= PLACE_MIXED, "255 must be no class");

/* Per place its class or PLACE_MIXED; NULL until it is needed.  */

static unsigned char *place_classes;

/* The class of PLACE, one of gomp_places_list.  */

static unsigned char
find_place_class (void *place)
{
  unsigned class = PLACE_MIXED;
#ifdef HAVE_PTHREAD_AFFINITY_NP
  bool seen = false;

  for (unsigned cpu = 0; cpu < 8 * gomp_cpuset_size; cpu++)
    if (CPU_ISSET_S (cpu, gomp_cpuset_size, (cpu_set_t *) place))
      {
	unsigned of_cpu = gomp_amp_class_of_cpu (cpu);

	if (seen && of_cpu != class)
	  return PLACE_MIXED;
	seen = true;
	class = of_cpu;
      }
#endif
  return class;
}

/* The class of the CPUs of place number PLACE, counted from 0, or
   PLACE_MIXED.  */

static unsigned
class_of_place (unsigned long place)
{
  unsigned char *table = __atomic_load_n (&place_classes, MEMMODEL_ACQUIRE);

  if (__builtin_expect (table == NULL, 0))
    {
      unsigned char *expected = NULL;

      table = malloc (gomp_places_list_len);
      if (table == NULL)
	return find_place_class (gomp_places_list[place]);
      for (unsigned long i = 0; i < gomp_places_list_len; i++)
	table[i] = find_place_class (gomp_places_list[i]);
      if (!__atomic_compare_exchange_n (&place_classes, &expected, table,
					false, MEMMODEL_RELEASE,
					MEMMODEL_ACQUIRE))
	{
	  free (table);
	  table = expected;
	}
    }
  return table[place];
}

/* Whether N places beginning with FIRST, going round in the partition of
   LENGTH places at OFFSET, have CPUs of more than one class.  */

static bool
places_asymmetric (unsigned long first, unsigned long n, unsigned long offset,
		   unsigned long length)
{
  unsigned class = class_of_place (first);
  unsigned long place = first;

  for (unsigned long i = 0; i < n; i++)
    {
      unsigned other = class_of_place (place);

      if (other == PLACE_MIXED || other != class)
	return true;
      if (++place >= offset + length)
	place = offset;
    }
  return false;
}

/* Whether the first NTHREADS threads of a team have more than one class
   according to GOMP_AMP_THREAD_CLASSES.  */

static bool
forced_asymmetric (unsigned nthreads)
{
  unsigned count = gomp_amp_options.thread_classes.count;

  for (unsigned i = 1; i < nthreads && i < count; i++)
    if (gomp_amp_forced_class (i) != gomp_amp_forced_class (0))
      return true;
  return false;
}

bool
gomp_amp_team_asymmetric (unsigned nthreads)
{
  struct gomp_thread *thr;
  unsigned long first, offset, length;

  if (gomp_amp_class_count () == 1 || nthreads == 1)
    return false;
  if (gomp_amp_classes_forced ())
    return forced_asymmetric (nthreads);
  if (gomp_places_list == NULL)
    return true;

  /* As gomp_team_start will place them.  A thread that has no place yet gets
     the first when it starts a team.  */
  thr = gomp_thread ();
  first = thr->place ? thr->place - 1 : 0;
  offset = thr->place ? thr->ts.place_partition_off : 0;
  length = thr->place ? thr->ts.place_partition_len : gomp_places_list_len;
  switch (gomp_icv (false)->bind_var)
    {
    case omp_proc_bind_false:
      return true;
    case omp_proc_bind_master:
      return places_asymmetric (first, 1, offset, length);
    case omp_proc_bind_spread:
      return places_asymmetric (first, length, offset, length);
    default:
      return places_asymmetric (first, nthreads < length ? nthreads : length,
				offset, length);
    }
}
