/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What happens in the program, as OMPT's callbacks say.

   The data of a region is its record; of an implicit task its thread number + 1; of an explicit
   task EXPLICIT, its flags and where it was made; of a thread its record. */
#define _GNU_SOURCE 1
#include <stdlib.h>
#include <string.h>

#include "callbacks.h"

#define EXPLICIT (1ULL << 63)
#define UNDEFERRED (1ULL << 62)
#define ADDRESS (UNDEFERRED - 1)

/* A shorter wait of a thread that is not folded is not worth an event. */
#define SHORT_WAIT_NS 1000

static struct thread *calling_thread(void) {
  const ompt_data_t *data = runtime.ompt_get_thread_data();
  return data != NULL ? data->ptr : NULL;
}

/* The region that DATA is of, if it has more than one id and is of this process. */
static struct region *region_of(const ompt_data_t *data) {
  struct region *region = data != NULL ? data->ptr : NULL;
  return region != NULL && region->ids > 1 && region->generation == generation ? region : NULL;
}

static ompx_amp_worker_t worker_of_thread(void) {
  ompx_amp_worker_t worker = {.worker = -1};
  if (runtime.ompx_amp_get_worker != NULL)
    runtime.ompx_amp_get_worker(&worker);
  return worker;
}

static unsigned place_of(const ompx_amp_worker_t *worker) {
  return worker->worker >= 0 && worker->worker < (int)NO_WORKER ? (unsigned)worker->worker
                                                                : NO_WORKER;
}

static unsigned number_of(const struct site *site) { return site != NULL ? site->number : NO_SITE; }

static uint64_t span(uint64_t began, uint64_t ended, unsigned low) {
  return (ended - began) << 16 | low;
}

static uint64_t triple(uint64_t high, unsigned middle, unsigned low) {
  return high << 32 | (uint64_t)(middle & 0xffff) << 16 | low;
}

static unsigned level_of(const struct region *region) { return region->level > 1 ? 2 : 1; }

/* Make room for one more in LIST, which has COUNT. Returns false if memory is short. */
static bool grow(void **list, unsigned count, unsigned *room, size_t size) {
  const unsigned wanted = *room != 0 ? 2 * *room : 16;
  void *larger;
  sigset_t before;
  if (count < *room)
    return true;
  hold_signals(&before);
  larger = realloc(*list, wanted * size);
  drop_signals(&before);
  if (larger == NULL)
    return false;
  *list = larger;
  *room = wanted;
  return true;
}

#define GROW(me, list, count, room)                                                                \
  grow((void **)&(me)->list, (me)->count, &(me)->room, sizeof *(me)->list)

/* Threads. */

static void thread_begin(ompt_thread_t type __attribute__((unused)), ompt_data_t *data) {
  data->ptr = begin_thread();
}

static void thread_end(ompt_data_t *data) {
  if (data->ptr != NULL)
    end_thread(data->ptr);
  data->ptr = NULL;
}

/* Waits. */

static void begin_wait(struct thread *me, enum wait wait) {
  WRITE(me->wait, wait);
  WRITE(me->wait_began, now());
}

static void end_wait(struct thread *me, uint64_t ended) {
  const uint64_t began = me->wait_began, waited = ended - began;
  if (began == 0)
    return;
  WRITE(me->wait_began, 0);
  me->waited += waited;
  if (me->wait != WAIT_BARRIER)
    me->elsewhere += waited;
  if (trace_name != NULL) {
    const ompx_amp_worker_t worker = worker_of_thread();
    const unsigned place = place_of(&worker);
    if (waited >= SHORT_WAIT_NS || (place != NO_WORKER && me->last == NULL))
      trace_add(me, WAITED, began, span(began, ended, me->wait), place, worker.pool);
  }
}

/* Whether a thread with this TASK is at the end of a region of another runtime, whose threads may
   wait there for the next region. */
static bool may_wait_for_next(const struct thread *me, const ompt_data_t *task) {
  return runtime.ompx_amp_get_region == NULL && me->last != NULL && task->value > 1;
}

static void sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                             ompt_data_t *parallel __attribute__((unused)), ompt_data_t *task,
                             const void *address __attribute__((unused))) {
  struct thread *me = calling_thread();
  if (me == NULL || may_wait_for_next(me, task))
    return;
  if (endpoint == ompt_scope_begin)
    begin_wait(me, kind == ompt_sync_region_taskwait || kind == ompt_sync_region_taskgroup
                       ? WAIT_TASKS
                       : WAIT_BARRIER);
  else
    end_wait(me, now());
}

static void mutex_acquire(ompt_mutex_t kind, unsigned hint __attribute__((unused)),
                          unsigned impl __attribute__((unused)),
                          ompt_wait_id_t id __attribute__((unused)),
                          const void *address __attribute__((unused))) {
  struct thread *me = calling_thread();
  /* A test does not wait, and may fail. */
  if (me != NULL && kind != ompt_mutex_test_lock && kind != ompt_mutex_test_nest_lock)
    begin_wait(me, kind == ompt_mutex_ordered ? WAIT_ORDERED : WAIT_LOCK);
}

static void mutex_acquired(ompt_mutex_t kind __attribute__((unused)),
                           ompt_wait_id_t id __attribute__((unused)),
                           const void *address __attribute__((unused))) {
  struct thread *me = calling_thread();
  if (me != NULL)
    end_wait(me, now());
}

/* Regions and ids. */

static void parallel_begin(ompt_data_t *task __attribute__((unused)),
                           const ompt_frame_t *frame __attribute__((unused)), ompt_data_t *parallel,
                           unsigned ids, int flags __attribute__((unused)), const void *address) {
  struct thread *me = calling_thread();
  struct region *region = begin_region(ids);
  ompx_amp_region_t told = {.function = address};
  ompt_data_t *outer = NULL;
  parallel->ptr = region;
  if (region == NULL)
    return;
  runtime.ompt_get_parallel_info(0, &outer, NULL);
  region->level =
      1 + (outer != NULL && outer->ptr != NULL ? ((struct region *)outer->ptr)->level : 0);
  region->call = address;
  if (runtime.ompx_amp_get_region != NULL)
    runtime.ompx_amp_get_region(parallel, &told);
  region->function = told.function;
  region->site = ids > 1 ? find_site(REGION, told.function, true) : NULL;
  region->began = now();
  if (trace_name != NULL && me != NULL && ids > 1)
    trace_add(me, REGION_BEGINS, region->began, region->serial,
              triple(ids, level_of(region), number_of(region->site)), 0);
}

static void parallel_end(ompt_data_t *parallel, ompt_data_t *task __attribute__((unused)),
                         int flags __attribute__((unused)),
                         const void *address __attribute__((unused))) {
  struct region *region = region_of(parallel);
  ompx_amp_region_t told = {.way = ompx_amp_way_threads};
  struct thread *me = calling_thread();
  uint64_t ended;
  if (region == NULL) {
    /* Of one id, or of the parent process, which no other region may use. */
    region = parallel->ptr;
    if (region != NULL && region->generation == generation)
      WRITE(region->active, false);
    return;
  }
  ended = now();
  told.places = region->ids;
  if (runtime.ompx_amp_get_region != NULL)
    runtime.ompx_amp_get_region(parallel, &told);
  if (trace_name != NULL && me != NULL)
    trace_add(me, REGION_ENDS, ended, region->serial, told.way, 0);
  take_lock();
  if (report_name != NULL)
    report_end_region(region, &told, ended);
  region->active = false;
  release_lock();
  write_if_asked();
}

static void begin_id(struct thread *me, struct region *region, unsigned number) {
  struct id *id = &region->id[number];
  const uint64_t began = now();
  id->waited_before = me->waited;
  id->elsewhere_before = me->elsewhere;
  WRITE(id->began, began);
  if (trace_name != NULL) {
    const ompx_amp_worker_t worker = worker_of_thread();
    trace_add(me, ID_BEGINS, began, region->serial,
              triple(number, level_of(region), place_of(&worker)), worker.pool);
  }
}

/* The id has come to the barrier at the end of its region. */
static void end_id(struct thread *me, struct region *region, unsigned number) {
  struct id *id = &region->id[number];
  const uint64_t ended = now(), waited = me->waited - id->waited_before;
  const ompx_amp_worker_t worker = worker_of_thread();
  const unsigned class = class_of_thread();
  if (id->began == 0)
    return;
  WRITE(id->ended, ended);
  if (ended - id->began > waited)
    WRITE(id->useful, ended - id->began - waited);
  id->elsewhere = me->elsewhere - id->elsewhere_before;
  id->place = worker.worker >= 0 ? (unsigned)worker.worker : number;
  id->class = class;
  id->outer = me->last;
  me->last = id;
  if (trace_name != NULL)
    trace_add(me, ID_ENDS, ended, region->serial, triple(number, class, place_of(&worker)), 0);
}

static void implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                          unsigned threads, unsigned number, int flags) {
  struct thread *me = calling_thread();
  struct region *region;
  if (flags & ompt_task_initial)
    return;
  if (endpoint == ompt_scope_end) {
    /* The record of another id's region may be in use again. */
    if (me != NULL)
      me->last = number == 0 && me->last != NULL ? me->last->outer : NULL;
    return;
  }
  task->value = number + 1;
  region = region_of(parallel);
  if (region == NULL || number >= region->room)
    return;
  /* Fewer threads than were asked for. */
  if (number == 0 && threads < region->ids)
    region->ids = threads != 0 ? threads : 1;
  if (me != NULL)
    begin_id(me, region, number);
}

/* Whether a barrier of KIND, which the program entered at ADDRESS, ends REGION. Before LLVM 15 its
   kind is that of a worksharing construct's. */
static bool ends_region(ompt_sync_region_t kind, const struct region *region, const void *address) {
  return kind == ompt_sync_region_barrier_implicit_parallel ||
         (kind == ompt_sync_region_barrier_implicit &&
          (address == NULL || address == region->call));
}

static void sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                        ompt_data_t *parallel, ompt_data_t *task, const void *address) {
  struct thread *me = calling_thread();
  struct region *region = region_of(parallel);
  if (endpoint == ompt_scope_begin && me != NULL && region != NULL &&
      ends_region(kind, region, address) && task->value - 1 < region->room)
    end_id(me, region, task->value - 1);
}

/* Loops. */

static bool is_loop(ompt_work_t type) {
  return type == ompt_work_loop || (type >= ompt_work_loop_static && type <= ompt_work_loop_other);
}

static void begin_slice(struct thread *me, const struct region *region, const ompt_data_t *task,
                        uint64_t trips, const void *address) {
  if (!GROW(me, slice, slices, slice_room))
    return;
  /* A loop that starts with its region has the region's address. */
  if (region != NULL && region->call == address)
    address = region->function;
  me->slice[me->slices++] =
      (struct slice){.task = task, .address = address, .began = now(), .trips = trips};
}

/* The RAN of a loop of TYPE, by another runtime's account. */
static unsigned ran_as(ompt_work_t type) {
  return type == ompt_work_loop_static    ? ompx_amp_ran_static
         : type == ompt_work_loop_dynamic ? ompx_amp_ran_dynamic
         : type == ompt_work_loop_guided  ? ompx_amp_ran_guided
                                          : RAN_loop;
}

static void tell_factors(struct thread *me, const struct site *site, const ompx_amp_loop_t *loop) {
  union {
    float factor[4];
    uint64_t word[2];
  } packed = {{0}};
  const unsigned count = loop->classes < 4 ? loop->classes : 4;
  for (unsigned c = 0; c < count; c++)
    packed.factor[c] = loop->factors[c];
  trace_add(me, FACTORS, now(), (uint64_t)count << 16 | number_of(site), packed.word[0],
            packed.word[1]);
}

static void end_slice(struct thread *me, ompt_work_t type, const ompt_data_t *task) {
  const uint64_t ended = now();
  /* That of an explicit task is no thread's number. */
  const unsigned number = task->value != 0 ? task->value - 1 : 0;
  ompx_amp_loop_t loop = {.counted = 0};
  unsigned ran = ran_as(type);
  struct site *site;
  const struct slice *slice;
  /* A cancelled thread leaves slices behind it that it has not ended. */
  while (me->slices != 0 && me->slice[me->slices - 1].task != task)
    me->slices--;
  if (me->slices == 0)
    return;
  slice = &me->slice[--me->slices];
  if (runtime.ompx_amp_get_loop != NULL && runtime.ompx_amp_get_loop(&loop))
    ran = loop.ran;
  site = find_site(LOOP, slice->address, false);
  if (report_name != NULL)
    report_slice(me, site, number, &loop, ran, slice->trips, ended - slice->began);
  if (trace_name == NULL)
    return;
  trace_add(me, SLICE + ran, slice->began, span(slice->began, ended, number_of(site)),
            loop.counted ? loop.iterations : ~0ULL, slice->trips);
  if (number == 0 && loop.factors != NULL)
    tell_factors(me, site, &loop);
}

static void work(ompt_work_t type, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                 ompt_data_t *task, uint64_t count, const void *address) {
  struct thread *me = calling_thread();
  if (me == NULL || !is_loop(type))
    return;
  if (endpoint == ompt_scope_begin)
    begin_slice(me, parallel != NULL ? parallel->ptr : NULL, task, count, address);
  else
    end_slice(me, type, task);
}

/* Tasks. */

static void task_create(ompt_data_t *task __attribute__((unused)),
                        const ompt_frame_t *frame __attribute__((unused)), ompt_data_t *made,
                        int flags, int dependences __attribute__((unused)), const void *address) {
  if (flags & ompt_task_explicit)
    made->value =
        EXPLICIT | (flags & ompt_task_undeferred ? UNDEFERRED : 0) | ((uintptr_t)address & ADDRESS);
}

static void begin_task(struct thread *me) {
  const uint64_t began = now();
  const bool waits = me->wait_began != 0;
  end_wait(me, began);
  if (!GROW(me, task, tasks, task_room))
    return;
  me->task[me->tasks++] = (struct task){
      .wait = waits ? me->wait : NO_WAIT, .began = began, .waited = me->waited, .last = me->last};
  /* From here on its time is the task's. */
  me->last = NULL;
}

static void end_task(struct thread *me, const ompt_data_t *data, bool cancelled) {
  const uint64_t ended = now();
  const struct task *task;
  uint64_t waited;
  if (me->tasks == 0)
    return;
  task = &me->task[--me->tasks];
  waited = me->waited - task->waited;
  me->last = task->last;
  /* Until an id ends what is no wait is useful. */
  if (me->last != NULL && ended - task->began > waited)
    ADD(me->last->useful, ended - task->began - waited);
  if (trace_name != NULL && !cancelled && !(data->value & UNDEFERRED)) {
    const void *address = (const void *)(uintptr_t)(data->value & ADDRESS);
    trace_add(me, TASK_RAN, task->began,
              span(task->began, ended, number_of(find_site(TASK, address, false))), 0, 0);
  }
  if (task->wait != NO_WAIT) {
    WRITE(me->wait, task->wait);
    WRITE(me->wait_began, ended);
  }
}

static void task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next) {
  struct thread *me = calling_thread();
  if (me == NULL || next == NULL)
    return;
  if (status != ompt_task_switch && status != ompt_task_yield)
    end_task(me, prior, status == ompt_task_cancel);
  else if (next->value & EXPLICIT)
    begin_task(me);
  else
    end_task(me, prior, false);
}

void set_callbacks(void) {
#define SET(event) runtime.ompt_set_callback(ompt_callback_##event, (ompt_callback_t)event)
  SET(thread_begin);
  SET(thread_end);
  SET(parallel_begin);
  SET(parallel_end);
  SET(implicit_task);
  SET(sync_region);
  SET(sync_region_wait);
  SET(mutex_acquire);
  SET(mutex_acquired);
  SET(work);
  SET(task_create);
  SET(task_schedule);
#undef SET
}
