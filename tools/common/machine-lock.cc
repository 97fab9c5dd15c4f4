// SPDX-License-Identifier: GPL-3.0-or-later
// A lock by a socket's name.
#include "common/machine-lock.h"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace amp {

std::optional<MachineLock> MachineLock::take(std::string_view name) {
  MachineLock lock(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (lock.socket_ < 0)
    throw std::system_error(errno, std::generic_category(), "socket");
  // An abstract name: a NUL, then a text that is not a path.
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  if (bind(lock.socket_, reinterpret_cast<const sockaddr *>(&address), size) == 0)
    return lock;
  if (errno == EADDRINUSE)
    return std::nullopt;
  throw std::system_error(errno, std::generic_category(), "bind");
}

MachineLock::MachineLock(MachineLock &&other) : socket_(std::exchange(other.socket_, -1)) {}

MachineLock::~MachineLock() {
  if (socket_ >= 0)
    close(socket_);
}

} // namespace amp
