// SPDX-License-Identifier: GPL-3.0-or-later
// Names schedules, counts cores, and presents a report as JSON.
#include "amp-info/report.h"

#include <algorithm>

namespace amp {

namespace {

constexpr struct {
  const char *name;
  int kind, default_arg;
} schedules[] = {
    {"static", 1, 0},
    {"dynamic", 2, 0},
    {"guided", 3, 0},
    {"auto", 4, 0},
#define GOMP_AMP_SCHEDULE(ident, name, kind, chunk, arg, arg_min, arg_max, arg_default, ...)       \
  {name, kind, arg_default},
#include "options/schedules.def"
};

int default_arg(int kind) {
  for (const auto &row : schedules)
    if (row.kind == kind)
      return row.default_arg;
  return 0;
}

std::string schedule_name(int kind) {
  for (const auto &row : schedules)
    if (row.kind == kind)
      return row.name;
  return "kind " + std::to_string(kind);
}

template <typename T> nlohmann::ordered_json or_null(const std::optional<T> &value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

nlohmann::ordered_json to_json(const FoldPlan &plan) {
  using nlohmann::ordered_json;
  ordered_json on = ordered_json::array();
  for (const WorkerGroup &group : plan.groups) {
    CpuList cpus = group.cpus;
    std::sort(cpus.begin(), cpus.end());
    on.push_back({{"cpus", format_cpu_list(cpus)}, {"class", group.cls}, {"each", group.threads}});
  }
  return {{"threads", plan.threads},
          {"workers", worker_cpus(plan).size()},
          {"on", on},
          {"why", plan.threads > 0 ? ordered_json() : ordered_json(plan.why)}};
}

nlohmann::ordered_json to_json(const Schedule &schedule) {
  return {{"kind", schedule_name(schedule.kind)}, {"chunk", schedule.chunk}, {"arg", schedule.arg}};
}

} // namespace

std::optional<int> core_count(const Report &report, const CoreClass &cls) {
  if (report.cores.empty())
    return std::nullopt;
  return static_cast<int>(
      std::count_if(report.cores.begin(), report.cores.end(), [&](const CpuList &core) {
        return std::find_first_of(core.begin(), core.end(), cls.cpus.begin(), cls.cpus.end()) !=
               core.end();
      }));
}

std::vector<Core> usable_cores(const Report &report) {
  std::vector<Core> cores;
  for (std::size_t i = 0; i < report.cores.size(); ++i)
    cores.push_back({report.cores[i], 0, 0, report.core_numbers.at(i)});
  CpuList online = report.excluded;
  for (const CoreClass &cls : report.classes)
    online.insert(online.end(), cls.cpus.begin(), cls.cpus.end());
  std::sort(online.begin(), online.end());
  for (std::size_t i = 0; report.cores.empty() && i < online.size(); ++i)
    if (!has(report.excluded, online[i]))
      cores.push_back({{online[i]}, 0, 0, static_cast<int>(i)});
  for (Core &core : cores)
    for (const CoreClass &cls : report.classes)
      if (has(cls.cpus, core.cpus.front())) {
        core.cls = cls.number;
        core.capacity = cls.capacity;
      }
  return cores;
}

std::vector<int> worker_cpus(const FoldPlan &plan) {
  std::vector<int> cpus;
  for (const WorkerGroup &group : plan.groups)
    cpus.insert(cpus.end(), group.cpus.begin(), group.cpus.end());
  return cpus;
}

std::string schedule_text(const Schedule &schedule) {
  std::string text = schedule_name(schedule.kind);
  if (schedule.chunk > 0)
    text += "," + std::to_string(schedule.chunk);
  else if (schedule.arg > 0 && schedule.arg != default_arg(schedule.kind))
    text += ",";
  else
    return text;
  if (schedule.arg > 0)
    text += "," + std::to_string(schedule.arg);
  return text;
}

namespace {

nlohmann::ordered_json classes_of(const Report &report) {
  using nlohmann::ordered_json;
  ordered_json classes = ordered_json::array();
  for (const CoreClass &cls : report.classes)
    classes.push_back(
        {{"class", cls.number},
         {"cpus", format_cpu_list(cls.cpus)},
         {"cores", or_null(core_count(report, cls))},
         {"capacity", cls.capacity > 0 ? ordered_json(cls.capacity) : ordered_json()}});
  return classes;
}

nlohmann::ordered_json threads_of(const Report &report) {
  using nlohmann::ordered_json;
  ordered_json threads = ordered_json::array();
  for (const BoundThread &thread : report.threads)
    threads.push_back({{"cpus", thread.cpus.empty() ? ordered_json()
                                                    : ordered_json(format_cpu_list(thread.cpus))},
                       {"class", or_null(thread.cls)}});
  return threads;
}

nlohmann::ordered_json schedule_of(const Report &report) {
  nlohmann::ordered_json schedule = to_json(report.schedule);
  schedule.erase("arg");
  schedule["monotonic"] = report.monotonic;
  schedule["from"] = report.schedule_given ? "OMP_SCHEDULE" : "default";
  schedule["routed"] = to_json(report.routed);
  schedule["routed"]["from"] =
      report.routed_given ? "GOMP_AMP_SCHEDULE" : schedule["from"].get<std::string>();
  return schedule;
}

} // namespace

nlohmann::ordered_json to_json(const Report &report) {
  using nlohmann::ordered_json;
  CpuList usable;
  for (const CoreClass &cls : report.classes)
    usable.insert(usable.end(), cls.cpus.begin(), cls.cpus.end());
  std::sort(usable.begin(), usable.end());
  ordered_json cores;
  for (const CpuList &core : report.cores)
    cores.push_back(format_cpu_list(core));
  ordered_json options = ordered_json::object();
  for (const auto &[name, value] : report.options)
    options[name] = value;

  ordered_json object = {
      {"format", 2},
      {"version", report.version},
      {"library", report.library},
      {"machine", report.machine},
      {"source", report.source},
      {"classes", classes_of(report)},
      {"cpus",
       {{"usable", format_cpu_list(usable)},
        {"excluded", format_cpu_list(report.excluded)},
        {"offline", format_cpu_list(report.offline)}}},
      {"cores", cores},
      {"binding",
       {{"by", report.binding_by.empty() ? ordered_json() : ordered_json(report.binding_by)},
        {"proc_bind", report.proc_bind},
        {"threads", threads_of(report)}}},
      {"folding", {{"now", to_json(report.fold)}, {"auto", to_json(report.fold_auto)}}},
      {"schedule", schedule_of(report)},
      {"options", options}};
  for (const RankShare &share : report.ranks)
    object["ranks"].push_back(
        {{"cpus", format_cpu_list(share.cpus)},
         {"capacity", share.capacity > 0 ? ordered_json(share.capacity) : ordered_json()}});
  return object;
}

} // namespace amp
