/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An hwloc that misbehaves: FAKE_VERSION is its version, FAKE_LACKS leaves a
   function out, FAKE_FAILS makes loading a topology fail.  */

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* A test sees by this that it was loaded.  */

__attribute__ ((constructor)) static void
loaded (void)
{
  if (getenv ("FAKE_HWLOC_TELLS") != NULL)
    fputs ("fake hwloc loaded\n", stderr);
}

unsigned
hwloc_get_api_version (void)
{
  return FAKE_VERSION;
}

/* Whatever the version, nothing below may be called where it is refused.  */
#ifdef FAKE_FAILS
# define ANSWER(value) return value
#else
# define ANSWER(value) abort ()
#endif

int
hwloc_topology_init (void **topology)
{
  *topology = NULL;
  ANSWER (0);
}

int
hwloc_topology_set_components (void *topology, unsigned long flags,
			       const char *name)
{
  (void) topology, (void) flags, (void) name;
  ANSWER (0);
}

int
hwloc_topology_set_flags (void *topology, unsigned long flags)
{
  (void) topology, (void) flags;
  ANSWER (0);
}

int
hwloc_topology_set_all_types_filter (void *topology, int filter)
{
  (void) topology, (void) filter;
  ANSWER (0);
}

int
hwloc_topology_load (void *topology)
{
  (void) topology;
  errno = ENOMEM;
  ANSWER (-1);
}

void
hwloc_topology_destroy (void *topology)
{
  (void) topology;
}

#ifndef FAKE_LACKS
int
hwloc_cpukinds_get_nr (void *topology, unsigned long flags)
{
  (void) topology, (void) flags;
  abort ();
}
#endif

int
hwloc_cpukinds_get_info (void *topology, unsigned kind, void *set,
			 int *efficiency, unsigned *count, void **info,
			 unsigned long flags)
{
  (void) topology, (void) kind, (void) set, (void) efficiency;
  (void) count, (void) info, (void) flags;
  abort ();
}

void *
hwloc_bitmap_alloc (void)
{
  static int bitmap;
  ANSWER (&bitmap);
}

void
hwloc_bitmap_free (void *bitmap)
{
  (void) bitmap;
}

int
hwloc_bitmap_isset (void *bitmap, unsigned bit)
{
  (void) bitmap, (void) bit;
  abort ();
}
