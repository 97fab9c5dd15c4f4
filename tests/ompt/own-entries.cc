// SPDX-License-Identifier: GPL-3.0-or-later
// A tool that writes to OMPT_FACTS what the entry points of our own told it: a line for each
// region, for each part of a loop and for each id.

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <omp-tools.h>
#include <ompx-amp-tools.h>
#include <string>

namespace {

#define ENTRIES(X)                                                                                 \
  X(ompt_set_callback)                                                                             \
  X(ompx_amp_get_time)                                                                             \
  X(ompx_amp_get_start)                                                                            \
  X(ompx_amp_print_message)                                                                        \
  X(ompx_amp_get_machine)                                                                          \
  X(ompx_amp_get_class_of_cpu)                                                                     \
  X(ompx_amp_get_class)                                                                            \
  X(ompx_amp_get_region)                                                                           \
  X(ompx_amp_get_worker)                                                                           \
  X(ompx_amp_get_loop)
#define DECLARE(name) name##_t name;
ENTRIES(DECLARE)

FILE *facts;

void region_begins(ompt_data_t *, const ompt_frame_t *, ompt_data_t *region, unsigned, int,
                   const void *) {
  ompx_amp_region_t told;
  ompx_amp_get_region(region, &told);
  region->ptr = const_cast<void *>(told.function);
}

void region_ends(ompt_data_t *region, ompt_data_t *, int, const void *) {
  ompx_amp_region_t told;
  ompx_amp_get_region(region, &told);
  fprintf(facts, "region %p %d %d %u %s %s\n", told.function, told.function == region->ptr,
          told.way, told.places, told.why_key ? told.why_key : "-",
          told.why_name ? told.why_name : "-");
}

void implicit(ompt_scope_endpoint_t endpoint, ompt_data_t *, ompt_data_t *task, unsigned,
              unsigned id, int flags) {
  if (endpoint != ompt_scope_begin || (flags & ompt_task_initial))
    return;
  ompx_amp_worker_t told;
  ompx_amp_get_worker(&told);
  task->value = id + 1;
  fprintf(facts, "id %u %d %d\n", id, told.worker, ompx_amp_get_class());
}

void work(ompt_work_t type, ompt_scope_endpoint_t endpoint, ompt_data_t *, ompt_data_t *task,
          uint64_t count, const void *) {
  ompx_amp_loop_t told;
  if (endpoint != ompt_scope_end)
    return;
  if (!ompx_amp_get_loop(&told)) {
    fprintf(facts, "work %d\n", type);
    return;
  }
  // In one piece: other threads write, too.
  std::string factors;
  for (unsigned i = 0; told.factors && i < told.classes; i++)
    factors += " " + std::to_string(told.factors[i]);
  fprintf(facts, "loop %ld %d %u %d %llu %llu%s\n", long(task->value) - 1, told.ran, told.why,
          told.counted, (unsigned long long)told.iterations, (unsigned long long)count,
          factors.c_str());
}

int initialize(ompt_function_lookup_t look_up, int, ompt_data_t *) {
#define LOOK_UP(name)                                                                              \
  if (!(name = reinterpret_cast<name##_t>(look_up(#name))))                                        \
    return fprintf(facts, "missing " #name "\n"), 0;
  ENTRIES(LOOK_UP)
  ompt_set_callback(ompt_callback_parallel_begin, ompt_callback_t(region_begins));
  ompt_set_callback(ompt_callback_parallel_end, ompt_callback_t(region_ends));
  ompt_set_callback(ompt_callback_implicit_task, ompt_callback_t(implicit));
  ompt_set_callback(ompt_callback_work, ompt_callback_t(work));
  ompx_amp_start_t start;
  ompx_amp_get_start(&start);
  fprintf(facts, "start %d %d %d\n", start.process, ompx_amp_get_time() >= start.time,
          !start.report && !start.trace);
  ompx_amp_machine_t machine;
  ompx_amp_get_machine(&machine);
  fprintf(facts, "machine %u %d %s %u", machine.classes, machine.forced, machine.source,
          machine.workers);
  for (unsigned cpu = 0; cpu <= machine.cpus; cpu++)
    fprintf(facts, " %d", ompx_amp_get_class_of_cpu(cpu));
  fputc('\n', facts);
  ompx_amp_print_message("a message");
  return look_up("ompx_amp_get_nothing") == nullptr;
}

void finalize(ompt_data_t *) { fclose(facts); }

ompt_start_tool_result_t result = {initialize, finalize, {0}};

} // namespace

extern "C" [[gnu::visibility("default")]] ompt_start_tool_result_t *ompt_start_tool(unsigned,
                                                                                    const char *) {
  facts = fopen(getenv("OMPT_FACTS"), "w");
  return facts ? &result : nullptr;
}
