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

/* The places that a team's threads are bound to, as gomp_team_start computes
   them: the partition of LENGTH places that begins at OFFSET, of which the
   team's first thread is at FIRST.  */
struct partition
{
  unsigned long offset, length, first;
};

/* Whether PLACE has CPUs of another class than CLASS, or of several.  */

static bool
differs (unsigned long place, unsigned class)
{
  return class == PLACE_MIXED || class_of_place (place) != class;
}

/* Whether N places beginning with the first, going round in PARTITION, have
   CPUs of more than one class.  */

static bool
close_asymmetric (const struct partition *partition, unsigned long n)
{
  unsigned class = class_of_place (partition->first);
  unsigned long place = partition->first;

  for (unsigned long i = 0; i < n; i++)
    {
      if (differs (place, class))
	return true;
      if (++place >= partition->offset + partition->length)
	place = partition->offset;
    }
  return false;
}

/* The same for a team of N threads that spread over PARTITION, which has at
   least as many places.  Each thread but the first is at the beginning of a
   part of S + 1 places, or of S behind REST.  */

static bool
spread_asymmetric (const struct partition *partition, unsigned long n)
{
  unsigned class = class_of_place (partition->first);
  unsigned long s = partition->length / n;
  unsigned long rest
    = partition->offset + (s + 1) * (partition->length % n);
  unsigned long place = partition->first;

  if (class == PLACE_MIXED)
    return true;
  if (place < rest)
    place -= (place - partition->offset) % (s + 1);
  else
    place -= (place - rest) % s;
  for (unsigned long i = 1; i < n; i++)
    {
      place += place < rest ? s + 1 : s;
      if (place >= partition->offset + partition->length)
	place = partition->offset;
      if (differs (place, class))
	return true;
    }
  return false;
}

/* Whether a team was spread over places, and whether one with a binding of
   `true' came after it.  Such a team takes threads as it finds them, in any
   places of the partition, and yet notes those that it would have given them:
   from then on nothing says where a thread is.  Relaxed: a thread that starts
   teams sees what it set, and the threads of its teams are its own.  */

static bool was_spread, is_mixed;

/* The binding of a team with the clause CLAUSE that the calling thread starts,
   as gomp_team_start finds it.  */

static unsigned
binding (unsigned clause)
{
  unsigned bind = gomp_icv (false)->bind_var;

  if (gomp_places_list == NULL || bind == omp_proc_bind_false)
    return omp_proc_bind_false;
  return clause != omp_proc_bind_false ? clause : bind;
}

/* Note that the calling thread starts a team with the binding BIND; return
   whether threads may be in other places than in those computed.  */

static bool
mixed (unsigned bind)
{
  if (bind == omp_proc_bind_spread
      && !__atomic_load_n (&was_spread, MEMMODEL_RELAXED))
    __atomic_store_n (&was_spread, true, MEMMODEL_RELAXED);
  if (bind == omp_proc_bind_true
      && __atomic_load_n (&was_spread, MEMMODEL_RELAXED)
      && !__atomic_load_n (&is_mixed, MEMMODEL_RELAXED))
    __atomic_store_n (&is_mixed, true, MEMMODEL_RELAXED);
  return __atomic_load_n (&is_mixed, MEMMODEL_RELAXED);
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

void
gomp_amp_note_binding (unsigned clause)
{
  if (__builtin_expect (gomp_places_list != NULL, 0))
    mixed (binding (clause));
}

bool
gomp_amp_team_asymmetric (unsigned nthreads, unsigned clause)
{
  struct gomp_thread *thr;
  struct partition partition;
  unsigned bind;

  if (gomp_amp_class_count () == 1)
    return false;
  if (gomp_amp_classes_forced ())
    return forced_asymmetric (nthreads);
  bind = binding (clause);
  if (bind == omp_proc_bind_false)
    return true;

  /* A thread that has no place yet gets the first when it starts a team.  */
  thr = gomp_thread ();
  if (thr->place == 0)
    partition = (struct partition) { 0, gomp_places_list_len, 0 };
  else
    {
      partition.offset = thr->ts.place_partition_off;
      partition.length = thr->ts.place_partition_len;
      partition.first = thr->place - 1;
      /* If this thread is elsewhere than in its place the program, or somebody
	 from outside, has given its threads other masks.  */
      if (differs (partition.first,
		   gomp_amp_class_of_cpu (gomp_amp_current_cpu ())))
	return true;
    }
  if (mixed (bind))
    {
      partition.offset = 0;
      partition.length = gomp_places_list_len;
      return close_asymmetric (&partition, partition.length);
    }
  switch (bind)
    {
    case omp_proc_bind_master:
      return close_asymmetric (&partition, 1);
    case omp_proc_bind_spread:
      if (nthreads <= partition.length)
	return spread_asymmetric (&partition, nthreads);
      return close_asymmetric (&partition, partition.length);
    default:
      return close_asymmetric (&partition, nthreads < partition.length
					   ? nthreads : partition.length);
    }
}
