// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the lines of the virtual-time library and prints them as a table.
#include "amp-emu/virtual-report.h"

#include "amp-emu/fold-report.h"

#include <cstdio>
#include <iomanip>
#include <sstream>

namespace amp {

using Json = nlohmann::ordered_json;

namespace {

// Adds "share", the used part of the machine's capacity, to SPAN, which has a "makespan_ns" and a
// "bound_ns".
void add_share(Json &span) {
  const double makespan = span.at("makespan_ns"), bound = span.at("bound_ns");
  span["share"] = makespan > 0 ? bound / makespan : 0;
}

// Adds the computed figures. Throws Json::exception if one of the library's figures is missing.
void complete(Json &process, const ChipPower &chip) {
  add_share(process);
  add_share(process.at("parallel"));
  for (Json &core_class : process.at("classes")) {
    const double busy = core_class.at("busy_ns"), idle = core_class.at("idle_ns");
    core_class["busy_percent"] = busy + idle > 0 ? 100 * busy / (busy + idle) : 0;
  }
  add_energy(process, chip);
  describe_process(process); // throws if a figure for the table is missing
}

std::string format_time(double ns) {
  static constexpr struct {
    double ns;
    const char *name;
  } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}};
  char text[64];
  for (const auto &unit : units)
    if (ns >= unit.ns) {
      std::snprintf(text, sizeof text, "%.3f %s", ns / unit.ns, unit.name);
      return text;
    }
  std::snprintf(text, sizeof text, "%.0f ns", ns);
  return text;
}

std::string format_percent(double percent) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", percent);
  return text;
}

std::string format_energy(const Json &energy) {
  char text[96];
  std::snprintf(text, sizeof text, "%.4g J, %.4g W, %.4g J s", energy.at("joules").get<double>(),
                energy.at("watts").get<double>(), energy.at("edp_js").get<double>());
  return text;
}

std::string plural(long count, const std::string &noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

void print_span(std::ostream &out, const char *name, const Json &span) {
  out << "  " << std::left << std::setw(14) << name << std::right << std::setw(12)
      << format_time(span.at("makespan_ns")) << std::setw(17) << format_time(span.at("bound_ns"))
      << std::setw(10) << format_percent(100 * span.at("share").get<double>()) << "\n";
}

void print_classes(std::ostream &out, const Json &classes) {
  out << "  class         speed        busy          idle      busy  CPUs\n";
  for (const Json &core_class : classes) {
    out << "  " << std::setw(5) << core_class.at("class").get<int>() << std::setw(14)
        << core_class.at("speed").get<double>() << std::setw(12)
        << format_time(core_class.at("busy_ns")) << std::setw(14)
        << format_time(core_class.at("idle_ns")) << std::setw(10)
        << format_percent(core_class.at("busy_percent")) << "  "
        << core_class.at("cpus").get<std::string>() << "\n";
  }
}

} // namespace

std::string describe_process(const Json &process) {
  std::ostringstream out;
  out << process.at("program").get<std::string>() << " (pid " << process.at("pid").get<long>()
      << "): " << plural(process.at("threads"), "thread") << " on "
      << process.at("machine").get<std::string>() << ", virtual time by "
      << (process.at("work") == "counted" ? "counted work" : "processor time") << "\n"
      << "  " << std::left << std::setw(14) << "" << std::right << std::setw(12) << "makespan"
      << std::setw(17) << "capacity bound" << std::setw(10) << "share"
      << "\n";
  print_span(out, "whole run", process);
  print_span(out, "parallel part", process.at("parallel"));
  print_classes(out, process.at("classes"));
  const Json &removals = process.at("removals");
  out << "  " << plural(removals.at("count"), "removal") << " of "
      << removals.at("ns_each").get<long>() << " ns from pools of iterations, which queued for "
      << format_time(removals.at("waited_ns")) << "\n";
  const Json &energy = process.at("energy");
  out << "  energy, by the model of " << energy.at("chip").get<std::string>() << ": "
      << format_energy(energy) << "; parallel part "
      << format_energy(process.at("parallel").at("energy")) << "\n";
  if (process.contains("memory")) {
    const Json &memory = process.at("memory");
    char bytes[32];
    std::snprintf(bytes, sizeof bytes, "%.3f GB", memory.at("bytes").get<double>() / 1e9);
    out << "  memory: " << bytes << ", which caps of " << memory.at("caps").get<std::string>()
        << " GB/s let through in " << format_time(memory.at("bound_ns")) << " at best\n";
  }
  if (const long handovers = process.at("handovers"); handovers > 0)
    out << "  " << plural(handovers, "handover")
        << ": a thread ran for longer than --patience-ms while others waited to meet it (a long "
           "computation, or spinning on memory), or was blocked; they went on beside it\n";
  if (process.contains("folded"))
    out << describe_folded(process.at("folded"), "  ");
  if (process.contains("factors")) {
    const long lines = process.at("factors").at("lines"), used = process.at("factors").at("used");
    if (used < lines)
      out << "  " << lines - used << " of the " << plural(lines, "address range")
          << " of --sf-file never came up: no loop there asked the runtime for iterations\n";
  }
  return out.str();
}

VirtualReports read_virtual_reports(const std::string &text, const ChipPower &chip) {
  VirtualReports reports;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    try {
      Json process = Json::parse(line);
      complete(process, chip);
      reports.processes.push_back(std::move(process));
    } catch (const Json::exception &) {
      ++reports.unreadable;
    }
  }
  return reports;
}

} // namespace amp
