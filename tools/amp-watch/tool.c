/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tool's start and end, and what is common to the report and the trace. */
#define _GNU_SOURCE 1
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "callbacks.h"
#include "watch.h"

struct runtime runtime;
const char *runtime_name;
const char *report_name, *trace_name;
ompx_amp_start_t start;
const char *directory;
bool forked;
struct thread *threads;
struct region *regions;
unsigned generation;

/* The process that records. Nothing is known of a child that no handler of forks has seen. */
static int process;
static unsigned thread_count;
static volatile sig_atomic_t asked;

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

void take_lock(void) { pthread_mutex_lock(&lock); }
void release_lock(void) { pthread_mutex_unlock(&lock); }

void hold_signals(sigset_t *before) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, before);
}

void drop_signals(const sigset_t *before) { pthread_sigmask(SIG_SETMASK, before, NULL); }

void *allocate(size_t size) {
  sigset_t before;
  void *memory;
  hold_signals(&before);
  memory = calloc(1, size);
  drop_signals(&before);
  return memory;
}

void release(void *memory) {
  sigset_t before;
  hold_signals(&before);
  free(memory);
  drop_signals(&before);
}

uint64_t now(void) {
  struct timespec time;
  if (runtime.ompx_amp_get_time != NULL)
    return runtime.ompx_amp_get_time();
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000ULL + time.tv_nsec;
}

void say(const char *format, ...) {
  char text[1024];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  if (runtime.ompx_amp_print_message != NULL)
    runtime.ompx_amp_print_message(text);
  else
    fprintf(stderr, "libamp-watch: %s\n", text);
}

unsigned class_of_thread(void) {
  const int class = runtime.ompx_amp_get_class != NULL ? runtime.ompx_amp_get_class() : 0;
  return class < 0 ? 0 : class < CLASSES ? class : CLASSES - 1;
}

/* Threads. */

static struct thread *make_thread(void) {
  struct thread *thread;
  if (thread_count == THREADS_MOST || posix_memalign((void **)&thread, 64, sizeof *thread) != 0)
    return NULL;
  memset(thread, 0, sizeof *thread);
  thread->number = thread_count++;
  if (trace_name != NULL)
    trace_make_room(thread);
  thread->next = threads;
  /* Release: a signal handler may write the files. */
  __atomic_store_n(&threads, thread, __ATOMIC_RELEASE);
  return thread;
}

struct thread *begin_thread(void) {
  struct thread *thread;
  sigset_t before;
  hold_signals(&before);
  take_lock();
  for (thread = threads; thread != NULL; thread = thread->next)
    if (!thread->used)
      break;
  if (thread == NULL)
    thread = make_thread();
  if (thread != NULL)
    thread->used = true;
  else
    report_lost++;
  release_lock();
  drop_signals(&before);
  return thread;
}

void end_thread(struct thread *me) {
  me->slices = me->tasks = 0;
  me->last = NULL;
  WRITE(me->wait_began, 0);
  if (trace_name != NULL && me->head != 0)
    trace_add(me, THREAD_ENDS, now(), 0, 0, 0);
  take_lock();
  me->used = false;
  release_lock();
}

/* Regions. */

static struct region *make_region(unsigned ids) {
  struct region *region = NULL;
  sigset_t before;
  hold_signals(&before);
  if (posix_memalign((void **)&region, 64, sizeof *region + ids * sizeof region->id[0]) == 0) {
    region->room = ids;
    region->next = regions;
    __atomic_store_n(&regions, region, __ATOMIC_RELEASE);
  }
  drop_signals(&before);
  return region;
}

struct region *begin_region(unsigned ids) {
  static uint64_t serial;
  struct region *region;
  take_lock();
  for (region = regions; region != NULL; region = region->next)
    if (!region->active && region->room >= ids)
      break;
  if (region == NULL)
    region = make_region(ids);
  if (region != NULL) {
    memset(region->id, 0, ids * sizeof region->id[0]);
    region->serial = ids > 1 ? serial++ : 0;
    region->ids = ids;
    region->generation = generation;
    region->active = true;
  } else
    report_lost++;
  release_lock();
  return region;
}

/* The files. */

static void write_all(void) {
  int state;
  if (getpid() != process)
    return;
  /* A thread that is cancelled while it writes would keep the lock. */
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
  take_lock();
  if (report_name != NULL)
    report_write();
  if (trace_name != NULL)
    trace_write();
  release_lock();
  pthread_setcancelstate(state, NULL);
}

void write_if_asked(void) {
  if (__builtin_expect(!asked, 1))
    return;
  asked = 0;
  write_all();
}

static void ask(int signal __attribute__((unused))) { asked = 1; }

/* The calling thread is the only one of a forked child, which has done nothing yet. */
static void begin_child(void) {
  static const pthread_mutex_t free_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
  const ompt_data_t *data = runtime.ompt_get_thread_data();
  const struct thread *me = data != NULL ? data->ptr : NULL;
  struct region **link = &regions;
  memcpy(&lock, &free_lock, sizeof lock);
  process = getpid();
  forked = true;
  generation++;
  for (struct thread *thread = threads; thread != NULL; thread = thread->next)
    thread->used = thread == me;
  /* Regions that the parent has begun are not the child's. Their threads here still use what is
     kept of them, so that no other region must. */
  while (*link != NULL)
    if ((*link)->active) {
      (*link)->active = false;
      *link = (*link)->next;
    } else
      link = &(*link)->next;
  report_begin_child();
  if (trace_name != NULL)
    trace_begin_child();
  asked = 0;
}

/* Whether the runtime is one that may end the process without a word to its tool: LLVM's, if a
   thread calls exit in a region. */
static bool open_ended;

/* The value of VARIABLE, unless that is blank. */
static const char *name_of_file(const char *variable) {
  const char *value = secure_getenv(variable);
  return value != NULL && value[strspn(value, " \t")] != '\0' ? value : NULL;
}

/* Another runtime than ours loads the tool now. */
static void __attribute__((constructor)) note_start(void) {
  start.time = now();
  start.process = getpid();
  start.report = name_of_file("GOMP_AMP_REPORT");
  start.trace = name_of_file("GOMP_AMP_TRACE");
}

static int initialize(ompt_function_lookup_t look_up, int device __attribute__((unused)),
                      ompt_data_t *data __attribute__((unused))) {
  struct sigaction action = {.sa_handler = ask, .sa_flags = SA_RESTART}, old;
#define ENTRY(name) runtime.name = (name##_t)look_up(#name);
  RUNTIME_ENTRIES(ENTRY)
#undef ENTRY
  process = getpid();
  if (runtime.ompx_amp_get_start != NULL)
    runtime.ompx_amp_get_start(&start);
  else
    directory = getcwd(NULL, 0);
  report_name = start.report;
  trace_name = start.trace;
  if (report_name == NULL && trace_name == NULL)
    return 0;
  forked = start.process != process;
  report_init();
  if (trace_name != NULL)
    trace_init();
  pthread_atfork(NULL, NULL, begin_child);
  /* A program that has the signal for itself keeps it. */
  if (sigaction(SIGUSR1, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
    sigaction(SIGUSR1, &action, NULL);
  set_callbacks();
  open_ended = runtime.ompx_amp_get_start == NULL;
  return 1;
}

static void finalize(ompt_data_t *data __attribute__((unused))) {
  open_ended = false;
  write_all();
}

static void __attribute__((destructor)) note_end(void) {
  if (open_ended)
    write_all();
}

__attribute__((visibility("default"))) ompt_start_tool_result_t *
ompt_start_tool(unsigned version __attribute__((unused)), const char *name) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  runtime_name = strdup(name);
  return &result;
}
