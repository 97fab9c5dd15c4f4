// SPDX-License-Identifier: GPL-3.0-or-later
// The entry points of later majors, by their names and versions. The compiler that builds the tests
// knows none of them.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

// The function NAME of VERSION in the process's libgomp. FUNCTION is its type. The program ends
// without it.
template <typename Function> Function *entry_point(const char *name, const char *version) {
  void *found = dlvsym(RTLD_DEFAULT, name, version);
  if (!found) {
    std::fprintf(stderr, "%s@%s is missing: %s\n", name, version, dlerror());
    std::exit(1);
  }
  return reinterpret_cast<Function *>(found);
}

// ENTRY_POINT(VERSION, NAME, TYPE): a pointer NAME to that function.
#define ENTRY_POINT(version, name, ...)                                                            \
  static const auto name = entry_point<__VA_ARGS__>(#name, version)
