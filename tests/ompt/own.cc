// SPDX-License-Identifier: GPL-3.0-or-later
// A program that is a tool itself, and exports nothing. It prints how many regions it has seen.

#include <cstdio>
#include <omp-tools.h>

namespace {

int regions;

void on_parallel_begin(ompt_data_t *, const ompt_frame_t *, ompt_data_t *, unsigned, int,
                       const void *) {
  regions++;
}

int initialize(ompt_function_lookup_t look_up, int, ompt_data_t *) {
  auto set_callback = (ompt_set_callback_t)look_up("ompt_set_callback");
  set_callback(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin);
  return 1;
}

void finalize(ompt_data_t *) {}

} // namespace

extern "C" ompt_start_tool_result_t *ompt_start_tool(unsigned, const char *) {
  static ompt_start_tool_result_t result = {initialize, finalize, {}};
  return &result;
}

int main() {
  int ids = 0;
  for (int i = 0; i < 3; i++) {
#pragma omp parallel num_threads(2)
#pragma omp atomic
    ids++;
  }
  printf("%d regions of %d ids\n", regions, ids);
}
