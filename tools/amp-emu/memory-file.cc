// SPDX-License-Identifier: GPL-3.0-or-later
// Shares a memfd by its name in /proc.
#include "amp-emu/memory-file.h"

#include "common/command.h"

#include <cerrno>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <system_error>
#include <unistd.h>

namespace amp {

MemoryFile::MemoryFile(const char *name) : file_(memfd_create(name, MFD_CLOEXEC)) {
  if (file_ < 0)
    throw std::system_error(errno, std::generic_category(), "memfd_create");
  path_ = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file_);
  if (prctl(PR_GET_DUMPABLE) != 1) {
    close(file_);
    throw Failure("this program has file capabilities, so that CMD cannot hand its report over; "
                  "run a copy of amp-emu and its library without them; nothing was run");
  }
}

MemoryFile::~MemoryFile() { close(file_); }

void MemoryFile::append(const std::string &text) {
  if (lseek(file_, 0, SEEK_END) < 0 ||
      write(file_, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    throw std::system_error(errno, std::generic_category(), path_);
}

std::string MemoryFile::content() const {
  std::string text;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t size = pread(file_, buffer, sizeof buffer, static_cast<off_t>(text.size()));
    if (size < 0)
      throw std::system_error(errno, std::generic_category(), path_);
    if (size == 0)
      return text;
    text.append(buffer, static_cast<std::size_t>(size));
  }
}

} // namespace amp
