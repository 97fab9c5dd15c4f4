/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libamp-watch.so: a tool (OMPT) that records what an OpenMP program does, for GOMP_AMP_REPORT and
   GOMP_AMP_TRACE. docs/design/watch-format.md says what it writes. The terms:

     region    one execution of a parallel region by a team.
     id        a thread number of the team.
     place     what has a core of its own: a worker if the team is folded, else a thread.
     useful    of an id: the time in the region, less that in which it waited in the library.
     slice     what one thread did in one execution of a loop.
     site      a region, loop or task construct in the program's code, by an address.

   A thread's record has its slices, waits and events; only that thread writes it. A region's record
   has its ids; the thread that ends the region adds them to the site's sums, under the lock.
   Records are reused and never freed: once a program has run its regions nothing here allocates, so
   that a signal handler may fork or exit at any moment.

   Memory is bounded. Sites and regions without room are counted in sums without a site. */
#ifndef AMP_WATCH_H
#define AMP_WATCH_H 1

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "omp-tools.h"
#include "ompx-amp-tools.h"

/* A class above counts as the last one. */
#define CLASSES 8
/* The most sites of a kind. */
#define SITES 1024
/* The most threads at a time. */
#define THREADS_MOST 4096

/* The entry points of the runtime. Those of our own are null under another one. */
#define RUNTIME_ENTRIES(ENTRY)                                                                     \
  ENTRY(ompt_set_callback)                                                                         \
  ENTRY(ompt_get_thread_data)                                                                      \
  ENTRY(ompt_get_parallel_info)                                                                    \
  ENTRY(ompx_amp_get_time)                                                                         \
  ENTRY(ompx_amp_get_start)                                                                        \
  ENTRY(ompx_amp_print_message)                                                                    \
  ENTRY(ompx_amp_get_machine)                                                                      \
  ENTRY(ompx_amp_get_class_of_cpu)                                                                 \
  ENTRY(ompx_amp_get_class)                                                                        \
  ENTRY(ompx_amp_get_region)                                                                       \
  ENTRY(ompx_amp_get_worker)                                                                       \
  ENTRY(ompx_amp_get_loop)
struct runtime {
#define ENTRY(name) name##_t name;
  RUNTIME_ENTRIES(ENTRY)
#undef ENTRY
};
extern struct runtime runtime;
/* How it names itself. */
extern const char *runtime_name;

/* The files that were asked for, or null. */
extern const char *report_name, *trace_name;

/* When the library was loaded. DIRECTORY: where names of files begin, or null. FORKED: the process
   is a child of the one that loaded it. */
extern ompx_amp_start_t start;
extern const char *directory;
extern bool forked;

/* Nanoseconds. */
extern uint64_t now(void);

/* Guards the lists of threads, regions and sites, and the sums of regions. Its holder may take it
   again, in a signal handler. */
extern void take_lock(void);
extern void release_lock(void);

/* No handler of a signal runs in the calling thread until drop_signals: one that interrupted malloc
   and forked would wait for malloc's lock, which the program's own regions may never take. */
extern void hold_signals(sigset_t *before);
extern void drop_signals(const sigset_t *before);

/* SIZE bytes, all zero, taken without a signal. Null if memory is short. */
extern void *allocate(size_t size);
extern void release(void *memory);

extern void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Sites. */

enum site_kind { REGION, LOOP, TASK, SITE_KINDS };

/* Constant. */
struct site {
  unsigned number;
  /* module+0xoffset, or null; the module's file; and the address in it. */
  char *name, *module;
  uintptr_t address;
};

/* By kind. */
struct sites {
  struct site *site[SITES];
  unsigned count;
};
extern struct sites sites[SITE_KINDS];

/* The site at ADDRESS, or null if there is no room. CHECK: a module may have been unloaded, and
   another one loaded at its place, since it was asked for last. */
extern struct site *find_site(enum site_kind kind, const void *address, bool check);

/* Records. */

/* Sums over slices of threads of a class, or over ids. VALUE is the time of an iteration, or of an
   id, of which there are TIMED. COUNTED_NS: the time of the slices whose iterations are known. */
struct class_sums {
  uint64_t slices, iterations, ns, counted_ns, timed;
  double value, square;
};

/* By ompx_amp_ran_t; the last one is for another library, which does not say. */
enum {
#define RAN(key, text) RAN_##key,
#include "amp_watch/words.def"
  RAN_COUNT
};

/* A thread's sums of a loop. As id 0 it also counts executions: their number, the sum of their trip
   counts, the least and the most, their RANs, and their reasons. */
struct loop_sums {
  uint64_t invocations, trips, least, most;
  uint64_t ran[RAN_COUNT];
  unsigned char why[RAN_COUNT];
  struct class_sums classes[CLASSES];
};

/* An id of a region. */
struct id {
  /* When it began and ended, or 0. USEFUL may grow after that by tasks that its thread runs in the
     last barrier. */
  uint64_t began, ended, useful, elsewhere;
  /* The waits of its thread when it began. */
  uint64_t waited_before, elsewhere_before;
  /* The LAST of its thread before. */
  struct id *outer;
  unsigned place;
  unsigned char class;
} __attribute__((aligned(64)));

/* One region. */
struct region {
  struct region *next;
  /* It has begun and not ended, in this process. */
  bool active;
  unsigned generation, ids, room, level;
  uint64_t serial, began;
  const void *call, *function;
  struct site *site;
  struct id id[];
};

enum wait {
#define WAIT(key, text) WAIT_##key,
#include "amp_watch/words.def"
  NO_WAIT
};

/* A slice of a loop, or a task, that a thread has begun. */
struct slice {
  const ompt_data_t *task;
  const void *address;
  uint64_t began, trips;
};

struct task {
  enum wait wait;
  uint64_t began, waited;
  struct id *last;
};

/* An event of the trace. */
struct event {
  uint64_t word[4];
};

/* A thread. Another one takes it over when it has ended. */
struct thread {
  struct thread *next;
  bool used;
  unsigned number;
  /* How long it has waited so far, and how much of that was not at a barrier. */
  uint64_t waited, elsewhere;
  /* Since when it waits, or 0, and for what. */
  uint64_t wait_began;
  enum wait wait;
  /* The id in whose last barrier it is. */
  struct id *last;
  /* Those that it has begun and not ended. */
  struct slice *slice;
  struct task *task;
  unsigned slices, tasks, slice_room, task_room;
  /* By the number of the loop's site; the last one is for loops without a site. */
  struct loop_sums *loop[SITES + 1];
  /* The last events, and how many there were: the trace's. */
  struct event *event;
  uint64_t head __attribute__((aligned(64)));
};
extern struct thread *threads;
extern struct region *regions;
/* The number of forks that led to this process. */
extern unsigned generation;

/* Only its own thread writes X, and others read it at the end. */
#define READ(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE(x, value) __atomic_store_n(&(x), (value), __ATOMIC_RELAXED)
#define ADD(x, more) WRITE(x, (x) + (more))

/* The report. LOST: threads, regions and slices that found no room. */
extern uint64_t report_lost;
extern void report_init(void);
extern void report_begin_child(void);
extern void report_end_region(struct region *region, const ompx_amp_region_t *told, uint64_t ended);
extern void report_slice(struct thread *me, struct site *site, unsigned number,
                         const ompx_amp_loop_t *loop, unsigned ran, uint64_t trips, uint64_t ns);
extern void report_write(void);

/* The class of the calling thread's core, or the last one that is told apart. */
extern unsigned class_of_thread(void);

/* The trace. The kinds of events, as docs/design/watch-format.md has them. */
enum event_kind {
#define EVENT(key, text, words) key,
#include "amp_watch/words.def"
  EVENT_KINDS
};
#define NO_WORKER 0xffffU
#define NO_SITE 0xffffU

extern void trace_init(void);
/* A new thread has no room for events yet. */
extern void trace_make_room(struct thread *me);
extern void trace_add(struct thread *me, unsigned kind, uint64_t time, uint64_t a, uint64_t b,
                      uint64_t c);
extern void trace_begin_child(void);
extern void trace_write(void);

/* Files. */

/* Print TEXT as a string of JSON, or null. */
extern void print_string(FILE *out, const char *text);
extern void print_site(FILE *out, const struct site *site);
extern void print_program(FILE *out);

/* Write WHAT, which PRINT prints, to the file that VALUE, of VARIABLE, names. A failure is
   reported. */
extern void write_result(const char *what, const char *variable, const char *value,
                         void (*print)(FILE *, const void *), const void *data);

#endif
