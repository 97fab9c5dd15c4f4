// SPDX-License-Identifier: GPL-3.0-or-later
// Reads reports, and distinguishes written files from old ones.
#include "amp-run/tune/scratch.h"

#include "common/command.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

namespace amp {

namespace {

// The modification time that a file has until a run writes it. The clock of file systems is too
// coarse to compare times.
constexpr timespec mark = {1, 0};

void copy_to(int descriptor, const std::string &file) {
  const int from = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  static char part[1 << 16];
  for (ssize_t count; from >= 0 && (count = read(from, part, sizeof part)) > 0;)
    for (ssize_t done = 0, one = 0; done < count; done += one)
      if ((one = write(descriptor, part + done, static_cast<std::size_t>(count - done))) < 0) {
        if (errno != EINTR && errno != EAGAIN)
          throw Failure(std::string("standard output: ") + std::strerror(errno));
        one = 0;
      }
  if (from >= 0)
    close(from);
}

std::string last_line(const std::string &file) {
  std::ifstream stream(file);
  std::string last;
  for (std::string line; std::getline(stream, line);)
    if (!line.empty())
      last = line.substr(0, 200);
  return last;
}

int open_input() {
  struct stat status;
  const bool there = fstat(STDIN_FILENO, &status) == 0;
  if (there && S_ISREG(status.st_mode))
    return dup(STDIN_FILENO);
  if (there && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)))
    throw Failure("standard input is a pipe, which each run would have to read again: give it a "
                  "file, or nothing (< /dev/null); nothing was run");
  if (there && isatty(STDIN_FILENO))
    std::cerr << "amp-run: standard input is a terminal, which cannot be read by each run: "
                 "they get none; < FILE gives them a file\n";
  return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

} // namespace

Scratch::Scratch(const std::string &directory) : directory_(directory), input_(open_input()) {
  std::filesystem::create_directory(directory_ + "/reports");
}

Scratch::~Scratch() { close(input_); }

RunFiles Scratch::files() const { return {input_, directory_ + "/out", directory_ + "/err"}; }

void Scratch::mark_outputs(const std::vector<std::string> &files) const {
  const timespec times[2] = {mark, mark};
  for (const std::string &file : files)
    utimensat(AT_FDCWD, file.c_str(), times, 0);
}

Content Scratch::output() const { return content_of_file(directory_ + "/out"); }

bool Scratch::is_written(const std::string &file) const {
  struct stat status;
  return stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         (status.st_mtim.tv_sec != mark.tv_sec || status.st_mtim.tv_nsec != mark.tv_nsec);
}

void Scratch::hand_on() const {
  copy_to(STDERR_FILENO, directory_ + "/err");
  copy_to(STDOUT_FILENO, directory_ + "/out");
}

std::string Scratch::clock() const { return directory_ + "/clock"; }

double Scratch::virtual_seconds() const {
  double seconds = 0;
  std::ifstream stream(clock());
  for (std::string line; std::getline(stream, line);)
    if (const auto report = nlohmann::json::parse(line, nullptr, false); !report.is_discarded())
      seconds += report.value("makespan_ns", 0.0) * 1e-9;
  std::error_code ignored;
  std::filesystem::remove(clock(), ignored);
  return seconds;
}

std::string Scratch::folds() const { return directory_ + "/folds"; }

bool Scratch::folded() const { return std::ifstream(folds()).peek() != EOF; }

std::string Scratch::reports() const { return directory_ + "/reports/%p.json"; }

bool Scratch::reported(const char *kind) const {
  std::error_code error;
  for (const auto &file : std::filesystem::directory_iterator(directory_ + "/reports", error)) {
    std::ifstream stream(file.path());
    const auto report = nlohmann::json::parse(stream, nullptr, false);
    if (report.is_object() && report.contains(kind) && !report[kind].empty())
      return true;
  }
  return false;
}

std::string Scratch::last_words() const {
  const std::string error = last_line(directory_ + "/err");
  const std::string last = error.empty() ? last_line(directory_ + "/out") : error;
  return last.empty() ? "" : ": " + last;
}

} // namespace amp
