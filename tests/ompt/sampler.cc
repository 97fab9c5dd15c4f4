// SPDX-License-Identifier: GPL-3.0-or-later
// A tool that samples, as profilers do: a timer of each thread interrupts it, and the handler asks
// what the thread does, by entry points that OpenMP defines as async-signal-safe. It ends the
// process with code 3 if they hand out what is no data of a region or task, and writes the number
// of samples when it ends.

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <omp-tools.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

constexpr long kPeriodNs = 40000;
// No record of another kind has such values, and no freed one.
constexpr uint64_t kRegion = 0x1234567800000001, kTask = 0x1234567800000002;

ompt_get_parallel_info_t get_parallel_info;
ompt_get_task_info_t get_task_info;
ompt_get_state_t get_state;
ompt_get_thread_data_t get_thread_data;
ompt_get_unique_id_t get_unique_id;
ompt_get_proc_id_t get_proc_id;
ompt_get_num_procs_t get_num_procs;
std::atomic<unsigned long> samples;
thread_local timer_t timer;
thread_local uint64_t last_id;

void fail(const char *what, int level, uint64_t value) {
  char text[120];
  int length =
      snprintf(text, sizeof text, "%s of level %d: %llx\n", what, level, (unsigned long long)value);
  if (write(STDERR_FILENO, text, length) == length)
    _exit(3);
  _exit(4);
}

// A value that no event has set yet is 0.
void check(const char *what, int level, const ompt_data_t *data, uint64_t expected) {
  if (data != nullptr && data->value != 0 && data->value != expected)
    fail(what, level, data->value);
}

void take_id() {
  uint64_t id = get_unique_id();
  if (id <= last_id)
    fail("identifier", 0, id);
  last_id = id;
}

void handle(int) {
  int error = errno;
  ompt_data_t *data, *region;
  ompt_frame_t *frame;
  ompt_wait_id_t wait;
  int size, flags, number;
  samples++;
  get_state(&wait);
  get_proc_id();
  get_num_procs();
  // A timer is a kernel thread's, which in folded teams may run an id whose thread has not begun
  // yet, or has ended.
  if (get_thread_data() == nullptr && getenv("GOMP_AMP_FOLD") == nullptr)
    fail("no thread", 0, 0);
  for (int level = 0; get_parallel_info(level, &data, &size) == 2; level++) {
    check("region", level, data, kRegion);
    if (size < 1 || size > 64)
      fail("size", level, size);
  }
  for (int level = 0; get_task_info(level, &flags, &data, &frame, &region, &number) == 2; level++) {
    check("task", level, data, kTask);
    check("region of task", level, region, kRegion);
    if (number < 0 || number > 64 || frame == nullptr)
      fail("number", level, number);
  }
  get_unique_id();
  errno = error;
}

void on_thread_begin(ompt_thread_t, ompt_data_t *) {
  struct sigevent event = {};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGPROF;
  event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
  struct itimerspec period = {{0, kPeriodNs}, {0, kPeriodNs}};
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 ||
      timer_settime(timer, 0, &period, nullptr) != 0)
    fail("timer", 0, errno);
}

void on_thread_end(ompt_data_t *) { timer_delete(timer); }

void on_parallel_begin(ompt_data_t *, const ompt_frame_t *, ompt_data_t *data, unsigned, int,
                       const void *) {
  data->value = kRegion;
  for (int i = 0; i < 20; i++)
    take_id();
}

void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *, ompt_data_t *data, unsigned,
                      unsigned, int) {
  if (endpoint == ompt_scope_begin)
    data->value = kTask;
}

void on_task_create(ompt_data_t *, const ompt_frame_t *, ompt_data_t *data, int, int,
                    const void *) {
  data->value = kTask;
}

int initialize(ompt_function_lookup_t look_up, int, ompt_data_t *) {
  auto set_callback = (ompt_set_callback_t)look_up("ompt_set_callback");
  get_parallel_info = (ompt_get_parallel_info_t)look_up("ompt_get_parallel_info");
  get_task_info = (ompt_get_task_info_t)look_up("ompt_get_task_info");
  get_state = (ompt_get_state_t)look_up("ompt_get_state");
  get_thread_data = (ompt_get_thread_data_t)look_up("ompt_get_thread_data");
  get_unique_id = (ompt_get_unique_id_t)look_up("ompt_get_unique_id");
  get_proc_id = (ompt_get_proc_id_t)look_up("ompt_get_proc_id");
  get_num_procs = (ompt_get_num_procs_t)look_up("ompt_get_num_procs");
  set_callback(ompt_callback_thread_begin, (ompt_callback_t)on_thread_begin);
  set_callback(ompt_callback_thread_end, (ompt_callback_t)on_thread_end);
  set_callback(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin);
  set_callback(ompt_callback_implicit_task, (ompt_callback_t)on_implicit_task);
  set_callback(ompt_callback_task_create, (ompt_callback_t)on_task_create);
  struct sigaction action = {};
  action.sa_handler = handle;
  action.sa_flags = SA_RESTART;
  return sigaction(SIGPROF, &action, nullptr) == 0;
}

void finalize(ompt_data_t *) { fprintf(stderr, "%lu samples\n", samples.load()); }

} // namespace

extern "C" [[gnu::visibility("default")]] ompt_start_tool_result_t *ompt_start_tool(unsigned,
                                                                                    const char *) {
  static ompt_start_tool_result_t result = {initialize, finalize, {}};
  return &result;
}
