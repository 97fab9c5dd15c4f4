// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/points_file.h"

#include "policies/counts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <stdexcept>

namespace coord {

namespace {

constexpr int kMostCores = 1024; // of a class
using Points =
    std::map<std::vector<int>, double>; // seconds by numbers of cores, slowest class first

class Reader {
public:
  Reader(std::istream &file, const std::string &name) : file_(file), name_(name) {}
  std::vector<MeasuredProgram> read();

private:
  [[noreturn]] void fail(const std::string &problem) const {
    throw std::invalid_argument(name_ + ":" + std::to_string(line_) + ": " + problem);
  }
  void columns(std::istringstream words);
  void row(const std::string &text);

  std::istream &file_;
  const std::string &name_;
  int line_ = 0;
  std::vector<int> most_; // cores of each class, slowest first
  std::vector<std::pair<std::string, Points>> programs_;
};

void Reader::columns(std::istringstream words) {
  std::vector<std::string> names;
  for (std::string word; words >> word;)
    names.push_back(word);
  if (names.size() < 3 || names.size() > 2 + kMaxClasses || names.front() != "program" ||
      names.back() != "seconds")
    fail("columns: expected program, 1 to " + std::to_string(kMaxClasses) +
         " classes, fastest first, and seconds");
  most_.assign(names.size() - 2, 0);
}

void Reader::row(const std::string &text) {
  std::istringstream words(text);
  std::string program, rest;
  std::vector<int> cores(most_.size());
  double seconds = 0;
  words >> program;
  for (std::size_t c = cores.size(); c-- > 0;)
    words >> cores[c];
  if (most_.empty() || !(words >> seconds) || words >> rest || !(seconds > 0) ||
      !std::isfinite(seconds) || std::ranges::max(cores) < 1 ||
      std::ranges::max(cores) > kMostCores || std::ranges::min(cores) < 0)
    fail("'" + text + "': expected a program, " + std::to_string(most_.size()) +
         " numbers of cores and seconds above 0, as a line '# columns: program CLASS... seconds' "
         "before it says");
  auto known = std::ranges::find(programs_, program, &std::pair<std::string, Points>::first);
  if (known == programs_.end())
    known = programs_.insert(known, {program, {}});
  if (!known->second.emplace(cores, seconds).second)
    fail("a second row for these cores of '" + program + "'; expected one");
  for (std::size_t c = 0; c < cores.size(); c++)
    most_[c] = std::max(most_[c], cores[c]);
}

std::vector<MeasuredProgram> Reader::read() {
  for (std::string text; std::getline(file_, text);) {
    line_++;
    constexpr std::string_view kColumns = "# columns:";
    if (text.starts_with(kColumns))
      columns(std::istringstream(text.substr(kColumns.size())));
    else if (!text.empty() && text[0] != '#')
      row(text);
  }
  if (programs_.empty())
    fail("no rows; expected operating points");
  std::size_t size = 1;
  for (const int most : most_)
    size *= most + 1;
  std::vector<MeasuredProgram> programs;
  for (const auto &[program, points] : programs_) {
    // The last class varies fastest in both.
    std::vector<double> values{0};
    for (const auto &[cores, seconds] : points)
      values.push_back(1 / seconds);
    if (values.size() != size)
      fail("'" + program + "' has " + std::to_string(points.size()) + " rows; expected " +
           std::to_string(size - 1) + ", one for each number of cores of each class");
    programs.push_back({program, TableThroughput(most_, std::move(values))});
  }
  return programs;
}

} // namespace

std::vector<MeasuredProgram> read_points(std::istream &file, const std::string &name) {
  return Reader(file, name).read();
}

} // namespace coord
