// SPDX-License-Identifier: GPL-3.0-or-later
#include "ampd/server.h"

#include "ampd/place.h"
#include "ampd/request.h"
#include "linux/linux.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fstream>
#include <map>
#include <memory>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <system_error>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <unistd.h>

namespace amp {

namespace {

using coord::Descriptor;
using coord::Refusal;
using nlohmann::json;

constexpr std::size_t kMostClients = 256;
// How much later than asked the timer may come, in microseconds. By default that is a quarter of a
// second.
constexpr uint64_t kAccuracy = 1000;
// The part of a CPU that looking at programs may take: with many threads it looks less often.
constexpr double kMostCost = 0.01;
// Of the average time that a look takes, the weight of a new one.
constexpr double kAverage = 0.1;

// RESULT of a call that returns a negative errno.
int check(int result, const char *what) {
  if (result < 0)
    throw std::system_error(-result, std::generic_category(), what);
  return result;
}

// The CPU time of this process.
coord::Time own_time() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * coord::kSecond + time.tv_nsec;
}

struct SourceOff {
  void operator()(sd_event_source *source) const { sd_event_source_disable_unref(source); }
};
using Source = std::unique_ptr<sd_event_source, SourceOff>;

class Server {
public:
  Server(coord::Manager &manager, const std::string &directory);
  ~Server() { sd_event_unref(event_); }
  void run() { check(sd_event_loop(event_), "event loop"); }

private:
  // A source goes before the descriptor that it watches.
  struct Client {
    Descriptor fd;
    pid_t pid;
    Source source;
  };
  struct Watched {
    Descriptor pidfd;
    Source source;
  };
  static int on_connect(sd_event_source *, int fd, uint32_t, void *server);
  static int on_message(sd_event_source *, int fd, uint32_t events, void *server);
  static int on_end(sd_event_source *, int fd, uint32_t, void *server);
  static int on_timer(sd_event_source *, uint64_t, void *server);

  json answer(const json &request, Client &client);
  json start(const json &request, pid_t pid);
  void arrive(const json &request, pid_t pid, std::vector<pid_t> others = {});
  void take_back();
  void write_programs();
  void watch(pid_t pid);
  void tick();
  void wake();
  bool send(Client &client, const json &message);

  coord::Manager &manager_;
  sd_event *event_ = nullptr;
  Descriptor listening_;
  Source listen_source_, timer_;
  std::map<int, Client> clients_; // by descriptor
  std::map<pid_t, Watched> watched_;
  std::string programs_;                  // the file of the programs, for the next daemon
  std::map<coord::AppId, json> requests_; // by which they came
  unsigned written_ = 0;                  // the generation of the manager that is in the file
  double cost_ = 0;                       // nanoseconds of CPU time that a look takes
};

Server::Server(coord::Manager &manager, const std::string &directory)
    : manager_(manager), programs_(directory + kPrograms) {
  const std::string path = directory + kSocket;
  check(sd_event_new(&event_), "event loop");
  for (const int signal : {SIGTERM, SIGINT, SIGHUP})
    check(sd_event_add_signal(event_, nullptr, signal, nullptr, nullptr), "signal");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    throw std::system_error(ENAMETOOLONG, std::generic_category(), path);
  std::strcpy(address.sun_path, path.c_str());
  listening_ = Descriptor(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  // The lock says that no other daemon serves on it.
  unlink(path.c_str());
  if (listening_.get() < 0 ||
      bind(listening_.get(), reinterpret_cast<sockaddr *>(&address), sizeof address) != 0 ||
      listen(listening_.get(), 64) != 0)
    throw std::system_error(errno, std::generic_category(), path);
  sd_event_source *source;
  check(sd_event_add_io(event_, &source, listening_.get(), EPOLLIN, on_connect, this), "socket");
  listen_source_.reset(source);
  check(sd_event_add_time(event_, &source, CLOCK_MONOTONIC, 0, kAccuracy, on_timer, this), "timer");
  timer_.reset(source);
  check(sd_event_source_set_enabled(timer_.get(), SD_EVENT_OFF), "timer");
  take_back();
}

int Server::on_connect(sd_event_source *, int fd, uint32_t, void *data) {
  Server &server = *static_cast<Server *>(data);
  Descriptor accepted(accept4(fd, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  ucred peer;
  socklen_t size = sizeof peer;
  // Without a descriptor left for it, the loop would find it here again and again.
  if (accepted.get() < 0 && (errno == EMFILE || errno == ENFILE))
    server.clients_.clear();
  if (accepted.get() < 0 || server.clients_.size() >= kMostClients ||
      getsockopt(accepted.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 ||
      peer.uid != geteuid())
    return 0;
  const int number = accepted.get();
  sd_event_source *source;
  if (sd_event_add_io(server.event_, &source, number, EPOLLIN, on_message, data) < 0)
    return 0;
  Client &client = server.clients_[number];
  client.fd = std::move(accepted);
  client.pid = peer.pid;
  client.source.reset(source);
  return 0;
}

// False: the client is gone.
bool Server::send(Client &client, const json &message) {
  const std::string text = message.dump(-1, ' ', false, json::error_handler_t::replace);
  if (::send(client.fd.get(), text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL) >= 0)
    return true;
  clients_.erase(client.fd.get());
  return false;
}

int Server::on_message(sd_event_source *, int fd, uint32_t, void *data) {
  Server &server = *static_cast<Server *>(data);
  Client &client = server.clients_.at(fd);
  std::string text(kMostMessage, '\0');
  const ssize_t size = recv(fd, text.data(), text.size(), MSG_DONTWAIT | MSG_TRUNC);
  if (size < 0 && (errno == EAGAIN || errno == EINTR))
    return 0;
  if (size <= 0) {
    server.clients_.erase(fd);
    return 0;
  }
  json answer;
  try {
    if (static_cast<std::size_t>(size) > text.size())
      throw Refusal("the message is longer than " + std::to_string(kMostMessage) + " bytes");
    text.resize(size);
    answer = server.answer(parse_request(text), client);
  } catch (const std::exception &problem) {
    answer = {{"error", problem.what()}};
  }
  server.send(client, answer);
  return 0;
}

void Server::arrive(const json &request, pid_t pid, std::vector<pid_t> others) {
  coord::Newcomer newcomer = newcomer_of(request, manager_.chip().machine);
  newcomer.pid = pid;
  newcomer.others = std::move(others);
  watch(pid);
  try {
    requests_[manager_.arrive(newcomer)] = request;
  } catch (const Refusal &) {
    if (!manager_.knows(pid))
      watched_.erase(pid);
    throw;
  }
}

// The programs of a daemon that was killed, of which there is still a process.
void Server::take_back() {
  coord::Linux system;
  std::ifstream file(programs_);
  for (std::string line; std::getline(file, line);)
    try {
      const json program = json::parse(line);
      std::vector<pid_t> there;
      for (const auto &[pid, start] : program.at("processes").get<coord::Manager::Processes>())
        if (system.start(pid, pid) == start)
          there.push_back(pid);
      if (!there.empty())
        arrive(program.at("request"), there[0], {there.begin() + 1, there.end()});
    } catch (const json::exception &) {
    } catch (const Refusal &) {
    }
  if (!manager_.empty())
    wake();
}

// Replaces the file as a whole, if programs or processes have come or gone.
void Server::write_programs() {
  if (written_ == manager_.generation())
    return;
  const auto processes = manager_.processes();
  std::erase_if(requests_, [&](const auto &each) { return !processes.contains(each.first); });
  const std::string part = programs_ + ".part";
  std::ofstream file(part);
  for (const auto &[id, request] : requests_)
    file << json{{"request", request}, {"processes", processes.at(id)}}.dump(
                -1, ' ', false, json::error_handler_t::replace)
         << '\n';
  file.close();
  if (file && rename(part.c_str(), programs_.c_str()) == 0)
    written_ = manager_.generation();
}

// Has the next tick at once.
void Server::wake() {
  sd_event_source_set_time(timer_.get(), 0);
  sd_event_source_set_enabled(timer_.get(), SD_EVENT_ONESHOT);
}

// The program that PID is about to become. A request that makes no sense is an error; what else is
// in the way keeps no program from running.
json Server::start(const json &request, pid_t pid) {
  newcomer_of(request, manager_.chip().machine);
  try {
    // By ampctl run in a program of ampctl run: the inner one counts.
    if (manager_.leads(pid))
      manager_.release(pid);
    arrive(request, pid);
  } catch (const Refusal &problem) {
    return {{"ok", true}, {"alone", problem.what()}};
  }
  wake();
  return {{"ok", true}};
}

json Server::answer(const json &request, Client &client) {
  const std::string what = request["do"];
  const auto pid = [&] {
    if (!request.contains("pid") || !request["pid"].is_number_integer() || request["pid"] < 1 ||
        request["pid"] > INT32_MAX)
      throw Refusal("pid: expected the number of a process");
    return request["pid"].get<pid_t>();
  };
  if (what == "status")
    return status_of(manager_);
  if (what == "run")
    return start(request, client.pid);
  if (what == "adopt")
    arrive(request, pid());
  else if (what == "release") {
    manager_.release(pid());
    std::erase_if(watched_, [&](const auto &each) { return !manager_.knows(each.first); });
  } else if (what == "policy") {
    if (!request.contains("name") || !request["name"].is_string())
      throw Refusal("name: expected a policy");
    manager_.set_policy(request["name"], parameters_of(request));
  } else if (what == "restore") {
    manager_.release_all();
    watched_.clear();
  } else
    throw Refusal("do: '" + what + "': expected run, adopt, release, status, policy or restore");
  wake();
  return {{"ok", true}};
}

void Server::watch(pid_t pid) {
  if (watched_.contains(pid))
    return;
  Descriptor pidfd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (pidfd.get() < 0)
    throw Refusal("process " + std::to_string(pid) + ": " + std::strerror(errno));
  sd_event_source *source;
  check(sd_event_add_io(event_, &source, pidfd.get(), EPOLLIN, on_end, this), "process");
  Watched &watched = watched_[pid];
  watched.source.reset(source);
  watched.pidfd = std::move(pidfd);
}

int Server::on_end(sd_event_source *source, int, uint32_t, void *data) {
  Server &server = *static_cast<Server *>(data);
  for (const auto &[pid, watched] : server.watched_)
    if (watched.source.get() == source) {
      server.manager_.died(pid);
      server.watched_.erase(pid);
      break;
    }
  server.tick();
  return 0;
}

int Server::on_timer(sd_event_source *, uint64_t, void *data) {
  static_cast<Server *>(data)->tick();
  return 0;
}

void Server::tick() {
  const coord::Time before = own_time();
  manager_.tick();
  cost_ += kAverage * (static_cast<double>(own_time() - before) - cost_);
  write_programs();
  // Without programs nothing has to be looked at.
  uint64_t now;
  sd_event_now(event_, CLOCK_MONOTONIC, &now);
  const coord::Time period =
      std::max(manager_.period(), static_cast<coord::Time>(cost_ / kMostCost));
  sd_event_source_set_time(timer_.get(), now + period / coord::kMicrosecond);
  sd_event_source_set_enabled(timer_.get(), manager_.empty() ? SD_EVENT_OFF : SD_EVENT_ONESHOT);
}

} // namespace

void serve(coord::Manager &manager, const std::string &directory) {
  Server server(manager, directory);
  sd_notify(0, "READY=1");
  server.run();
  sd_notify(0, "STOPPING=1");
}

} // namespace amp
