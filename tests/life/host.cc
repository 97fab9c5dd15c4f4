// SPDX-License-Identifier: GPL-3.0-or-later
// A program without OpenMP opens, runs and closes OpenMP plugins: host <times> <plugin>...
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

[[noreturn]] static void fail(const std::string &what) {
  std::cerr << "FAILED: " << what << std::endl;
  std::_Exit(1);
}

static bool mapped(const std::string &name) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find(name) != std::string::npos)
      return true;
  return false;
}

static void run(const char *path) {
  void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!plugin)
    fail(dlerror());
  auto *entry = reinterpret_cast<void (*)(int)>(dlsym(plugin, "life_run"));
  if (!entry)
    fail(dlerror());
  Dl_info info = {};
  dladdr(reinterpret_cast<void *>(entry), &info);
  std::cout << "plugin at " << info.dli_fbase << std::endl;
  entry(2);
  entry(3);
  if (dlclose(plugin) != 0)
    fail(dlerror());
  if (mapped(path))
    fail(std::string(path) + " is still mapped");
}

int main(int argc, char **argv) {
  if (dlsym(RTLD_DEFAULT, "GOMP_parallel") && !std::getenv("LD_PRELOAD"))
    fail("the host has OpenMP itself");
  for (int times = std::atoi(argv[1]); times > 0; times--)
    for (int i = 2; i < argc; i++)
      run(argv[i]);
  std::cout << "libgomp " << (mapped("libgomp") ? "stays" : "is gone") << std::endl;
  return 0;
}
