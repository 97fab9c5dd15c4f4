/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a command and counts events of PAPI meanwhile on chosen CPUs, whatever
   runs there.  Writes FILE as `perf stat -x, -A` does, a line for each CPU and
   event; an event that a CPU does not have is left out.

   usage: papi-count FILE CPU,... EVENT,... COMMAND [ARGUMENT]...  */

#include <errno.h>
#include <papi.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define MOST_CPUS 1024
#define MOST_EVENTS 16

extern char **environ;

struct counted
{
  unsigned cpu;
  int set;
  unsigned count;
  const char *events[MOST_EVENTS];
};

static struct counted counted[MOST_CPUS];

static void
stop (const char *what, const char *which, int error)
{
  fprintf (stderr, "papi-count: %s%s%s%s\n", what, which,
	   error != PAPI_OK ? ": " : "",
	   error != PAPI_OK ? PAPI_strerror (error) : "");
  exit (2);
}

/* Make C's event set, of those of the N EVENTS that its CPU has.  */

static void
make_set (struct counted *c, char *const *events, unsigned n, const char *cpu)
{
  PAPI_option_t option;
  int error;

  c->set = PAPI_NULL;
  memset (&option, 0, sizeof option);
  error = PAPI_create_eventset (&c->set);
  if (error == PAPI_OK)
    error = PAPI_assign_eventset_component (c->set, 0);
  option.cpu.eventset = c->set;
  option.cpu.cpu_num = c->cpu;
  if (error == PAPI_OK)
    error = PAPI_set_opt (PAPI_CPU_ATTACH, &option);
  if (error != PAPI_OK)
    stop ("it can't count on CPU ", cpu, error);
  for (unsigned i = 0; i < n; i++)
    if (PAPI_add_named_event (c->set, events[i]) == PAPI_OK)
      c->events[c->count++] = events[i];
  if (c->count == 0)
    stop ("PAPI has none of the events on CPU ", cpu, PAPI_OK);
}

int
main (int argc, char **argv)
{
  char *events[MOST_EVENTS];
  unsigned n_events = 0, n_cpus = 0;
  int version, status, error;
  pid_t child;
  FILE *file;

  if (argc < 5)
    stop ("usage: papi-count FILE CPU,... EVENT,... COMMAND [ARGUMENT]...", "",
	  PAPI_OK);
  version = PAPI_library_init (PAPI_VER_CURRENT);
  if (version != PAPI_VER_CURRENT)
    stop ("PAPI can't be initialized", "", version < 0 ? version : PAPI_OK);
  for (char *name = strtok (argv[3], ","); name != NULL && n_events < MOST_EVENTS;
       name = strtok (NULL, ","))
    events[n_events++] = name;
  for (char *cpu = strtok (argv[2], ","); cpu != NULL && n_cpus < MOST_CPUS;
       cpu = strtok (NULL, ","))
    {
      counted[n_cpus].cpu = strtoul (cpu, NULL, 10);
      make_set (&counted[n_cpus++], events, n_events, cpu);
    }
  file = fopen (argv[1], "w");
  if (file == NULL)
    stop (argv[1], ": can't be written", PAPI_OK);

  for (unsigned i = 0; i < n_cpus; i++)
    if ((error = PAPI_start (counted[i].set)) != PAPI_OK)
      stop ("it can't start", "", error);
  if ((error = posix_spawnp (&child, argv[4], NULL, NULL, argv + 4, environ)) != 0)
    stop (argv[4], strerror (error), PAPI_OK);
  while (waitpid (child, &status, 0) < 0 && errno == EINTR)
    ;
  for (unsigned i = 0; i < n_cpus; i++)
    {
      struct counted *c = &counted[i];
      long long values[MOST_EVENTS];

      if (PAPI_stop (c->set, values) != PAPI_OK)
	continue;
      for (unsigned j = 0; j < c->count; j++)
	fprintf (file, "CPU%u,%lld,,%s\n", c->cpu, values[j], c->events[j]);
    }
  if (fclose (file) != 0)
    stop (argv[1], ": can't be written", PAPI_OK);
  return WIFEXITED (status) ? WEXITSTATUS (status) : 128 + WTERMSIG (status);
}
