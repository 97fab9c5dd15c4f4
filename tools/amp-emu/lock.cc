// SPDX-License-Identifier: GPL-3.0-or-later
// A lock by a socket's name. It leaves no file behind, however the process ends.
#include "amp-emu/lock.h"

#include "common/command.h"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <sys/socket.h>
#include <sys/un.h>
#include <system_error>
#include <unistd.h>

namespace amp {

MachineLock::MachineLock() : socket_(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
  if (socket_ < 0)
    throw std::system_error(errno, std::generic_category(), "socket");
  // An abstract name: a NUL, then a text that is not a path.
  constexpr std::string_view name = "libgomp-amp/amp-emu";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  if (bind(socket_, reinterpret_cast<const sockaddr *>(&address), size) == 0)
    return;
  const int error = errno;
  close(socket_);
  if (error == EADDRINUSE)
    throw Failure("another amp-emu is at work on this machine, and the two would distort each "
                  "other; wait for its end; nothing was run");
  throw std::system_error(error, std::generic_category(), "bind");
}

MachineLock::~MachineLock() { close(socket_); }

} // namespace amp
