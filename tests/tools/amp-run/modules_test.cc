// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of what the names of libgomp's functions say of the code that calls them.
#include "amp-run/modules.h"

#include <gtest/gtest.h>

namespace amp {

OpenMPUse use_of_calls(const std::vector<std::string> &imports) { return use_of(imports, {}); }

TEST(OpenMPUse, TellsRoutedLoopsFromOthers) {
  for (const char *name :
       {"GOMP_loop_nonmonotonic_runtime_start", "GOMP_parallel_loop_nonmonotonic_runtime",
        "GOMP_loop_ull_nonmonotonic_runtime_next"}) {
    const OpenMPUse use = use_of_calls({name, "GOMP_loop_end"});
    EXPECT_TRUE(use.routed && use.reachable()) << name;
    EXPECT_FALSE(use.runtime || use.fixed || use.passed) << name;
  }
  for (const char *name :
       {"GOMP_loop_runtime_start", "GOMP_parallel_loop_maybe_nonmonotonic_runtime",
        "GOMP_loop_ordered_runtime_start", "GOMP_parallel_loop_runtime_start"}) {
    const OpenMPUse use = use_of_calls({name});
    EXPECT_TRUE(use.runtime && use.reachable()) << name;
    EXPECT_FALSE(use.routed || use.fixed || use.passed) << name;
  }
}

TEST(OpenMPUse, CannotReachExplicitSchedulesAndInlineLoops) {
  for (const char *name :
       {"GOMP_loop_nonmonotonic_dynamic_start", "GOMP_parallel_loop_guided",
        "GOMP_loop_ull_ordered_static_start", "GOMP_loop_doacross_runtime_start", "GOMP_parallel",
        "GOMP_loop_end_nowait", "omp_get_thread_num", "__kmpc_fork_call"}) {
    EXPECT_FALSE(use_of_calls({name}).reachable()) << name;
  }
  EXPECT_TRUE(use_of_calls({"GOMP_loop_guided_start"}).fixed);
  EXPECT_TRUE(use_of_calls({"__kmpc_for_static_init_4"}).foreign);
}

TEST(OpenMPUse, DoesNotTakeTheGuardsImportsForTheProgramsOwn) {
  std::vector<std::string> imports = {"GOMP_loop_nonmonotonic_runtime_start",
                                      "GOMP_loop_ull_nonmonotonic_runtime_start",
                                      "GOMP_parallel_loop_nonmonotonic_runtime",
                                      "GOMP_loop_static_start",
                                      "GOMP_loop_ull_static_start",
                                      "GOMP_parallel_loop_static",
                                      "GOMP_loop_start",
                                      "GOMP_loop_ull_start"};
  EXPECT_EQ(describe(use_of_calls(imports), {}).size(), 1u);
  EXPECT_TRUE(use_of_calls(imports).routed);
  imports.push_back("GOMP_loop_dynamic_start");
  EXPECT_TRUE(use_of_calls(imports).fixed);
  imports.erase(imports.begin());
  EXPECT_TRUE(use_of_calls(imports).passed);
}

TEST(OpenMPUse, IsSeenInCallsAndInLibraries) {
  EXPECT_FALSE(use_of({"printf", "GOMPX_parallel", "domp_x"}, {"libc.so.6"}).any());
  EXPECT_TRUE(use_of({"omp_get_wtime"}, {}).any());
  EXPECT_TRUE(use_of({}, {"libc.so.6", "libgomp.so.1"}).any());
  EXPECT_EQ(use_of({}, {"libgomp-a34b3233.so.1.0.0"}).runtime_name, "libgomp-a34b3233.so.1.0.0");
}

TEST(OpenMPUse, AlwaysDescribesWhatItFound) {
  for (const char *name : {"GOMP_loop_start", "GOMP_task", "GOMP_parallel", "omp_get_wtime",
                           "GOMP_loop_dynamic_next", "__kmpc_barrier"})
    EXPECT_EQ(describe(use_of_calls({name}), {}).size(), 1u) << name;
  EXPECT_EQ(describe(use_of({}, {"libgomp.so.1"}), {}).size(), 2u);
}

// The one line about the regions of a module that calls IMPORTS and has STATE of a thread.
std::string regions(const char *import) {
  OpenMPUse use = use_of_calls({"GOMP_parallel"});
  use.kernel_import = import;
  for (const std::string &line : describe(use, true))
    if (line.find("parallel regions: ") == 0)
      return line;
  return {};
}

bool has(const std::string &text, const char *part) { return text.find(part) != text.npos; }

TEST(OpenMPUse, SaysHowRegionsAreFolded) {
  const std::string carried = regions("");
  EXPECT_TRUE(has(carried, "folded: neither the module")) << carried;
  const std::string kernel = regions("nice, its priority");
  EXPECT_TRUE(has(kernel, "folded by the kernel: the module")) << kernel;
  EXPECT_TRUE(has(kernel, "threads (nice, its priority)")) << kernel;
}

TEST(OpenMPUse, SaysThatRoutedLoopsAreStaticWhereThreadsAreFolded) {
  const OpenMPUse use = use_of_calls({"GOMP_loop_nonmonotonic_runtime_start", "GOMP_parallel"});
  EXPECT_TRUE(has(describe(use, false).front(), "the library schedules them"));
  EXPECT_TRUE(has(describe(use, true).front(), "static"));
}

TEST(BundledName, HasAHash) {
  EXPECT_TRUE(is_bundled_name("/x/scikit_learn.libs/libgomp-a34b3233.so.1.0.0"));
  EXPECT_TRUE(is_bundled_name("libgomp-24e2ab19.so.1.0.0"));
  for (const char *file :
       {"libgomp.so.1", "/usr/lib/libgomp.so.1.0.0", "libgomp-plugin", "", "libgompx-1.so"})
    EXPECT_FALSE(is_bundled_name(file)) << file;
}

} // namespace amp
