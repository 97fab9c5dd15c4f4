// SPDX-License-Identifier: GPL-3.0-or-later
// A tool that uses OpenMP itself, is slow, or ends itself in an event: OMPT_DOES says which.
// omp_control_tool with the command 4 ends it, too. It writes "ended" when it ends, and ends the
// process with code 3 if there is an event after that.

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <omp-tools.h>
#include <unistd.h>

namespace {

ompt_finalize_tool_t finalize_tool;
std::atomic<bool> ended;
const char *does;

bool does_it(const char *name) { return does != nullptr && strcmp(does, name) == 0; }

void event(const char *name) {
  if (!ended)
    return;
  fprintf(stderr, "%s after the end\n", name);
  _exit(3);
}

void on_thread_end(ompt_data_t *) { event("thread_end"); }

void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *, ompt_data_t *, unsigned,
                      unsigned, int flags) {
  static int calls;
  event("implicit_task");
  if (!does_it("end") || endpoint != ompt_scope_end || !(flags & ompt_task_initial))
    return;
  if (++calls > 1) {
    fprintf(stderr, "the initial task ends twice\n");
    _exit(3);
  }
  finalize_tool();
}

void on_sync_region(ompt_sync_region_t, ompt_scope_endpoint_t, ompt_data_t *, ompt_data_t *,
                    const void *) {
  event("sync_region");
}

// A task's thread takes its time to see that the task goes on without it.
void on_task_create(ompt_data_t *, const ompt_frame_t *, ompt_data_t *task, int, int,
                    const void *) {
  event("task_create");
  task->ptr = new std::atomic<bool>(false);
}

void on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *) {
  event("task_schedule");
  auto *fulfilled = static_cast<std::atomic<bool> *>(prior->ptr);
  if (status == ompt_task_late_fulfill)
    *fulfilled = true;
  if (status != ompt_task_detach)
    return;
  usleep(20000);
  if (!*fulfilled)
    return;
  fprintf(stderr, "a task is fulfilled late and then detached\n");
  _exit(3);
}

int on_control_tool(uint64_t command, uint64_t, void *, const void *) {
  if (command == 4)
    finalize_tool();
  return 0;
}

int initialize(ompt_function_lookup_t look_up, int, ompt_data_t *) {
  auto set_callback = (ompt_set_callback_t)look_up("ompt_set_callback");
  finalize_tool = (ompt_finalize_tool_t)look_up("ompt_finalize_tool");
  set_callback(ompt_callback_thread_end, (ompt_callback_t)on_thread_end);
  set_callback(ompt_callback_implicit_task, (ompt_callback_t)on_implicit_task);
  set_callback(ompt_callback_sync_region, (ompt_callback_t)on_sync_region);
  set_callback(ompt_callback_sync_region_wait, (ompt_callback_t)on_sync_region);
  set_callback(ompt_callback_control_tool, (ompt_callback_t)on_control_tool);
  if (does_it("detach")) {
    set_callback(ompt_callback_task_create, (ompt_callback_t)on_task_create);
    set_callback(ompt_callback_task_schedule, (ompt_callback_t)on_task_schedule);
  }
  if (does_it("start")) {
    int sum = 0;
#pragma omp parallel num_threads(4)
    {
#pragma omp critical
      sum++;
#pragma omp barrier
#pragma omp task shared(sum)
#pragma omp atomic
      sum++;
#pragma omp taskwait
#pragma omp parallel num_threads(2)
#pragma omp atomic
      sum++;
    }
    printf("%d\n", sum);
    fflush(stdout);
  }
  return 1;
}

void finalize(ompt_data_t *) {
  if (does_it("slow end"))
    usleep(5000);
  ended = true;
  fprintf(stderr, "ended\n");
}

} // namespace

extern "C" [[gnu::visibility("default")]] ompt_start_tool_result_t *ompt_start_tool(unsigned,
                                                                                    const char *) {
  static ompt_start_tool_result_t result = {initialize, finalize, {}};
  does = getenv("OMPT_DOES");
  return &result;
}
