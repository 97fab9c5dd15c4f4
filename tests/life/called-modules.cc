// SPDX-License-Identifier: GPL-3.0-or-later
// A module without thread-local variables, whose regions are called, is unloaded. One with such
// variables gets its address: its regions are not called.
//
// called-modules <module without> <module with>

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

namespace {

constexpr int kIds = 8;

using Misses = int (*)(int regions, int ids);

void *open(const char *name) {
  void *module = dlopen(name, RTLD_NOW);
  if (module == nullptr) {
    std::printf("%s\n", dlerror());
    std::exit(2);
  }
  return module;
}

Misses function(void *module) { return reinterpret_cast<Misses>(dlsym(module, "misses")); }

} // namespace

int main(int, char **argv) {
  // The threads of the pool.
#pragma omp parallel num_threads(kIds)
  {}
  void *module = open(argv[1]);
  const void *region = dlsym(module, "region");
  function(module)(3, kIds);
  dlclose(module);
  module = open(argv[2]);
  if (dlsym(module, "region") != region) {
    std::puts("skipped: the loader gave the second module another address");
    return 77;
  }
  int missed = function(module)(50, kIds);
  if (missed != 0)
    std::printf("%d of %d times an id found the variables of another one\n", missed, 50 * kIds);
  return missed != 0;
}
