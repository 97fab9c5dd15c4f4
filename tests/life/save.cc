// SPDX-License-Identifier: GPL-3.0-or-later
// Samples a loop, so that the library saves its factors, and lets something happen meanwhile:
// save [fdopen kill|<directory>]. A directory is where two such processes meet.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include "life.h"

static const char *where = "", *what = "";

static void at(const char *function) {
  if (std::strcmp(where, function) != 0)
    return;
  where = "";
  if (std::strcmp(what, "kill") == 0) {
    raise(SIGKILL);
  } else {
    namespace fs = std::filesystem;
    std::string name = std::string(what) + "/XXXXXX";
    close(mkstemp(name.data()));
    while (std::distance(fs::directory_iterator(what), {}) < 2)
      usleep(1000);
  }
}

// With the file's name, and in it nothing yet.
extern "C" FILE *fdopen(int fd, const char *mode) noexcept {
  using Function = FILE *(*)(int, const char *);
  static const auto next = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "fdopen"));
  at("fdopen");
  return next(fd, mode);
}

int main(int argc, char **argv) {
  life::ours();
  life::sampled_loop(life::kKinds[0], 2, 1000, [] {});
  if (argc > 2) {
    where = argv[1];
    what = argv[2];
  }
  std::printf("process %d\n", int(getpid()));
  return 0;
}
