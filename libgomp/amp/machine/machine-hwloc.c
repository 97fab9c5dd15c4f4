/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Core classes from hwloc, if it is installed.  The library is not linked to
   hwloc, and loads it only when hwloc is to be asked.  */

#include "machine/machine-source.h"
#include "base/fork-lock.h"
#include "base/parse.h"
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

/* The part of hwloc's interface that is used.  It is stable from 2.4, the
   first version with kinds of cores, to the last 2.x; 3.0 differs.  */

#define MIN_API 0x20400
#define END_API 0x30000

typedef struct hwloc_topology *topology_t;
typedef struct hwloc_bitmap *bitmap_t;

struct hwloc_info
{
  char *name;
  char *value;
};

#define INCLUDE_DISALLOWED 1ul	/* HWLOC_TOPOLOGY_FLAG_...  */
#define BLACKLIST 1ul		/* HWLOC_TOPOLOGY_COMPONENTS_FLAG_...  */
#define KEEP_NONE 1		/* HWLOC_TYPE_FILTER_...  */

/* FUNCTION (RESULT, name without hwloc_, PARAMETERS)  */
#define HWLOC_FUNCTIONS \
  FUNCTION (unsigned, get_api_version, (void)) \
  FUNCTION (int, topology_init, (topology_t *)) \
  FUNCTION (int, topology_set_components, \
	    (topology_t, unsigned long, const char *)) \
  FUNCTION (int, topology_set_flags, (topology_t, unsigned long)) \
  FUNCTION (int, topology_set_all_types_filter, (topology_t, int)) \
  FUNCTION (int, topology_load, (topology_t)) \
  FUNCTION (void, topology_destroy, (topology_t)) \
  FUNCTION (int, cpukinds_get_nr, (topology_t, unsigned long)) \
  FUNCTION (int, cpukinds_get_info, \
	    (topology_t, unsigned, bitmap_t, int *, unsigned *, \
	     struct hwloc_info **, unsigned long)) \
  FUNCTION (bitmap_t, bitmap_alloc, (void)) \
  FUNCTION (void, bitmap_free, (bitmap_t)) \
  FUNCTION (int, bitmap_isset, (bitmap_t, unsigned))

struct hwloc
{
#define FUNCTION(result, name, parameters) result (*name) parameters;
  HWLOC_FUNCTIONS
#undef FUNCTION
};

/* The attributes that decide whether two kinds are one class.  */
struct kind
{
  unsigned long capacity;	/* Linux's; 0 = unknown.  */
  unsigned long mhz;		/* Highest frequency; 0 = unknown.  */
  const char *type;		/* NULL = unknown.  */
};

/* Fill in HWLOC from the shared object HANDLE.  Returns NULL, or the reason of
   the failure, written to DETAIL of SIZE bytes.  */

static const char *
resolve (void *handle, struct hwloc *hwloc, char *detail, size_t size)
{
  unsigned version;

#define FUNCTION(result, name, parameters) \
  hwloc->name = (result (*) parameters) dlsym (handle, "hwloc_" #name);
  HWLOC_FUNCTIONS
#undef FUNCTION
  if (hwloc->get_api_version == NULL)
    return "libhwloc has no function hwloc_get_api_version";
  version = hwloc->get_api_version ();
  if (version < MIN_API || version >= END_API)
    {
      snprintf (detail, size,
		"hwloc is %u.%u, not 2.4 to 2.x",
		version >> 16, version >> 8 & 0xff);
      return detail;
    }
#define FUNCTION(result, name, parameters) \
  if (hwloc->name == NULL) \
    return "libhwloc has no function hwloc_" #name;
  HWLOC_FUNCTIONS
#undef FUNCTION
  return NULL;
}

/* The kind that has the COUNT attributes INFO.  */

static struct kind
read_kind (const struct hwloc_info *info, unsigned count)
{
  struct kind kind = { .type = NULL };

  for (unsigned i = 0; i < count; i++)
    {
      const char *p = info[i].value;

      if (strcmp (info[i].name, "CoreType") == 0)
	kind.type = p;
      else if (strcmp (info[i].name, "LinuxCapacity") == 0)
	gomp_amp_read_number (&p, ULONG_MAX, &kind.capacity);
      else if (strcmp (info[i].name, "FrequencyMaxMHz") == 0)
	gomp_amp_read_number (&p, ULONG_MAX, &kind.mhz);
    }
  return kind;
}

static bool
near_either_way (unsigned long a, unsigned long b)
{
  return a > b ? gomp_amp_near_p (a, b) : gomp_amp_near_p (b, a);
}

/* Whether A and B, kinds of neighbouring efficiency, are one class.  hwloc
   makes a kind of every turbo bin.  */

static bool
alike (const struct kind *a, const struct kind *b)
{
  if ((a->type == NULL) != (b->type == NULL)
      || (a->type != NULL && strcmp (a->type, b->type) != 0))
    return false;
  if (a->capacity != 0 && b->capacity != 0)
    return near_either_way (a->capacity, b->capacity);
  return a->mhz != 0 && b->mhz != 0 && near_either_way (a->mhz, b->mhz);
}

/* Answer PROBE with the kinds of TOPOLOGY.  SET is scratch space.
   Efficiencies are ranks, from the slowest kind up.  */

static const char *
ask_kinds (const struct hwloc *hwloc, topology_t topology, bitmap_t set,
	   struct gomp_amp_probe *probe)
{
  int count = hwloc->cpukinds_get_nr (topology, 0);
  struct kind last = { .type = NULL };
  unsigned long rank = 0;

  if (count <= 0)
    return "hwloc knows no kinds of cores here";
  memset (probe->value, 0, probe->ncpus * sizeof *probe->value);
  for (int i = 0; i < count; i++)
    {
      struct hwloc_info *info = NULL;
      unsigned infos = 0;
      int efficiency;
      struct kind kind;

      if (hwloc->cpukinds_get_info (topology, i, set, &efficiency, &infos,
				    &info, 0) < 0)
	return "hwloc does not report its kinds of cores";
      /* Kinds are sorted by efficiency if it is known.  */
      if (efficiency < 0 && count > 1)
	return "hwloc knows kinds of cores, but not which are faster";
      kind = read_kind (info, infos);
      rank += i == 0 || !alike (&last, &kind);
      last = kind;
      for (unsigned cpu = 0; cpu < probe->ncpus; cpu++)
	if (hwloc->bitmap_isset (set, cpu))
	  probe->value[cpu] = rank;
    }
  for (unsigned cpu = 0; cpu < probe->ncpus; cpu++)
    if (probe->in_mask[cpu] && probe->value[cpu] == 0)
      return "hwloc does not report the kind of each of the process's CPUs";
  probe->ranks = true;
  probe->favours = false;
  probe->source = "hwloc";
  return NULL;
}

/* Load TOPOLOGY without objects, since only kinds are needed, and without the
   component that binds the calling thread to each CPU in turn.  */

static bool
load (const struct hwloc *hwloc, topology_t topology)
{
  return hwloc->topology_set_components (topology, BLACKLIST, "x86") == 0
	 && hwloc->topology_set_flags (topology, INCLUDE_DISALLOWED) == 0
	 && hwloc->topology_set_all_types_filter (topology, KEEP_NONE) == 0
	 && hwloc->topology_load (topology) == 0;
}

/* Answer PROBE by asking HWLOC.  */

static const char *
ask (const struct hwloc *hwloc, struct gomp_amp_probe *probe)
{
  topology_t topology;
  bitmap_t set = hwloc->bitmap_alloc ();
  const char *why;

  if (set == NULL)
    return "memory is short";
  if (hwloc->topology_init (&topology) != 0)
    why = "hwloc cannot be initialised";
  else
    {
      why = load (hwloc, topology)
	    ? ask_kinds (hwloc, topology, set, probe)
	    : "hwloc cannot load the topology";
      hwloc->topology_destroy (topology);
    }
  hwloc->bitmap_free (set);
  return why;
}

/* Load hwloc and answer PROBE by asking it.  */

static const char *
load_and_ask (struct gomp_amp_probe *probe, char *detail, size_t size)
{
  struct hwloc hwloc;
  const char *why;
  void *handle = dlopen ("libhwloc.so.15", RTLD_NOW | RTLD_LOCAL);

  if (handle == NULL)
    {
      /* Saved before the next attempt, which most likely fails, replaces the
	 message.  */
      snprintf (detail, size, "%s", dlerror ());
      handle = dlopen ("libhwloc.so", RTLD_NOW | RTLD_LOCAL);
      if (handle == NULL)
	return detail;
    }
  why = resolve (handle, &hwloc, detail, size);
  /* Code that has run stays loaded: hwloc's plugins may have left traces in
     the process.  */
  if (why != NULL)
    dlclose (handle);
  else
    why = ask (&hwloc, probe);
  return why;
}

/* Whether a thread is inside hwloc.  Under GOMP_AMP_LOCK_TABLE.  */

static bool in_use;

static void
set_in_use (bool value)
{
  gomp_amp_acquire (GOMP_AMP_LOCK_TABLE);
  in_use = value;
  gomp_amp_release (GOMP_AMP_LOCK_TABLE);
}

const char *
gomp_amp_ask_hwloc (struct gomp_amp_probe *probe, char *detail, size_t size)
{
  const char *why;

  /* hwloc obeys variables that name a file to read and a directory of code to
     load, even in a set-user-ID program.  */
  if (getauxval (AT_SECURE) != 0)
    return "a set-user-ID program does not ask hwloc";
  /* In a child that was forked while a thread was inside hwloc, hwloc's own
     locks may never be released.  A plugin of hwloc may also have called
     us.  */
  if (in_use)
    return "hwloc is in use, or was when this process was forked";
  set_in_use (true);
  why = load_and_ask (probe, detail, size);
  set_in_use (false);
  return why;
}
