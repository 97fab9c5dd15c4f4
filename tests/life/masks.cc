// SPDX-License-Identifier: GPL-3.0-or-later
// The program changes the affinity masks of its threads between teams: which classes they can be of
// then decides what loops run as, and no class gets another number.
#include <initializer_list>
#include <sys/wait.h>
#include <unistd.h>

#include "bind-all.h"
#include "life.h"

#pragma weak ompx_amp_get_cpu_class
#pragma weak ompx_amp_get_num_classes

static const int small = 0, big = 1;

static cpu_set_t set_of(std::initializer_list<int> cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int cpu : cpus)
    CPU_SET(cpu, &set);
  return set;
}

static const cpu_set_t both = set_of({small, big});

static bool resolves_to_aid() {
  int kind = 0;
  ompx_amp_get_routed_schedule(&kind, nullptr, nullptr);
  return kind == ompx_amp_sched_aid_hybrid;
}

// Whether loops of the next team are shared out by AID.
static bool asymmetric() {
  bool answer = false;
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0)
    answer = resolves_to_aid();
  return answer;
}

// The library notices a change within some teams and milliseconds.
static void await(bool expected, const char *when) {
  for (int i = 0; i < 10000; i++) {
    if (asymmetric() == expected)
      return;
    usleep(1000);
  }
  life::check(false, "%s teams are %s asymmetric", when, expected ? "not" : "still");
}

static void check_numbers(const char *when, bool small_usable, bool big_usable) {
  life::check(ompx_amp_get_num_classes() == 2 && ompx_amp_get_cpu_class(small) == 0 &&
                  ompx_amp_get_cpu_class(big) == 1,
              "%s classes have other numbers", when);
  life::check(ompx_amp_get_cpu_usable(small) == small_usable &&
                  ompx_amp_get_cpu_usable(big) == big_usable,
              "%s other CPUs are usable", when);
}

// A process whose one thread is bound before it starts a team.
static void check_bound_child(const cpu_set_t &one) {
  const pid_t child = fork();
  if (child == 0) {
    sched_setaffinity(0, sizeof one, &one);
    life::check(!asymmetric(), "the first team is asymmetric");
    check_numbers("in a child with one CPU", false, true);
    std::_Exit(0);
  }
  int status;
  life::check(waitpid(child, &status, 0) == child && status == 0, "the child ended with %d",
              status);
}

// All threads on one CPU, and on both again.
static void check_one_after_the_other(life::Loops<5000> &loops) {
  for (int cpu : {big, small}) {
    life::bind_all(getpid(), set_of({cpu}));
    await(false, "with one CPU");
    check_numbers("with one CPU", cpu == small, cpu == big);
    for (omp_sched_t kind : life::kKinds)
      loops.run(kind, 3);
    omp_set_schedule(life::kKinds[1], 0);
    life::bind_all(getpid(), both);
    await(true, "with both CPUs again");
    check_numbers("with both CPUs again", true, true);
  }
}

// What was decided for a team holds for all of it.
static void check_team_with_one_mind(life::Loops<5000> &loops) {
  bool before = false, after = false;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      before = resolves_to_aid();
      life::bind_all(getpid(), set_of({big}));
      usleep(50000);
    }
#pragma omp barrier
    long sum = 0;
#pragma omp for schedule(nonmonotonic : runtime)
    for (int i = 0; i < 1000; i++)
      sum += loops.visit(0, i);
    if (omp_get_thread_num() == 0)
      after = resolves_to_aid();
  }
  life::check(before && after, "a team changed its mind");
}

int main() {
  life::ours();
  cpu_set_t all;
  sched_getaffinity(0, sizeof all, &all);
  if (!CPU_ISSET(small, &all) || !CPU_ISSET(big, &all))
    life::skip("this process may not use CPUs 0 and 1");
  static life::Loops<5000> loops;
  const cpu_set_t one = set_of({big});
  omp_set_schedule(life::kKinds[1], 0);

  check_bound_child(one);

  life::bind_all(getpid(), both);
  await(true, "with both CPUs");
  check_numbers("with both CPUs", true, true);
  loops.run(life::kKinds[1], 2);

  setenv("AMP_LIFE_ANY_KIND", "1", 1);
  check_one_after_the_other(loops);

  // The pool's other threads may still be anywhere.
  sched_setaffinity(0, sizeof one, &one);
  for (int i = 0; i < 50; i++) {
    life::check(asymmetric(), "one thread's mask decides for all");
    usleep(2000);
  }
  check_numbers("with one thread on one CPU", true, true);

  life::bind_all(getpid(), both);
  await(true, "with both CPUs");
  check_team_with_one_mind(loops);
  await(false, "after a team on one CPU");
  std::printf("masks are noticed\n");
  return 0;
}
