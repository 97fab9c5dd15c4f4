// SPDX-License-Identifier: GPL-3.0-or-later
// Runs the tests after making sure that it is our library which serves them.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdio>

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  Dl_info info = {};
  void *version = dlsym(RTLD_DEFAULT, "ompx_amp_version");
  void *served = dlsym(RTLD_DEFAULT, "GOMP_parallel");
  if (!version || !served || !dladdr(served, &info)) {
    std::fprintf(stderr, "the libgomp of this process is not libgomp-amp; set LD_LIBRARY_PATH\n");
    return 1;
  }
  std::printf("libgomp under test: %s\n", info.dli_fname);
  return RUN_ALL_TESTS();
}
