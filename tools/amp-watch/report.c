/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report: sums by site, of regions over their ids, of loops over threads. */
#define _GNU_SOURCE 1
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "watch.h"

/* The most bytes for what threads did in loops. */
#define BYTES_MOST (32UL << 20)
/* The most ids of a region that are shown one by one. */
#define PICTURED_MOST 32

enum {
#define WAY(key, text) WAY_##key,
#include "amp_watch/words.def"
  WAYS
};

/* The numbers of words are those of the library. */
enum { ompx_amp_ran_loop = ompx_amp_ran_timed_chunks + 1 };
#define RAN(key, text) _Static_assert((int)RAN_##key == (int)ompx_amp_ran_##key, #key);
#define WAY(key, text) _Static_assert((int)WAY_##key == (int)ompx_amp_way_##key, #key);
#include "amp_watch/words.def"

/* An id of the longest execution of a region, for a picture of it. */
struct pictured {
  uint64_t began, ended, useful;
  unsigned place;
  unsigned char class;
};

/* Sums over the executions of a region. */
struct region_sums {
  uint64_t invocations, nested, way[WAYS];
  unsigned least, most, places;
  /* Times, summed over executions; over places too but for ELAPSED, EVEN and FOLDED. EVEN: what
     folded executions would have taken if each place had run as many ids; FOLDED: what they took.
   */
  uint64_t elapsed, capacity, useful, imbalance, scheduling, elsewhere, even, folded;
  /* By class: CAPACITY, of the places that are of this class. */
  uint64_t class_capacity[CLASSES];
  struct class_sums classes[CLASSES];
  /* Why the kernel folded it, or it was not folded, last; constant texts. */
  const char *why_key, *why_what, *why_text, *why_name;
  /* The longest execution. */
  uint64_t longest;
  unsigned pictured;
  struct pictured picture[PICTURED_MOST];
};

uint64_t report_lost;

/* Of all regions that were not nested; and of those that found no room. */
static struct region_sums all, other;
/* By the number of the site. */
static struct region_sums *sums[SITES];
static unsigned long bytes;
static uint64_t began;

void report_init(void) { began = start.time; }

/* Regions. */

static void add_id(struct region_sums *sums, const struct id *id) {
  struct class_sums *class = &sums->classes[id->class];
  const double value = id->useful;
  class->slices++;
  class->ns += id->useful;
  class->timed++;
  class->value += value;
  class->square += value * value;
  sums->elsewhere += id->elsewhere;
}

static void take_picture(struct region_sums *sums, const struct region *region) {
  sums->pictured = region->ids < PICTURED_MOST ? region->ids : PICTURED_MOST;
  for (unsigned i = 0; i < sums->pictured; i++) {
    const struct id *id = &region->id[i];
    sums->picture[i] = (struct pictured){
        .began = id->began > region->began ? id->began - region->began : 0,
        .ended = id->ended > region->began ? id->ended - region->began : 0,
        .useful = id->useful,
        .place = id->place,
        .class = id->class,
    };
  }
}

/* The time that REGION's PLACES would have taken if each had run as many ids: the mean time of an
   id of the slowest class times the number of ids. */
static uint64_t even_time(const struct region *region, unsigned places) {
  double ns[CLASSES] = {0}, slowest = 0;
  unsigned ids[CLASSES] = {0};
  for (unsigned i = 0; i < region->ids; i++) {
    ns[region->id[i].class] += region->id[i].useful;
    ids[region->id[i].class]++;
  }
  for (unsigned c = 0; c < CLASSES; c++)
    if (ids[c] != 0 && ns[c] / ids[c] > slowest)
      slowest = ns[c] / ids[c];
  return slowest * region->ids / places;
}

/* Sums over the ids of a place in a region. */
struct place {
  uint64_t useful;
  unsigned class;
  bool any;
};

/* Kept from one region to the next. Null while it is in use. */
static struct places {
  unsigned room;
  struct place place[];
} * kept;

/* Room for COUNT places, all zero. Null if memory is short. */
static struct places *take_places(unsigned count) {
  struct places *taken = kept;
  kept = NULL;
  if (taken == NULL || taken->room < count) {
    release(taken);
    taken = allocate(sizeof *taken + count * sizeof taken->place[0]);
    if (taken == NULL)
      return NULL;
    taken->room = count;
  }
  memset(taken->place, 0, count * sizeof taken->place[0]);
  return taken;
}

static unsigned class_of_worker(unsigned worker) {
  ompx_amp_machine_t machine = {.workers = 0};
  int class = -1;
  if (runtime.ompx_amp_get_machine != NULL)
    runtime.ompx_amp_get_machine(&machine);
  if (worker < machine.workers)
    class = runtime.ompx_amp_get_class_of_cpu(machine.worker_cpu[worker]);
  return class >= 0 && class < CLASSES ? class : 0;
}

/* Add to SUMS, of an execution that took ELAPSED, what its COUNT places did. As TALP does: what
   every place lacks is the price of scheduling, and what some lack more is imbalance. */
static void add_places(struct region_sums *sums, struct place *place, unsigned count,
                       ompx_amp_way_t way, uint64_t elapsed) {
  uint64_t least = ~0ULL, lacks = 0;
  for (unsigned p = 0; p < count; p++) {
    /* Threads that share a core with others may add up to more. */
    const uint64_t idle = elapsed > place[p].useful ? elapsed - place[p].useful : 0;
    /* A worker without an id. */
    if (!place[p].any && way != ompx_amp_way_threads)
      place[p].class = class_of_worker(p);
    sums->class_capacity[place[p].class] += elapsed;
    sums->useful += elapsed - idle;
    if (idle < least)
      least = idle;
    lacks += idle;
  }
  if (lacks != 0) {
    sums->scheduling += least * count;
    sums->imbalance += lacks - least * count;
  }
}

static void add_region(struct region_sums *sums, const struct region *region,
                       const ompx_amp_region_t *told, uint64_t elapsed) {
  struct places *taken = take_places(told->places);
  sums->invocations++;
  sums->nested += region->level > 1;
  sums->way[told->way]++;
  if (sums->least == 0 || region->ids < sums->least)
    sums->least = region->ids;
  if (region->ids > sums->most)
    sums->most = region->ids;
  if (told->places > sums->places)
    sums->places = told->places;
  sums->elapsed += elapsed;
  sums->capacity += elapsed * told->places;
  sums->why_key = told->why_key;
  sums->why_what = told->why_what;
  sums->why_text = told->why_text;
  sums->why_name = told->why_name;
  for (unsigned i = 0; i < region->ids; i++) {
    const struct id *id = &region->id[i];
    add_id(sums, id);
    if (taken != NULL) {
      struct place *its = &taken->place[id->place % told->places];
      its->useful += id->useful;
      its->class = id->class;
      its->any = true;
    }
  }
  if (taken != NULL) {
    add_places(sums, taken->place, told->places, told->way, elapsed);
    if (kept == NULL)
      kept = taken;
    else
      release(taken);
  }
  if (told->way != ompx_amp_way_threads) {
    sums->folded += elapsed;
    sums->even += even_time(region, told->places);
  }
  if (elapsed > sums->longest) {
    sums->longest = elapsed;
    take_picture(sums, region);
  }
}

/* The sums of SITE, made if need be; of what has no room if that is null. */
static struct region_sums *sums_of(const struct site *site) {
  struct region_sums **its = site != NULL ? &sums[site->number] : NULL;
  if (its == NULL)
    return &other;
  if (*its == NULL)
    *its = allocate(sizeof **its);
  return *its != NULL ? *its : &other;
}

void report_end_region(struct region *region, const ompx_amp_region_t *told, uint64_t ended) {
  const uint64_t elapsed = ended - region->began;
  add_region(sums_of(region->site), region, told, elapsed);
  if (region->level == 1)
    add_region(&all, region, told, elapsed);
}

/* Loops. */

/* Make ME's sums of the loop with this number. Null if memory is short. */
static struct loop_sums *__attribute__((noinline)) make_loop(struct thread *me, unsigned number) {
  struct loop_sums *loop = NULL;
  take_lock();
  if (bytes + sizeof *loop <= BYTES_MOST)
    loop = allocate(sizeof *loop);
  if (loop != NULL) {
    bytes += sizeof *loop;
    loop->least = ~0ULL;
  }
  release_lock();
  /* Release: the thread that writes the report reads it. */
  __atomic_store_n(&me->loop[number], loop, __ATOMIC_RELEASE);
  return loop;
}

static struct loop_sums *get_loop(struct thread *me, unsigned number) {
  struct loop_sums *loop = me->loop[number];
  return __builtin_expect(loop != NULL, 1) ? loop : make_loop(me, number);
}

static void add_double(double *x, double more) {
  const double sum = *x + more;
  __atomic_store(x, &sum, __ATOMIC_RELAXED);
}

void report_slice(struct thread *me, struct site *site, unsigned number,
                  const ompx_amp_loop_t *told, unsigned ran, uint64_t trips, uint64_t ns) {
  struct loop_sums *loop = get_loop(me, site != NULL ? site->number : SITES);
  struct class_sums *class;
  if (loop == NULL)
    loop = get_loop(me, SITES);
  if (loop == NULL)
    return;
  if (number == 0) {
    ADD(loop->invocations, 1);
    ADD(loop->trips, trips);
    ADD(loop->ran[ran], 1);
    WRITE(loop->why[ran], loop->why[ran] | told->why);
    if (trips < loop->least)
      WRITE(loop->least, trips);
    if (trips > loop->most)
      WRITE(loop->most, trips);
  }
  class = &loop->classes[class_of_thread()];
  ADD(class->slices, 1);
  ADD(class->ns, ns);
  if (!told->counted)
    return;
  ADD(class->iterations, told->iterations);
  ADD(class->counted_ns, ns);
  if (told->iterations != 0) {
    const double value = (double)ns / told->iterations;
    add_double(&class->value, value);
    add_double(&class->square, value * value);
    ADD(class->timed, 1);
  }
}

static double read_double(const double *x) {
  double value;
  __atomic_load(x, &value, __ATOMIC_RELAXED);
  return value;
}

/* The file. */

#define LLU(x) ((unsigned long long)(x))

static const char *const ran_keys[] = {
#define RAN(key, text) #key,
#include "amp_watch/words.def"
};
/* By the number of the bit. */
static const char *const why_keys[] = {
#define WHY(key, text) #key,
#include "amp_watch/words.def"
};
static const char *const way_keys[] = {
#define WAY(key, text) #key,
#include "amp_watch/words.def"
};
enum {
#define WHY(key, text) WHY_##key,
#include "amp_watch/words.def"
};
#define WHY(key, text) _Static_assert(1 << WHY_##key == (int)ompx_amp_why_##key, #key);
#include "amp_watch/words.def"

static void print_sums(FILE *out, const struct region_sums *sums) {
  fprintf(out,
          "\"invocations\":%llu,\"elapsed_ns\":%llu,\"capacity_ns\":%llu,\"useful_ns\":%llu,"
          "\"imbalance_ns\":%llu,\"scheduling_ns\":%llu,\"elsewhere_ns\":%llu",
          LLU(sums->invocations), LLU(sums->elapsed), LLU(sums->capacity), LLU(sums->useful),
          LLU(sums->imbalance), LLU(sums->scheduling), LLU(sums->elsewhere));
}

/* How many executions of SITE have not ended. */
static unsigned unfinished(const struct site *site) {
  unsigned count = 0;
  for (const struct region *region = regions; region != NULL; region = region->next)
    count += region->active && region->ids > 1 && region->site == site;
  return count;
}

static void print_why_not(FILE *out, const struct region_sums *sums) {
  char text[256];
  snprintf(text, sizeof text, "%s%s%s%s", sums->why_what != NULL ? sums->why_what : "",
           sums->why_text != NULL ? sums->why_text : "", sums->why_name != NULL ? ": " : "",
           sums->why_name != NULL ? sums->why_name : "");
  fputs(",\"why_not\":", out);
  print_string(out, sums->why_text != NULL ? text : NULL);
  fputs(",\"why_not_key\":", out);
  print_string(out, sums->why_key);
}

static void print_ids(FILE *out, const struct region_sums *sums) {
  const char *comma = "";
  fputs(",\"classes\":[", out);
  for (unsigned c = 0; c < CLASSES; c++) {
    const struct class_sums *class = &sums->classes[c];
    if (class->slices == 0 && sums->class_capacity[c] == 0)
      continue;
    fprintf(out, "%s{\"class\":%u,\"ids\":%llu,\"ns\":%llu,\"capacity_ns\":%llu,\"square\":%.17g}",
            comma, c, LLU(class->slices), LLU(class->ns), LLU(sums->class_capacity[c]),
            class->square);
    comma = ",";
  }
  fputc(']', out);
}

static void print_region(FILE *out, const struct site *site, const struct region_sums *sums) {
  print_site(out, site);
  fputc(',', out);
  print_sums(out, sums);
  fprintf(out, ",\"unfinished\":%u,\"nested\":%llu,\"ids\":[%u,%u],\"places\":%u,\"ran\":{",
          unfinished(site), LLU(sums->nested), sums->least, sums->most, sums->places);
  for (unsigned w = 0; w < WAYS; w++)
    fprintf(out, "%s\"%s\":%llu", w != 0 ? "," : "", way_keys[w], LLU(sums->way[w]));
  fputc('}', out);
  print_why_not(out, sums);
  fprintf(out, ",\"folded_ns\":%llu,\"even_ns\":%llu", LLU(sums->folded), LLU(sums->even));
  print_ids(out, sums);
  fprintf(out, ",\"longest\":{\"ns\":%llu,\"ids\":[", LLU(sums->longest));
  for (unsigned i = 0; i < sums->pictured; i++) {
    const struct pictured *id = &sums->picture[i];
    fprintf(out, "%s{\"place\":%u,\"class\":%u,\"began\":%llu,\"ended\":%llu,\"useful\":%llu}",
            i != 0 ? "," : "", id->place, id->class, LLU(id->began), LLU(id->ended),
            LLU(id->useful));
  }
  fputs("]}}", out);
}

static void print_ran(FILE *out, const struct loop_sums *loop) {
  const char *comma = "";
  fputs(",\"ran\":[", out);
  for (unsigned r = 0; r < RAN_COUNT; r++) {
    const char *between = "";
    if (READ(loop->ran[r]) == 0)
      continue;
    fprintf(out, "%s{\"as\":\"%s\",\"invocations\":%llu,\"why\":[", comma, ran_keys[r],
            LLU(READ(loop->ran[r])));
    for (unsigned w = 0; w < sizeof why_keys / sizeof *why_keys; w++)
      if (READ(loop->why[r]) >> w & 1) {
        fprintf(out, "%s\"%s\"", between, why_keys[w]);
        between = ",";
      }
    fputs("]}", out);
    comma = ",";
  }
  fputc(']', out);
}

static void print_slices(FILE *out, const struct loop_sums *loop) {
  const char *comma = "";
  fputs(",\"classes\":[", out);
  for (unsigned c = 0; c < CLASSES; c++) {
    const struct class_sums *class = &loop->classes[c];
    if (READ(class->slices) == 0)
      continue;
    fprintf(out,
            "%s{\"class\":%u,\"slices\":%llu,\"ns\":%llu,\"iterations\":%llu,\"counted_ns\":%llu,"
            "\"timed\":%llu,\"value\":%.17g,\"square\":%.17g}",
            comma, c, LLU(READ(class->slices)), LLU(READ(class->ns)), LLU(READ(class->iterations)),
            LLU(READ(class->counted_ns)), LLU(READ(class->timed)), read_double(&class->value),
            read_double(&class->square));
    comma = ",";
  }
  fputc(']', out);
}

/* THREAD's sums of the loop with this number, or null. Acquire: its own thread publishes them. */
static const struct loop_sums *loop_of(const struct thread *thread, unsigned number) {
  return __atomic_load_n(&thread->loop[number], __ATOMIC_ACQUIRE);
}

/* Whether a thread ran a slice of it, in this process. */
static bool ran(unsigned number) {
  for (const struct thread *thread = threads; thread != NULL; thread = thread->next) {
    const struct loop_sums *loop = loop_of(thread, number);
    for (unsigned c = 0; loop != NULL && c < CLASSES; c++)
      if (READ(loop->classes[c].slices) != 0)
        return true;
  }
  return false;
}

static void print_loop(FILE *out, unsigned number) {
  const char *comma = "";
  print_site(out, number != SITES ? sites[LOOP].site[number] : NULL);
  fputs(",\"by_thread\":[", out);
  for (const struct thread *thread = threads; thread != NULL; thread = thread->next) {
    const struct loop_sums *loop = loop_of(thread, number);
    if (loop == NULL)
      continue;
    fprintf(out, "%s{\"invocations\":%llu,\"trips\":%llu,\"least\":%llu,\"most\":%llu", comma,
            LLU(READ(loop->invocations)), LLU(READ(loop->trips)), LLU(READ(loop->least)),
            LLU(READ(loop->most)));
    print_ran(out, loop);
    print_slices(out, loop);
    fputc('}', out);
    comma = ",";
  }
  fputs("]}", out);
}

/* The CPUs of a class that the process may use, as a list. */
static void print_cpus(FILE *out, const ompx_amp_machine_t *machine, unsigned class) {
  const char *comma = "";
  fputc('"', out);
  for (unsigned cpu = 0; cpu < machine->cpus; cpu++) {
    const unsigned first = cpu;
    while (cpu < machine->cpus && runtime.ompx_amp_get_class_of_cpu(cpu) == (int)class)
      cpu++;
    if (cpu == first)
      continue;
    fprintf(out, cpu - first > 1 ? "%s%u-%u" : "%s%u", comma, first, cpu - 1);
    comma = ",";
  }
  fputc('"', out);
}

static void print_machine(FILE *out) {
  ompx_amp_machine_t machine;
  if (runtime.ompx_amp_get_machine == NULL || !runtime.ompx_amp_get_machine(&machine))
    return;
  fputs(",\"classes_from\":", out);
  print_string(out, machine.source);
  fputs(",\"capacities\":[", out);
  for (unsigned c = 0; c < machine.classes; c++)
    fprintf(out, "%s%u", c != 0 ? "," : "", machine.capacity != NULL ? machine.capacity[c] : 0);
  fputs("],\"cpus\":[", out);
  for (unsigned c = 0; c < machine.classes && machine.cpus != 0; c++) {
    fputs(c != 0 ? "," : "", out);
    print_cpus(out, &machine, c);
  }
  fputc(']', out);
}

/* Whether VARIABLE, NAME=VALUE, may have decided how the program ran, or says that it is one of
   several ranks of MPI. */
static bool tells(const char *variable) {
  static const char *const prefix[] = {"OMP_", "GOMP_", "KMP_", "OMPI_COMM_WORLD_LOCAL_",
                                       "MPI_LOCAL"};
  for (unsigned i = 0; i < sizeof prefix / sizeof *prefix; i++)
    if (strncmp(variable, prefix[i], strlen(prefix[i])) == 0)
      return true;
  return false;
}

static void print_environment(FILE *out) {
  const char *comma = "";
  fputs(",\"environment\":{", out);
  for (char **variable = environ; variable != NULL && *variable != NULL; variable++) {
    const char *value = strchr(*variable, '=');
    char name[256];
    if (value == NULL || !tells(*variable))
      continue;
    snprintf(name, sizeof name, "%.*s", (int)(value - *variable), *variable);
    fputs(comma, out);
    print_string(out, name);
    fputc(':', out);
    print_string(out, value + 1);
    comma = ",";
  }
  fputc('}', out);
}

static void print_regions(FILE *out) {
  const char *comma = "";
  fputs(",\n\"regions\":[", out);
  for (unsigned i = 0; i < sites[REGION].count; i++) {
    static const struct region_sums none;
    fprintf(out, "%s\n", comma);
    print_region(out, sites[REGION].site[i], sums[i] != NULL ? sums[i] : &none);
    comma = ",";
  }
  if (other.invocations != 0) {
    fprintf(out, "%s\n", comma);
    print_region(out, NULL, &other);
  }
}

static void print(FILE *out, const void *data __attribute__((unused))) {
  const char *comma = "";
  fputc('{', out);
  print_program(out);
  fprintf(out, ",\"wall_ns\":%llu", LLU(now() - began));
  print_machine(out);
  print_environment(out);
  fprintf(out, ",\"places\":%u,\"lost\":%llu,\"sums\":{", all.places, LLU(report_lost));
  print_sums(out, &all);
  fputc('}', out);
  print_regions(out);
  fputs("],\n\"loops\":[", out);
  for (unsigned i = 0; i <= SITES; i++) {
    if (i < SITES ? i >= sites[LOOP].count : !ran(SITES))
      continue;
    fprintf(out, "%s\n", comma);
    print_loop(out, i);
    comma = ",";
  }
  fputs("]}\n", out);
}

/* Whether anything was recorded. */
static bool any(void) {
  if (all.invocations != 0 || other.invocations != 0)
    return true;
  for (const struct region *region = regions; region != NULL; region = region->next)
    if (region->active && region->ids > 1)
      return true;
  for (unsigned i = 0; i < sites[LOOP].count; i++)
    if (ran(i))
      return true;
  return false;
}

void report_write(void) {
  if (any())
    write_result("report", "GOMP_AMP_REPORT", report_name, print, NULL);
}

void report_begin_child(void) {
  report_lost = 0;
  began = now();
  memset(&all, 0, sizeof all);
  memset(&other, 0, sizeof other);
  for (unsigned i = 0; i < SITES; i++)
    if (sums[i] != NULL)
      memset(sums[i], 0, sizeof *sums[i]);
  for (struct thread *thread = threads; thread != NULL; thread = thread->next)
    for (unsigned i = 0; i <= SITES; i++)
      if (thread->loop[i] != NULL) {
        memset(thread->loop[i], 0, sizeof *thread->loop[i]);
        thread->loop[i]->least = ~0ULL;
      }
}
