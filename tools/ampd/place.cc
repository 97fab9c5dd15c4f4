// SPDX-License-Identifier: GPL-3.0-or-later
#include "ampd/place.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace amp {

namespace {

void check(const std::string &directory) {
  struct stat status;
  if (lstat(directory.c_str(), &status) != 0)
    throw std::runtime_error(directory + ": " + std::strerror(errno));
  if (!S_ISDIR(status.st_mode) || status.st_uid != geteuid() || (status.st_mode & 077))
    throw std::runtime_error(directory +
                             ": expected a directory of this user, for this user alone (mode 700)");
}

} // namespace

std::string runtime_directory() {
  const char *const given = std::getenv("XDG_RUNTIME_DIR");
  const std::string directory = given && *given ? given : "/run/user/" + std::to_string(geteuid());
  try {
    check(directory);
  } catch (const std::runtime_error &problem) {
    throw std::runtime_error(std::string("XDG_RUNTIME_DIR: ") + problem.what());
  }
  return directory;
}

std::string private_directory(const std::string &name) {
  const std::string directory = runtime_directory() + "/" + name;
  if (mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST)
    throw std::runtime_error(directory + ": " + std::strerror(errno));
  check(directory);
  return directory;
}

bool take_lock(const std::string &directory) {
  const int fd = open((directory + kLock).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  return fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0;
}

} // namespace amp
