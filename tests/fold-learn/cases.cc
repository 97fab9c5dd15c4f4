// SPDX-License-Identifier: GPL-3.0-or-later
#include "cases.h"

#include <algorithm>
#include <cmath>
#include <numeric>

extern "C" {
#include "fold/fold-ranges.h"
}

namespace learn {
namespace {

// The best contiguous ranges by dynamic programming, independent of the library's search: ends[i]
// is when the workers so far can have run the first i ids.
double best_end(const Phase &phase, double turn) {
  const size_t ids = phase.work.size();
  Times before(ids + 1, 0), ends(ids + 1, INFINITY);
  std::partial_sum(phase.work.begin(), phase.work.end(), before.begin() + 1);
  ends[0] = 0;
  for (const double speed : phase.speed) {
    Times next(ids + 1, INFINITY);
    for (size_t end = 0; end <= ids; end++)
      for (size_t first = 0; first <= end; first++)
        next[end] =
            std::min(next[end], std::max(ends[first], (before[end] - before[first]) / speed +
                                                          double(end - first) * turn));
    ends = next;
  }
  return ends[ids];
}

} // namespace

Case random_case(std::mt19937_64 &random) {
  Case program;
  const Machine machine = random_machine(random);
  const size_t workers = machine.speed.size();
  program.machine = machine.name;
  program.ids = workers * any_of<size_t>(random, {1, 2, 3, 4, 8});
  program.costs =
      any_of<std::string>(random, {"even", "triangular", "stepped", "random", "one heavy"});
  program.known = any_of<std::string>(random, {"right", "twice", "half", "not at all"});
  program.change =
      any_of<std::string>(random, {"none", "none", "none", "drift", "intruder", "pattern"});
  program.phase_ns = log_uniform(random, 1e3, 1e8);
  // 300 ms, or as many phases as are needed to learn anything.
  program.phases = std::max<size_t>(30, size_t(std::min(3e8 / program.phase_ns, 30000.)));
  program.noise = .02;
  program.believed = told(machine.speed, program.known);
  Times costs = costs_of(program.costs, program.ids, random);
  const double scale =
      program.phase_ns * double(workers) / std::accumulate(costs.begin(), costs.end(), 0.);
  for (double &cost : costs)
    cost *= scale;
  const size_t victim = number(random, 0, workers - 1), phases = program.phases;
  const double sum = std::accumulate(costs.begin(), costs.end(), 0.);
  const std::string change = program.change;
  program.phase = [=](size_t index) {
    Phase phase = {costs, machine.speed};
    const double time = double(index) / double(phases);
    if (change == "drift")
      // The first core gets slower, as by heat, the costs rise to one end.
      for (size_t id = 0; id < costs.size(); id++)
        phase.work[id] *= 1 + time * double(id) / double(costs.size());
    if (change == "pattern" && time > .6)
      std::fill(phase.work.begin(), phase.work.end(), sum / double(costs.size()));
    else if (change == "pattern" && time > .3)
      std::reverse(phase.work.begin(), phase.work.end());
    if (change == "intruder" && time > .3)
      phase.speed[victim] /= 2;
    return phase;
  };
  return program;
}

Learner::Learner(const Times &speeds, size_t ids) : learner_(nullptr, gomp_fold_free_ranges) {
  std::vector<unsigned> units, first(speeds.size() + 1), owner(ids);
  for (const double speed : speeds)
    units.push_back(unsigned(speed * 1024));
  order_.resize(ids);
  gomp_fold_spread(unsigned(ids), unsigned(units.size()), units.data(), first.data(), owner.data(),
                   order_.data());
  gomp_fold_cut(unsigned(ids), unsigned(units.size()), units.data(), first.data());
  learner_.reset(
      gomp_fold_make_ranges(unsigned(ids), unsigned(speeds.size()), speeds.data(), first.data()));
}

// What one worker does in a phase.
class Worker {
public:
  Worker(const Case &program, const Phase &phase, size_t worker, std::mt19937_64 &random)
      : program_(program), phase_(phase), speed_(phase.speed[worker]), random_(random) {}

  // How long it takes for the ids from FIRST to END; adds the time of each to BATCH.
  double run(size_t first, size_t end, Times &batch) {
    double time = 0;
    for (size_t id = first; id < end; id++) {
      double own =
          phase_.work[id] / speed_ * uniform(random_, 1 - program_.noise, 1 + program_.noise);
      // Something else has the core for a moment.
      if (uniform(random_, 0, 1) < own / interrupt_every_ns)
        own += log_uniform(random_, 1e4, 1e5);
      batch[id] += own;
      time += own + turn_ns;
    }
    return time;
  }

private:
  const Case &program_;
  const Phase &phase_;
  double speed_;
  std::mt19937_64 &random_;
};

// How long a phase takes with RANGES.
double run(const Case &program, const Phase &phase, const unsigned *ranges, Times &batch,
           std::mt19937_64 &random) {
  double end = 0;
  for (size_t w = 0; w < phase.speed.size(); w++)
    end = std::max(end, Worker(program, phase, w, random).run(ranges[w], ranges[w + 1], batch));
  return end;
}

Times mean(Times times, double count) {
  for (double &time : times)
    time /= count;
  return times;
}

// PHASE with the work at each place of ORDER in place of that of each id.
Phase in_order(Phase phase, const std::vector<unsigned> &order) {
  const Times work = phase.work;
  for (size_t place = 0; place < order.size(); place++)
    phase.work[place] = work[order[place]];
  return phase;
}

Outcome play(const Case &program, std::mt19937_64 &random) {
  const Learner learner(program.believed, program.ids);
  Outcome outcome;
  Times batch(program.ids, 0), unused(program.ids, 0);
  double spent = 0, fixed = 0, best = 0, spent_at_end = 0, best_at_end = 0, in_batch = 0;
  unsigned barriers = 0;
  double known_best = 0;
  for (size_t index = 0; index < program.phases; index++) {
    const Phase phase = in_order(program.phase(index), learner.order());
    double end = run(program, phase, learner->first, batch, random);
    fixed += run(program, phase, learner->home, unused, random);
    if (index == 0 || program.change != "none")
      if (index % std::max<size_t>(1, program.phases / 60) == 0)
        known_best = best_end(phase, turn_ns);
    in_batch += end;
    barriers++;
    if (in_batch >= double(learner->learner.batch_ns)) {
      if (gomp_fold_better_ranges(learner.get(), mean(batch, barriers).data(), turn_ns,
                                  GOMP_FOLD_LEAST_NS / barriers)) {
        outcome.moves++;
        end += move_ns * double(program.ids);
      }
      std::fill(batch.begin(), batch.end(), 0.);
      in_batch = 0;
      barriers = 0;
    }
    spent += end;
    best += known_best;
    if (index >= program.phases * 2 / 3) {
      spent_at_end += end;
      best_at_end += known_best;
    }
  }
  outcome.gain = fixed / spent;
  outcome.share = best / spent;
  outcome.share_at_end = best_at_end / spent_at_end;
  return outcome;
}

} // namespace learn
