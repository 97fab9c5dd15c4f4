/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Looks every 20 ms for workers that have not switched and have an id that
   could run.  */

#define _GNU_SOURCE 1
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "fold-kernel.h"
#include "fold-pool.h"
#include "fold-watch.h"

#define LOOK_NS 20000000

/* An id that burns CPU may be busy: it is given so many times as long as one
   that sleeps in the kernel.  */
#define PATIENCE 10

/* After so many looks without a region the watching thread sleeps until there
   is one.  */
#define IDLE_LOOKS 50

/* A team in which more than so many times its ids had to be woken early, with
   some worker that never parked an id in between, is folded no longer.  In a
   long loop each id is woken early once at most, and then the barrier parks ids
   of every worker.  */
#define MOST_RESCUES 2

/* Guards the list of pools.  Who watches holds it while it looks, so that a
   pool stays as long.  */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct gomp_fold_pool *pools;

/* There is a thread that watches.  Under LOCK.  */
static bool watching;

/* 1 while that thread sleeps until a region runs.  */
static int idle;

/* Whether the thread TID sleeps in the kernel.  */

static bool
sleeps (int tid)
{
  char name[64], line[256], *state;
  FILE *file;

  snprintf (name, sizeof name, "/proc/self/task/%d/stat", tid);
  file = fopen (name, "re");
  if (file == NULL)
    return false;
  state = fgets (line, sizeof line, file);
  fclose (file);
  /* What follows the name, which may have any character.  */
  state = state != NULL ? strrchr (line, ')') : NULL;
  return state != NULL && (state[2] == 'S' || state[2] == 'D');
}

/* Look at W, and wake an id early if W seems to be kept from it.  Returns
   whether it did.  */

static bool
look_at_worker (struct gomp_fold_worker *w)
{
  unsigned word = __atomic_load_n (&w->word, __ATOMIC_RELAXED);
  struct gomp_fold_id *holder;

  if (word != w->seen || !(word & GOMP_FOLD_HELD) || (word & GOMP_FOLD_ASLEEP))
    {
      w->seen = word;
      w->same = 0;
      return false;
    }
  w->same++;
  holder = __atomic_load_n (&w->holder, __ATOMIC_RELAXED);
  if (w->same % PATIENCE != 0 && (holder == NULL || !sleeps (holder->tid)))
    return false;
  w->start++;
  return gomp_fold_wake_early (w);
}

/* Whether each worker of TEAM has parked an id since the last fresh start; if
   so, this is one.  */

static bool
all_parked (struct gomp_fold_team *team)
{
  for (unsigned w = 0; w < team->workers; w++)
    if (__atomic_load_n (&team->worker[w].word, __ATOMIC_RELAXED)
	  / GOMP_FOLD_EVENT == team->worker[w].start)
      return false;
  for (unsigned w = 0; w < team->workers; w++)
    team->worker[w].start
      = (__atomic_load_n (&team->worker[w].word, __ATOMIC_RELAXED)
	 / GOMP_FOLD_EVENT);
  return true;
}

/* FOLD's ids wait for each other outside of libgomp again and again: let all of
   them run, wherever the process may.  */

static void
unfold (struct gomp_fold_pool *fold, struct gomp_fold_team *team)
{
  __atomic_store_n (&fold->off, true, __ATOMIC_RELEASE);
  for (unsigned w = 0; w < team->workers; w++)
    gomp_fold_disband (&team->worker[w]);
  for (struct gomp_fold_thread *thread
	 = __atomic_load_n (&fold->threads, __ATOMIC_ACQUIRE);
       thread != NULL; thread = thread->next)
    gomp_fold_unbind_thread (thread->id.tid);
}

/* Returns whether FOLD runs a region.  */

static bool
look_at_pool (struct gomp_fold_pool *fold)
{
  struct gomp_fold_team *team;

  if (!__atomic_load_n (&fold->runs, __ATOMIC_SEQ_CST) || fold->off)
    return false;
  team = __atomic_load_n (&fold->team, __ATOMIC_ACQUIRE);
  if (team == NULL)
    return true;
  if (all_parked (team))
    fold->rescues = 0;
  for (unsigned w = 0; w < team->workers; w++)
    fold->rescues += look_at_worker (&team->worker[w]);
  if (fold->rescues > MOST_RESCUES * team->ids)
    unfold (fold, team);
  return true;
}

/* Returns whether any region runs.  */

static bool
look (void)
{
  bool any = false;

  pthread_mutex_lock (&lock);
  for (struct gomp_fold_pool *fold = pools; fold != NULL; fold = fold->next)
    any |= look_at_pool (fold);
  pthread_mutex_unlock (&lock);
  return any;
}

static void *
watch (void *arg __attribute__ ((unused)))
{
  struct timespec pause = { 0, LOOK_NS };
  unsigned without = 0;

  for (;;)
    {
      nanosleep (&pause, NULL);
      without = look () ? 0 : without + 1;
      if (without < IDLE_LOOKS)
	continue;
      /* Sequentially consistent, as in gomp_fold_region: either we see the
         region or it sees that we are idle.  */
      __atomic_store_n (&idle, 1, __ATOMIC_SEQ_CST);
      if (!look ())
	gomp_fold_sleep (&idle, 1);
      __atomic_store_n (&idle, 0, __ATOMIC_SEQ_CST);
      without = 0;
    }
  return NULL;
}

/* The child of a fork has neither that thread nor the pools' threads.  */

static void
forget (void)
{
  pthread_mutex_init (&lock, NULL);
  pools = NULL;
  watching = false;
  idle = 0;
}

static void
start_watching (void)
{
  pthread_attr_t attr;
  pthread_t thread;
  sigset_t all, old;
  static bool registered;

  if (!registered)
    registered = pthread_atfork (NULL, NULL, forget) == 0;
  pthread_attr_init (&attr);
  pthread_attr_setdetachstate (&attr, PTHREAD_CREATE_DETACHED);
  /* The program's signals are not for this thread.  */
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &old);
  watching = pthread_create (&thread, &attr, watch, NULL) == 0;
  pthread_sigmask (SIG_SETMASK, &old, NULL);
  pthread_attr_destroy (&attr);
}

void
gomp_fold_watch (struct gomp_fold_pool *fold)
{
  pthread_mutex_lock (&lock);
  fold->next = pools;
  pools = fold;
  if (!watching)
    start_watching ();
  /* Without a watch a program that spins on memory could hang.  */
  fold->off = !watching;
  pthread_mutex_unlock (&lock);
}

void
gomp_fold_unwatch (struct gomp_fold_pool *fold)
{
  pthread_mutex_lock (&lock);
  for (struct gomp_fold_pool **link = &pools; *link != NULL;
       link = &(*link)->next)
    if (*link == fold)
      {
	*link = fold->next;
	break;
      }
  pthread_mutex_unlock (&lock);
}

void
gomp_fold_region (struct gomp_fold_pool *fold, bool runs)
{
  __atomic_store_n (&fold->runs, runs, __ATOMIC_SEQ_CST);
  if (runs && __atomic_load_n (&idle, __ATOMIC_SEQ_CST))
    {
      __atomic_store_n (&idle, 0, __ATOMIC_SEQ_CST);
      gomp_fold_wake (&idle);
    }
}
