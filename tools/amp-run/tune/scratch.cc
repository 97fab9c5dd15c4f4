// SPDX-License-Identifier: GPL-3.0-or-later
// Makes a temporary directory, and distinguishes written files from old ones.
#include "amp-run/tune/scratch.h"

#include "common/command.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

namespace amp {

namespace {

// The modification time that a file has until a run writes it. The clock of file systems is too
// coarse to compare times.
constexpr timespec mark = {1, 0};

std::string content_of(const std::string &file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
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

Scratch::Scratch() : input_(open_input()) {
  const char *const variable = std::getenv("TMPDIR");
  directory_ = std::string(variable && *variable ? variable : "/tmp") + "/amp-run-XXXXXX";
  if (!mkdtemp(directory_.data()))
    throw Failure("'" + directory_ + "': " + std::strerror(errno) +
                  "; TMPDIR names another directory; nothing was run");
}

Scratch::~Scratch() {
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
  close(input_);
}

RunFiles Scratch::files() const { return {input_, directory_ + "/out", directory_ + "/err"}; }

void Scratch::mark_outputs(const std::vector<std::string> &files) const {
  const timespec times[2] = {mark, mark};
  for (const std::string &file : files)
    utimensat(AT_FDCWD, file.c_str(), times, 0);
}

std::optional<std::string> Scratch::output(std::size_t number,
                                           const std::vector<std::string> &files) const {
  if (number == 0)
    return content_of(directory_ + "/out");
  struct stat status;
  const std::string &file = files[number - 1];
  if (stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode) ||
      (status.st_mtim.tv_sec == mark.tv_sec && status.st_mtim.tv_nsec == mark.tv_nsec))
    return std::nullopt;
  return content_of(file);
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

std::string Scratch::last_error() const {
  std::ifstream stream(directory_ + "/err");
  std::string last;
  for (std::string line; std::getline(stream, line);)
    if (!line.empty())
      last = line.substr(0, 200);
  return last.empty() ? "" : ": " + last;
}

} // namespace amp
