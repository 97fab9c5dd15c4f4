/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Messages, if standard error is still there.  */

#define _GNU_SOURCE 1
#include "base/message.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>

/* Of error.c.  */
#pragma GCC visibility push(hidden)
extern void gomp_verror (const char *, va_list);
#pragma GCC visibility pop

/* The file that standard error was when the process started.  */
static struct stat start;
static bool has_start;

void
gomp_amp_init_messages (void)
{
  has_start = fstat (fileno (stderr), &start) == 0;
}

bool
gomp_amp_keeps_stderr (void)
{
  struct stat now;
  int error = errno;
  bool keeps = (has_start && fstat (fileno (stderr), &now) == 0
		&& now.st_dev == start.st_dev && now.st_ino == start.st_ino);

  errno = error;
  return keeps;
}

void
gomp_amp_error (const char *format, ...)
{
  va_list list;

  if (!gomp_amp_keeps_stderr ())
    return;
  va_start (list, format);
  gomp_verror (format, list);
  va_end (list);
}
