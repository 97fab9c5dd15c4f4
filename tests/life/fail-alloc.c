/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An LD_PRELOADed allocator that fails the AMP_FAIL_NTH-th call, and with
   AMP_FAIL_REST all that follow; at exit AMP_FAIL_COUNT gets their number.  */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern void *__libc_malloc (size_t);
extern void *__libc_calloc (size_t, size_t);
extern void *__libc_realloc (void *, size_t);
extern void *__libc_memalign (size_t, size_t);

static long nth, calls;
static bool rest, started;

/* Whether this call is one to fail.  The first is made by the loader or a
   constructor, before there are threads.  */

static bool
fails (void)
{
  if (!started)
    {
      const char *value = getenv ("AMP_FAIL_NTH");

      started = true;
      nth = value != NULL ? atol (value) : 0;
      rest = getenv ("AMP_FAIL_REST") != NULL;
    }
  long call = __atomic_add_fetch (&calls, 1, __ATOMIC_RELAXED);
  bool failed = nth > 0 && (call == nth || (rest && call > nth));
  if (failed)
    errno = ENOMEM;
  return failed;
}

void *
malloc (size_t size)
{
  return fails () ? NULL : __libc_malloc (size);
}

void *
calloc (size_t count, size_t size)
{
  return fails () ? NULL : __libc_calloc (count, size);
}

void *
realloc (void *block, size_t size)
{
  return fails () ? NULL : __libc_realloc (block, size);
}

void *
aligned_alloc (size_t alignment, size_t size)
{
  return fails () ? NULL : __libc_memalign (alignment, size);
}

void *
memalign (size_t alignment, size_t size)
{
  return fails () ? NULL : __libc_memalign (alignment, size);
}

int
posix_memalign (void **block, size_t alignment, size_t size)
{
  void *new = fails () ? NULL : __libc_memalign (alignment, size);

  if (new == NULL)
    return ENOMEM;
  *block = new;
  return 0;
}

static void __attribute__ ((destructor (101)))
tell (void)
{
  const char *name = getenv ("AMP_FAIL_COUNT");
  char text[32];
  int fd = name != NULL ? open (name, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;

  if (fd < 0)
    return;
  if (write (fd, text, snprintf (text, sizeof text, "%ld\n", calls)) < 0)
    _exit (1);
  close (fd);
}
