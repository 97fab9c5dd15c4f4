// SPDX-License-Identifier: GPL-3.0-or-later
// Runs the dynamic loader with --list and reads its output.
#include "amp-run/loader-list.h"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sstream>
#include <string_view>
#include <sys/mman.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace amp {

namespace {

// A file in memory that a child process writes and its parent then reads.
class Capture {
public:
  Capture() : file_(memfd_create("amp-run", MFD_CLOEXEC)) {
    if (file_ < 0)
      throw std::system_error(errno, std::generic_category(), "memfd_create");
  }
  ~Capture() { close(file_); }
  Capture(const Capture &) = delete;
  Capture &operator=(const Capture &) = delete;

  int file() const { return file_; }

  std::string text() const {
    std::string result;
    char buffer[4096];
    ssize_t count;
    while ((count = pread(file_, buffer, sizeof buffer, static_cast<off_t>(result.size()))) > 0)
      result.append(buffer, static_cast<std::size_t>(count));
    return result;
  }

private:
  int file_;
};

// The environment without the variables that make the loader write debugging output. If PRELOAD, an
// assignment to LD_PRELOAD, is not empty, it replaces the environment's own.
std::vector<char *> quiet_environment(std::string &preload) {
  std::vector<char *> result;
  for (char **variable = environ; *variable; ++variable)
    if (std::strncmp(*variable, "LD_DEBUG", 8) != 0 &&
        (preload.empty() || std::strncmp(*variable, "LD_PRELOAD=", 11) != 0))
      result.push_back(*variable);
  if (!preload.empty())
    result.push_back(preload.data());
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> lines_of(const std::string &text) {
  std::vector<std::string> result;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    if (!line.empty())
      result.push_back(line);
  return result;
}

std::string real_path(const std::string &path) {
  char resolved[PATH_MAX];
  return realpath(path.c_str(), resolved) ? resolved : path;
}

} // namespace

std::vector<std::string> parse_loader_list(const std::string &listing) {
  std::vector<std::string> result;
  for (const std::string &line : lines_of(listing)) {
    // "\tNAME => PATH (0xADDRESS)", "\tPATH (0xADDRESS)" or "\tNAME => not found"
    std::string_view rest = line;
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    const std::size_t address = rest.rfind(" (0x");
    const std::size_t arrow = rest.find(" => ");
    if (address != rest.npos) {
      const std::size_t begin = arrow == rest.npos ? 0 : arrow + 4;
      result.emplace_back(rest.substr(begin, address - begin));
    } else if (arrow != rest.npos)
      result.emplace_back(rest.substr(0, arrow));
  }
  return result;
}

bool is_system_loader(const std::string &loader) {
  const std::string file = real_path(loader);
  for (const std::string_view directory : {"/lib", "/usr/", "/nix/store/", "/gnu/store/"})
    if (file.compare(0, directory.size(), directory) == 0)
      return true;
  return false;
}

LoaderList list_loaded(const std::string &loader, const std::string &program,
                       const std::optional<std::string> &preloads) {
  std::string preload = preloads ? "LD_PRELOAD=" + *preloads : std::string();
  Capture output, errors;
  // Run with --list, the loader takes $ORIGIN from the name in its argument; in a program that the
  // kernel started, from the real file.
  const std::string file = real_path(program);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output.file(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors.file(), STDERR_FILENO);
  char option[] = "--list";
  char *const arguments[] = {const_cast<char *>(loader.c_str()), option,
                             const_cast<char *>(file.c_str()), nullptr};
  pid_t child;
  const int error = posix_spawn(&child, loader.c_str(), &actions, nullptr, arguments,
                                quiet_environment(preload).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error)
    throw std::system_error(error, std::generic_category(), loader);
  // The status says no more than the output, and it is lost if SIGCHLD is ignored.
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR)
    ;
  return {parse_loader_list(output.text()), lines_of(errors.text())};
}

} // namespace amp
