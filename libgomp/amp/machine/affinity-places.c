/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Predicts whether a team's cores differ.  */

#define _GNU_SOURCE 1
#include "libgomp.h"
#include "proc.h"
#include "machine/affinity.h"
#include "machine/cpu.h"

/* The class of a place whose CPUs have several classes.  */
#define PLACE_MIXED 255

_Static_assert (GOMP_AMP_MAX_CLASSES <= PLACE_MIXED, "255 must be no class");

/* For each place its class or PLACE_MIXED.  NULL until first needed.  */

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

/* Whether PLACE has CPUs of another class than CLASS, or of several.  */

static bool
differs (unsigned long place, unsigned class)
{
  return class == PLACE_MIXED || class_of_place (place) != class;
}

/* The place that the first thread of PLACES starts from.  If they are spread,
   the list is cut into parts of S + 1 places up to REST, and of S places after
   it.  Each thread but the first is at the beginning of its part.  Otherwise
   each is in the next place.  */

static unsigned long
first_place (const struct gomp_amp_places *places, unsigned long *s,
	     unsigned long *rest)
{
  unsigned long place = places->first;

  *s = 1;
  *rest = places->offset;
  if (!places->spread)
    return place;
  *s = places->length / places->count;
  *rest += (*s + 1) * (places->length % places->count);
  if (place < *rest)
    return place - (place - places->offset) % (*s + 1);
  return place - (place - *rest) % *s;
}

/* The place after PLACE, with S and REST as above.  */

static unsigned long
next_place (const struct gomp_amp_places *places, unsigned long place,
	    unsigned long s, unsigned long rest)
{
  place += place < rest ? s + 1 : s;
  return place < places->offset + places->length ? place : places->offset;
}

/* Whether PLACES have CPUs of more than one class.  */

static bool
places_asymmetric (const struct gomp_amp_places *places)
{
  unsigned class = class_of_place (places->first);
  unsigned long s, rest, place = first_place (places, &s, &rest);

  if (class == PLACE_MIXED)
    return true;
  for (unsigned long i = 1; i < places->count; i++)
    {
      place = next_place (places, place, s, rest);
      if (differs (place, class))
	return true;
    }
  return false;
}

/* The capacity of place number PLACE; 0 if it is unknown, or not one.  */

static unsigned
capacity_of_place (unsigned long place)
{
  const struct gomp_amp_machine *machine = gomp_amp_machine ();
  unsigned class = class_of_place (place);

  return class < machine->count ? machine->capacity[class] : 0;
}

double
gomp_amp_share_of_place (const struct gomp_amp_places *places,
			 unsigned nthreads, unsigned long place)
{
  unsigned own = capacity_of_place (place);
  unsigned long s, rest, other;
  double sum = capacity_of_place (places->first);

  /* Threads that share places, or are in others than computed.  */
  if (places->count != nthreads || own == 0 || sum == 0)
    return 1;
  other = first_place (places, &s, &rest);
  for (unsigned i = 1; i < nthreads; i++)
    {
      unsigned capacity;

      other = next_place (places, other, s, rest);
      capacity = capacity_of_place (other);
      if (capacity == 0)
	return 1;
      sum += capacity;
    }
  return own * (double) nthreads / sum;
}

/* Whether any team was spread over places, and whether a team with the binding
   `true' followed.  Such a team reuses threads wherever they are in the
   partition, but records the places that it would have given them.  After that
   no record says where a thread is.

   Relaxed: a thread that starts teams sees its own stores, and the threads of
   its teams belong to it alone.  */

static bool was_spread, is_mixed;

/* The binding of a team with the clause CLAUSE that the calling thread starts.
   Same rules as gomp_team_start.  */

static unsigned
binding (unsigned clause)
{
  unsigned bind = gomp_icv (false)->bind_var;

  if (gomp_places_list == NULL || bind == omp_proc_bind_false)
    return omp_proc_bind_false;
  return clause != omp_proc_bind_false ? clause : bind;
}

/* Record that the calling thread starts a team with the binding BIND.  Returns
   true if threads may be in places other than the computed ones.  */

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

/* Whether GOMP_AMP_THREAD_CLASSES gives the first NTHREADS threads of a team
   more than one class.  */

static bool
forced_asymmetric (unsigned nthreads)
{
  unsigned count = gomp_amp_options.thread_classes.count;

  for (unsigned i = 1; i < nthreads && i < count; i++)
    if (gomp_amp_forced_class (i) != gomp_amp_forced_class (0))
      return true;
  return false;
}

/* The allotment that gomp_available_cpus is of; NULL: the first one.  Relaxed:
   the number is a guess.  */
static const struct gomp_amp_allotment *counted;

/* The process has ALLOTMENT now: threads that wait spin for long only if each
   has a CPU.  */

static void __attribute__ ((noinline, cold))
count_cpus (const struct gomp_amp_allotment *allotment)
{
  unsigned long count = 0;
  bool first = (__atomic_exchange_n (&counted, allotment,
				     __ATOMIC_RELAXED) == NULL
		&& allotment->generation == 0);

  for (unsigned cpu = 0; cpu < allotment->ncpus; cpu++)
    count += allotment->usable[cpu];
  /* The one of the process's start is what upstream has counted.  */
  if (!first && count != 0)
    __atomic_store_n (&gomp_available_cpus, count, __ATOMIC_RELAXED);
}

const struct gomp_amp_allotment *
gomp_amp_usable_now (void)
{
  const struct gomp_amp_allotment *now;

  if (gomp_places_list != NULL || gomp_fold_on)
    return gomp_amp_allotment ();
  now = gomp_amp_update_allotment ();
  if (__builtin_expect (now != __atomic_load_n (&counted, __ATOMIC_RELAXED),
			0))
    count_cpus (now);
  return now;
}

void
gomp_amp_find_places (unsigned nthreads, unsigned clause,
		      struct gomp_amp_places *places)
{
  const struct gomp_thread *thr;
  unsigned bind = binding (clause);

  GOMP_AMP_ASSERT (nthreads >= 2);
  places->allotment
    = gomp_amp_machine_known () ? gomp_amp_usable_now () : NULL;
  places->count = 0;
  if (bind == omp_proc_bind_false)
    return;
  /* A thread without a place gets the first place when it starts a team.  */
  thr = gomp_thread ();
  if (thr->place == 0 && !gomp_amp_confine_places ())
    return;
  places->offset = thr->place ? thr->ts.place_partition_off : 0;
  places->length
    = thr->place ? thr->ts.place_partition_len : gomp_places_list_len;
  places->first = thr->place ? thr->place - 1 : 0;
  places->cpu = thr->place ? gomp_amp_current_cpu () : -1;
  places->spread = false;
  if (mixed (bind))
    {
      places->offset = places->first = 0;
      places->count = places->length = gomp_places_list_len;
    }
  else if (bind == omp_proc_bind_master)
    places->count = 1;
  else if (nthreads > places->length)
    places->count = places->length;
  else
    {
      places->count = nthreads;
      places->spread = bind == omp_proc_bind_spread;
    }
}

bool
gomp_amp_team_asymmetric (unsigned nthreads,
			  const struct gomp_amp_places *places)
{
  const struct gomp_amp_allotment *allotment;

  if (gomp_amp_classes_forced ())
    return forced_asymmetric (nthreads);
  if (places->allotment != NULL)
    allotment = places->allotment;
  else
    allotment = gomp_amp_allotment ();
  if (allotment->count == 1)
    return false;
  if (places->count == 0)
    return true;
  /* If the starting thread is outside of its place, the program or another
     process has changed the masks of its threads.  */
  if (places->cpu >= 0
      && differs (places->first, gomp_amp_class_of_cpu (places->cpu)))
    return true;
  return places_asymmetric (places);
}

bool gomp_amp_classes_wanted;

bool
gomp_amp_settle_team (struct gomp_team *team)
{
  const struct gomp_thread *thr = gomp_thread ();
  enum gomp_amp_asymmetric expected = GOMP_AMP_UNKNOWN;
  enum gomp_amp_asymmetric answer = GOMP_AMP_SYMMETRIC;
  bool known = true;

  /* The thread that started an outermost team may run a plugin's constructor
     and then holds the loader's lock.  If another thread loaded hwloc, it
     would wait for that lock, and the first thread would wait for it at the
     loop's end.  */
  if (thr->ts.team_id == 0 && thr->ts.level == 1)
    gomp_amp_machine ();
  else
    known = gomp_amp_find_machine_without_loading ();
  if (!known)
    __atomic_store_n (&gomp_amp_classes_wanted, true, __ATOMIC_RELAXED);
  else if (gomp_amp_team_asymmetric (team->nthreads, &team->amp_places))
    answer = GOMP_AMP_ASYMMETRIC;
  /* The first answer holds for every thread, even if the classes become known
     later.  Relaxed: nothing but the value matters.  */
  if (!__atomic_compare_exchange_n (&team->amp_asymmetric, &expected, answer,
				    false, MEMMODEL_RELAXED, MEMMODEL_RELAXED))
    answer = expected;
  return answer == GOMP_AMP_ASYMMETRIC;
}
