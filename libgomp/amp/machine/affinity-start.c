/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Decides at start-up to which places threads are bound, and when the initial
   thread is.  */

#define _GNU_SOURCE 1
#include "libgomp.h"
#include "proc.h"
#include <limits.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>
#include "base/fork-lock.h"
#include "base/mask.h"
#include "base/objects.h"
#include "machine/affinity.h"

/* Make one place of each CPU in the requested order.  Returns false on
   failure.  */

static bool
fill_places (bool ascending)
{
  const struct gomp_amp_machine *machine = gomp_amp_machine ();
  unsigned *order = malloc ((machine->ncpus + 1) * sizeof *order);
  unsigned n;

  if (order == NULL)
    return false;
  n = gomp_amp_order_cpus (machine, gomp_amp_allotment (), ascending, order);
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

/* The user has bound threads to places.  */

static bool bound_by_user;

/* GOMP_AMP_AFFINITY has an order of CPUs and takes effect.  */

static bool ordered;

bool
gomp_amp_only_ordered (bool *ascending)
{
  *ascending = ordered && gomp_amp_options.affinity == GOMP_AMP_AFFINITY_SB;
  return !bound_by_user;
}

/* There are places, and the initial thread is to be bound when it first uses
   OpenMP.  Until then nothing has used the places.  */

static bool late;

/* For dl_iterate_phdr: whether INFO's object uses OpenMP, because it needs a
   libgomp or because this one is linked into it.  */

static int
uses_openmp (struct dl_phdr_info *info, size_t size __attribute__ ((unused)),
	     void *data __attribute__ ((unused)))
{
  static const char libgomp[] = "libgomp";
  const ElfW(Dyn) *dynamic = gomp_amp_dynamic (info);
  const char *strings = NULL;
  bool needs = false, is_libgomp = false;

  for (const ElfW(Dyn) *entry = dynamic; entry->d_tag != DT_NULL; entry++)
    if (entry->d_tag == DT_STRTAB)
      strings = gomp_amp_dynamic_address (info, entry->d_un.d_ptr);
  for (const ElfW(Dyn) *entry = dynamic;
       strings != NULL && entry->d_tag != DT_NULL; entry++)
    if ((entry->d_tag == DT_NEEDED || entry->d_tag == DT_SONAME)
	&& strncmp (strings + entry->d_un.d_val, libgomp,
		    sizeof libgomp - 1) == 0)
      *(entry->d_tag == DT_NEEDED ? &needs : &is_libgomp) = true;
  return needs || (!is_libgomp
		   && gomp_amp_in_object (info, (ElfW(Addr)) &late));
}

void
gomp_amp_init_affinity (bool explicit_binding)
{
  int affinity = gomp_amp_options.affinity;

#ifdef HAVE_PTHREAD_AFFINITY_NP
  if (gomp_cpusetp != NULL)
    gomp_amp_set_process_mask (gomp_cpuset_size, gomp_cpusetp);
#endif

  /* A wrong value is reported even if the program has no parallel loop.  */
  if (gomp_amp_options.topology != NULL)
    gomp_amp_machine ();

  bound_by_user = gomp_global_icv.bind_var != omp_proc_bind_false;
  ordered = affinity != GOMP_AMP_AFFINITY_FALSE && !explicit_binding;
  if (affinity != GOMP_AMP_AFFINITY_FALSE && explicit_binding)
    gomp_error ("GOMP_AMP_AFFINITY is ignored: OMP_PROC_BIND, OMP_PLACES or"
		" GOMP_CPU_AFFINITY is set and takes precedence");
}

bool
gomp_amp_make_places (bool folded)
{
  if (ordered && !folded)
    {
      if (fill_places (gomp_amp_options.affinity == GOMP_AMP_AFFINITY_SB))
	gomp_global_icv.bind_var = omp_proc_bind_true;
      else
	gomp_error ("GOMP_AMP_AFFINITY is ignored: the places cannot be set"
		    " up; threads are not bound");
    }
  if (gomp_global_icv.bind_var == omp_proc_bind_false)
    return false;
  if (dl_iterate_phdr (uses_openmp, NULL) != 0)
    return true;
  late = (gomp_places_list != NULL
	  || gomp_affinity_init_level (1, ULONG_MAX, true));
  return false;
}

/* Take the CPUs from all places that neither the initial nor the calling thread
   may use any more.  If no place has another one, make the places that upstream
   makes by default.  */

static void
confine (void)
{
  /* Virtual CPUs have no masks.  */
#if defined HAVE_PTHREAD_AFFINITY_NP && !defined GOMP_AMP_VIRTUAL
  size_t size, own_size;
  void *mask = gomp_amp_thread_mask (getpid (), &size);
  void *own = gomp_amp_thread_mask (0, &own_size);

  if (mask != NULL && own != NULL)
    {
      for (unsigned cpu = 0; cpu < 8 * gomp_cpuset_size; cpu++)
	if (gomp_amp_mask_has (mask, size, cpu)
	    || gomp_amp_mask_has (own, own_size, cpu))
	  CPU_SET_S (cpu, gomp_cpuset_size, gomp_cpusetp);
	else
	  CPU_CLR_S (cpu, gomp_cpuset_size, gomp_cpusetp);
      /* How long threads spin depends on it.  */
      gomp_available_cpus = CPU_COUNT_S (gomp_cpuset_size, gomp_cpusetp);
      if (!gomp_affinity_finalize_place_list (true))
	gomp_affinity_init_level (1, ULONG_MAX, true);
    }
  free (own);
  free (mask);
#endif
}

bool
gomp_amp_confine_places (void)
{
  /* Acquire the places.  */
  if (__builtin_expect (__atomic_load_n (&late, __ATOMIC_ACQUIRE), 0))
    {
      gomp_amp_acquire (GOMP_AMP_LOCK_PLACES);
      if (late)
	confine ();
      __atomic_store_n (&late, false, __ATOMIC_RELEASE);
      gomp_amp_release (GOMP_AMP_LOCK_PLACES);
    }
  return gomp_places_list != NULL;
}
