// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/output.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <iomanip>
#include <map>
#include <sstream>

namespace coord {

namespace {

// Seconds that PROGRAM takes alone on the whole machine.
double alone_s(const Machine &machine, const Program &program) {
  std::vector<int> all;
  int left = program.threads;
  for (int c = machine.fastest(); c >= 0; c--) {
    all.insert(all.begin(), std::min(left, machine.classes[c].cores));
    left -= all.front();
  }
  double time = 0;
  for (const Phase &phase : program.phases)
    time += phase.work / (program.throughput ? program.throughput->at(all) : phase.factors.back());
  return time;
}

// What the runs of a program were, added up.
struct Row {
  int runs = 0, migrations = 0;
  double wall = 0, slowdown = 0, cpu = 0, fast = 0;
};

// What a summary is made of.
struct Sums {
  std::map<const Program *, Row> rows;
  double slowdowns = 0, worst = 0, least = 1e300; // of all runs
  double full_speed = 0;                          // seconds that all runs take alone
};

Sums sums(const Scenario &scenario, const Result &result) {
  const Machine &machine = scenario.machine;
  Sums sums;
  for (const Run &run : result.runs) {
    const Program *const program = scenario.arrivals[run.arrival].program;
    Row &row = sums.rows[program];
    const double alone = alone_s(machine, *program), slowdown = run.wall_s() / alone;
    row.runs++;
    row.migrations += run.migrations;
    row.wall += run.wall_s();
    row.slowdown += slowdown;
    for (int c = 0; c < machine.class_count(); c++)
      row.cpu += run.cpu_s[c];
    row.fast += run.cpu_s.back();
    sums.slowdowns += slowdown;
    sums.worst = std::max(sums.worst, slowdown);
    sums.least = std::min(sums.least, slowdown);
    sums.full_speed += alone;
  }
  return sums;
}

// The first programs of ROWS, in the order of the file.
std::vector<const Program *> shown(const Scenario &scenario,
                                   const std::map<const Program *, Row> &rows) {
  constexpr std::size_t kShown = 40;
  std::vector<const Program *> shown;
  for (const Arrival &arrival : scenario.arrivals)
    if (rows.contains(arrival.program) &&
        std::ranges::find(shown, arrival.program) == shown.end()) {
      shown.push_back(arrival.program);
      if (shown.size() == kShown)
        break;
    }
  return shown;
}

void print_rows(std::ostream &text, const Scenario &scenario,
                const std::map<const Program *, Row> &rows) {
  text << std::left << std::setw(16) << "program" << std::right << std::setw(6) << "runs"
       << std::setw(11) << "mean s" << std::setw(10) << "slowdown" << std::setw(8) << "fast %"
       << std::setw(12) << "migrations" << '\n'
       << std::fixed;
  const std::vector<const Program *> programs = shown(scenario, rows);
  for (const Program *const program : programs) {
    const Row &row = rows.at(program);
    text << std::left << std::setw(16) << program->name << std::right << std::setw(6) << row.runs
         << std::setw(11) << std::setprecision(3) << row.wall / row.runs << std::setw(10)
         << std::setprecision(2) << row.slowdown / row.runs << std::setw(8) << std::setprecision(0)
         << 100 * row.fast / std::max(row.cpu, 1e-12) << std::setw(12) << row.migrations << '\n';
  }
  if (rows.size() > programs.size())
    text << "and " << rows.size() - programs.size() << " more programs: see runs.csv (--output)\n";
}

} // namespace

std::string summary(const Scenario &scenario, const Result &result) {
  const Sums all = sums(scenario, result);
  std::ostringstream text;
  text << machine_name(scenario.machine) << ", policy " << scenario.policy << ", "
       << result.runs.size() << " runs in " << seconds(result.end) << " s\n\n";
  print_rows(text, scenario, all.rows);
  if (result.runs.empty())
    return text.str() + "\nno run ended\n";
  // Runs that are there at the same time progress together: by Little's law, the mean of how many
  // full-speed programs run.
  text << std::setprecision(3) << "\nSTP " << all.full_speed / seconds(result.end)
       << "  (runs alone that would take as long)\n"
       << "ANTT " << all.slowdowns / static_cast<double>(result.runs.size())
       << "  (mean slowdown)\n"
       << "unfairness " << all.worst / all.least << "  (largest over least slowdown)\n";
  return text.str();
}

void write_csv(const Scenario &scenario, const Result &result,
               const std::filesystem::path &directory) {
  std::filesystem::create_directories(directory);
  const auto write = [&](const char *name, const std::function<void(std::ostream &)> &content) {
    const std::filesystem::path path = directory / name,
                                part = directory / (std::string(name) + ".part");
    {
      std::ofstream file(part);
      file << std::setprecision(9);
      content(file);
      if (!file.flush())
        throw std::filesystem::filesystem_error("cannot write", part,
                                                std::make_error_code(std::errc::io_error));
    }
    std::filesystem::rename(part, path);
  };
  const auto name = [&](int arrival) { return scenario.arrivals[arrival].program->name; };
  write("runs.csv", [&](std::ostream &file) {
    file << "program,arrival,start_s,end_s";
    for (int c = 0; c < scenario.machine.class_count(); c++)
      file << ",cpu_s_class" << c;
    file << ",migrations,lost_s\n";
    for (const Run &run : result.runs) {
      file << name(run.arrival) << ',' << run.arrival << ',' << seconds(run.start) << ','
           << seconds(run.end);
      for (const double cpu : run.cpu_s)
        file << ',' << cpu;
      file << ',' << run.migrations << ',' << run.stalled_s << '\n';
    }
  });
  write("cores.csv", [&](std::ostream &file) {
    file << "core,class,program,arrival,thread,share,from_s,to_s\n";
    for (const Result::Segment &segment : result.segments)
      file << segment.core << ',' << scenario.machine.cores[segment.core].core_class << ','
           << name(segment.arrival) << ',' << segment.arrival << ',' << segment.thread.index << ','
           << segment.share << ',' << seconds(segment.from) << ',' << seconds(segment.to) << '\n';
  });
  write("speed.csv", [&](std::ostream &file) {
    file << "program,arrival,at_s,rate\n";
    for (const Result::Rate &rate : result.rates)
      file << name(rate.arrival) << ',' << rate.arrival << ',' << seconds(rate.at) << ','
           << rate.rate << '\n';
  });
}

} // namespace coord
