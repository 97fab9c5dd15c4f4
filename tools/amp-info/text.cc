// SPDX-License-Identifier: GPL-3.0-or-later
// Presents a report as text.
#include "amp-info/report.h"

#include <algorithm>
#include <cstdio>

namespace amp {

namespace {

using Row = std::vector<std::string>;

// ROWS as a table indented by two blanks, with columns as wide as they need to be.
std::string table(const std::vector<Row> &rows) {
  std::vector<std::size_t> width(rows.front().size());
  for (const Row &row : rows)
    for (std::size_t i = 0; i < row.size(); ++i)
      width[i] = std::max(width[i], row[i].size());
  std::string text;
  for (const Row &row : rows) {
    std::string line = " ";
    for (std::size_t i = 0; i < row.size(); ++i)
      line += " " + row[i] + std::string(width[i] - row[i].size() + 1, ' ');
    line.resize(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string plural(std::size_t count, const std::string &singular, const std::string &plural) {
  return std::to_string(count) + " " + (count == 1 ? singular : plural);
}

std::string class_table(const Report &report) {
  std::vector<Row> rows{{"class", "CPUs", "cores", "capacity"}};
  for (const CoreClass &cls : report.classes) {
    const std::optional<int> cores = core_count(report, cls);
    rows.push_back({std::to_string(cls.number),
                    cls.cpus.empty() ? "none" : format_cpu_list(cls.cpus),
                    cores ? std::to_string(*cores) : "?",
                    cls.capacity > 0 ? std::to_string(cls.capacity) : "order only"});
  }
  return table(rows);
}

// The cores with several usable hardware threads; empty if there are none.
std::string sibling_text(const Report &report) {
  std::string text;
  for (const CpuList &core : report.cores)
    if (core.size() > 1) {
      std::string cpus = format_cpu_list(core);
      std::replace(cpus.begin(), cpus.end(), ',', '+');
      text += (text.empty() ? "" : " ") + cpus;
    }
  return text;
}

// Whether NEXT continues a table row that ends with LAST: it has the same place or the next CPU.
bool continues(const BoundThread &last, const BoundThread &next, bool same) {
  if (last.cls != next.cls)
    return false;
  if (same)
    return next.cpus == last.cpus;
  return last.cpus.size() == 1 && next.cpus.size() == 1 && next.cpus[0] == last.cpus[0] + 1;
}

std::string thread_table(const std::vector<BoundThread> &threads) {
  std::vector<Row> rows{{"threads", "CPUs", "class"}};
  for (std::size_t first = 0; first < threads.size();) {
    std::size_t end = first + 1;
    const bool same = end < threads.size() && threads[end].cpus == threads[first].cpus;
    while (end < threads.size() && continues(threads[end - 1], threads[end], same))
      ++end;
    CpuList cpus = threads[first].cpus;
    for (std::size_t i = first + 1; i < end && !same; ++i)
      cpus.push_back(threads[i].cpus[0]);
    const std::size_t count = end - first;
    rows.push_back(
        {std::to_string(first) + (count > 1 ? "-" + std::to_string(end - 1) : ""),
         cpus.empty() ? "any"
                      : format_cpu_list(cpus) + (count > 1 ? same ? ", shared" : ", one each" : ""),
         threads[first].cls ? std::to_string(*threads[first].cls) : "any"});
    first = end;
  }
  return table(rows);
}

std::string binding_text(const Report &report) {
  const auto bound = [](const BoundThread &thread) { return !thread.cpus.empty(); };
  const auto known = [](const BoundThread &thread) { return bool(thread.cls); };
  const std::vector<BoundThread> &threads = report.threads;
  std::string text = "\nBinding: " + plural(threads.size(), "thread", "threads") + ", ";
  text += std::any_of(threads.begin(), threads.end(), bound) ? "bound" : "not bound";
  text += report.binding_by.empty() ? " (default)\n" : " (" + report.binding_by + ")\n";
  if (std::any_of(threads.begin(), threads.end(), bound) ||
      std::any_of(threads.begin(), threads.end(), known))
    text += thread_table(threads);
  return text;
}

std::string plan_text(const FoldPlan &plan) {
  if (plan.threads == 0)
    return plan.why;
  return plural(static_cast<std::size_t>(plan.threads), "thread", "threads") + " on " +
         plural(worker_cpus(plan).size(), "worker", "workers");
}

// What auto would do where nothing is folded, since that is the question then.
std::string folding_text(const Report &report) {
  const bool folded = report.fold.threads > 0;
  std::string text = "\nFolding: " + plan_text(report.fold);
  if (!folded && report.fold_auto.threads > 0)
    text += "; GOMP_AMP_FOLD=auto: " + plan_text(report.fold_auto);
  else if (!folded && report.fold_auto.why != report.fold.why)
    text += "; GOMP_AMP_FOLD=auto: none, " + report.fold_auto.why;
  text += "\n";
  const FoldPlan &plan = folded ? report.fold : report.fold_auto;
  if (plan.groups.empty())
    return text;
  std::vector<Row> rows{{"CPUs", "class", "threads each"}};
  for (const WorkerGroup &group : plan.groups) {
    CpuList cpus = group.cpus;
    std::sort(cpus.begin(), cpus.end());
    rows.push_back(
        {format_cpu_list(cpus), std::to_string(group.cls), std::to_string(group.threads)});
  }
  return text + table(rows);
}

std::string schedules_text(const Report &report) {
  std::string by = report.schedule_given ? " (OMP_SCHEDULE" : " (default";
  by += report.routed_given ? ", GOMP_AMP_SCHEDULE for routed loops)" : ")";
  const std::string monotonic = report.monotonic ? "monotonic:" : "";
  return "\nSchedule" + by + "\n" +
         table({{"schedule(runtime) loops", monotonic + schedule_text(report.schedule)},
                {"loops routed by amp-gcc", schedule_text(report.routed) + " in this team"}});
}

std::string rank_table(const std::vector<RankShare> &ranks) {
  std::vector<Row> rows{{"rank", "CPUs", "capacity"}};
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    rows.push_back({std::to_string(rank), format_cpu_list(ranks[rank].cpus),
                    ranks[rank].capacity > 0 ? std::to_string(ranks[rank].capacity) : "unknown"});
  return table(rows);
}

} // namespace

std::string to_text(const Report &report) {
  std::string text = "libgomp-amp " + report.version + ", " + report.library + "\n\n";
  text += plural(report.classes.size(), "core class", "core classes") +
          ", source: " + report.source + "\n" + class_table(report);
  if (const std::string siblings = sibling_text(report); !siblings.empty())
    text += "  hardware threads of one core: " + siblings + "\n";
  if (!report.excluded.empty())
    text +=
        "  excluded by the affinity mask (taskset, cgroup): " + format_cpu_list(report.excluded) +
        "\n";
  if (!report.offline.empty())
    text += "  offline: " + format_cpu_list(report.offline) + "\n";
  if (!report.quota.empty())
    text += "  CPU quota (cgroup): " + report.quota + "\n";
  text += binding_text(report) + folding_text(report) + schedules_text(report);
  if (!report.ranks.empty())
    text +=
        "\nRanks of MPI: " + std::to_string(report.ranks.size()) + "\n" + rank_table(report.ranks);
  text += "\nOptions: ";
  if (report.options.empty())
    return text + "all at their defaults\n";
  text += plural(report.options.size(), "is", "are") + " not at the default\n";
  for (const auto &[name, value] : report.options)
    text += "  " + name + "=" + value + "\n";
  return text;
}

} // namespace amp
