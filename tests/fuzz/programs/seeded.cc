// SPDX-License-Identifier: GPL-3.0-or-later
// Runs random programs, each from a seed of its own, and says which seed failed.

#include "seeded.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <mutex>

#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

namespace {

std::mutex lock;
std::string failure;

char hint[256];

/// A program that hangs is a find as well; nothing but the seed is left to be had then.
void hung(int) {
  if (write(STDERR_FILENO, hint, strlen(hint)) < 0)
    _exit(4);
  _exit(3);
}

const char *served() {
  static Dl_info info;
  void *const start = dlsym(RTLD_DEFAULT, "GOMP_parallel");
  if (!dlsym(RTLD_DEFAULT, "ompx_amp_version") || !start || !dladdr(start, &info))
    return nullptr;
  return info.dli_fname;
}

} // namespace

void fail(const std::string &what) {
  const std::lock_guard<std::mutex> guard(lock);
  if (failure.empty())
    failure = what;
}

int runSeeded(int argc, char **argv, const char *description, void (*program)(std::uint64_t),
              const std::function<void(CLI::App &)> &addOptions) {
  CLI::App app(description);
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  std::uint64_t seed = 1;
  long runs = 100;
  unsigned patience = 900;
  double seconds = 0;
  app.add_option("--seed", seed, "The seed of the first program; each further one has the next")
      ->capture_default_str();
  app.add_option("--runs", runs, "How many programs")->capture_default_str();
  app.add_option("--seconds", seconds, "Run programs for this time instead");
  app.add_option("--patience", patience, "Seconds after which a program counts as hanging")
      ->capture_default_str();
  if (addOptions)
    addOptions(app);
  CLI11_PARSE(app, argc, argv);

  const char *const library = served();
  if (!library) {
    std::fprintf(stderr, "the libgomp of this process is not libgomp-amp; set LD_LIBRARY_PATH\n");
    return 1;
  }
  std::printf("libgomp under test: %s\n", library);
  signal(SIGALRM, hung);
  // Of options given twice the last one counts.
  std::string command;
  for (int i = 0; i < argc; i++)
    command += (i ? " " : "") + std::string(argv[i]);

  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const auto passed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  long done = 0;
  for (; seconds > 0 ? passed() < seconds : done < runs; done++, seed++) {
    std::snprintf(hint, sizeof hint, "hangs; in the same environment: %s --seed %llu --runs 1\n",
                  command.c_str(), static_cast<unsigned long long>(seed));
    alarm(patience);
    program(seed);
    if (!failure.empty()) {
      std::fprintf(stderr, "%s\nin the same environment: %s --seed %llu --runs 1\n",
                   failure.c_str(), command.c_str(), static_cast<unsigned long long>(seed));
      return 1;
    }
  }
  alarm(0);
  std::printf("%ld programs in %.1f s, seeds up to %llu\n", done, passed(),
              static_cast<unsigned long long>(seed - 1));
  return 0;
}
