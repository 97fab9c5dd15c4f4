// SPDX-License-Identifier: GPL-3.0-or-later
#include "amp-emu/conduct.h"

#include "core/coordinator.h"
#include "core/registry.h"
#include "model/points_file.h"

extern "C" {
#include "virtual/conductor.h"
}

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <memory>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace amp {

namespace {

using nlohmann::ordered_json;

// Programs that end are noticed so often: at most, and within a period.
constexpr double kStepNs = 10e6;
constexpr double kStepsOfPeriod = 20;
constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kMostSeconds = 1e6;

std::vector<coord::MeasuredProgram> read_table(const std::string &path) {
  if (path.empty())
    return {};
  std::ifstream file(path);
  if (!file)
    throw Failure("virtual: --table '" + path + "' cannot be read (" + std::strerror(errno) +
                  "); nothing was run");
  try {
    return coord::read_points(file, path);
  } catch (const std::invalid_argument &error) {
    throw Failure(std::string("virtual: --table: ") + error.what() + "; nothing was run");
  }
}

class VirtualClock final : public coord::Clock {
public:
  coord::Time now() const override { return static_cast<coord::Time>(ns); }
  double ns = 0;
};

// A program that runs, ran, or will. All times are of the machine, in nanoseconds, but its clock.
struct Program {
  const Conducted *what;
  coord::Application app;
  pid_t pid = -1;
  int fd = -1; // -1: it does not run
  double arrived = 0;
  double begin = 0;    // when its clock was 0, and later by each time that it waited
  double end = kNever; // when it ended, which may be later than now
  bool present = false, left = false, look = false;
  gomp_virtual_question last{}, sampled{};
  int wants = 0; // cores
  std::vector<int> cores;
  int status = 0;
};

class Conductor {
public:
  Conductor(const std::vector<Conducted> &programs, const Manager &manager, const Machine &machine);
  ~Conductor();
  ordered_json run();

private:
  void start(Program &program);
  void listen(Program &program);
  void sample(Program &program);
  bool update_demand(Program &program, bool looks);
  void decide();
  double next() const;
  void advance(double until);

  const Machine &machine_;
  coord::Machine chip_;
  VirtualClock clock_;
  coord::Coordinator coordinator_;
  const double period_ns_, step_ns_;
  std::vector<Program> programs_;
  ordered_json grants_ = ordered_json::array();
};

Conductor::Conductor(const std::vector<Conducted> &programs, const Manager &manager,
                     const Machine &machine)
    : machine_(machine), chip_(coord::parse_machine(format_machine(machine))),
      coordinator_(chip_, clock_, coord::make_policy(manager.policy, chip_)),
      period_ns_(manager.period_ms ? *manager.period_ms * 1e6
                                   : static_cast<double>(coordinator_.period())),
      step_ns_(std::min(kStepNs, period_ns_ / kStepsOfPeriod)) {
  const std::vector<coord::MeasuredProgram> table = read_table(manager.table);
  for (const Conducted &each : programs) {
    Program &program = programs_.emplace_back(Program{&each});
    program.app.name = each.command[0].substr(each.command[0].rfind('/') + 1);
    program.app.threads = chip_.core_count();
    program.app.malleable = true;
    const auto known = std::ranges::find(table, program.app.name, &coord::MeasuredProgram::name);
    if (known != table.end())
      program.app.profile.throughput = std::make_shared<coord::TableThroughput>(known->throughput);
  }
  // By arrival: the coordinator's numbers ascend.
  std::vector<Program *> order;
  for (Program &program : programs_)
    order.push_back(&program);
  std::ranges::stable_sort(order, {}, [](const Program *each) { return each->what->at_s; });
  for (std::size_t i = 0; i < order.size(); i++)
    order[i]->app.id = static_cast<coord::AppId>(i);
}

Conductor::~Conductor() {
  for (Program &program : programs_)
    if (program.fd >= 0) {
      close(program.fd);
      kill(program.pid, SIGKILL);
      waitpid(program.pid, nullptr, 0);
    }
}

void Conductor::start(Program &program) {
  const Command &command = program.what->command;
  const std::string file = find_program(command[0]);
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) != 0)
    throw Failure(std::string("virtual: socketpair: ") + std::strerror(errno));
  program.pid = fork();
  if (program.pid < 0)
    throw Failure(std::string("virtual: fork: ") + std::strerror(errno));
  if (program.pid == 0) {
    for (const Program &other : programs_)
      if (other.fd >= 0)
        close(other.fd);
    close(ends[0]);
    setenv("GOMP_AMP_VIRTUAL_CONDUCTOR", std::to_string(ends[1] + 1).c_str(), 1);
    execute(file, command);
    _exit(exit_not_executable);
  }
  close(ends[1]);
  program.fd = ends[0];
  program.arrived = program.begin = clock_.ns;
  program.present = true;
  coordinator_.arrive(program.app);
  listen(program);
}

// Waits until PROGRAM has come to its limit, or has ended.
void Conductor::listen(Program &program) {
  gomp_virtual_question question{};
  ssize_t got;
  do
    got = recv(program.fd, &question, sizeof question, 0);
  while (got < 0 && errno == EINTR);
  if (got == sizeof question) {
    program.last = question;
    if (!question.ended)
      return;
  }
  // One that ends otherwise than by exit has not said when.
  program.end = program.begin + program.last.clock;
  close(program.fd);
  program.fd = -1;
  while (waitpid(program.pid, &program.status, 0) < 0 && errno == EINTR)
    ;
}

// Gives the policy what PROGRAM did since the last time.
void Conductor::sample(Program &program) {
  const auto &now = program.last, &then = program.sampled;
  const double passed = now.clock - then.clock, work = now.work - then.work;
  if (!(passed > 0 && work > 0) || program.cores.empty())
    return;
  const double slowest = machine_.front().speed / machine_.back().speed;
  const double parallel_s = (now.parallel - then.parallel) / 1e9;
  coord::Sample sample{.thread = {program.app.id, 0},
                       .core = program.cores[0],
                       .core_class = chip_.cores[program.cores[0]].core_class,
                       .cpu_s = work / 1e9,
                       .instructions = work};
  for (const coord::CoreClass &each : chip_.classes)
    sample.factors.push_back(each.ghz / chip_.classes[0].ghz);
  sample.progress = {work * slowest / 1e9, std::max(0.0, passed / 1e9 - parallel_s), parallel_s};
  coordinator_.sample(sample);
  program.sampled = program.last;
}

// As in the daemon a program wants as many cores as it has threads that run. It lends the others
// where the policy LOOKS, once in a period, and has them back at the first step at which more
// threads run. A newcomer wants all until the second look. Returns whether it wants more.
bool Conductor::update_demand(Program &program, bool looks) {
  if (!program.present)
    return false;
  const int before = program.wants, all = program.app.threads;
  // One that has come to its end before that is now does the rest alone.
  int busy = program.fd < 0 ? 1 : std::clamp(program.last.busy, 1, all);
  if (clock_.ns < program.arrived + period_ns_)
    busy = all;
  if (busy <= before && !looks)
    return false;
  program.wants = busy;
  for (int i = 0; i < all; i++)
    coordinator_.runnable({program.app.id, i}, i < busy);
  return busy > before;
}

void Conductor::decide() {
  coordinator_.decide();
  const auto present =
      std::ranges::count_if(programs_, [](const Program &each) { return each.present; });
  for (Program &program : programs_) {
    if (!program.present)
      continue;
    std::vector<int> cores = coordinator_.state().find(program.app.id)->cores;
    // One that is alone has the machine.
    if (present == 1) {
      cores.clear();
      for (int core = 0; core < chip_.core_count(); core++)
        cores.push_back(core);
    }
    std::ranges::sort(cores);
    if (cores == program.cores)
      continue;
    program.cores = cores;
    grants_.push_back(
        {{"at_s", clock_.ns / 1e9}, {"program", &program - programs_.data()}, {"cores", cores}});
  }
}

double Conductor::next() const {
  double next = clock_.ns + step_ns_;
  for (const Program &program : programs_) {
    if (program.pid < 0)
      next = std::min(next, program.what->at_s * 1e9);
    if (program.present && program.fd < 0)
      next = std::min(next, program.end);
  }
  return next;
}

// All programs run until then, one after the other.
void Conductor::advance(double until) {
  for (Program &program : programs_) {
    if (program.fd < 0)
      continue;
    if (program.cores.empty()) {
      program.begin += until - clock_.ns;
      continue;
    }
    gomp_virtual_order order{};
    order.limit = until - program.begin;
    order.look = std::exchange(program.look, false);
    for (const int core : program.cores)
      order.cpus[core / 8] |= static_cast<unsigned char>(1 << core % 8);
    // If it has just been killed that shows when it is listened to.
    (void)!send(program.fd, &order, sizeof order, MSG_NOSIGNAL);
    listen(program);
  }
  clock_.ns = until;
}

ordered_json Conductor::run() {
  for (double looked = -kNever;;) {
    bool event = false, left = false;
    std::vector<Program *> due;
    for (Program &program : programs_) {
      if (program.present && program.fd < 0 && program.end <= clock_.ns) {
        coordinator_.leave(program.app.id);
        program.present = false;
        program.left = event = true;
      }
      if (program.pid < 0 && program.what->at_s * 1e9 <= clock_.ns)
        due.push_back(&program);
      left |= !program.left;
    }
    std::ranges::sort(due, {}, [](const Program *each) { return each->app.id; });
    for (Program *const program : due) {
      start(*program);
      event = true;
    }
    if (!left)
      break;
    const bool looks = clock_.ns - looked >= period_ns_, samples = event || looks;
    for (Program &program : programs_) {
      if (samples && program.fd >= 0)
        sample(program);
      event |= update_demand(program, looks);
      program.look |= looks;
    }
    if (event || looks)
      decide();
    if (looks)
      looked = clock_.ns;
    advance(next());
  }
  ordered_json result = ordered_json::array();
  for (const Program &program : programs_)
    result.push_back({{"name", program.app.name},
                      {"at_s", program.what->at_s},
                      {"end_s", program.end / 1e9},
                      {"seconds", program.end / 1e9 - program.what->at_s},
                      {"status", WIFEXITED(program.status) ? WEXITSTATUS(program.status)
                                                           : 128 + WTERMSIG(program.status)}});
  return {{"programs", result}, {"grants", grants_}};
}

} // namespace

std::vector<Conducted> split_programs(const Command &command) {
  std::vector<Conducted> programs(1);
  for (const std::string &word : command) {
    Conducted &program = programs.back();
    if (word == ":") {
      programs.emplace_back();
      continue;
    }
    if (program.command.empty() && word[0] == '@') {
      char *end;
      program.at_s = std::strtod(word.c_str() + 1, &end);
      if (end == word.c_str() + 1 || (*end && std::strcmp(end, "s")) ||
          !(program.at_s >= 0 && program.at_s <= kMostSeconds))
        throw Failure("virtual: '" + word +
                      "': expected @SECONDS, 0 to 1000000, as in @0.5s; nothing was run");
      continue;
    }
    program.command.push_back(word);
  }
  for (const Conducted &program : programs)
    if (program.command.empty())
      throw Failure("virtual: a program is missing beside ':'; nothing was run");
  return programs;
}

void check_manager(const Manager &manager, const Machine &machine) {
  for (const coord::MeasuredProgram &each : read_table(manager.table))
    if (each.throughput.most().size() != machine.size())
      throw Failure("virtual: --table '" + manager.table + "': '" + each.name + "' has " +
                    std::to_string(each.throughput.most().size()) +
                    " classes of cores; expected MACHINE's; nothing was run");
  std::string names;
  for (const coord::PolicyRow &row : coord::policies())
    if (row.kind == coord::PolicyRow::Allocation || std::string_view(row.name) == "mts") {
      if (manager.policy == row.name)
        return;
      names += (names.empty() ? "" : ", ") + std::string(row.name);
    }
  throw Failure("virtual: --policy '" + manager.policy + "': expected one of " + names +
                "; nothing was run");
}

ordered_json conduct(const std::vector<Conducted> &programs, const Manager &manager,
                     const Machine &machine) {
  return Conductor(programs, manager, machine).run();
}

} // namespace amp
