/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* OMPT: finds a tool, starts and ends it.

   Whether there may be a tool is decided when the library is loaded.  It is
   started at the first event: the constructors of the program and of
   preloaded libraries, which the tool may need, have run by then.  */

#define _GNU_SOURCE 1
#include "libgomp.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "base/exit.h"
#include "base/fork-lock.h"
#include "base/message.h"
#include "base/version.h"
#include "machine/affinity.h"
#include "ompt/ompt-data.h"
#include "ompt/ompt-options.h"
#include "options/options.h"

/* OpenMP's version whose chapter on tools omp-tools.h follows.  */
#define OMPT_VERSION 202111

#define STRING_OF(x) #x
#define STRING(x) STRING_OF (x)

typedef ompt_start_tool_result_t *(*start_fn) (unsigned, const char *);

/* Undefined here: the linker then exports a definition in the program, which
   the loader finds as it finds one in a library.  */
#pragma GCC visibility push(default)
extern ompt_start_tool_result_t *ompt_start_tool (unsigned, const char *)
  __attribute__ ((weak));
#pragma GCC visibility pop

bool gomp_ompt_on;
struct gomp_ompt_call gomp_ompt_call;
struct gomp_ompt_options gomp_ompt_options;

/* UNTRIED and STARTING: under GOMP_AMP_LOCK_TOOL.  RUNS and ENDED: then under
   GOMP_AMP_LOCK_FINISH.  */
static enum
{
  UNTRIED,
  STARTING,
  RUNS,
  ENDED
} state;

static ompt_start_tool_result_t *tool;
static bool tool_is_own;
/* The process in which it was started.  */
static pid_t process;

/* Where OMP_TOOL_VERBOSE_INIT wants to know how a tool is found, or NULL.  */
static FILE *verbose;

void
gomp_ompt_init (void)
{
  struct gomp_ompt_options *options = &gomp_ompt_options;
  const char *value = secure_getenv ("OMP_TOOL");

  if (value != NULL && strcasecmp (value, "disabled") == 0)
    options->disabled = true;
  else if (value != NULL && strcasecmp (value, "enabled") != 0)
    gomp_amp_value_error ("OMP_TOOL", value, NULL, "enabled or disabled",
			  "using enabled");
  options->libraries = secure_getenv ("OMP_TOOL_LIBRARIES");
  options->verbose = secure_getenv ("OMP_TOOL_VERBOSE_INIT");
  if (options->verbose != NULL
      && (options->verbose[0] == '\0'
	  || strcasecmp (options->verbose, "disabled") == 0))
    options->verbose = NULL;
  options->own = (gomp_amp_options.report != NULL
		  || gomp_amp_options.trace != NULL);
  if (options->disabled && options->own)
    gomp_error ("OMP_TOOL is disabled, and so are GOMP_AMP_REPORT and"
		" GOMP_AMP_TRACE: nothing is written");
  if (options->disabled
      || ((options->libraries == NULL || options->libraries[0] == '\0')
	  && ompt_start_tool == NULL && !options->own))
    return;
  if (options->own)
    {
      gomp_amp_hold_exit ();
      __atomic_store_n (&gomp_amp_classes_wanted, true, MEMMODEL_RELAXED);
    }
  gomp_ompt_note_load ();
  gomp_ompt_on = true;
}

void
gomp_ompt_display (FILE *stream)
{
  const struct gomp_ompt_options *options = &gomp_ompt_options;

  fprintf (stream, "  [host] OMP_TOOL = '%s'\n",
	   options->disabled ? "DISABLED" : "ENABLED");
  fprintf (stream, "  [host] OMP_TOOL_LIBRARIES = '%s'\n",
	   options->libraries != NULL ? options->libraries : "");
  fprintf (stream, "  [host] OMP_TOOL_VERBOSE_INIT = '%s'\n",
	   options->verbose != NULL ? options->verbose : "DISABLED");
}

/* Print a line if OMP_TOOL_VERBOSE_INIT asks for it.  */

static void __attribute__ ((format (printf, 1, 2)))
say (const char *format, ...)
{
  va_list list;

  if (verbose == NULL)
    return;
  fputs ("libgomp: tool: ", verbose);
  va_start (list, format);
  vfprintf (verbose, format, list);
  va_end (list);
  fputc ('\n', verbose);
}

static void
open_verbose (void)
{
  const char *name = gomp_ompt_options.verbose;

  if (name == NULL)
    return;
  if (strcasecmp (name, "stdout") == 0)
    verbose = stdout;
  else if (strcasecmp (name, "stderr") == 0)
    verbose = gomp_amp_keeps_stderr () ? stderr : NULL;
  else
    verbose = fopen (name, "w");
  if (verbose == NULL)
    gomp_error ("OMP_TOOL_VERBOSE_INIT: '%s' cannot be written", name);
}

static void
close_verbose (void)
{
  if (verbose != NULL && verbose != stdout && verbose != stderr)
    fclose (verbose);
  verbose = NULL;
}

/* Ask START, which is of NAME.  */

static bool
ask (start_fn start, const char *name)
{
  tool = start (OMPT_VERSION,
		"libgomp-amp " STRING (GOMP_AMP_MAJOR) "." STRING
		(GOMP_AMP_MINOR) "." STRING (GOMP_AMP_PATCH));
  say ("ompt_start_tool of %s %s", name,
       tool != NULL ? "has a tool" : "has no tool for this runtime");
  return tool != NULL;
}

/* Whether the file NAME is a pipe: dlopen would wait for its other end.  */

static bool
is_pipe (const char *name)
{
  int file = (strchr (name, '/') != NULL
	      ? open (name, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1);
  bool result = file >= 0 && lseek (file, 0, SEEK_CUR) < 0;

  if (file >= 0)
    close (file);
  return result;
}

/* Look for a tool in the library NAME, which the user has named.  */

static bool
ask_library (const char *name)
{
  void *library;
  start_fn start;

  if (is_pipe (name))
    {
      gomp_error ("OMP_TOOL_LIBRARIES: '%s': expected a library, not a pipe;"
		  " ignoring it", name);
      return false;
    }
  library = dlopen (name, RTLD_LAZY);
  if (library == NULL)
    {
      gomp_error ("OMP_TOOL_LIBRARIES: '%s': %s; ignoring it", name,
		  dlerror ());
      return false;
    }
  start = (start_fn) dlsym (library, "ompt_start_tool");
  if (start == NULL)
    gomp_error ("OMP_TOOL_LIBRARIES: '%s': expected a library that defines"
		" ompt_start_tool; ignoring it", name);
  else if (ask (start, name))
    {
      const char *slash = strrchr (name, '/');

      tool_is_own = strcmp (slash != NULL ? slash + 1 : name,
			    "libamp-watch.so") == 0;
      return true;
    }
  dlclose (library);
  return false;
}

/* Find TOOL: first what the process has, then what the user has named.  */

static bool
find_users (void)
{
  char *names, *rest, *name;
  bool found = false;

  if (ompt_start_tool == NULL)
    say ("the process does not define ompt_start_tool");
  else if (ask (ompt_start_tool, "the process"))
    return true;
  if (gomp_ompt_options.libraries == NULL)
    return false;
  names = rest = strdup (gomp_ompt_options.libraries);
  while (!found && (name = strsep (&rest, ":")) != NULL)
    found = name[0] != '\0' && ask_library (name);
  free (names);
  return found;
}

/* Our own tool, which is beside the library, or beside the file that this is a
   link to.  The lab's library is in a directory below that.  */
#ifdef GOMP_AMP_VIRTUAL
# define OWN_TOOL "../libamp-watch.so"
#else
# define OWN_TOOL "libamp-watch.so"
#endif

static bool
ask_own (void)
{
  char *real = NULL, *name = NULL;
  const char *directory = NULL, *slash;
  void *library = NULL;
  start_fn start = NULL;
  int length;
  Dl_info info;

  if (dladdr (&gomp_ompt_on, &info) != 0)
    directory = info.dli_fname;
  for (int i = 0; library == NULL && directory != NULL && i < 2; i++)
    {
      slash = strrchr (directory, '/');
      free (name);
      length = slash != NULL ? slash + 1 - directory : 0;
      if (asprintf (&name, "%.*s" OWN_TOOL, length, directory) < 0)
	name = NULL;
      library = name != NULL ? dlopen (name, RTLD_NOW) : NULL;
      if (library == NULL)
	directory = real = real == NULL ? realpath (directory, NULL) : real;
    }
  if (library != NULL)
    start = (start_fn) dlsym (library, "ompt_start_tool");
  else
    gomp_error ("GOMP_AMP_REPORT and GOMP_AMP_TRACE need a tool: %s; nothing"
		" is written", dlerror ());
  free (real);
  tool_is_own = start != NULL && ask (start, OWN_TOOL);
  free (name);
  return tool_is_own;
}

static bool
find (void)
{
  const struct gomp_ompt_options *options = &gomp_ompt_options;

  if (!find_users ())
    return options->own && ask_own ();
  /* OpenMP has one tool in a process.  */
  if (options->own && !tool_is_own)
    gomp_error ("A tool watches the program, and so GOMP_AMP_REPORT and"
		" GOMP_AMP_TRACE do not: nothing is written");
  return true;
}

void
gomp_ompt_finalize (void)
{
  struct gomp_ompt_thread *me = gomp_ompt_self;
  bool ends;

  /* Acquire TOOL.  A tool that is being started is not ended.  */
  if (__atomic_load_n (&state, MEMMODEL_ACQUIRE) != RUNS)
    return;
  /* Else the thread is in the middle of what it does.  */
  if (gomp_ompt_on && me != NULL && me->task == &me->initial_task)
    gomp_ompt_end_thread (me);
  /* Another thread that ends the process waits.  */
  gomp_amp_acquire (GOMP_AMP_LOCK_FINISH);
  ends = state == RUNS;
  if (ends)
    {
      state = ENDED;
      gomp_ompt_on = false;
      if (tool->finalize != NULL)
	tool->finalize (&tool->tool_data);
    }
  gomp_amp_release (GOMP_AMP_LOCK_FINISH);
}

/* The process ends.  */

static void
finish (void)
{
  struct gomp_ompt_thread *me = gomp_ompt_self;

  /* Threads of the pool may not have come to the end of their last region, and
     the tool is to see them end.  A child has none of its parent's threads.  */
  if (gomp_ompt_on && me != NULL && me->task == &me->initial_task
      && getpid () == process)
    gomp_pause_host ();
  gomp_ompt_finalize ();
}

/* Start the tool, if there is one.  */

static void
start_tool (void)
{
  GOMP_AMP_ASSERT (gomp_amp_holds_lock (GOMP_AMP_LOCK_TOOL)
		   && state == STARTING);
  open_verbose ();
  if (find ())
    {
      bool stays = tool->initialize (gomp_ompt_look_up,
				     omp_get_initial_device (),
				     &tool->tool_data) != 0;

      say (stays ? "it has been initialized" : "it does not want to run");
      if (stays)
	{
	  process = getpid ();
	  __atomic_store_n (&state, RUNS, MEMMODEL_RELEASE);
	  /* Before the destructors of libraries that were loaded before.  Our
	     own needs no threads to end, and records what destructors do.  */
	  if (!tool_is_own)
	    {
	      gomp_amp_hold_exit ();
	      atexit (finish);
	    }
	}
    }
  else
    say ("there is none");
  if (state != RUNS)
    {
      gomp_ompt_on = false;
      state = ENDED;
      tool = NULL;
    }
  close_verbose ();
}

bool
gomp_ompt_start (void)
{
  bool runs;

  gomp_amp_acquire (GOMP_AMP_LOCK_TOOL);
  if (state == UNTRIED && gomp_ompt_on)
    {
      state = STARTING;
      start_tool ();
    }
  /* The calling thread has the lock again if the tool's own start uses
     OpenMP.  */
  runs = state == RUNS;
  gomp_amp_release (GOMP_AMP_LOCK_TOOL);
  return runs;
}

int
gomp_ompt_control (int command, int modifier, void *argument,
		   const void *address)
{
  /* omp_control_tool_notool and omp_control_tool_nocallback.  */
  if (!gomp_ompt_on || gomp_ompt_thread () == NULL)
    return -2;
  if (gomp_ompt_call.control_tool == NULL)
    return -1;
  return gomp_ompt_call.control_tool (command, modifier, argument, address);
}
