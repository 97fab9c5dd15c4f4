// SPDX-License-Identifier: GPL-3.0-or-later
// Finds a library relative to the running program, and edits LD_PRELOAD.
#include "common/preload.h"

#include "common/command.h"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <sys/auxv.h>
#include <unistd.h>

namespace amp {

std::string own_file() {
  char self[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self);
  if (length > 0)
    return std::string(self, static_cast<std::size_t>(length));
  // Without /proc: as this program was called. A tool changes no directory before it asks.
  const auto called = reinterpret_cast<const char *>(getauxval(AT_EXECFN));
  if (called && realpath(called, self))
    return self;
  throw Failure("cannot find its own place: neither /proc/self/exe nor '" +
                std::string(called ? called : "") + "' can be read; mount /proc; nothing was run");
}

std::string own_tool(const std::string &name) {
  const std::string self = own_file();
  return self.substr(0, self.rfind('/') + 1) + name;
}

std::string own_library(const std::string &name) {
  std::string directory = own_file();
  for (int level = 0; level < 2; ++level)
    directory.resize(directory.rfind('/'));
  const std::string library = directory + "/lib/libgomp-amp/" + name;
  if (library.find_first_of(" :") != library.npos)
    throw Failure("LD_PRELOAD cannot name '" + library +
                  "', which has a blank or a colon in it; install libgomp-amp elsewhere");
  if (access(library.c_str(), R_OK) != 0)
    throw Failure("the library '" + library + "' cannot be read (" + std::strerror(errno) +
                  "); build or install libgomp-amp again; nothing was run");
  return library;
}

namespace {

// The first file of LD_PRELOAD.
std::string first_preload() {
  const char *const list = std::getenv("LD_PRELOAD");
  return list ? std::string(list, std::strcspn(list, " :")) : "";
}

} // namespace

bool in_virtual_time() {
  constexpr std::string_view end = "/virtual/libgomp.so.1";
  const std::string first = first_preload();
  return std::getenv("GOMP_AMP_VIRTUAL") && first.size() > end.size() &&
         first.compare(first.size() - end.size(), end.size(), end) == 0;
}

std::string runtime_library() {
  return in_virtual_time() ? first_preload() : own_library("libgomp.so.1");
}

std::string preload(const std::string &library) {
  const char *const others = std::getenv("LD_PRELOAD");
  std::string value = others ? others : "";
  if (first_preload() != library)
    value = value.empty() ? library : library + ":" + value;
  if (setenv("LD_PRELOAD", value.c_str(), 1) != 0)
    throw Failure(std::string("LD_PRELOAD: ") + std::strerror(errno));
  return value;
}

} // namespace amp
