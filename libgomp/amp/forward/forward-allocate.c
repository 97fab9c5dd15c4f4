/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Which Fortran variables GOMP_alloc has allocated.  The code that frees or
   reallocates one asks, as it may come from the C library instead.  */

#include "libgomp.h"
#include <stdlib.h>
#include <string.h>
#include "base/fork-lock.h"
#include "forward-lacks.h"

#ifdef GOMP_LACKS_GOMP_add_alloc

typedef void *hash_entry_type;

static inline void *
htab_alloc (size_t size)
{
  return gomp_malloc (size);
}

static inline void
htab_free (void *table)
{
  free (table);
}

#include "hashtab.h"

static inline hashval_t
htab_hash (hash_entry_type entry)
{
  return hash_pointer (entry);
}

static inline bool
htab_eq (hash_entry_type a, hash_entry_type b)
{
  return a == b;
}

/* Under GOMP_AMP_LOCK_ALLOCATIONS.  NULL until the first allocation.  */

static htab_t allocations;

/* GOMP_alloc has returned PTR for a Fortran variable; NULL if it failed.  */

void
GOMP_add_alloc (void *ptr)
{
  if (ptr == NULL)
    return;
  gomp_amp_acquire (GOMP_AMP_LOCK_ALLOCATIONS);
  if (allocations == NULL)
    allocations = htab_create (8);
  *htab_find_slot (&allocations, ptr, INSERT) = ptr;
  gomp_amp_release (GOMP_AMP_LOCK_ALLOCATIONS);
}

/* Whether GOMP_alloc returned PTR, which is about to be freed and is no longer
   known afterwards.  */

bool
GOMP_is_alloc (void *ptr)
{
  bool found;

  gomp_amp_acquire (GOMP_AMP_LOCK_ALLOCATIONS);
  found = ptr && allocations && htab_find (allocations, ptr);
  if (found)
    htab_clear_slot (allocations,
		     htab_find_slot (&allocations, ptr, NO_INSERT));
  gomp_amp_release (GOMP_AMP_LOCK_ALLOCATIONS);
  return found;
}
#endif
