// SPDX-License-Identifier: GPL-3.0-or-later
// What the library's parsers and its table of classes should say, worked out by other means than
// theirs.

#include "oracle.h"
#include "hold.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstring>
#include <memory>

extern "C" {
#include "machine/affinity.h"
}

namespace oracle {

bool blank(char c) { return c != '\0' && std::strchr(" \t\n\v\f\r", c) != nullptr; }

std::string trim(const std::string &text) {
  size_t first = 0, last = text.size();
  while (first < last && blank(text[first]))
    first++;
  while (last > first && blank(text[last - 1]))
    last--;
  return text.substr(first, last - first);
}

std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts(1);
  for (char c : text)
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

static bool digits(const std::string &text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

std::optional<unsigned long> number(const std::string &text, unsigned long max) {
  if (!digits(text))
    return {};
  // Digits are compared, so that there is nothing to overflow.
  const size_t zeros = std::min(text.find_first_not_of('0'), text.size() - 1);
  const std::string plain = text.substr(zeros), limit = std::to_string(max);
  if (plain.size() > limit.size() || (plain.size() == limit.size() && plain > limit))
    return {};
  return std::stoul(plain);
}

std::optional<double> decimal(const std::string &text, double max) {
  const size_t point = text.find('.');
  if (!digits(text.substr(0, point)))
    return {};
  if (point != std::string::npos && !digits(text.substr(point + 1)))
    return {};
  // The library reads nine decimals.
  const std::string read =
      point == std::string::npos ? text : text.substr(0, std::min(text.size(), point + 10));
  const double value = std::strtod(read.c_str(), nullptr);
  if (!(value <= max))
    return {};
  return value;
}

std::optional<std::map<unsigned, double>> factors(const std::string &text, double min, double max) {
  std::map<unsigned, double> factors;
  for (const std::string &item : split(text, ',')) {
    const auto parts = split(item, ':');
    if (parts.size() != 2)
      return {};
    const auto cls = number(trim(parts[0]), GOMP_AMP_MAX_CLASSES - 1);
    const auto factor = decimal(trim(parts[1]), max);
    if (!cls || !factor || *factor < min || !factors.emplace(*cls, *factor).second)
      return {};
  }
  return factors;
}

std::optional<std::pair<unsigned long, unsigned long>> range(const std::string &text) {
  const auto ends = split(text, '-');
  if (ends.size() > 2)
    return {};
  const auto first = number(trim(ends.front()), INT_MAX), last = number(trim(ends.back()), INT_MAX);
  if (!first || !last || *last < *first)
    return {};
  return std::make_pair(*first, *last);
}

std::optional<std::set<unsigned>> cpus(const std::string &text, unsigned cpus) {
  std::set<unsigned> members;
  if (trim(text).empty())
    return members;
  for (const std::string &item : split(text, ',')) {
    const auto part = range(item);
    if (!part)
      return {};
    for (unsigned long cpu = part->first; cpu <= part->second && cpu < cpus; cpu++)
      members.insert(cpu);
  }
  return members;
}

/// A class is its fastest core and all that are within 10 percent of it: the greatest value of each
/// class, fastest first, over all CPUs.
static std::vector<unsigned long> fastestOfClasses(const std::vector<unsigned long> &values) {
  const std::set<unsigned long, std::greater<unsigned long>> sorted(values.begin(), values.end());
  std::vector<unsigned long> fastest;
  for (unsigned long value : sorted)
    if (value != 0 && (fastest.empty() || value < fastest.back() - fastest.back() / 10))
      fastest.push_back(value);
  return fastest;
}

static unsigned long fastestOf(const std::vector<unsigned long> &fastest, unsigned long value) {
  return *std::find_if(fastest.rbegin(), fastest.rend(), [=](auto each) { return each >= value; });
}

static void holdCapacities(const struct gomp_amp_machine &machine,
                           const std::vector<unsigned long> &values) {
  const auto fastest = fastestOfClasses(values);
  const std::set<unsigned long> levels(fastest.begin(), fastest.end());
  HOLD(machine.count == std::min<size_t>(levels.size(), GOMP_AMP_MAX_CLASSES));
  const unsigned merged = levels.size() - machine.count;
  for (unsigned cpu = 0; cpu < machine.ncpus; cpu++) {
    if (values[cpu] == 0)
      continue;
    const unsigned long own = fastestOf(fastest, values[cpu]);
    const unsigned place = std::distance(levels.begin(), levels.find(own));
    const unsigned cls = place < merged ? 0 : place - merged;
    HOLD(machine.class_of_cpu[cpu] == cls);
    if (place >= merged) {
      const double capacity = std::floor(1024.0 * own / *levels.rbegin() + 0.5);
      HOLD(machine.capacity[cls] == std::max(1.0, capacity));
    }
  }
}

void holdMachine(const struct gomp_amp_machine &machine, const std::vector<unsigned long> &values,
                 bool capacities) {
  HOLD(machine.ncpus == values.size());
  HOLD(machine.count >= 1 && machine.count <= GOMP_AMP_MAX_CLASSES);
  for (unsigned cpu = 0; cpu < machine.ncpus; cpu++)
    HOLD(machine.class_of_cpu[cpu] < machine.count);
  for (unsigned cls = 0; cls < machine.count; cls++) {
    HOLD((machine.capacity[cls] == 0) == (machine.capacity[0] == 0));
    HOLD(machine.capacity[cls] <= 1024);
    HOLD(cls == 0 || machine.capacity[cls - 1] <= machine.capacity[cls]);
  }
  HOLD(machine.capacity[0] == 0 || machine.capacity[machine.count - 1] == 1024);
  for (unsigned a = 0; a < machine.ncpus; a++)
    for (unsigned b = 0; b < machine.ncpus; b++)
      if (values[a] != 0 && values[a] <= values[b])
        HOLD(machine.class_of_cpu[a] <= machine.class_of_cpu[b]);
  if (capacities)
    holdCapacities(machine, values);
}

static void holdOrder(const struct gomp_amp_machine &machine,
                      const struct gomp_amp_allotment &allotment) {
  for (bool ascending : {false, true}) {
    std::vector<unsigned> order(machine.ncpus);
    order.resize(gomp_amp_order_cpus(&machine, &allotment, ascending, order.data()));
    HOLD(order.size() ==
         size_t(std::count(allotment.usable, allotment.usable + machine.ncpus, true)));
    HOLD(std::set<unsigned>(order.begin(), order.end()).size() == order.size());
    // CPUs that are the first of their core by what they say themselves come by class. What others
    // say of their cores need not agree in a made-up tree.
    std::optional<unsigned> before;
    for (const unsigned cpu : order) {
      HOLD(cpu < machine.ncpus && allotment.usable[cpu]);
      const int core = gomp_amp_core_of_cpu(&machine, cpu);
      if (core >= 0 && unsigned(core) != cpu)
        continue;
      const unsigned own = machine.class_of_cpu[cpu];
      HOLD(!before || (ascending ? *before <= own : *before >= own));
      before = own;
    }
  }
}

void holdAllotment(const struct gomp_amp_machine &machine, const std::vector<bool> &mask) {
  const std::unique_ptr<bool[]> usable(new bool[mask.size()]);
  std::copy(mask.begin(), mask.end(), usable.get());
  struct gomp_amp_allotment *allotment = gomp_amp_make_allotment(&machine, usable.get());
  HOLD(allotment != nullptr && allotment->ncpus == machine.ncpus);
  std::set<unsigned> classes;
  for (unsigned cpu = 0; cpu < machine.ncpus; cpu++) {
    HOLD(allotment->usable[cpu] == mask[cpu]);
    if (mask[cpu])
      classes.insert(machine.class_of_cpu[cpu]);
  }
  HOLD(allotment->count == classes.size());
  for (unsigned cls = 0; cls < 64; cls++)
    HOLD((allotment->present >> cls & 1) == classes.count(cls));
  holdOrder(machine, *allotment);
  free(allotment);
}

} // namespace oracle
