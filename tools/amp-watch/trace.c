/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The trace: the last events of each thread.

   A thread stores an event and then HEAD, with release, and the next event not before HEAD, by a
   fence. Another one that reads them loads HEAD, copies the events, loads HEAD again and drops what
   may have been overwritten meanwhile. */
#define _GNU_SOURCE 1
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "watch.h"

/* The most bytes of all threads' events together. */
#define BYTES_MOST (256UL << 20)
#define EVENTS_LEAST 64
#define EVENTS_MOST (1UL << 23)

/* How many events a thread has room for: a power of two. */
static unsigned long room = 32768;
/* How many threads have events; how many have found no room. */
static unsigned long with, without;

void trace_init(void) {
  /* Tests lose events by this. */
  const char *value = getenv("AMP_WATCH_TEST_EVENTS");
  unsigned long most = value != NULL ? strtoul(value, NULL, 10) : 0;
  if (most < EVENTS_LEAST || most > EVENTS_MOST)
    return;
  for (room = EVENTS_LEAST; room * 2 <= most;)
    room *= 2;
}

void trace_make_room(struct thread *me) {
  const unsigned long bytes = room * sizeof *me->event;
  /* Pages that are never written take no memory. */
  if ((with + 1) * bytes <= BYTES_MOST)
    me->event = calloc(1, bytes);
  if (me->event != NULL)
    with++;
  else
    without++;
}

void trace_add(struct thread *me, unsigned kind, uint64_t time, uint64_t a, uint64_t b,
               uint64_t c) {
  const uint64_t head = me->head;
  struct event *event;
  if (me->event == NULL)
    return;
  event = &me->event[head & (room - 1)];
  /* Release the last store of HEAD: a thread that copies what follows has to see that the event
     before is complete, and so that this one overwrites the oldest. */
  __atomic_thread_fence(__ATOMIC_RELEASE);
  WRITE(event->word[0], (time - start.time) << 8 | kind);
  WRITE(event->word[1], a);
  WRITE(event->word[2], b);
  WRITE(event->word[3], c);
  /* Release: the thread that writes the file reads the event. */
  __atomic_store_n(&me->head, head + 1, __ATOMIC_RELEASE);
}

void trace_begin_child(void) {
  for (struct thread *each = threads; each != NULL; each = each->next)
    each->head = 0;
  without = 0;
}

/* The events of a thread that are written. */
struct copy {
  struct event *event;
  uint64_t count, lost, since;
  enum wait wait;
};

struct trace {
  unsigned threads;
  uint64_t now;
  struct copy copy[];
};

/* Copy what THREAD has, which may add to it meanwhile. Returns false if memory is short. */
static bool copy(struct copy *to, const struct thread *thread) {
  uint64_t head = __atomic_load_n(&thread->head, __ATOMIC_ACQUIRE), later;
  to->lost = head > room ? head - room : 0;
  to->since = READ(thread->wait_began);
  to->wait = READ(thread->wait);
  to->event = malloc((head - to->lost + 1) * sizeof *to->event);
  if (to->event == NULL)
    return false;
  for (uint64_t i = to->lost; i < head; i++)
    for (unsigned w = 0; w < 4; w++)
      to->event[i - to->lost].word[w] = READ(thread->event[i & (room - 1)].word[w]);
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  later = READ(thread->head);
  /* The event that its thread writes at the moment is counted in. */
  if (later != head && later + 1 - to->lost > room) {
    uint64_t drop = later + 1 - to->lost - room;
    if (drop > head - to->lost)
      drop = head - to->lost;
    to->lost += drop;
    memmove(to->event, to->event + drop, (head - to->lost) * sizeof *to->event);
  }
  to->count = head - to->lost;
  return true;
}

static void print_sites(FILE *out) {
  static const char *const names[] = {"regions", "loops", "tasks"};
  fputs(",\"sites\":{", out);
  for (unsigned kind = 0; kind < SITE_KINDS; kind++) {
    fprintf(out, "%s\"%s\":[", kind != 0 ? "," : "", names[kind]);
    for (unsigned i = 0; i < sites[kind].count; i++) {
      fputs(i != 0 ? "," : "", out);
      print_site(out, sites[kind].site[i]);
      fputc('}', out);
    }
    fputc(']', out);
  }
  fputc('}', out);
}

static void print_machine(FILE *out) {
  ompx_amp_machine_t machine = {.classes = 1};
  if (runtime.ompx_amp_get_machine != NULL)
    runtime.ompx_amp_get_machine(&machine);
  fprintf(out, ",\"classes\":%u,\"classes_forced\":%s,\"worker_cpus\":[", machine.classes,
          machine.forced ? "true" : "false");
  for (unsigned w = 0; w < machine.workers; w++)
    fprintf(out, "%s%u", w != 0 ? "," : "", machine.worker_cpu[w]);
  fputc(']', out);
}

static void print(FILE *out, const void *data) {
  const struct trace *trace = data;
  struct timespec real;
  clock_gettime(CLOCK_REALTIME, &real);
  fputs("{\"format\":\"libgomp-amp events\",", out);
  print_program(out);
  fprintf(out, ",\"order\":\"%s\",\"began_ns\":%llu,\"now_ns\":%llu,\"threads_without\":%lu",
          __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "little" : "big",
          real.tv_sec * 1000000000ULL + real.tv_nsec - trace->now, (unsigned long long)trace->now,
          without);
  print_machine(out);
  print_sites(out);
  fputs(",\"rings\":[", out);
  for (unsigned i = 0; i < trace->threads; i++) {
    const struct copy *each = &trace->copy[i];
    const uint64_t since = each->since > start.time ? each->since - start.time : 0;
    fprintf(out, "%s{\"events\":%llu,\"lost\":%llu,\"since\":%llu,\"waits_for\":%u}",
            i != 0 ? "," : "", (unsigned long long)each->count, (unsigned long long)each->lost,
            (unsigned long long)since, since != 0 ? each->wait : 0);
  }
  fputs("]}\n", out);
  for (unsigned i = 0; i < trace->threads; i++)
    fwrite(trace->copy[i].event, sizeof(struct event), trace->copy[i].count, out);
}

/* Copy all that there is. Null if memory is short. */
static struct trace *copy_all(void) {
  unsigned count = 0;
  struct trace *trace;
  for (const struct thread *each = threads; each != NULL; each = each->next)
    count++;
  trace = calloc(1, sizeof *trace + count * sizeof trace->copy[0]);
  if (trace == NULL)
    return NULL;
  trace->now = now() - start.time;
  for (const struct thread *each = threads; each != NULL; each = each->next) {
    struct copy *to = &trace->copy[trace->threads];
    if (each->event == NULL)
      continue;
    trace->threads++;
    /* Without memory all of it is lost. */
    if (!copy(to, each))
      to->lost = READ(each->head);
  }
  return trace;
}

void trace_write(void) {
  struct trace *trace = copy_all();
  uint64_t events = 0;
  if (trace == NULL) {
    say("GOMP_AMP_TRACE: out of memory; the trace is lost");
    return;
  }
  for (unsigned i = 0; i < trace->threads; i++)
    events += trace->copy[i].count;
  if (events != 0)
    write_result("trace", "GOMP_AMP_TRACE", trace_name, print, trace);
  for (unsigned i = 0; i < trace->threads; i++)
    free(trace->copy[i].event);
  free(trace);
}
