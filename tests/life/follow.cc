// SPDX-License-Identifier: GPL-3.0-or-later
// Another process takes CPUs away from this one while its regions run, and gives them back. The
// library follows: teams stay folded, on the CPUs that are left, results stay right, and nothing is
// reported.
//
// usage: life-follow folded|aid|unbound WAY [CPU]
//
//   threads  by the masks of all threads, as taskset -ap does
//   cpuset   by a cgroup
//   hog      by a realtime process that runs on the second CPU
//   early    by masks, before the first region
//   own      the same, but for a thread that has bound itself
//   grown    by masks; it was started without CPU
//   grown-early  the same, before the first region
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <ctime>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bind-all.h"
#include "life.h"

namespace {

// Without an import that says so.
int set_scheduler(int policy, const sched_param &param) {
  return int(syscall(SYS_sched_setscheduler, 0, policy, &param));
}

// How many ids a team has where they are counted, and how long it may take until the library has
// followed: it looks every 20 ms.
constexpr int kMost = 64;
constexpr double kPatience = 20;

std::string mode, way;
std::vector<int> cpus;
cpu_set_t everything;
// A thread that has bound itself.
std::atomic<pid_t> own;

// The other process.

class Outside {
public:
  void start();
  // The process may run on the CPUs of the bits SET from now on.
  void allow(unsigned set);
  // The same, without waiting for it.
  // Let it change that every 50 ms for SECONDS, and at last give all CPUs back. Does not wait.
  void torment(double seconds) { send({'t', unsigned(seconds * 1000)}); }
  // Wait for what was not waited for.
  void await();
  bool torments();
  void stop();

private:
  struct Command {
    char what;
    unsigned argument;
  };
  void send(Command command) {
    life::check(write(to_, &command, sizeof command) == sizeof command, "no other process");
  }
  [[noreturn]] void serve(pid_t process, int from, int back);
  void apply(pid_t process, unsigned set);

  int to_ = -1, back_ = -1;
  pid_t child_ = 0, hog_ = 0;
  std::string group_;
};

std::string read_file(const std::string &path) {
  char text[256];
  const int fd = open(path.c_str(), O_RDONLY);
  const ssize_t got = read(fd, text, sizeof text);
  close(fd);
  return got > 0 ? std::string(text, size_t(got)) : "";
}

bool write_file(const std::string &path, const std::string &text) {
  const int fd = open(path.c_str(), O_WRONLY);
  const bool all = write(fd, text.data(), text.size()) == ssize_t(text.size());
  close(fd);
  return all;
}

std::string list_of(unsigned set) {
  std::string list;
  for (size_t i = 0; i < cpus.size(); i++)
    if (set >> i & 1)
      list += (list.empty() ? "" : ",") + std::to_string(cpus[i]);
  return list;
}

void Outside::apply(pid_t process, unsigned set) {
  if (way == "hog") {
    if (hog_ != 0) {
      kill(hog_, SIGKILL);
      waitpid(hog_, nullptr, 0);
      hog_ = 0;
    }
    if (set == 3)
      return;
    hog_ = fork();
    if (hog_ != 0)
      return;
    syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
    cpu_set_t mask;
    CPU_ZERO(&mask);
    CPU_SET(cpus[1], &mask);
    sched_param first{};
    first.sched_priority = 1;
    life::set_mask(mask);
    set_scheduler(SCHED_FIFO, first);
    // Not for long if this process is held up.
    for (time_t end = time(nullptr) + 30; time(nullptr) < end;)
      continue;
    _exit(0);
  }
  if (way == "cpuset") {
    if (!write_file(group_ + "/cpuset.cpus", list_of(set)))
      _exit(1);
    return;
  }
  cpu_set_t mask;
  CPU_ZERO(&mask);
  for (size_t i = 0; i < cpus.size(); i++)
    if (set >> i & 1)
      CPU_SET(cpus[i], &mask);
  life::bind_all(process, mask, own);
}

void Outside::serve(pid_t process, int from, int back) {
  const unsigned all = (1U << cpus.size()) - 1, sets[] = {1, all, 2, all};
  Command command;
  while (read(from, &command, sizeof command) == sizeof command) {
    if (command.what == 'a')
      apply(process, command.argument);
    else
      for (unsigned ms = 0, i = 0; ms < command.argument || i % 4 != 0; ms += 50, i++) {
        apply(process, sets[i % 4]);
        usleep(50000);
      }
    if (command.what == 't')
      apply(process, all);
    if (write(back, "", 1) != 1)
      break;
  }
  // The process has left the group, or ends because of a failure.
  for (int times = 0; !group_.empty() && rmdir(group_.c_str()) != 0 && times < 1000; times++)
    usleep(1000);
  _exit(0);
}

void Outside::start() {
  int to[2], back[2];
  if (way == "cpuset") {
    const bool unified = access("/sys/fs/cgroup/cpuset", F_OK) != 0;
    const std::string parent = unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/cpuset";
    group_ = parent + "/libgomp-amp-follow-" + std::to_string(getpid());
    if (mkdir(group_.c_str(), 0755) != 0)
      life::skip("no cgroup can be made in %s: %s", parent.c_str(), std::strerror(errno));
    if (access((group_ + "/cpuset.cpus").c_str(), W_OK) != 0) {
      rmdir(group_.c_str());
      life::skip("%s gives its children no cpuset", parent.c_str());
    }
    if (!unified)
      write_file(group_ + "/cpuset.mems", read_file(parent + "/cpuset.mems"));
    life::check(write_file(group_ + "/cpuset.cpus", list_of(~0U)) &&
                    write_file(group_ + "/cgroup.procs", std::to_string(getpid())),
                "the cgroup takes no process");
  }
  life::check(pipe(to) == 0 && pipe(back) == 0, "no pipe");
  const pid_t process = getpid();
  child_ = fork();
  if (child_ == 0) {
    close(to[1]);
    close(back[0]);
    if (!group_.empty())
      write_file(group_.substr(0, group_.rfind('/')) + "/cgroup.procs", std::to_string(getpid()));
    serve(process, to[0], back[1]);
  }
  close(to[0]);
  close(back[1]);
  to_ = to[1];
  back_ = back[0];
}

void Outside::await() {
  char done;
  fcntl(back_, F_SETFL, 0);
  life::check(read(back_, &done, 1) == 1, "the other process has ended");
}

bool Outside::torments() {
  char done;
  fcntl(back_, F_SETFL, O_NONBLOCK);
  return read(back_, &done, 1) != 1;
}

void Outside::allow(unsigned set) {
  send({'a', set});
  await();
}

void Outside::stop() {
  if (!group_.empty())
    write_file(group_.substr(0, group_.rfind('/')) + "/cgroup.procs", std::to_string(getpid()));
  close(to_);
  waitpid(child_, nullptr, 0);
  life::check(group_.empty() || access(group_.c_str(), F_OK) != 0, "the cgroup stays");
}

Outside outside;

// What was seen of a region: the CPUs that its threads were on, and the workers, as bits; whether
// it was folded.
struct Seen {
  unsigned on = 0, workers = 0;
  bool folded = false;
};

unsigned bit_of_cpu() {
  const int cpu = sched_getcpu();
  for (size_t i = 0; i < cpus.size(); i++)
    if (cpus[i] == cpu)
      return 1U << i;
  return 1U << 31;
}

volatile double sink;

void work(int amount) {
  double x = 1;
  for (int i = 0; i < amount; i++)
    x = x * 1.0000001 + 1e-9;
  sink = x;
}

// Each id runs each part once.
Seen region() {
  static int ran[kMost];
  std::memset(ran, 0, sizeof ran);
  unsigned on = 0, workers = 0;
  int ids = 0, sum = 0;
  bool folded = true;
#pragma omp parallel reduction(| : on, workers) reduction(+ : sum) reduction(&& : folded)
  {
    const int me = omp_get_thread_num();
    if (me == 0)
      ids = omp_get_num_threads();
    for (int part = 0; part < 3; part++) {
      ran[me]++;
      work(3000);
#pragma omp barrier
      if (me == 0)
        for (int id = 0; id < ids; id++)
          life::check(ran[id] == part + 1, "id %d is at part %d, not %d", id, ran[id], part + 1);
#pragma omp barrier
    }
    on |= bit_of_cpu();
    const int worker = ompx_amp_get_worker_num();
    folded = worker >= 0;
    if (folded)
      workers |= 1U << worker;
    sum += me;
  }
  life::check(ids > 1 && ids < kMost && sum == ids * (ids - 1) / 2, "%d ids, sum %d", ids, sum);
  for (int id = 0; id < ids; id++)
    life::check(ran[id] == 3, "id %d ran %d parts", id, ran[id]);
  return {on, workers, folded};
}

// A loop whose iterations run once.
Seen loop() {
  constexpr int kTrips = 3000;
  static std::atomic<int> ran[kTrips];
  unsigned on = 0;
  long sum = 0;
  for (auto &count : ran)
    count = 0;
#pragma omp parallel reduction(| : on) reduction(+ : sum)
  {
#pragma omp for schedule(runtime)
    for (int i = 0; i < kTrips; i++) {
      ran[i]++;
      sum += i;
      work(20);
    }
    on |= bit_of_cpu();
  }
  for (auto &count : ran)
    life::check(count == 1, "an iteration ran %d times", int(count));
  life::check(sum == long(kTrips) * (kTrips - 1) / 2, "the sum is %ld", sum);
  return {on, 0, false};
}

bool folds() { return mode == "folded"; }

Seen once() { return folds() ? region() : loop(); }

// Run regions until all is as SET says for a tenth of a second.
void follow(unsigned set) {
  constexpr int kInTurn = 50;
  const double end = omp_get_wtime() + kPatience;
  for (int times = 0, in_turn = 0; in_turn < kInTurn; times++) {
    const Seen seen = once();
    const bool all = !folds() || (seen.folded && seen.workers == set);
    in_turn = all && (seen.on & ~set) == 0 ? in_turn + 1 : 0;
    life::check(
        omp_get_wtime() < end || in_turn != 0,
        "CPUs %#x are allowed, after %d regions threads run on %#x, workers %#x, folded: %d", set,
        times, seen.on, seen.workers, seen.folded);
    usleep(2000);
  }
}

// With one CPU threads that wait go to sleep at once. One that spins loses its CPU against its
// will.
void throttle() {
  constexpr int kTimes = 50;
  rusage before, after;
  outside.allow(1);
  follow(1);
  getrusage(RUSAGE_SELF, &before);
  for (int times = 0; times < kTimes; times++)
    once();
  getrusage(RUSAGE_SELF, &after);
  const long slept = after.ru_nvcsw - before.ru_nvcsw;
  life::check(slept >= kTimes / 2, "in %d regions on one CPU threads slept %ld times", kTimes,
              slept);
  outside.allow(3);
}

int hog() {
  for (unsigned set : {3, 1, 3}) {
    outside.allow(set);
    follow(set);
  }
  outside.stop();
  return 0;
}

// A thread that binds itself to the first CPU, until it is told to end.
class Own {
public:
  Own()
      : thread_([this] {
          CPU_ZERO(&mask_);
          CPU_SET(cpus[0], &mask_);
          life::set_mask(mask_);
          own = pid_t(syscall(SYS_gettid));
          while (own != 0)
            usleep(1000);
        }) {
    while (own == 0)
      usleep(1000);
  }
  ~Own() {
    cpu_set_t mask;
    sched_getaffinity(own, sizeof mask, &mask);
    life::check(CPU_EQUAL(&mask, &mask_), "a thread has not the mask that it gave itself");
    own = 0;
    thread_.join();
  }

private:
  cpu_set_t mask_;
  std::thread thread_;
};

// The CPUs change before the first region, or there are more than at the start.
void begin_with_others() {
  const int threads = omp_get_max_threads();
  std::optional<Own> bound;
  if (way == "own")
    bound.emplace();
  outside.start();
  if (way == "grown")
    follow(1);
  if (mode == "unbound")
    throttle();
  else if (way == "early" || way == "own") {
    outside.allow(2);
    follow(2);
  }
  for (unsigned set : {3, 1, 3, 2, 3}) {
    outside.allow(set);
    follow(set);
  }
  life::check(omp_get_max_threads() == threads, "%d threads, and before %d", omp_get_max_threads(),
              threads);
  bound.reset();
  outside.stop();
}

} // namespace

int main(int argc, char **argv) {
  life::ours();
  mode = argv[1];
  way = argv[2];
  const double seconds = 1;
  sched_getaffinity(0, sizeof everything, &everything);
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET(cpu, &everything))
      cpus.push_back(cpu);
  if (argc > 3)
    cpus.push_back(std::atoi(argv[3]));
  if (cpus.size() != 2)
    life::skip("this process may use %zu CPUs, not two", cpus.size());
  if (way == "hog") {
    sched_param param{};
    param.sched_priority = 1;
    if (set_scheduler(SCHED_FIFO, param) != 0)
      life::skip("no process of this user can be realtime: %s", std::strerror(errno));
    param.sched_priority = 0;
    set_scheduler(SCHED_OTHER, param);
  }
  if (way == "early" || way == "own" || argc > 3) {
    begin_with_others();
    return 0;
  }
  outside.start();
  for (int i = 0; i < 50; i++)
    once();
  const int procs = omp_get_num_procs(), threads = omp_get_max_threads();
  if (way == "hog")
    return hog();
  for (unsigned set :
       folds() ? std::vector<unsigned>{3, 1, 3, 2, 1, 3} : std::vector<unsigned>{1, 3}) {
    outside.allow(set);
    follow(set);
    life::check(omp_get_num_procs() == (folds() ? procs : __builtin_popcount(set)) &&
                    omp_get_max_threads() == threads,
                "%d processors, %d threads, and before %d and %d", omp_get_num_procs(),
                omp_get_max_threads(), procs, threads);
  }
  if (mode == "unbound")
    throttle();
  outside.torment(seconds);
  while (outside.torments())
    once();
  follow(3);
  // The watching thread sleeps, and finds the change when it wakes.
  if (folds()) {
    usleep(1500000);
    outside.allow(2);
    follow(2);
    outside.allow(3);
    follow(3);
  }
  outside.stop();
  return 0;
}
