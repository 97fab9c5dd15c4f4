/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The counter file of this process.  */

#define _GNU_SOURCE 1
#include "libgomp.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "fold/fold-setup.h"
#include "machine/machine.h"
#include "up/up.h"

/* The content of the file: a member UP_ARRAY of one element where there is no
   array.  */
struct up_file
{
#define UP(type, name, count, meaning) type name[count];
#include "up/up.def"
};

/* The file is written at most so often: a reader looks ten times a second.  */
#define WRITE_NS 50000000

/* Of workers that may run, if the fastest one has 1.  */
#define LEAST_SPEED 1e-6

bool gomp_up_on;

/* The file's name; constant once MADE is set.  */
static char path[PATH_MAX];
/* What is in the file, or soon will be.  It is not mapped: a program that
   truncates the file would end this process by SIGBUS.  */
static struct up_file content;
/* The file is there.  Atomic, relaxed: it goes when somebody removes it.  */
static bool made;
/* The thread that counts, and its pool: constant once MADE is set.  NULL: none
   in this process yet.  */
static struct gomp_thread *owner;
static struct gomp_thread_pool *pool;
/* When the region or, in it, the batch of measurements began, the time in
   earlier regions of the batch, and when the file was written.  */
static unsigned long long began, earlier, written;

static inline bool
is_made (void)
{
  return __atomic_load_n (&made, __ATOMIC_RELAXED);
}

/* A child has no file of its own yet.  */

static void
begin_child (void)
{
  made = false;
  owner = NULL;
}

void
gomp_up_init (void)
{
  const char *directory = secure_getenv ("XDG_RUNTIME_DIR");
  int length = directory == NULL || directory[0] != '/' ? 0
	       : snprintf (path, sizeof path, "%s/libgomp-amp/up", directory);

  if (length <= 0 || (size_t) length >= sizeof path - sizeof "/2147483647"
      || access (path, W_OK | X_OK) != 0)
    return;
  pthread_atfork (NULL, NULL, begin_child);
  gomp_up_on = true;
}

/* The start of this process in clock ticks, field 22 of its stat: the name
   before has any bytes in parentheses.  0 if it cannot be read.  */

static uint64_t
start_of_process (void)
{
  char text[1024], *p;
  int fd = open ("/proc/self/stat", O_RDONLY | O_CLOEXEC);
  ssize_t got = fd < 0 ? -1 : read (fd, text, sizeof text - 1);

  if (fd >= 0)
    close (fd);
  if (got <= 0)
    return 0;
  text[got] = '\0';
  p = strrchr (text, ')');
  for (int field = 2; field < 22 && p != NULL; field++)
    p = strchr (p + 1, ' ');
  return p != NULL ? strtoull (p + 1, NULL, 10) : 0;
}

/* Write the file, which FLAGS may create.  Failing that, nothing is
   counted any more.  The descriptor is not kept: a program may close it, and
   have another file of that number.  */

static void
write_file (int flags)
{
  int cancel, fd, error = errno;

  /* A region has no cancellation point of the library's.  */
  pthread_setcancelstate (PTHREAD_CANCEL_DISABLE, &cancel);
  fd = open (path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | flags,
	     0600);
  if (fd < 0
      || pwrite (fd, &content, sizeof content, 0) != sizeof content)
    __atomic_store_n (&made, false, __ATOMIC_RELAXED);
  if (fd >= 0)
    close (fd);
  pthread_setcancelstate (cancel, NULL);
  errno = error;
}

/* Make the file.  */

static void
make_file (void)
{
  char *end = strrchr (path, '/');
  int cancel;

  /* As in write_file.  */
  pthread_setcancelstate (PTHREAD_CANCEL_DISABLE, &cancel);
  /* A child replaces the number of its parent.  */
  if (strcmp (end, "/up") == 0)
    end += 3;
  snprintf (end, path + sizeof path - end, "/%d", getpid ());
  unlink (path);
  memset (&content, 0, sizeof content);
  content.magic[0] = UP_MAGIC;
  content.size[0] = sizeof content;
  content.flags[0] = gomp_fold_on ? UP_FOLDED | UP_FOLLOWS : 0;
  content.start[0] = start_of_process ();
  content.classes[0] = gomp_amp_machine ()->count;
  written = 0;
  made = true;
  write_file (O_CREAT | O_EXCL);
  pthread_setcancelstate (cancel, NULL);
}

/* Write the file if that was not done lately.  */

static inline void
write_now_and_then (void)
{
  struct timespec now;
  unsigned long long ns;

  clock_gettime (CLOCK_MONOTONIC_COARSE, &now);
  ns = now.tv_sec * 1000000000ULL + now.tv_nsec;
  if (ns - written < WRITE_NS)
    return;
  written = ns;
  write_file (0);
}

/* Whether the calling thread counts.  */

static inline bool
counts (void)
{
  struct gomp_thread *thr = gomp_thread ();
  struct gomp_thread *none = NULL;

  if (__atomic_load_n (&owner, __ATOMIC_RELAXED) != thr)
    {
      /* Relaxed: the content and POOL are used by this thread, and by those
	 that it releases into regions.  */
      if (!__atomic_compare_exchange_n (&owner, &none, thr, false,
					__ATOMIC_RELAXED, __ATOMIC_RELAXED))
	return false;
      pool = thr->thread_pool;
      make_file ();
    }
  return is_made () && thr->ts.level == 1;
}

void
gomp_up_region_begins (const struct gomp_team *team)
{
  if (team->nthreads > 1 && counts () && gomp_fold_on)
    began = gomp_amp_clock ();
}

void
gomp_up_factors (unsigned classes, const double *r)
{
  if (!is_made () || classes != content.classes[0] || classes > UP_CLASSES)
    return;
  for (unsigned c = 0; c < classes; c++)
    {
      /* Not what is no number either.  */
      if (!(r[c] > 0 && r[c] < 1000))
	return;
      __atomic_store_n (&content.factor[c],
			(uint32_t) (r[c] / r[0] * 1000 + .5),
			__ATOMIC_RELAXED);
      __atomic_store_n (&content.samples[c], content.samples[c] + 1,
			__ATOMIC_RELAXED);
    }
}

/* Store the factors that workers w < WORKERS show, of which each has the speed
   1 / SLOW[w].  Returns the mean speed of the slowest class; 0 if a class has
   no worker.  */

static double
note_speeds (unsigned workers, const double *slow)
{
  double sum[UP_CLASSES] = { 0 };
  unsigned count[UP_CLASSES] = { 0 };

  if (workers > gomp_fold_workers.count || content.classes[0] > UP_CLASSES)
    return 0;
  for (unsigned w = 0; w < workers; w++)
    {
      unsigned c = gomp_amp_class_of_cpu (gomp_fold_workers.cpu[w]);
      double fast = 1 / slow[w];

      if (fast < LEAST_SPEED)
	continue;
      sum[c] += fast;
      count[c]++;
    }
  for (unsigned c = 0; c < content.classes[0]; c++)
    {
      if (count[c] == 0)
	return 0;
      sum[c] /= count[c];
    }
  gomp_up_factors (content.classes[0], sum);
  return sum[0];
}

void
gomp_up_batch_begins (void)
{
  if (gomp_thread ()->thread_pool != pool)
    return;
  began = gomp_amp_clock ();
  earlier = 0;
}

void
gomp_up_batch_ends (unsigned workers, const double *slow,
		    const unsigned *first, const double *time,
		    unsigned tick_ns)
{
  double work = 0, slowest;

  if (!is_made () || gomp_thread ()->thread_pool != pool)
    return;
  /* Work is in seconds of the slowest class.  */
  slowest = note_speeds (workers, slow);
  if (slowest == 0)
    return;
  for (unsigned w = 0; w < workers; w++)
    for (unsigned id = first[w]; id < first[w + 1]; id++)
      work += time[id] / slow[w];
  content.work_ns[0] += (uint64_t) (work / slowest * tick_ns);
  content.parallel_ns[0] += earlier + gomp_amp_clock () - began;
}

void
gomp_up_region_ends (const struct gomp_team *team)
{
  struct gomp_thread *thr = gomp_thread ();

  /* The thread has left the region.  */
  if (team->nthreads == 1 || thr != __atomic_load_n (&owner, __ATOMIC_RELAXED)
      || !is_made () || thr->ts.level != 0)
    return;
  content.regions[0]++;
  content.threads[0] = team->nthreads;
  if (gomp_fold_on)
    earlier += gomp_amp_clock () - began;
  write_now_and_then ();
}

void
gomp_up_finish (void)
{
  if (is_made ())
    unlink (path);
}
