/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Hashes.  */

#ifndef GOMP_AMP_HASH_H
#define GOMP_AMP_HASH_H 1

#include <stddef.h>
#include <stdint.h>

/* A fast hash of an address in code (Fibonacci hashing).  Its upper bits are
   the ones to use.  */
static inline uint32_t
gomp_amp_hash_address (const void *address)
{
  return (uint32_t) (uintptr_t) address * 2654435761u;
}

/* A hash of bytes, the same on every machine (FNV-1a).  The hash of
   nothing.  */
#define GOMP_AMP_HASH_EMPTY 0xcbf29ce484222325ULL

/* The hash of some bytes, which have the hash HASH, followed by the SIZE bytes
   at DATA.  */
static inline unsigned long long
gomp_amp_hash (unsigned long long hash, const void *data, size_t size)
{
  const unsigned char *byte = (const unsigned char *) data;

  while (size-- > 0)
    hash = (hash ^ *byte++) * 0x100000001b3ULL;
  return hash;
}

#endif /* GOMP_AMP_HASH_H */
