// SPDX-License-Identifier: GPL-3.0-or-later
#include "calls.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <stdexcept>

extern "C" {
#include "fold/fold-ranges.h"
#include "fold/fold-shares.h"
}

namespace calls {
namespace {

using learn::any_of, learn::log_uniform, learn::number, learn::uniform;
using Random = std::mt19937_64;

constexpr double noise = .02;

double sum(const Times &times) { return std::accumulate(times.begin(), times.end(), 0.); }

// Whether the bounds allow that all ends until END. WORK falls.
bool possible(const Times &work, const Run &run, const Times &begin, double end) {
  constexpr double most = 1 + 1e-9; // for what is rounded
  Times can;
  for (size_t w = 0; w < run.speed.size(); w++)
    can.push_back(std::max(0., end - begin[w]) * run.speed[w] * most);
  std::sort(can.rbegin(), can.rend());
  if (sum(can) < sum(work))
    return false;
  double heaviest = 0, ablest = 0;
  for (size_t i = 0; i < std::min(can.size(), work.size()); i++) {
    heaviest += work[i];
    ablest += can[i];
    if (ablest < heaviest)
      return false;
  }
  for (size_t i = 0; i < work.size(); i++) {
    double count = 0;
    for (const double one : can)
      count += std::floor(one / work[i]);
    if (count < double(i + 1))
      return false;
  }
  return true;
}

// When each worker can begin at the earliest.
Times begins(const Case &program) {
  const bool sleep = program.gap_ns > spin_ns;
  Times begin(program.believed.size(), deal_ns + (sleep ? ring_ns + asleep_ns : wake_ns));
  begin[0] = deal_ns + (sleep ? ring_ns : 0);
  return begin;
}

// When the last of the first WORKERS ends, which have as many ids each, in order.
double even(const Run &run, const Times &begin, size_t workers) {
  const size_t ids = run.work.size();
  double last = 0;
  for (size_t w = 0; w < workers; w++) {
    double own = 0;
    for (size_t id = w * ids / workers; id < (w + 1) * ids / workers; id++)
      own += run.work[id] / run.speed[w];
    last = std::max(last, begin[w] + own);
  }
  return last + arrive_ns;
}

// What the yardsticks take for a run.
struct Yardsticks {
  double best = 0, fixed = 0, fast = 0, alone = 0;

  Yardsticks() = default;
  Yardsticks(const Case &program, Run run) {
    const Times begin = begins(program);
    const size_t workers = run.speed.size();
    fixed = even(run, begin, workers);
    const auto slower = [&](double speed) { return speed != run.speed[0]; };
    fast =
        even(run, begin,
             size_t(std::find_if(run.speed.begin(), run.speed.end(), slower) - run.speed.begin()));
    alone = deal_ns + sum(run.work) / run.speed[0];
    // Calls cannot do without taking ids.
    const double slowest = *std::min_element(run.speed.begin(), run.speed.end());
    for (double &work : run.work)
      work += take_ns * slowest;
    best = std::min(deal_ns + sum(run.work) / run.speed[0], bound(run, begin) + arrive_ns);
  }
  Yardsticks &operator+=(const Yardsticks &other) {
    best += other.best;
    fixed += other.fixed;
    fast += other.fast;
    alone += other.alone;
    return *this;
  }
};

// The runs of a region, one after the other.
class Machine {
public:
  Machine(const Case &program, Random &random)
      : program_(program), random_(random), workers_(program.believed.size()),
        shares_(gomp_fold_make_shares(unsigned(workers_))),
        deal_(gomp_fold_make_deal(unsigned(program.ids), unsigned(workers_), 0,
                                  program.believed.data()),
              gomp_fold_free_deal),
        idle_since_(workers_, 0) {
    if (!deal_ || !shares_.share)
      throw std::bad_alloc();
  }
  ~Machine() { gomp_fold_free_shares(&shares_); }
  Machine(const Machine &) = delete;
  void operator=(const Machine &) = delete;

  // Each returns how long it takes. The first run is by turns, with ranges by capacity.
  double turns(const Run &run);
  double run(const Run &run);

private:
  static unsigned long long ns(double time) { return (unsigned long long)time; }
  bool woken(size_t w) const { return deal_->dealt.first[w] < deal_->dealt.first[w + 1]; }
  double time_of(const Run &run, size_t w, unsigned id);
  double ring(double now);
  void act(const Run &run, size_t w);

  const Case &program_;
  Random &random_;
  const size_t workers_;
  gomp_fold_shares shares_;
  const std::unique_ptr<gomp_fold_deal, void (*)(gomp_fold_deal *)> deal_;
  double clock_ = 1e6;
  Times idle_since_; // by worker
  // Of the present run. When each worker does something next, and when the last id was counted in.
  Times next_;
  double last_ = 0;
  std::vector<bool> came_, ran_;
  size_t counted_ = 0;
};

double Machine::time_of(const Run &run, size_t w, unsigned id) {
  double own = run.work[id] / run.speed[w] * uniform(random_, 1 - noise, 1 + noise);
  if (uniform(random_, 0, 1) < own / learn::interrupt_every_ns)
    own += log_uniform(random_, 1e4, 1e5);
  return own;
}

// Wakes those that have ids. Returns when the initial thread has done it.
double Machine::ring(double now) {
  std::vector<bool> asleep(workers_, false);
  bool any = false;
  for (size_t w = 1; w < workers_; w++)
    if (woken(w)) {
      asleep[w] = now > idle_since_[w] + spin_ns;
      any |= asleep[w];
    }
  now += any ? ring_ns : 0;
  for (size_t w = 1; w < workers_; w++)
    if (woken(w))
      next_[w] = now + (asleep[w] ? log_uniform(random_, asleep_ns / 3, asleep_ns * 3) : wake_ns);
  return now;
}

void Machine::act(const Run &run, size_t w) {
  const double now = next_[w];
  gomp_fold_share &own = shares_.share[w];
  const bool timed = gomp_fold_timed(&shares_), has_own = int(own.word) != int(own.word >> 32);
  const unsigned id = gomp_fold_take(&shares_, unsigned(w), timed || !came_[w] ? ns(now) : 0);
  came_[w] = true;
  if (id < GOMP_FOLD_LATER) {
    if (ran_.at(id))
      throw std::logic_error("an id that ran twice");
    ran_[id] = true;
    next_[w] =
        now + take_ns + (timed ? timed_ns : 0) + (has_own ? 0 : steal_ns) + time_of(run, w, id);
    return;
  }
  if (const unsigned count = gomp_fold_count_in(&own, ns(now))) {
    counted_ += count;
    last_ = std::max(last_, now);
  }
  next_[w] = id == GOMP_FOLD_LATER ? now + look_again_ns : INFINITY;
  idle_since_[w] = now;
}

double Machine::turns(const Run &run) {
  std::vector<unsigned> speed, first(workers_ + 1);
  for (const double believed : program_.believed)
    speed.push_back(std::max(1U, unsigned(believed * 1000)));
  gomp_fold_cut(unsigned(program_.ids), unsigned(workers_), speed.data(), first.data());
  // The other runs are the same whether there is this one or not.
  const Random saved = random_;
  double last = 0;
  for (size_t w = 0; w < workers_; w++) {
    double end =
        deal_ns + ring_ns + (w == 0 ? 0 : log_uniform(random_, asleep_ns / 3, asleep_ns * 3));
    for (unsigned id = first[w]; id < first[w + 1]; id++)
      end += turn_ns + time_of(run, w, id);
    last = std::max(last, end);
  }
  std::fill(idle_since_.begin(), idle_since_.end(), clock_ + last + arrive_ns);
  clock_ += last + arrive_ns + program_.gap_ns;
  random_ = saved;
  return last + arrive_ns;
}

double Machine::run(const Run &run) {
  const bool measured = gomp_fold_measured(deal_.get());
  const double begin = clock_;
  next_.assign(workers_, INFINITY);
  came_.assign(workers_, false);
  ran_.assign(program_.ids, false);
  counted_ = 0;
  last_ = 0;
  gomp_fold_hand_out(&shares_, &deal_->dealt, 0, measured ? ns(begin) : 0);
  const double first = ring(begin + deal_ns);
  gomp_fold_run_first(&shares_, 0, measured ? ns(first) : 0);
  came_[0] = ran_[0] = true;
  next_[0] = first + time_of(run, 0, 0);
  while (counted_ < program_.ids)
    act(run, size_t(std::min_element(next_.begin(), next_.end()) - next_.begin()));
  const double end = last_ + (deal_->woken > 1 ? arrive_ns : 0);
  for (size_t w = 1; w < workers_; w++)
    if (woken(w))
      idle_since_[w] = std::isinf(next_[w]) ? std::max(idle_since_[w], end) : next_[w];
  if (measured)
    gomp_fold_note(deal_.get(), &shares_, ns(begin), ns(end));
  clock_ = end + program_.gap_ns;
  return end - begin;
}

} // namespace

double bound(const Run &run, const Times &begin) {
  Times work = run.work;
  std::sort(work.rbegin(), work.rend());
  double low = 0, high = 1;
  while (!possible(work, run, begin, high))
    high *= 2;
  for (int bit = 0; bit < 30; bit++) {
    const double middle = (low + high) / 2;
    (possible(work, run, begin, middle) ? high : low) = middle;
  }
  return high;
}

Case random_case(Random &random) {
  Case program;
  const learn::Machine machine = learn::random_machine(random);
  const size_t workers = machine.speed.size();
  program.machine = machine.name;
  program.ids = workers * any_of<size_t>(random, {1, 2, 3, 4, 8, 12});
  program.costs =
      any_of<std::string>(random, {"even", "triangular", "stepped", "random", "one heavy"});
  program.known = any_of<std::string>(random, {"right", "twice", "half", "not at all"});
  program.change = any_of<std::string>(
      random, {"none", "none", "none", "drift", "intruder", "pattern", "each run"});
  program.region_ns = log_uniform(random, 3e3, 1e8);
  program.gap_ns = any_of<double>(random, {1e3, 3e5});
  program.runs = size_t(std::clamp(1e8 / program.region_ns, 30., 3000.));
  program.believed = learn::told(machine.speed, program.known);
  Times costs = learn::costs_of(program.costs, program.ids, random);
  const double scale = program.region_ns * double(workers) / sum(costs);
  for (double &cost : costs)
    cost *= scale;
  const size_t victim = number(random, 0, workers - 1), runs = program.runs;
  const std::string change = program.change;
  program.run = [=](size_t index, Random &draw) {
    Run run = {costs, machine.speed};
    const double time = double(index) / double(runs);
    if (change == "drift")
      for (size_t id = 0; id < costs.size(); id++)
        run.work[id] *= 1 + time * double(id) / double(costs.size());
    if (change == "pattern" && time > .6)
      std::fill(run.work.begin(), run.work.end(), sum(costs) / double(costs.size()));
    else if (change == "pattern" && time > .3)
      std::reverse(run.work.begin(), run.work.end());
    if (change == "each run")
      for (double &work : run.work)
        work *= log_uniform(draw, .3, 3);
    if (change == "intruder" && time > .3)
      run.speed[victim] /= 2;
    return run;
  };
  return program;
}

Outcome play(const Case &program, Random &random) {
  Machine machine(program, random);
  Yardsticks one, all, at_end;
  double spent = 0, spent_at_end = 0;
  for (size_t index = 0; index < program.runs; index++) {
    const Run run = program.run(index, random);
    const double time = index == 0 ? machine.turns(run) : machine.run(run);
    if (index == 0 ||
        (program.change != "none" && index % std::max<size_t>(1, program.runs / 60) == 0))
      one = Yardsticks(program, run);
    spent += time;
    all += one;
    if (index >= program.runs * 2 / 3) {
      spent_at_end += time;
      at_end += one;
    }
  }
  return {all.best / spent, at_end.best / spent_at_end, all.fixed / spent,
          std::min({all.fixed, all.fast, all.alone}) / spent};
}

} // namespace calls
