// SPDX-License-Identifier: GPL-3.0-or-later
// Every policy of policies.def under random arrivals, deaths, changes of threads, blocked threads
// and nonsense samples.
#include "core/coordinator.h"
#include "core/registry.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <set>

namespace coord {
namespace {

const std::set<std::string_view> kOneThreadACore = {"random-order", "sf-driven", "contention"};
const std::set<std::string_view> kMayWait = {"a-greedy",     "a-exact",   "mts",
                                             "random-order", "sf-driven", "contention"};

class Fuzz : public testing::TestWithParam<const PolicyRow *> {
protected:
  void run(std::uint64_t seed);

private:
  struct Run {
    const Machine &machine;
    ManualClock &clock;
    Coordinator &coordinator;
    std::deque<Application> all{};
    std::vector<AppId> alive{};
    // Decisions in a row in which an application had nothing although there was an idle core.
    std::vector<int> hungry{0};
  };

  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  double number();
  Machine machine();
  Application application(AppId id, const Machine &machine);
  Parameters parameters();
  void change(Run &run);
  void look(Run &run);
  void check(Run &run);

  std::mt19937_64 random_;
};

// Mostly plausible, sometimes not a number that can be.
double Fuzz::number() {
  constexpr double strange[] = {0,
                                -1,
                                1e300,
                                -1e300,
                                1e-300,
                                std::numeric_limits<double>::quiet_NaN(),
                                std::numeric_limits<double>::infinity(),
                                -std::numeric_limits<double>::infinity()};
  return below(4) ? std::exp(below(200) / 20. - 5) : strange[below(std::size(strange))];
}

Machine Fuzz::machine() {
  std::string text;
  for (int terms = 1 + below(3), i = 0; i < terms; i++)
    text += (i ? "+" : "") + std::to_string(1 + below(5)) + "x" + std::to_string(terms - i);
  return parse_machine(text, below(3));
}

Application Fuzz::application(AppId id, const Machine &machine) {
  Application app{
      id, "app" + std::to_string(below(4)), 1 + below(2) * below(20), below(2) == 1, 0.1 + below(6),
      {}};
  if (below(2))
    for (int c = 0; c < machine.class_count() + (below(8) == 0); c++)
      app.profile.factors.push_back(number());
  if (below(2))
    app.profile.misses = number();
  if (below(2)) {
    std::vector<double> factors;
    for (int c = 0; c < machine.class_count(); c++)
      factors.push_back(1 + c * below(30) / 10.);
    app.profile.throughput = std::make_shared<AmdahlThroughput>(factors, below(100) / 100.);
  }
  if (below(2)) {
    ContentionProfile contention;
    for (int c = 0; c < machine.class_count(); c++) {
      contention.pressure.push_back({number(), number(), number()});
      contention.coefficients.push_back(
          {number(), number(), number(), number(), number(), number()});
    }
    app.profile.contention = std::make_shared<ContentionProfile>(contention);
  }
  return app;
}

// Defaults, or any values within bounds.
Parameters Fuzz::parameters() {
  Parameters chosen;
  if (below(2))
    for (const ParameterRow &row : GetParam()->parameters) {
      const double value = row.least + (row.most - row.least) * below(1001) / 1000;
      chosen[row.name] = row.initial == std::round(row.initial) ? std::round(value) : value;
    }
  return chosen;
}

// A random event: applications come and go, start and stop threads, or time passes.
void Fuzz::change(Run &run) {
  auto &[machine, clock, coordinator, all, alive, hungry] = run;
  const int event = below(11);
  if (event == 0 && alive.size() < 12) {
    const AppId id = static_cast<AppId>(all.size());
    coordinator.arrive(all.emplace_back(application(id, machine)));
    alive.push_back(id);
    hungry.resize(all.size());
  } else if (event == 1 && !alive.empty()) {
    const auto gone = alive.begin() + below(static_cast<int>(alive.size()));
    coordinator.leave(*gone);
    alive.erase(gone);
  } else if (event == 2 && !alive.empty()) {
    const AppId id = alive[below(static_cast<int>(alive.size()))];
    coordinator.runnable({id, below(all[id].threads)}, below(2));
  } else if (event == 3 && !alive.empty()) {
    Application &app = all[alive[below(static_cast<int>(alive.size()))]];
    app.threads = 1 + below(2) * below(20);
    coordinator.resize(app.id, app.threads);
  } else
    clock.time += coordinator.period();
}

// What is seen of the threads, some of it untrue.
void Fuzz::look(Run &run) {
  auto &[machine, clock, coordinator, all, alive, hungry] = run;
  for (const AppId id : alive)
    for (int i = 0; i < all[id].threads; i++) {
      const int core = below(machine.core_count()), c = machine.cores[core].core_class;
      std::vector<double> cpu = coordinator.state().find(id)->threads[i].cpu_s;
      cpu[c] += seconds(coordinator.period()) * below(3) / 2;
      coordinator.observe({id, i}, core, cpu);
      if (below(2))
        continue;
      Sample sample{{below(20) ? id : id + 1, below(20) ? i : -1},
                    below(20) ? core : 99,
                    c,
                    number(),
                    {},
                    {},
                    below(4) == 0,
                    {}};
      if (below(4))
        sample.instructions = number();
      if (below(4))
        sample.misses = number();
      if (below(2))
        sample.progress = {number(), number(), number()};
      for (int classes = below(5); classes > 0; classes--)
        sample.factors.push_back(number());
      coordinator.sample(sample);
    }
}

void Fuzz::check(Run &run) {
  auto &[machine, clock, coordinator, all, alive, hungry] = run;
  std::set<int> owned;
  std::size_t cores = 0, placed = 0;
  for (const ApplicationState &app : coordinator.state().apps) {
    owned.insert(app.cores.begin(), app.cores.end());
    cores += app.cores.size();
    for (const ThreadState &thread : app.threads) {
      placed += !app.granted && thread.place.kind != Place::Hold;
      if (kOneThreadACore.contains(GetParam()->name) && thread.place.kind == Place::OnCore) {
        ASSERT_TRUE(owned.insert(thread.place.index).second) << "two threads on a core";
        cores++;
        placed--;
      }
    }
    if (app.granted) {
      ASSERT_LE(static_cast<int>(app.cores.size()), app.app->threads);
    }
  }
  ASSERT_EQ(owned.size(), cores) << "a core was given twice";

  // No policy lets an application wait forever while there are cores for all of them; those of
  // the most throughput may give all cores to others, by their definition, and those that run
  // threads to their ends wait for these ends, but they leave no core idle.
  for (const ApplicationState &app : coordinator.state().apps) {
    bool wants = false, has = app.granted && !app.cores.empty();
    for (const ThreadState &thread : app.threads) {
      wants |= thread.runnable;
      has |= !app.granted && thread.runnable && thread.place.kind != Place::Hold;
    }
    const bool enough = kMayWait.contains(GetParam()->name)
                            ? static_cast<int>(cores + placed) < machine.core_count()
                            : static_cast<int>(alive.size()) <= machine.core_count();
    int &waited = hungry[app.app->id];
    waited = wants && !has && enough ? waited + 1 : 0;
    ASSERT_LT(waited, 50) << "application " << app.app->id
                          << " waits though there is a core for each";
  }
}

void Fuzz::run(std::uint64_t seed) {
  random_.seed(seed);
  const Machine machine = this->machine();
  ManualClock clock;
  Coordinator coordinator(machine, clock,
                          make_policy(GetParam()->name, machine, parameters(), seed));
  Run run{machine, clock, coordinator};
  for (int step = 0; step < 300 && !HasFatalFailure(); step++) {
    change(run);
    look(run);
    coordinator.decide();
    ASSERT_TRUE(coordinator.refused().empty()) << coordinator.refused()[0];
    check(run);
  }
}

TEST_P(Fuzz, DecisionsAreValidAndNobodyStarves) {
  for (std::uint64_t seed = 1; seed <= 150 && !HasFatalFailure(); seed++) {
    SCOPED_TRACE(seed);
    run(seed);
  }
}

std::vector<const PolicyRow *> rows() {
  std::vector<const PolicyRow *> found;
  for (const PolicyRow &row : policies())
    found.push_back(&row);
  return found;
}

INSTANTIATE_TEST_SUITE_P(Policies, Fuzz, testing::ValuesIn(rows()), [](const auto &info) {
  std::string name = info.param->name;
  std::ranges::replace(name, '-', '_');
  return name;
});

} // namespace
} // namespace coord
