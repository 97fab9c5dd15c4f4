// SPDX-License-Identifier: GPL-3.0-or-later
// Prints ids a worker, switches, early wakes and changes of ranges of folded teams.
#include "amp-emu/fold-report.h"

#include "common/cpulist.h"

#include <sstream>

namespace amp {

using Json = nlohmann::ordered_json;

namespace {

std::string describe_team(const Json &team) {
  std::ostringstream out;
  long switches = 0, early = 0;
  const Json &workers = team.at("workers");
  out << "folded teams of " << team.at("ids").get<long>() << " threads: ";
  for (auto worker = workers.begin(); worker != workers.end();) {
    const long ids = worker->at("ids");
    CpuList cpus;
    if (worker != workers.begin())
      out << ", ";
    for (; worker != workers.end() && worker->at("ids") == ids; ++worker) {
      cpus.push_back(worker->at("cpu"));
      switches += worker->at("switches").get<long>();
      early += worker->at("early").get<long>();
    }
    out << ids << (cpus.size() > 1 ? " on each of CPUs " : " on CPU ") << format_cpu_list(cpus);
  }
  out << "; " << switches << " switches, " << early << " early wakes, "
      << team.at("moves").get<long>() << " moves\n";
  return out.str();
}

} // namespace

std::string describe_folded(const Json &teams, const std::string &prefix) {
  std::string text;
  for (const Json &team : teams)
    text += prefix + describe_team(team);
  return text;
}

} // namespace amp
