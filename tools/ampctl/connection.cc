// SPDX-License-Identifier: GPL-3.0-or-later
#include "ampctl/connection.h"

#include "ampd/place.h"
#include "common/command.h"

#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

namespace amp {

// How long ampd may take for an answer, in seconds: it never waits for anything itself.
static constexpr int kPatience = 5;

Connection::Connection() : fd_(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)) {
  std::string path;
  try {
    path = runtime_directory() + "/ampd" + kSocket;
  } catch (const std::runtime_error &problem) {
    throw Failure(std::string(problem.what()) + "; ampd does not run without it");
  }
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ucred peer;
  socklen_t size = sizeof peer;
  int error = ENAMETOOLONG;
  if (path.size() < sizeof address.sun_path) {
    std::strcpy(address.sun_path, path.c_str());
    error = connect(fd_, reinterpret_cast<sockaddr *>(&address), sizeof address) == 0 ? 0 : errno;
  }
  if (error == 0 &&
      (getsockopt(fd_, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.uid != geteuid()))
    error = EPERM;
  if (error != 0) {
    close(fd_);
    throw Failure(error == ENOENT || error == ECONNREFUSED
                      ? "ampd does not run; start it by 'ampd &' or 'systemctl --user start ampd'"
                      : path + ": " + std::strerror(error));
  }
}

Connection::~Connection() { close(fd_); }

std::optional<nlohmann::json> Connection::ask(const nlohmann::json &request) {
  const std::string text = request.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  if (text.size() > kMostMessage)
    throw Failure("the request is too long");
  // One that is stopped must not stop a program.
  const timeval patience{kPatience, 0};
  setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  if (send(fd_, text.data(), text.size(), MSG_NOSIGNAL) < 0)
    return {};
  std::string answer(1 << 20, '\0');
  ssize_t size;
  do
    size = recv(fd_, answer.data(), answer.size(), 0);
  while (size < 0 && errno == EINTR);
  if (size <= 0)
    return {};
  answer.resize(size);
  nlohmann::json parsed = nlohmann::json::parse(answer, nullptr, false);
  if (!parsed.is_object())
    throw Failure("ampd answered what cannot be read");
  if (parsed.contains("error"))
    throw Failure(parsed["error"].get<std::string>());
  return parsed;
}

} // namespace amp
