// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/scenario-file.h"

#include "core/registry.h"
#include "model/miss_model.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <toml++/toml.h>

namespace coord {

namespace {

// A table of the file, and which of its keys were asked for.
class Reader {
public:
  Reader(const toml::table &table, const std::string &name, std::string where)
      : table_(table), name_(name), where_(std::move(where)) {}

  [[noreturn]] void fail(const toml::node *node, const std::string &what) const {
    const auto line = (node ? node : &table_)->source().begin.line;
    throw InputError(name_ + ":" + std::to_string(std::max<unsigned>(line, 1)) + ": " + where_ +
                     what);
  }
  const toml::node *get(const char *key) {
    asked_.insert(key);
    return table_.get(key);
  }
  [[noreturn]] void wrong(const char *key, const toml::node &node,
                          const std::string &expected) const {
    std::ostringstream value;
    node.visit([&](const auto &each) { value << each; });
    fail(&node, std::string(key) + ": " + value.str() + ": expected " + expected);
  }
  double number(const char *key, double otherwise, double least, double most,
                const std::string &what) {
    const toml::node *const node = get(key);
    return node ? check(key, *node, least, most, what) : otherwise;
  }
  double check(const char *key, const toml::node &node, double least, double most,
               const std::string &what) const {
    const std::optional<double> value = node.is_number() ? node.value<double>() : std::nullopt;
    if (!value || !(*value >= least && *value <= most)) {
      std::ostringstream expected;
      expected << what << ", " << least << " to " << most;
      wrong(key, node, expected.str());
    }
    return *value;
  }
  int count(const char *key, int otherwise, int least, int most, const std::string &what) {
    const toml::node *const node = get(key);
    if (node && !node->is_integer())
      wrong(key, *node, what + ", " + std::to_string(least) + " to " + std::to_string(most));
    return static_cast<int>(number(key, otherwise, least, most, what));
  }
  bool truth(const char *key, bool otherwise) {
    const toml::node *const node = get(key);
    if (node && !node->is_boolean())
      wrong(key, *node, "true or false");
    return node ? *node->value<bool>() : otherwise;
  }
  std::string text(const char *key, const std::string &otherwise) {
    const toml::node *const node = get(key);
    if (node && !node->is_string())
      wrong(key, *node, "a text in quotes");
    return node ? *node->value<std::string>() : otherwise;
  }
  void need(const char *key, const std::string &what) {
    if (!get(key))
      fail(nullptr, std::string(key) + ": missing; expected " + what);
  }
  // Call it last: a key that nothing asked for is misspelt.
  void unknown() const {
    for (const auto &[key, node] : table_)
      if (!asked_.contains(std::string(key.str()))) {
        std::string known;
        for (const std::string &each : asked_)
          known += " " + each;
        fail(&node, "unknown key '" + std::string(key.str()) + "'; expected one of:" + known);
      }
  }
  Reader inside(const toml::table &table, const std::string &where) const {
    return {table, name_, where_ + where};
  }

private:
  const toml::table &table_;
  const std::string &name_;
  std::string where_;
  std::set<std::string> asked_;
};

// SF by class: one number for the fastest, between by the clocks, or a list, slowest class first.
std::vector<double> read_factors(Reader &reader, const Machine &machine,
                                 std::vector<double> otherwise) {
  const toml::node *const one = reader.get("factor");
  const toml::node *const list = reader.get("factors");
  if (one && list)
    reader.fail(list, "factors: factor is there too; expected one of both");
  if (one) {
    const double fastest =
        reader.check("factor", *one, 1, 1000,
                     "how much faster one of the fastest cores is than one of the slowest");
    std::vector<double> factors;
    const double range = machine.clock_ratio(machine.fastest()) - 1;
    for (int c = 0; c < machine.class_count(); c++)
      factors.push_back(
          c == machine.fastest() && c > 0
              ? fastest
              : 1 + (range > 0 ? (machine.clock_ratio(c) - 1) / range * (fastest - 1) : 0));
    return factors;
  }
  if (!list)
    return otherwise;
  const toml::array *const array = list->as_array();
  const std::string expected =
      std::to_string(machine.class_count()) + " numbers, slowest class first, the first 1";
  if (!array || static_cast<int>(array->size()) != machine.class_count())
    reader.wrong("factors", *list, expected);
  std::vector<double> factors;
  for (const toml::node &each : *array)
    factors.push_back(reader.check("factors", each, 0.001, 1000, "a speedup factor"));
  if (factors[0] != 1)
    reader.wrong("factors", *list, expected);
  return factors;
}

constexpr double kMost = 1e9; // seconds of work, of time

// The work and factors of a program without phases, or of one of its phases.
Phase read_phase(Reader &reader, const Machine &machine) {
  std::vector<double> clocks;
  for (int c = 0; c < machine.class_count(); c++)
    clocks.push_back(machine.clock_ratio(c));
  reader.need("work", "seconds on one of the slowest cores");
  Phase phase;
  phase.work = reader.number("work", 0, 1e-6, kMost, "seconds on one of the slowest cores");
  const bool missing = !reader.get("misses");
  phase.misses =
      reader.number("misses", 0, 0, 4096, "misses of the last-level cache in 4096 instructions");
  phase.factors =
      read_factors(reader, machine, missing ? clocks : miss_factors(machine, phase.misses));
  if (missing && phase.factors.back() > 1)
    phase.misses = misses_of_factor(machine, phase.factors.back());
  return phase;
}

Program read_program(Reader &reader, const Machine &machine) {
  Program program;
  reader.need("name", "a name for the results");
  program.name = reader.text("name", "");
  if (const toml::node *const phases = reader.get("phases")) {
    const toml::array *const list = phases->as_array();
    if (!list || list->empty() || !list->is_homogeneous(toml::node_type::table))
      reader.wrong("phases", *phases, "a list of phases, as { work = 1, factor = 2 }");
    for (const toml::node &each : *list) {
      Reader phase = reader.inside(*each.as_table(), "phases: ");
      program.phases.push_back(read_phase(phase, machine));
      phase.unknown();
    }
  } else
    program.phases = {read_phase(reader, machine)};
  // All phases together, by their work.
  double work = 0, misses = 0;
  std::vector<double> times(machine.classes.size());
  for (const Phase &phase : program.phases) {
    work += phase.work;
    misses += phase.work * phase.misses;
    for (std::size_t c = 0; c < times.size(); c++)
      times[c] += phase.work / phase.factors[c];
  }
  std::vector<double> factors;
  for (const double time : times)
    factors.push_back(work / time);

  program.threads = reader.count("threads", 1, 1, 4096, "the most cores that it uses");
  const double serial = reader.number("serial_percent", 0, 0, 100, "% of its work");
  const double efficiency = reader.number("efficiency", 1, 0.001, 1, "of its parallel part");
  if (program.threads > 1)
    program.throughput = std::make_shared<AmdahlThroughput>(factors, serial / 100, efficiency);
  program.malleable = program.throughput != nullptr;
  program.working_set =
      1024 * reader.number("working_set_kib", 0, 0, 1e9, "KiB that a migration fetches again");
  program.weight = reader.number("weight", 1, 1e-3, 1e3, "a weight");
  if (reader.truth("known", true)) {
    program.profile.factors = factors;
    program.profile.misses = misses / work;
    program.profile.throughput = program.throughput;
  }
  return program;
}

void read_machine(Reader &reader, Machine &machine, const std::string &cores) {
  const int share = reader.count("llc_cores", 0, 0, 4096,
                                 "cores that share a last-level cache; 0: all of a term");
  const double kib = reader.number("llc_kib", 2048, 1, 1e9, "KiB of a last-level cache");
  machine = parse_machine(cores, share, kib * 1024);
  machine.memory_ns = reader.number("memory_ns", 100, 1, 1e6, "ns of a miss");
  reader.unknown();
}

// Poisson arrivals of programs, each as likely.
void read_arrivals(Reader &reader, ScenarioFile &file, std::mt19937_64 &random) {
  reader.need("rate", "arrivals per second");
  reader.need("seconds", "how long programs arrive");
  const double rate = reader.number("rate", 0, 1e-6, 1e6, "arrivals per second");
  const double until = reader.number("seconds", 0, 1e-6, kMost, "how long programs arrive");
  std::vector<const Program *> among;
  for (const Program &program : file.programs)
    among.push_back(&program);
  if (const toml::node *const names = reader.get("programs")) {
    among.clear();
    const toml::array *const list = names->as_array();
    if (!list || list->empty() || !list->is_homogeneous(toml::node_type::string))
      reader.wrong("programs", *names, "a list of names of programs");
    for (const toml::node &each : *list) {
      const auto found =
          std::ranges::find(file.programs, *each.value<std::string>(), &Program::name);
      if (found == file.programs.end())
        reader.wrong("programs", each, "the name of a [[program]]");
      among.push_back(&*found);
    }
  }
  reader.unknown();
  if (among.empty())
    reader.fail(nullptr, "programs: none; expected a [[program]] that can arrive");
  std::exponential_distribution<double> gap(rate);
  for (double at = gap(random); at < until; at += gap(random))
    file.scenario.arrivals.push_back(
        {among[random() % among.size()], static_cast<Time>(at * 1e9), 1});
}

// The tables of the list KEY; none if it is not there.
std::vector<const toml::table *> tables_of(Reader &reader, const char *key) {
  std::vector<const toml::table *> found;
  const toml::node *const node = reader.get(key);
  if (!node)
    return found;
  const toml::array *const list = node->as_array();
  if (!list || !list->is_homogeneous(toml::node_type::table))
    reader.wrong(key, *node, std::string("tables [[") + key + "]]");
  for (const toml::node &each : *list)
    found.push_back(each.as_table());
  return found;
}

const toml::table *table_of(Reader &reader, const char *key) {
  const toml::node *const node = reader.get(key);
  if (node && !node->is_table())
    reader.wrong(key, *node, std::string("a table [") + key + "]");
  return node ? node->as_table() : nullptr;
}

void read_policy(Reader &reader, Scenario &scenario) {
  scenario.policy = reader.text("policy", "sticky");
  const toml::node *node = reader.get("policy");
  try {
    make_policy(scenario.policy, scenario.machine);
    if (const toml::table *const parameters = table_of(reader, "parameters")) {
      Reader inside = reader.inside(*parameters, "[parameters]: ");
      for (const auto &[key, value] : *parameters) {
        node = &value;
        const std::string name(key.str());
        scenario.parameters[name] = inside.number(name.c_str(), 0, -1e300, 1e300, "a number");
        make_policy(scenario.policy, scenario.machine, scenario.parameters);
      }
    }
  } catch (const std::invalid_argument &problem) {
    reader.fail(node, problem.what());
  }
}

toml::table parse(const std::string &text, const std::string &name) {
  try {
    return toml::parse(text, name);
  } catch (const toml::parse_error &error) {
    throw InputError(name + ":" + std::to_string(error.source().begin.line) + ": " +
                     std::string(error.description()) + "; expected TOML");
  }
}

// cores and [machine].
void read_cores(Reader &reader, Machine &machine) {
  reader.need("cores", "the machine, as in \"4x3.0+4x1.0\"");
  const std::string cores = reader.text("cores", "");
  try {
    machine = parse_machine(cores);
  } catch (const std::invalid_argument &problem) {
    reader.fail(reader.get("cores"), std::string("cores: ") + problem.what());
  }
  if (const toml::table *const table = table_of(reader, "machine")) {
    Reader inside = reader.inside(*table, "[machine]: ");
    read_machine(inside, machine, cores);
  }
}

// The numbers and switches at the top.
void read_settings(Reader &reader, Scenario &scenario) {
  scenario.seed = static_cast<std::uint64_t>(reader.count("seed", 1, 0, 1'000'000'000, "a seed"));
  scenario.until = static_cast<Time>(
      reader.number("seconds", 0, 0, 1e6, "when the simulation stops, 0: at the end") * 1e9);
  scenario.least_runs = reader.count("stop_after_runs", 0, 0, 1'000'000, "runs of each program");
  scenario.noise = reader.number("noise_percent", 3, 0, 100, "% of what samples count") / 100;
  scenario.migrations_cost = reader.truth("migrations_cost", true);
  scenario.page = reader.truth("page", false);
  scenario.switch_share = reader.number("switch_percent", 0, 0, 99, "% of a core's time") / 100;
}

// One [[program]] and its copies. NAMES: those of the programs before it.
void read_copies(Reader &reader, ScenarioFile &file, std::set<std::string> &names) {
  Scenario &scenario = file.scenario;
  const Program &program = file.programs.emplace_back(read_program(reader, scenario.machine));
  if (!names.insert(program.name).second)
    reader.wrong("name", *reader.get("name"), "a name that no other program has");
  const int copies = reader.count("copies", 1, 0, 100'000, "how many of it start");
  const double at = reader.number("at", 0, 0, kMost, "when they start, in seconds");
  const int runs =
      reader.count("runs", 1, 0, 1'000'000, "how often each runs, 0: until the simulation stops");
  if (runs == 0 && copies > 0 && scenario.until == 0 && scenario.least_runs == 0)
    reader.fail(
        reader.get("runs"),
        "runs: 0: expected seconds or stop_after_runs at the top, which end the simulation");
  reader.unknown();
  for (int copy = 0; copy < copies; copy++)
    scenario.arrivals.push_back({&program, static_cast<Time>(at * 1e9), runs});
}

} // namespace

ScenarioFile read_scenario(const std::string &text, const std::string &name) {
  const toml::table top = parse(text, name);
  ScenarioFile file;
  Scenario &scenario = file.scenario;
  Reader reader(top, name, "");
  read_cores(reader, scenario.machine);
  read_policy(reader, scenario);
  read_settings(reader, scenario);
  std::set<std::string> names;
  for (const toml::table *const each : tables_of(reader, "program")) {
    Reader inside = reader.inside(*each, "[[program]]: ");
    read_copies(inside, file, names);
  }
  std::mt19937_64 random(scenario.seed);
  for (const toml::table *const each : tables_of(reader, "arrivals")) {
    Reader inside = reader.inside(*each, "[[arrivals]]: ");
    read_arrivals(inside, file, random);
  }
  reader.unknown();
  if (scenario.arrivals.empty())
    reader.fail(nullptr, "no program arrives; expected a [[program]] with copies, or [[arrivals]]");
  return file;
}

} // namespace coord
