// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/replay.h"
#include "model/concave.h"
#include "sim/profiles.h"
#include "sim/tables.h"

#include <algorithm>
#include <iomanip>
#include <limits>
#include <memory>
#include <sstream>
#include <stdexcept>

namespace coord {

namespace {

using Programs = std::span<const MeasuredProgram *const>;
using Rule = std::function<Allocation(std::span<const int>, std::span<const Demand>)>;

// RULE on throughputs over those alone, from the points as they are, or FITTED.
Chooser by_throughput(const char *name, const char *how, bool fitted, Rule rule) {
  return {name, how, [=](std::span<const int> cores, Programs programs) {
            std::vector<std::unique_ptr<Throughput>> throughputs;
            std::vector<Demand> demands;
            for (const MeasuredProgram *const program : programs) {
              TableThroughput p = program->throughput();
              throughputs.push_back(std::make_unique<TableThroughput>(
                  fitted ? fit_concave(p, program->measured()) : p));
              demands.push_back({throughputs.back().get(), std::reduce(cores.begin(), cores.end()),
                                 program->alone().seconds});
            }
            return rule(cores, demands);
          }};
}

Chooser by_points(const char *name, const char *how, Objective objective, bool trying) {
  return {name, how, [=](std::span<const int> cores, Programs programs) {
            std::vector<Choices> apps;
            for (const MeasuredProgram *const program : programs)
              apps.push_back(pareto(
                  price(program->operating_points(), objective, 1 / program->alone().seconds)));
            const std::vector<int> chosen =
                trying ? choose_by_trying(cores, apps) : choose(cores, apps);
            Allocation allocation(programs.size());
            for (std::size_t i = 0; i < chosen.size(); i++)
              if (chosen[i] >= 0)
                allocation[i] = apps[i][chosen[i]].cores;
            return allocation;
          }};
}

} // namespace

std::vector<Chooser> choosers() {
  const auto capacity_share = [](std::span<const int> cores, std::span<const Demand> weighted) {
    // It divides by the throughput alone itself.
    std::vector<Demand> demands(weighted.begin(), weighted.end());
    for (Demand &demand : demands)
      demand.weight = 1;
    // Of a core of each class: the mean over the programs of what one of it gains over one of the
    // slowest.
    std::vector<double> capacity(cores.size());
    for (const Demand &demand : demands)
      for (std::size_t c = 0; c < cores.size(); c++) {
        Counts one{}, slowest{};
        one[c] = slowest[0] = 1;
        capacity[c] +=
            at(demand, one, cores.size()) / at(demand, slowest, cores.size()) / demands.size();
      }
    return share(cores, demands, capacity);
  };
  const auto mts_equal = [](std::span<const int> cores, std::span<const Demand> demands) {
    return mts_like(cores, demands, true);
  };
  const auto mts_all = [](std::span<const int> cores, std::span<const Demand> demands) {
    return mts_like(cores, demands);
  };
  return {
      by_throughput("best STP", "dynamic programming", false, optimum),
      by_throughput("a-exact", "the points", false, a_exact),
      by_throughput("a-exact", "concave fit", true, a_exact),
      by_throughput("a-greedy", "the points", false, a_greedy),
      by_throughput("a-greedy", "concave fit", true, a_greedy),
      by_points("harp", "time", Objective::Time, false),
      by_points("harp", "energy times time", Objective::EnergyDelay, false),
      by_points("harp", "energy", Objective::Energy, false),
      by_throughput("share", "the points", false, capacity_share),
      by_throughput("equi", "", false, equi),
      by_throughput("mts", "the fastest takes all cores", false, mts_all),
      by_throughput("mts", "equal threads", false, mts_equal),
      by_points("least energy times time", "all tried", Objective::EnergyDelay, true),
      by_points("least energy", "all tried", Objective::Energy, true),
  };
}

Worth worth(Programs programs, const Allocation &allocation) {
  Worth sum;
  int run = 0;
  for (std::size_t i = 0; i < programs.size(); i++) {
    const MeasuredProgram &program = *programs[i];
    const MeasuredProgram::Point *const point = program.at(allocation[i]);
    if (!point) {
      sum.left_out++;
      continue;
    }
    double least = std::numeric_limits<double>::infinity();
    for (const MeasuredProgram::Point &other : program.points())
      least = std::min(least, other.joules);
    run++;
    sum.stp += program.alone().seconds / point->seconds;
    sum.antt += point->seconds / program.alone().seconds;
    sum.joules += least > 0 ? point->joules / least : 0;
  }
  if (run > 0) {
    sum.antt /= run;
    sum.joules /= run;
  }
  return sum;
}

std::vector<Summary> summarise(std::span<const MeasuredProgram> programs, int size) {
  const std::vector<Chooser> ways = choosers();
  std::vector<Summary> summaries;
  for (const Chooser &way : ways)
    summaries.push_back({way.name, way.how});
  Counts most{};
  for (const MeasuredProgram &program : programs)
    for (int c = 0; c < kMaxClasses; c++)
      most[c] = std::max(most[c], program.alone().cores[c]);
  const std::span<const int> cores(most.data(), programs[0].throughput().most().size());
  int sets = 0;
  for (unsigned set = 1; set < 1u << programs.size(); set++) {
    std::vector<const MeasuredProgram *> chosen;
    for (std::size_t i = 0; i < programs.size(); i++)
      if (set >> i & 1)
        chosen.push_back(&programs[i]);
    if (static_cast<int>(chosen.size()) != size)
      continue;
    sets++;
    std::vector<Worth> found;
    for (const Chooser &way : ways)
      found.push_back(worth(chosen, way.choose(cores, chosen)));
    for (std::size_t i = 0; i < ways.size(); i++) {
      const double ratio = found[i].stp / found.front().stp;
      summaries[i].stp += found[i].stp;
      summaries[i].of_best += ratio;
      summaries[i].worst = std::min(summaries[i].worst, ratio);
      summaries[i].joules += found[i].joules;
      summaries[i].antt += found[i].antt;
      summaries[i].left_out += found[i].left_out > 0;
    }
  }
  for (Summary &summary : summaries)
    for (double *const mean : {&summary.stp, &summary.of_best, &summary.joules, &summary.antt})
      *mean /= sets;
  return summaries;
}

namespace {

// STP of programs that take turns on all cores is 1.
void describe(std::ostream &out, std::span<const MeasuredProgram> programs, int size,
              const char *title) {
  out << "\n| " << title
      << " | from | STP | of the best | worst | ANTT | joules over least | sets that leave one out "
         "|\n|---|---|--:|--:|--:|--:|--:|--:|\n"
      << std::fixed;
  for (const Summary &row : summarise(programs, size))
    out << "| " << row.name << " | " << row.how << " | " << std::setprecision(3) << row.stp << " | "
        << row.of_best << " | " << row.worst << " | " << std::setprecision(2) << row.antt << " | "
        << row.joules << " | " << row.left_out << " |\n";
}

} // namespace

std::string replay(std::istream &file, const std::string &name) {
  const std::vector<MeasuredProgram> programs = read_points(file, name);
  constexpr std::size_t kMostPrograms = 16;
  if (programs.size() < 2 || programs.size() > kMostPrograms)
    throw std::invalid_argument(name + ": " + std::to_string(programs.size()) +
                                " programs; expected 2 to " + std::to_string(kMostPrograms));
  std::ostringstream out;
  out << "| " << name
      << " | points | slower with one core more | second core gains more | gain depends on the "
         "other class |\n|---|--:|--:|--:|--:|\n";
  for (const MeasuredProgram &program : programs) {
    const Violations found = count_violations(program.throughput(), program.measured());
    const auto of = [](int part, int all) {
      return std::to_string(part) + " of " + std::to_string(all);
    };
    out << "| " << program.name() << " | " << program.points().size() << " | "
        << of(found.losses, found.steps) << " | " << of(found.not_concave, found.pairs) << " | "
        << of(found.not_separable, found.beside) << " |\n";
  }
  describe(out, programs, 2, "pairs");
  if (programs.size() >= 3)
    describe(out, programs, 3, "triples");
  return out.str();
}

std::vector<Figure> table_e() {
  const std::vector<MeasuredProgram> programs = odroid_programs();
  std::vector<Figure> figures;
  Violations all;
  for (const MeasuredProgram &program : programs) {
    const Violations found = count_violations(program.throughput(), program.measured());
    all.steps += found.steps;
    all.losses += found.losses;
    all.pairs += found.pairs;
    all.not_concave += found.not_concave;
    all.beside += found.beside;
    all.not_separable += found.not_separable;
  }
  const auto count = [&](const char *what, int part, int of) {
    figures.push_back({.id = "E1",
                       .what = what + (" (of " + std::to_string(of) + ")"),
                       .paper = "0",
                       .ours = static_cast<double>(part)});
  };
  count("slower with one core more", all.losses, all.steps);
  count("a class's second core gains more than its first, and so on", all.not_concave, all.pairs);
  count("a core's gain depends on the other class by over a tenth", all.not_separable, all.beside);
  for (const int size : {2, 3}) {
    const std::string sets = size == 2 ? "pairs, " : "triples, ";
    for (const Summary &row : summarise(programs, size)) {
      const std::string from = *row.how ? std::string(" (") + row.how + ")" : std::string();
      figures.push_back({.id = "E1",
                         .what = sets + row.name + from,
                         .paper = "-",
                         .ours = 100 * row.of_best,
                         .unit = "%"});
    }
  }
  return figures;
}

} // namespace coord
