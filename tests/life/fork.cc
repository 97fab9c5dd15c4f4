// SPDX-License-Identifier: GPL-3.0-or-later
// Forks without exec at every stage of a parallel program; the child goes on with OpenMP.
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "life.h"

static life::Loops<20000> loops;

static void all_kinds(int threads) {
  for (omp_sched_t kind : life::kKinds)
    loops.run(kind, threads);
}

static void sample() {
  life::sampled_loop(life::kKinds[0], 2, 1000, [] {});
}

static void ends_well(pid_t child, const char *what) {
  int status;
  life::check(child > 0 && waitpid(child, &status, 0) == child, "%s: no child", what);
  life::check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s: the child ended with %#x", what,
              status);
}

template <typename Work> static pid_t child(Work work, bool normal_exit = false) {
  std::fflush(nullptr);
  pid_t pid = fork();
  if (pid == 0) {
    work();
    if (normal_exit)
      std::exit(0);
    _exit(0);
  }
  return pid;
}

// Whether CHILD is one thread that waits for a futex with no time limit: for good, then.
static bool hangs(pid_t child) {
  char path[64], text[256] = "";
  std::snprintf(path, sizeof path, "/proc/%d/status", int(child));
  bool alone = false;
  if (FILE *file = std::fopen(path, "re")) {
    while (std::fgets(text, sizeof text, file))
      alone |= std::strcmp(text, "Threads:\t1\n") == 0;
    std::fclose(file);
  }
  std::snprintf(path, sizeof path, "/proc/%d/syscall", int(child));
  FILE *file = std::fopen(path, "re");
  long number = -1, word, op, value, timeout = 1;
  bool told =
      file && std::fscanf(file, "%ld %li %li %li %li", &number, &word, &op, &value, &timeout) == 5;
  if (file)
    std::fclose(file);
  constexpr long kFutex = 202, kCommand = 127, kWait = 0;
  return alone && told && number == kFutex && (op & kCommand) == kWait && timeout == 0;
}

// Upstream's limit: a child has the pool of the thread that forked, but not the pool's threads.
static void team_in_child_of_pool() {
  pid_t pid = child([] { all_kinds(2); });
  for (;;) {
    int status;
    pid_t ended = waitpid(pid, &status, WNOHANG);
    if (ended == pid) {
      life::check(WIFEXITED(status) && WEXITSTATUS(status) == 0,
                  "a team in a child of a parallel program ended with %#x", status);
      std::printf("a team in the child of a thread with a pool: works\n");
      return;
    }
    if (hangs(pid)) {
      std::printf("a team in the child of a thread with a pool: hangs, as upstream's\n");
      kill(pid, SIGKILL);
      waitpid(pid, &status, 0);
      return;
    }
    usleep(1000);
  }
}

static void *loop_once(void *) {
  static life::Loops<64> own;
  own.run(life::kKinds[0], 2);
  return nullptr;
}

// The library opens its file of factors by this, which takes as long as a slow disk would.
static bool slow, reading;

extern "C" FILE *fdopen(int fd, const char *mode) noexcept {
  using Function = FILE *(*)(int, const char *);
  static const auto next = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "fdopen"));
  if (slow) {
    __atomic_store_n(&reading, true, __ATOMIC_RELEASE);
    usleep(200000);
  }
  return next(fd, mode);
}

// A thread that has no pool forks while another is in the middle of reading GOMP_AID_SF_FILE, and
// holds the lock that guards factors.
static void beside_a_reader() {
  pthread_t reader;
  slow = true;
  life::check(pthread_create(&reader, nullptr, loop_once, nullptr) == 0, "pthread_create");
  while (!__atomic_load_n(&reading, __ATOMIC_ACQUIRE))
    usleep(1000);
  ends_well(child([] {
              alarm(900);
              loop_once(nullptr);
            }),
            "a fork beside a thread that reads factors");
  pthread_join(reader, nullptr);
}

// At every stage of the life of a thread that forks.
static void stages(const char *saved) {
  ends_well(child([] { all_kinds(3); }), "a fork before any team");
  all_kinds(3);
  sample();
  if (saved)
    unlink(saved);
  ends_well(child([] { all_kinds(1); }, true), "teams of one in a child");
  life::check(!saved || access(saved, F_OK) != 0,
              "a child that sampled nothing wrote its parent's factors");
  team_in_child_of_pool();
  all_kinds(3);

  life::check(omp_pause_resource_all(omp_pause_hard) == 0, "omp_pause_resource_all");
  ends_well(child(
                [] {
                  all_kinds(3);
                  sample();
                },
                true),
            "a fork after omp_pause_resource_all");
  life::check(!saved || life::stock() || access(saved, F_OK) == 0,
              "a child that sampled wrote no factors");
  all_kinds(3);
  ends_well(child([] { execl("/bin/true", "true", nullptr); }), "a fork with exec");
  all_kinds(4);
}

int main(int argc, char **argv) {
  life::ours();
  if (argc == 1)
    stages(std::getenv("GOMP_AID_SF_SAVE"));
  else
    beside_a_reader();
  return 0;
}
