// SPDX-License-Identifier: GPL-3.0-or-later
#include "linux/manager.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unistd.h>
#include <utility>

namespace coord {

namespace {

// Threads are looked at so often also under policies that decide at events only.
constexpr Time kMostPeriod = 200 * kMillisecond;
constexpr std::size_t kMostPrograms = 1024;
// The guard: below this part of what programs did where the kernel placed them, for so long.
constexpr double kPoor = 0.97;
constexpr Time kPatience = 5 * kSecond, kLook = kSecond;
// Of the average of that, the weight of a new look; and a speed that is none.
constexpr double kAverage = 0.1, kMostSpeed = 1e4;

} // namespace

Manager::Manager(System &system, const Chip &chip, Journal &journal, const std::string &policy,
                 const Parameters &parameters)
    : system_(system), chip_(chip), journal_(journal), sampler_(system, chip, journal),
      actuator_(system, chip, journal) {
  make_coordinator(policy, parameters);
}

Manager::~Manager() { release_all(); }

void Manager::make_coordinator(const std::string &policy, const Parameters &parameters) {
  coordinator_ = std::make_unique<Coordinator>(chip_.machine, system_,
                                               make_live_policy(policy, chip_.machine, parameters));
  policy_ = policy;
}

const Tree *Manager::find(pid_t pid) const {
  for (const auto &[id, program] : programs_)
    if (program.members.contains(pid))
      return &program;
  return nullptr;
}

Tree *Manager::find(pid_t pid) { return const_cast<Tree *>(std::as_const(*this).find(pid)); }

AppId Manager::arrive(const Newcomer &newcomer) {
  const std::string who = "process " + std::to_string(newcomer.pid);
  Tree *const from = find(newcomer.pid);
  if (leads(newcomer.pid))
    throw Refusal(who + " is coordinated already");
  if (programs_.size() >= kMostPrograms)
    throw Refusal("there are " + std::to_string(kMostPrograms) + " programs; that is all");
  if (own.contains(newcomer.pid))
    throw Refusal(who + " is ampd itself");
  const auto owner = system_.owner(newcomer.pid);
  if (!owner)
    throw Refusal(who + " is not there");
  if (*owner != geteuid())
    throw Refusal(who + " is another user's");
  Tree program;
  program.app = {next_, newcomer.name, 1, true, newcomer.weight, newcomer.profile};
  program.pid = newcomer.pid;
  program.arrived = system_.now();
  program.slots.emplace_back().cpu_s.assign(chip_.machine.classes.size(), 0);
  take(program, newcomer.pid, from);
  if (program.tasks.empty())
    throw Refusal(who + " is not there");
  for (const pid_t pid : newcomer.others)
    take(program, pid, find(pid));
  for (const Child &child : find_children(system_, system_.processes(), [&](pid_t pid) {
         const Tree *const has = find(pid);
         return program.members.contains(pid) || (has && has != from);
       }))
    if (program.members.contains(child.parent))
      take(program, child.pid, from);
  // The first tick looks at all threads.
  program.scanned = 0;
  coordinator_->arrive(program.app);
  programs_.emplace(next_, std::move(program));
  hands_off_ = false;
  poor_since_ = -1;
  generation_++;
  return next_++;
}

// The process PID is PROGRAM's from now on, and no longer FROM's, if that is not null.
void Manager::take(Tree &program, pid_t pid, Tree *from) {
  const auto member = from ? from->members.find(pid) : std::map<pid_t, Member>::iterator();
  if (!from || member == from->members.end()) {
    if (!own.contains(pid) && system_.owner(pid) == geteuid())
      sampler_.join(program, pid, system_.now());
    return;
  }
  if (program.tasks.empty()) {
    program.original = from->original;
    program.masks = from->masks;
  }
  program.members.insert(from->members.extract(member));
  for (auto next = from->tasks.begin(); next != from->tasks.end();) {
    const auto task = next++;
    if (task->second.id.pid != pid)
      continue;
    if (const int slot = std::exchange(task->second.slot, -1); slot >= 0)
      from->slots[slot].tid = -1;
    program.tasks.insert(from->tasks.extract(task));
  }
}

// Processes that programs have started since the last search are theirs.
void Manager::find_born() {
  searched_ = system_.now();
  for (const Child &child :
       find_children(system_, births_.look(system_), [&](pid_t pid) { return knows(pid); }))
    if (Tree *const program = find(child.parent)) {
      take(*program, child.pid, nullptr);
      generation_++;
    }
}

// Threads that begin meanwhile have the mask of one that was not restored yet.
void Manager::restore(Tree &program) {
  for (int round = 0; round < 2; round++) {
    program.scanned = 0;
    sampler_.scan(program, system_.now());
    actuator_.restore(program);
  }
}

void Manager::remove(Tree &program) {
  sampler_.forget(program);
  const AppId id = program.app.id;
  coordinator_->leave(id);
  programs_.erase(id);
  hands_off_ = false;
  poor_since_ = -1;
  generation_++;
}

void Manager::release(pid_t pid) {
  Tree *const program = find(pid);
  if (!program)
    throw Refusal("process " + std::to_string(pid) + " is not coordinated");
  find_born();
  restore(*program);
  remove(*program);
}

void Manager::died(pid_t pid) {
  if (Tree *const program = find(pid)) {
    sampler_.leave(*program, pid);
    generation_++;
    if (program->members.empty())
      remove(*program);
  }
}

std::map<AppId, Manager::Processes> Manager::processes() const {
  std::map<AppId, Processes> all;
  for (const auto &[id, program] : programs_)
    for (const auto &[pid, member] : program.members)
      all[id].emplace_back(pid, member.start);
  return all;
}

void Manager::release_all() {
  find_born();
  while (!programs_.empty()) {
    restore(programs_.begin()->second);
    remove(programs_.begin()->second);
  }
}

void Manager::set_policy(const std::string &policy, const Parameters &parameters) {
  try {
    make_coordinator(policy, parameters);
  } catch (const std::invalid_argument &problem) {
    throw Refusal(problem.what());
  }
  for (auto &[id, program] : programs_)
    coordinator_->arrive(program.app);
  hands_off_ = false;
  poor_since_ = -1;
}

Time Manager::period() const { return std::min(coordinator_->period(), kMostPeriod); }

void Manager::tick() {
  const Time now = looked_ = system_.now();
  if (!programs_.empty() && now - searched_ >= kScan)
    find_born();
  for (auto next = programs_.begin(); next != programs_.end();) {
    Tree &program = (next++)->second;
    if (!sampler_.scan(program, now))
      remove(program);
    else
      sampler_.look(program, *coordinator_, now);
  }
  coordinator_->decide();
  guard();
  for (auto &[id, program] : programs_) {
    const ApplicationState &state = *coordinator_->state().find(id);
    program.reason = reason_of(program, state);
    switch (program.reason) {
    case Reason::Policy:
    case Reason::Waits:
    case Reason::Sleeps:
    case Reason::Starting:
      actuator_.apply(program, state, now);
      break;
    default:
      if (std::ranges::any_of(program.tasks,
                              [](const auto &each) { return each.second.ours.has_value(); }))
        restore(program);
    }
    for (auto &[pid, member] : program.members)
      if (member.given_up() && !std::exchange(member.told, true))
        message(program.app.name + " (" + std::to_string(pid) +
                "): something else changes its masks; it is left alone");
  }
}

Reason Manager::reason_of(const Tree &program, const ApplicationState &state) const {
  if (std::ranges::all_of(program.members, [](const auto &each) { return each.second.given_up(); }))
    return Reason::Foreign;
  if (hands_off_)
    return Reason::HandsOff;
  if (programs_.size() == 1)
    return Reason::Alone;
  if (looking_)
    return Reason::Looking;
  if (std::ranges::all_of(program.tasks, [&](const auto &each) {
        return each.second.bound && !program.member(each.second).follows();
      }))
    return Reason::Bound;
  if (std::ranges::none_of(state.threads, &ThreadState::runnable))
    return Reason::Sleeps;
  if (std::ranges::none_of(program.members,
                           [&](const auto &each) { return has_shown_width(each.second, state); }))
    return Reason::Starting;
  const bool waits = state.granted
                         ? state.cores.empty()
                         : std::ranges::all_of(state.threads, [](const ThreadState &thread) {
                             return thread.place.kind == Place::Hold;
                           });
  return waits ? Reason::Waits : Reason::Policy;
}

// Compares the work that programs do in a second of CPU time with what they did when the kernel
// placed them, if all of them count it. A program that begins to count is left to the kernel for a
// moment, with all others, to see that. CPU time, as other users' programs take
// some too.
void Manager::guard() {
  double ratios = 0;
  looking_ = false;
  bool known = programs_.size() > 1 && !hands_off_;
  for (auto &[id, program] : programs_) {
    const auto &counted = program.counted, &before = program.counted_before;
    const double work_s = counted && before ? counted->work_s - before->work_s : 0;
    const double speed = program.cpu_s > 0 ? work_s / program.cpu_s : 0;
    if (!(speed > 0 && speed <= kMostSpeed)) {
      known = false;
      continue;
    }
    double &usual = program.kernel_speed;
    if (program.reason == Reason::Alone || program.reason == Reason::HandsOff ||
        program.reason == Reason::Looking) {
      usual = usual > 0 ? usual + kAverage * (speed - usual) : speed;
      program.kernel_time += static_cast<Time>(program.counted_s * 1e9);
    }
    looking_ = looking_ || program.kernel_time < kLook;
    known = known && usual > 0;
    ratios += known ? speed / usual : 0;
  }
  known = known && !looking_;
  if (!known)
    return;
  const bool poor = ratios < kPoor * static_cast<double>(programs_.size());
  if (!poor)
    poor_since_ = -1;
  else if (poor_since_ < 0)
    poor_since_ = system_.now();
  else if (system_.now() - poor_since_ >= kPatience) {
    hands_off_ = true;
    message("policy " + policy_ +
            ": all programs together do less work than where the kernel placed them; they are left "
            "alone until one comes or goes");
  }
}

std::vector<ProgramStatus> Manager::status() const {
  std::vector<ProgramStatus> all;
  for (const auto &[id, program] : programs_) {
    ProgramStatus status{.id = id,
                         .pid = program.leader(),
                         .name = program.app.name,
                         .since = system_.now() - std::max(program.arrived, program.changed),
                         .processes = static_cast<int>(program.members.size()),
                         .threads = static_cast<int>(program.slots.size()),
                         .reason = program.reason};
    status.cpu_s.assign(chip_.machine.classes.size(), 0);
    for (const Slot &slot : program.slots)
      for (std::size_t c = 0; c < status.cpu_s.size(); c++)
        status.cpu_s[c] += slot.cpu_s[c];
    for (const auto &[tid, task] : program.tasks)
      if (task.slot >= 0)
        status.cpus |= system_.mask(tid).value_or(task.original) & chip_.all;
    const Profile &profile = program.app.profile;
    status.factors =
        program.counted && profile.factors.empty() ? program.counted->factors : profile.factors;
    if (!status.factors.empty())
      status.known.push_back(Input::Factors);
    if (!profile.factors.empty() || (program.counted && program.counted->work_s > 0))
      status.known.push_back(Input::Throughput);
    all.push_back(std::move(status));
  }
  return all;
}

} // namespace coord
