/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Temporary files beside the file that they are going to replace.  Their names
   are random, so that no other process has the same name: not one with the same
   number in another container, and not another user's.  */

#define _GNU_SOURCE 1
#include "base/temporary.h"
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

/* The part of a name after PATH, before 16 hexadecimal digits.  No file of the
   user has such a name.  */
#define INFIX ".libgomp-amp-"

static uint64_t
random_number (void)
{
  uint64_t number;
  struct timespec now;

  if (getrandom (&number, sizeof number, GRND_NONBLOCK) == sizeof number)
    return number;
  /* The system has just started, or has no such call.  */
  clock_gettime (CLOCK_REALTIME, &now);
  return ((uint64_t) now.tv_nsec << 32) ^ now.tv_sec ^ (uintptr_t) &now;
}

int
gomp_amp_make_temporary (const char *path, char **name)
{
  for (int attempt = 0; attempt < 100; attempt++)
    {
      int fd;

      if (asprintf (name, "%s" INFIX "%016llx", path,
		    (unsigned long long) random_number ()) < 0)
	{
	  errno = ENOMEM;
	  return -1;
	}
      /* Not mkostemp, whose files only their owner may read.  Only open
	 applies the umask and the directory's access control list.  To read
	 its umask a process must change it, which affects other threads.  */
      fd = open (*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (fd >= 0)
	return fd;
      free (*name);
      if (errno != EEXIST)
	return -1;
    }
  return -1;
}
