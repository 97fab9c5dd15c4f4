// SPDX-License-Identifier: GPL-3.0-or-later
// A tool that checks the protocol of OMPT while a program runs: which events a thread may see in
// which order, and what the look-up functions say meanwhile. It ends the process with code 3 if
// anything was wrong. With OMPT_COUNTS=FILE it writes there how often each event came.

#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <memory>
#include <mutex>
#include <omp-tools.h>
#include <set>
#include <string>
#include <unistd.h>
#include <vector>

#include "events.h"

namespace {

#define LOOK_UP(name) ompt_##name##_t name
LOOK_UP(set_callback);
LOOK_UP(get_callback);
LOOK_UP(get_thread_data);
LOOK_UP(get_state);
LOOK_UP(get_parallel_info);
LOOK_UP(get_task_info);
LOOK_UP(get_unique_id);
LOOK_UP(finalize_tool);
#undef LOOK_UP

std::atomic<int> faults;
// The program has ended the tool, while threads may be about to end their implicit tasks.
bool ended_early;

[[gnu::format(printf, 1, 2)]] void fault(const char *format, ...) {
  if (faults++ >= 20)
    return;
  char text[300];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  fprintf(stderr, "checker: %s\n", text);
}

#define CHECK(condition, ...)                                                                      \
  do                                                                                               \
    if (!(condition))                                                                              \
      fault(__VA_ARGS__);                                                                          \
  while (0)

std::atomic<unsigned long> counts[EVENTS][4];

void count(int event, int part = 0) { counts[event][part]++; }

struct Region {
  unsigned size = 0;
  std::unique_ptr<std::atomic<bool>[]> begun;
  std::atomic<unsigned> tasks{0}, arrived{0}, loops{0}, singles{0}, others{0};
  ompt_data_t *encountering = nullptr;
  const void *address = nullptr;
  bool initial = false;
};

enum class Stage { created, runs, done };

struct Task {
  Stage stage = Stage::created;
  int flags = 0;
  unsigned id = 0;
  ompt_data_t *data = nullptr;
  Region *region = nullptr;
  // Constructs that it is in.
  std::vector<int> regions, waits;
  int work = 0;
  uint64_t work_count = 0;
  bool taskloop = false, detached = false, fulfilled = false;
};

struct Thread {
  ompt_thread_t type;
  std::vector<Task *> tasks;
  std::vector<ompt_wait_id_t> held;
  ompt_wait_id_t wanted = 0;
};

std::atomic<long> live_regions, live_tasks, live_threads;

Thread *self() {
  ompt_data_t *data = get_thread_data();
  CHECK(data != nullptr && data->ptr != nullptr, "an event of a thread that has not begun");
  return data != nullptr ? static_cast<Thread *>(data->ptr) : nullptr;
}

Task *task_of(ompt_data_t *data) {
  return data != nullptr ? static_cast<Task *>(data->ptr) : nullptr;
}

// The calling thread's innermost task, which the event says is DATA's.
Task *current(ompt_data_t *data, const char *event) {
  Thread *me = self();
  Task *task = task_of(data);
  CHECK(task != nullptr, "%s: no task", event);
  if (me == nullptr || task == nullptr)
    return nullptr;
  CHECK(!me->tasks.empty() && me->tasks.back() == task, "%s: not of the task that the thread runs",
        event);
  return task;
}

void check_region(Task *task, ompt_data_t *data, const char *event) {
  CHECK(data != nullptr && data->ptr == task->region, "%s: not of the task's region", event);
}

// Where the program has called the library. A function whose last statement is the construct does
// not return to itself: its caller may be the library. OMPT_ADDRESSES=1 is for programs without.
void check_address(const void *address, const char *event) {
  static const bool strict = getenv("OMPT_ADDRESSES") != nullptr;
  Dl_info info;
  CHECK(address != nullptr, "%s: no return address", event);
  if (strict && address != nullptr)
    CHECK(dladdr(address, &info) != 0 && strstr(info.dli_fname, "libgomp") == nullptr,
          "%s: returns to %p, which is not the program's", event, address);
}

void on_thread_begin(ompt_thread_t type, ompt_data_t *data) {
  count(ompt_callback_thread_begin, type == ompt_thread_worker);
  CHECK(data->ptr == nullptr, "thread_begin: data is not 0");
  CHECK(get_thread_data() == data, "thread_begin: get_thread_data has something else");
  data->ptr = new Thread{type, {}, {}, 0};
  live_threads++;
}

void on_thread_end(ompt_data_t *data) {
  count(ompt_callback_thread_end);
  Thread *me = self();
  if (me == nullptr)
    return;
  CHECK(data == get_thread_data(), "thread_end: another thread's data");
  CHECK(me->tasks.empty(), "thread_end: %zu tasks have not ended", me->tasks.size());
  CHECK(me->held.empty(), "thread_end: it holds a lock");
  data->ptr = nullptr;
  delete me;
  live_threads--;
}

void on_parallel_begin(ompt_data_t *encountering, const ompt_frame_t *frame, ompt_data_t *data,
                       unsigned requested, int flags, const void *address) {
  count(ompt_callback_parallel_begin);
  Task *task = current(encountering, "parallel_begin");
  CHECK(data->ptr == nullptr, "parallel_begin: data is not 0");
  CHECK(frame->enter_frame.ptr != nullptr, "parallel_begin: no frame");
  CHECK(requested > 0, "parallel_begin: no threads");
  CHECK((flags & ompt_parallel_team) && !(flags & ompt_parallel_league), "parallel_begin: flags %x",
        flags);
  CHECK(((flags & ompt_parallel_invoker_program) != 0) !=
            ((flags & ompt_parallel_invoker_runtime) != 0),
        "parallel_begin: flags %x", flags);
  check_address(address, "parallel_begin");
  if (task != nullptr)
    CHECK(task->work == 0 || task->work == ompt_work_single_executor ||
              task->work == ompt_work_sections || task->work == ompt_work_loop ||
              task->work >= ompt_work_loop_static,
          "parallel_begin: in a construct %d", task->work);
  auto *region = new Region;
  region->size = requested;
  region->begun.reset(new std::atomic<bool>[requested] {});
  region->encountering = encountering;
  region->address = address;
  data->ptr = region;
  live_regions++;
}

void on_parallel_end(ompt_data_t *data, ompt_data_t *encountering, int flags, const void *address) {
  count(ompt_callback_parallel_end);
  auto *region = static_cast<Region *>(data->ptr);
  current(encountering, "parallel_end");
  CHECK(region != nullptr, "parallel_end: no region");
  CHECK(flags & ompt_parallel_team, "parallel_end: flags %x", flags);
  if (region == nullptr)
    return;
  CHECK(region->encountering == encountering, "parallel_end: another encountering task");
  CHECK(region->address == address, "parallel_end: another return address");
  CHECK(region->tasks == region->size, "parallel_end: %u of %u implicit tasks",
        region->tasks.load(), region->size);
  CHECK(region->arrived >= region->size, "parallel_end: %u of %u ids have arrived",
        region->arrived.load(), region->size);
  data->ptr = nullptr;
  delete region;
  live_regions--;
}

// DATA's TASK is one of a new region of its own.
void begin_initial_task(Task *task, ompt_data_t *parallel, unsigned size, unsigned index) {
  CHECK(parallel != nullptr && parallel->ptr == nullptr, "initial task: no new region");
  task->region = new Region;
  task->region->initial = true;
  parallel->ptr = task->region;
  CHECK(size == 1 && index == 1, "initial task: %u of %u", index, size);
}

// What the entry points say in TASK, which has just begun.
void check_entry_points(const Task *task, ompt_data_t *parallel, unsigned size) {
  int number, task_flags, team_size;
  ompt_data_t *found, *of;
  ompt_frame_t *frame;
  CHECK(get_task_info(0, &task_flags, &found, &frame, &of, &number) == 2 && found == task->data &&
            of == parallel && number == (int)task->id && task_flags == task->flags,
        "implicit_task: get_task_info has another one");
  CHECK(get_task_info(1, nullptr, &found, nullptr, nullptr, nullptr) == 2 &&
            found == task->region->encountering,
        "implicit_task: get_task_info has another ancestor");
  CHECK(get_parallel_info(0, &of, &team_size) == 2 && of == parallel && team_size == (int)size,
        "implicit_task: get_parallel_info has another one");
  CHECK(get_parallel_info(1, &of, &team_size) == 2 && of != parallel,
        "implicit_task: get_parallel_info has another ancestor");
  CHECK(get_state(nullptr) == (size > 1 ? ompt_state_work_parallel : ompt_state_work_serial),
        "implicit_task: state %x", get_state(nullptr));
}

// False: it has no region.
bool begin_team_task(Task *task, ompt_data_t *parallel, unsigned size, unsigned index) {
  auto *region = static_cast<Region *>(parallel->ptr);
  CHECK(task->flags & ompt_task_implicit, "implicit_task: flags %x", task->flags);
  CHECK(region != nullptr && !region->initial, "implicit_task: no region");
  if (region == nullptr)
    return false;
  CHECK(size == region->size && index < size, "implicit_task: %u of %u in a region of %u", index,
        size, region->size);
  CHECK(index >= region->size || !region->begun[index].exchange(true),
        "implicit_task: a second one with number %u", index);
  region->tasks++;
  task->region = region;
  check_entry_points(task, parallel, size);
  return true;
}

void end_task(Thread *me, ompt_data_t *data, unsigned index, int flags) {
  Task *task = current(data, "end of implicit_task");
  if (task == nullptr)
    return;
  CHECK(task->id == index && task->flags == flags, "end of implicit_task: another number");
  CHECK(task->regions.empty() && task->waits.empty(), "end of implicit_task: in a wait");
  CHECK(task->work == 0 && !task->taskloop, "end of implicit_task: in a construct %d", task->work);
  if (flags & ompt_task_initial)
    delete task->region;
  me->tasks.pop_back();
  data->ptr = nullptr;
  delete task;
  live_tasks--;
}

void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *data,
                      unsigned size, unsigned index, int flags) {
  count(ompt_callback_implicit_task, endpoint);
  Thread *me = self();
  if (me == nullptr)
    return;
  if (endpoint != ompt_scope_begin) {
    CHECK(parallel == nullptr, "implicit_task: its end names a region");
    end_task(me, data, index, flags);
    return;
  }
  CHECK(data->ptr == nullptr, "implicit_task: data is not 0");
  auto *task = new Task;
  task->stage = Stage::runs;
  task->flags = flags;
  task->id = index;
  task->data = data;
  if (flags & ompt_task_initial)
    begin_initial_task(task, parallel, size, index);
  else if (!begin_team_task(task, parallel, size, index))
    return;
  data->ptr = task;
  me->tasks.push_back(task);
  live_tasks++;
}

bool is_barrier(int kind) {
  return kind != ompt_sync_region_taskwait && kind != ompt_sync_region_taskgroup;
}

ompt_state_t state_in(int kind) {
  switch (kind) {
  case ompt_sync_region_barrier_implicit_parallel:
    return ompt_state_wait_barrier_implicit_parallel;
  case ompt_sync_region_barrier_implicit_workshare:
    return ompt_state_wait_barrier_implicit_workshare;
  case ompt_sync_region_barrier_explicit:
    return ompt_state_wait_barrier_explicit;
  case ompt_sync_region_taskwait:
    return ompt_state_wait_taskwait;
  case ompt_sync_region_taskgroup:
    return ompt_state_wait_taskgroup;
  default:
    return ompt_state_undefined;
  }
}

void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                    ompt_data_t *data, const void *address) {
  count(ompt_callback_sync_region, endpoint);
  Task *task = current(data, "sync_region");
  if (task == nullptr)
    return;
  if (endpoint == ompt_scope_begin) {
    check_region(task, parallel, "sync_region");
    check_address(address, "sync_region");
    CHECK(task->waits.empty(), "sync_region: begins in a wait");
    CHECK(!is_barrier(kind) || task->work == 0, "sync_region: a barrier %d in a construct %d", kind,
          task->work);
    task->regions.push_back(kind);
    if (kind == ompt_sync_region_barrier_implicit_parallel)
      task->region->arrived++;
  } else {
    if (kind == ompt_sync_region_barrier_implicit_parallel)
      CHECK((parallel != nullptr) == (task->id == 0), "sync_region: number %u ends with%s a region",
            task->id, parallel != nullptr ? "" : "out");
    else
      check_region(task, parallel, "sync_region");
    CHECK(!task->regions.empty() && task->regions.back() == kind,
          "sync_region: %d ends and has not begun", kind);
    if (!task->regions.empty())
      task->regions.pop_back();
  }
}

void on_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *,
                         ompt_data_t *data, const void *) {
  count(ompt_callback_sync_region_wait, endpoint);
  Task *task = current(data, "sync_region_wait");
  if (task == nullptr)
    return;
  CHECK(!task->regions.empty() && task->regions.back() == kind, "sync_region_wait: not in a %d",
        kind);
  if (endpoint == ompt_scope_begin) {
    CHECK(task->waits.empty(), "sync_region_wait: in another one");
    CHECK(get_state(nullptr) == state_in(kind), "sync_region_wait: state %x in a %d",
          get_state(nullptr), kind);
    task->waits.push_back(kind);
  } else {
    CHECK(!task->waits.empty() && task->waits.back() == kind, "sync_region_wait: %d ends", kind);
    if (!task->waits.empty())
      task->waits.pop_back();
  }
}

void on_work(ompt_work_t type, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
             ompt_data_t *data, uint64_t how_many, const void *address) {
  count(ompt_callback_work, endpoint);
  Task *task = current(data, "work");
  if (task == nullptr)
    return;
  check_region(task, parallel, "work");
  check_address(address, "work");
  bool begins = endpoint == ompt_scope_begin;
  if (type == ompt_work_taskloop) {
    CHECK(task->taskloop != begins, "work: a taskloop in another one, or its end twice");
    task->taskloop = begins;
    return;
  }
  if (begins) {
    CHECK(task->work == 0, "work: a construct %d in a construct %d", type, task->work);
    task->work = type;
    task->work_count = how_many;
    if (type == ompt_work_single_executor)
      task->region->singles++;
    else if (type == ompt_work_single_other)
      task->region->others++;
    else if (type == ompt_work_loop || type >= ompt_work_loop_static)
      task->region->loops++;
  } else {
    CHECK(task->work == type, "work: a construct %d ends in a construct %d", type, task->work);
    CHECK(task->work_count == how_many, "work: %lu parts at the beginning, %lu at the end",
          (unsigned long)task->work_count, (unsigned long)how_many);
    task->work = 0;
  }
}

void on_dispatch(ompt_data_t *parallel, ompt_data_t *data, ompt_dispatch_t kind, ompt_data_t) {
  count(ompt_callback_dispatch);
  Task *task = current(data, "dispatch");
  if (task == nullptr)
    return;
  check_region(task, parallel, "dispatch");
  if (kind == ompt_dispatch_section)
    CHECK(task->work == ompt_work_sections, "dispatch: a section in a construct %d", task->work);
}

void on_task_create(ompt_data_t *encountering, const ompt_frame_t *frame, ompt_data_t *data,
                    int flags, int, const void *address) {
  count(ompt_callback_task_create);
  current(encountering, "task_create");
  CHECK(frame->enter_frame.ptr != nullptr, "task_create: no frame");
  CHECK(data->ptr == nullptr, "task_create: data is not 0");
  CHECK(((flags & ompt_task_explicit) != 0) != ((flags & ompt_task_taskwait) != 0),
        "task_create: flags %x", flags);
  check_address(address, "task_create");
  auto *task = new Task;
  task->flags = flags;
  task->data = data;
  data->ptr = task;
  live_tasks++;
}

void on_task_schedule(ompt_data_t *prior_data, ompt_task_status_t status, ompt_data_t *next_data) {
  count(ompt_callback_task_schedule, status == ompt_task_switch     ? 0
                                     : status == ompt_task_complete ? 1
                                     : status == ompt_task_cancel   ? 2
                                                                    : 3);
  Task *next = task_of(next_data);
  if (status == ompt_taskwait_complete) {
    Task *prior = task_of(prior_data);
    CHECK(next_data == nullptr && prior != nullptr && (prior->flags & ompt_task_taskwait),
          "task_schedule: the end of what is no taskwait");
    delete prior;
    live_tasks--;
    return;
  }
  if (status == ompt_task_early_fulfill || status == ompt_task_late_fulfill) {
    Task *prior = task_of(prior_data);
    CHECK(next_data == nullptr && prior != nullptr, "task_schedule: fulfilled and scheduled");
    if (prior == nullptr)
      return;
    CHECK(!prior->fulfilled, "task_schedule: fulfilled twice");
    CHECK((status == ompt_task_late_fulfill) == prior->detached,
          "task_schedule: fulfilled %s, and is%s detached",
          status == ompt_task_late_fulfill ? "late" : "early", prior->detached ? "" : " not");
    prior->fulfilled = true;
    if (status == ompt_task_late_fulfill) {
      prior_data->ptr = nullptr;
      delete prior;
      live_tasks--;
    }
    return;
  }
  Thread *me = self();
  Task *prior = current(prior_data, "task_schedule");
  CHECK(next != nullptr, "task_schedule: no next task");
  if (me == nullptr || prior == nullptr || next == nullptr)
    return;
  if (status == ompt_task_switch) {
    CHECK(next->stage == Stage::created, "task_schedule: the task has begun already");
    next->stage = Stage::runs;
    next->region = prior->region;
    me->tasks.push_back(next);
    return;
  }
  CHECK(prior->flags & ompt_task_explicit, "task_schedule: an implicit task ends");
  CHECK(prior->stage == Stage::runs, "task_schedule: the task has ended already");
  CHECK(prior->regions.empty() && prior->work == 0, "task_schedule: ends in a construct");
  prior->stage = Stage::done;
  me->tasks.pop_back();
  CHECK(!me->tasks.empty() && me->tasks.back() == next, "task_schedule: goes on with another task");
  if (status == ompt_task_detach) {
    prior->detached = true;
    return;
  }
  CHECK(status == ompt_task_complete || status == ompt_task_cancel, "task_schedule: status %d",
        status);
  prior_data->ptr = nullptr;
  delete prior;
  live_tasks--;
}

void on_dependences(ompt_data_t *data, const ompt_dependence_t *deps, int how_many) {
  count(ompt_callback_dependences);
  CHECK(task_of(data) != nullptr, "dependences: no task");
  CHECK(how_many > 0, "dependences: none");
  for (int i = 0; i < how_many; i++)
    CHECK(deps[i].dependence_type >= ompt_dependence_type_in &&
              deps[i].dependence_type <= ompt_dependence_type_inout_all_memory,
          "dependences: type %d", deps[i].dependence_type);
}

bool is_wait_for_lock(int state) {
  return state >= ompt_state_wait_mutex && state <= ompt_state_wait_ordered;
}

void on_mutex_acquire(ompt_mutex_t, unsigned, unsigned, ompt_wait_id_t id, const void *) {
  count(ompt_callback_mutex_acquire);
  Thread *me = self();
  ompt_wait_id_t found = 0;
  CHECK(is_wait_for_lock(get_state(&found)) && found == id, "mutex_acquire: state %x",
        get_state(nullptr));
  if (me != nullptr)
    me->wanted = id;
}

void on_mutex_acquired(ompt_mutex_t, ompt_wait_id_t id, const void *) {
  count(ompt_callback_mutex_acquired);
  Thread *me = self();
  if (me == nullptr)
    return;
  CHECK(me->wanted == id, "mutex_acquired: another lock");
  CHECK(!is_wait_for_lock(get_state(nullptr)), "mutex_acquired: still waits");
  me->held.push_back(id);
}

void on_mutex_released(ompt_mutex_t kind, ompt_wait_id_t id, const void *) {
  count(ompt_callback_mutex_released);
  Thread *me = self();
  if (me == nullptr)
    return;
  for (size_t i = me->held.size(); i-- > 0;)
    if (me->held[i] == id) {
      me->held.erase(me->held.begin() + i);
      return;
    }
  // A task that goes on elsewhere may release what it took on another thread, which libgomp, whose
  // tasks are tied, does not have; a lock without an owner may be released by any thread.
  CHECK(kind == ompt_mutex_lock || kind == ompt_mutex_test_lock,
        "mutex_released: the thread does not hold it");
}

void on_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t, const void *) {
  count(ompt_callback_nest_lock, endpoint);
}

void on_lock_init(ompt_mutex_t, unsigned, unsigned, ompt_wait_id_t, const void *) {
  count(ompt_callback_lock_init);
}

void on_lock_destroy(ompt_mutex_t, ompt_wait_id_t, const void *) {
  count(ompt_callback_lock_destroy);
}

void on_cancel(ompt_data_t *data, int, const void *) {
  count(ompt_callback_cancel);
  CHECK(task_of(data) != nullptr, "cancel: no task");
}

void on_masked(ompt_scope_endpoint_t endpoint, ompt_data_t *, ompt_data_t *, const void *) {
  count(ompt_callback_masked, endpoint);
}

int on_control_tool(uint64_t command, uint64_t modifier, void *, const void *address) {
  count(ompt_callback_control_tool);
  check_address(address, "control_tool");
  // omp_control_tool_end ends the tool, and the next event must not come.
  if (command == 4) {
    ended_early = true;
    finalize_tool();
  }
  // The construct that the thread is in.
  if (command == 64)
    return self()->tasks.back()->work;
  return (int)(command * 10 + modifier);
}

template <typename F> void set(ompt_callbacks_t event, F callback) {
  ompt_callback_t found = nullptr;
  ompt_set_result_t result = set_callback(event, (ompt_callback_t)callback);
  CHECK(result >= ompt_set_sometimes, "ompt_set_callback (%s): %d", names[event], result);
  CHECK(get_callback(event, &found) == 1 && found == (ompt_callback_t)callback,
        "ompt_get_callback (%s) has another one", names[event]);
}

void look_up(ompt_function_lookup_t lookup) {
#define LOOK_UP(name)                                                                              \
  name = (ompt_##name##_t)lookup("ompt_" #name);                                                   \
  CHECK(name != nullptr, "no entry point ompt_" #name)
  LOOK_UP(set_callback);
  LOOK_UP(get_callback);
  LOOK_UP(get_thread_data);
  LOOK_UP(get_state);
  LOOK_UP(get_parallel_info);
  LOOK_UP(get_task_info);
  LOOK_UP(get_unique_id);
  LOOK_UP(finalize_tool);
#undef LOOK_UP
  for (const char *name :
       {"ompt_enumerate_states", "ompt_enumerate_mutex_impls", "ompt_get_num_procs",
        "ompt_get_num_places", "ompt_get_place_proc_ids", "ompt_get_place_num",
        "ompt_get_partition_place_nums", "ompt_get_proc_id", "ompt_get_task_memory",
        "ompt_get_target_info", "ompt_get_num_devices"})
    CHECK(lookup(name) != nullptr, "no entry point %s", name);
  CHECK(lookup("ompt_no_such_thing") == nullptr, "an entry point that does not exist");
  CHECK(get_unique_id() != get_unique_id(), "an identifier that is not unique");
}

void check_states(ompt_function_lookup_t lookup) {
  auto enumerate = (ompt_enumerate_states_t)lookup("ompt_enumerate_states");
  std::set<int> states;
  const char *name;
  int state = ompt_state_undefined;
  while (enumerate(state, &state, &name)) {
    bool added = states.insert(state).second;
    CHECK(added, "state %x twice", state);
    if (!added)
      break;
    CHECK(strncmp(name, "ompt_state_", 11) == 0, "state %s", name);
  }
  CHECK(states.count(ompt_state_idle) && states.count(ompt_state_wait_taskwait), "%zu states",
        states.size());
}

void check_machine(ompt_function_lookup_t lookup) {
  const char *name;
  auto implementations = (ompt_enumerate_mutex_impls_t)lookup("ompt_enumerate_mutex_impls");
  int implementation = 0;
  CHECK(implementations(implementation, &implementation, &name) == 1 &&
            implementations(implementation, &implementation, &name) == 0,
        "more or less than one implementation of locks");
  auto procs = (ompt_get_num_procs_t)lookup("ompt_get_num_procs");
  CHECK(procs() > 0, "no processors");
  auto proc = (ompt_get_proc_id_t)lookup("ompt_get_proc_id");
  CHECK(proc() >= 0, "on no processor");
}

void set_callbacks() {
  set(ompt_callback_thread_begin, on_thread_begin);
  set(ompt_callback_thread_end, on_thread_end);
  set(ompt_callback_parallel_begin, on_parallel_begin);
  set(ompt_callback_parallel_end, on_parallel_end);
  set(ompt_callback_implicit_task, on_implicit_task);
  set(ompt_callback_sync_region, on_sync_region);
  set(ompt_callback_sync_region_wait, on_sync_region_wait);
  set(ompt_callback_work, on_work);
  set(ompt_callback_dispatch, on_dispatch);
  set(ompt_callback_task_create, on_task_create);
  set(ompt_callback_task_schedule, on_task_schedule);
  set(ompt_callback_dependences, on_dependences);
  set(ompt_callback_mutex_acquire, on_mutex_acquire);
  set(ompt_callback_mutex_acquired, on_mutex_acquired);
  set(ompt_callback_mutex_released, on_mutex_released);
  set(ompt_callback_nest_lock, on_nest_lock);
  set(ompt_callback_lock_init, on_lock_init);
  set(ompt_callback_lock_destroy, on_lock_destroy);
  set(ompt_callback_cancel, on_cancel);
  set(ompt_callback_masked, on_masked);
  set(ompt_callback_control_tool, on_control_tool);
}

int initialize(ompt_function_lookup_t lookup, int, ompt_data_t *data) {
  look_up(lookup);
  check_states(lookup);
  check_machine(lookup);
  CHECK(data->ptr == nullptr, "the tool's data is not 0");
  data->value = 42;
  CHECK(set_callback(ompt_callback_flush, nullptr) == ompt_set_never, "flush is seen");
  CHECK(set_callback((ompt_callbacks_t)999, nullptr) == ompt_set_error, "an event 999");
  set_callbacks();
  return getenv("OMPT_REFUSE") == nullptr;
}

void finalize(ompt_data_t *data) {
  CHECK(data->value == 42, "finalize: the tool's data has changed");
  // A program that ends in a region has more.
  if (!ended_early && getenv("OMPT_UNFINISHED") == nullptr) {
    CHECK(live_regions == 0, "%ld regions have not ended", live_regions.load());
    CHECK(live_tasks == 0, "%ld tasks have not ended", live_tasks.load());
  }
  if (const char *name = getenv("OMPT_COUNTS"))
    if (FILE *file = fopen(name, "w")) {
      for (int event = 1; event < EVENTS; event++)
        if (names[event] != nullptr)
          fprintf(file, "%s %lu %lu %lu %lu\n", names[event], counts[event][0].load(),
                  counts[event][1].load(), counts[event][2].load(), counts[event][3].load());
      fclose(file);
    }
  if (faults == 0)
    return;
  fprintf(stderr, "checker: %d faults\n", faults.load());
  _exit(3);
}

ompt_start_tool_result_t result = {initialize, finalize, {0}};

} // namespace

extern "C" [[gnu::visibility("default")]] ompt_start_tool_result_t *
ompt_start_tool(unsigned version, const char *runtime) {
  CHECK(version >= 201811, "OpenMP %u", version);
  CHECK(strncmp(runtime, "libgomp-amp ", 12) == 0, "runtime %s", runtime);
  return getenv("OMPT_NO_TOOL") == nullptr ? &result : nullptr;
}
