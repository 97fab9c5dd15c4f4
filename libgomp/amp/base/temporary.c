/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Temporary files beside the file that they are going to replace.

   Their names are random, so that no other process has the same name: not one
   with the same number in another container, and not another user's.  The
   process that writes a file holds a lock on it (flock), which ends with the
   process in any case.  A file without a lock is abandoned.  A file's age
   proves nothing, since its process may be stopped.  On a file system without
   such locks no file is ever removed.  */

#define _GNU_SOURCE 1
#include "base/temporary.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The part of a name after PATH, before 16 hexadecimal digits.  No file of the
   user has such a name.  */
#define INFIX ".libgomp-amp-"
#define DIGITS 16

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

/* Lock the new file FD.  Returns false if another process took it for
   abandoned before that.  */

static bool
claim (int fd)
{
  struct stat status;

  if (flock (fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return false;
  return fstat (fd, &status) != 0 || status.st_nlink > 0;
}

int
gomp_amp_make_temporary (const char *path, char **name)
{
  for (int attempt = 0; attempt < 100; attempt++)
    {
      int fd, error;

      if (asprintf (name, "%s" INFIX "%0*llx", path, DIGITS,
		    (unsigned long long) random_number ()) < 0)
	{
	  errno = ENOMEM;
	  return -1;
	}
      /* Not mkostemp, whose files only their owner may read.  Only open
	 applies the umask and the directory's access control list.  To read
	 its umask a process must change it, which affects other threads.  */
      fd = open (*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (fd >= 0 && claim (fd))
	return fd;
      error = fd >= 0 ? EEXIST : errno;
      if (fd >= 0)
	close (fd);
      free (*name);
      errno = error;
      if (error != EEXIST)
	return -1;
    }
  return -1;
}

/* Whether NAME is a temporary file's name for the file FINAL of the same
   directory.  */

static bool
temporary_p (const char *name, const char *final)
{
  size_t length = strlen (final);

  if (strncmp (name, final, length) != 0
      || strncmp (name + length, INFIX, sizeof INFIX - 1) != 0)
    return false;
  name += length + sizeof INFIX - 1;
  return strspn (name, "0123456789abcdef") == DIGITS && name[DIGITS] == '\0';
}

/* Remove the file NAME of DIRECTORY if it is abandoned.  */

static void
remove_if_abandoned (int directory, const char *name)
{
  struct stat named, opened;
  int fd;

  if (fstatat (directory, name, &named, AT_SYMLINK_NOFOLLOW) != 0
      || !S_ISREG (named.st_mode))
    return;
  /* NFS allows such a lock only on a file that is open for writing.  */
  fd = openat (directory, name,
	       O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0)
    return;
  /* If the name still belongs to the locked file, no process has claimed it
     and none will: claim fails.  The file may also have been renamed before
     its process closed it.  */
  if (flock (fd, LOCK_EX | LOCK_NB) == 0 && fstat (fd, &opened) == 0
      && fstatat (directory, name, &named, AT_SYMLINK_NOFOLLOW) == 0
      && named.st_dev == opened.st_dev && named.st_ino == opened.st_ino)
    unlinkat (directory, name, 0);
  close (fd);
}

void
gomp_amp_remove_abandoned (const char *path)
{
  const char *slash = strrchr (path, '/');
  const char *final = slash != NULL ? slash + 1 : path;
  char *directory = slash != NULL ? strndup (path, final - path) : strdup (".");
  DIR *stream = directory != NULL ? opendir (directory) : NULL;
  const struct dirent *entry;

  while (stream != NULL && (entry = readdir (stream)) != NULL)
    if (temporary_p (entry->d_name, final))
      remove_if_abandoned (dirfd (stream), entry->d_name);
  if (stream != NULL)
    closedir (stream);
  free (directory);
}
