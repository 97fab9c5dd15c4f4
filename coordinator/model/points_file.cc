// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/points_file.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <stdexcept>

namespace coord {

MeasuredProgram::MeasuredProgram(std::string name, std::vector<int> most, std::vector<Point> points)
    : name_(std::move(name)), most_(std::move(most)), points_(std::move(points)) {
  std::size_t size = 1;
  for (const int n : most_)
    size *= n + 1;
  measured_.assign(size, false);
  nearest_.assign(size, -1);
  for (std::size_t i = 0; i < points_.size(); i++) {
    measured_[index(points_[i].cores)] = true;
    nearest_[index(points_[i].cores)] = static_cast<int>(i);
  }
  // Entries within one come before it.
  for_each_count(most_, [&](Counts n) {
    int &here = nearest_[index(n)];
    if (here >= 0)
      return;
    for (std::size_t c = 0; c < most_.size(); c++)
      if (n[c] > 0) {
        n[c]--;
        const int within = nearest_[index(n)];
        if (within >= 0 && (here < 0 || points_[within].seconds < points_[here].seconds))
          here = within;
        n[c]++;
      }
  });
}

std::size_t MeasuredProgram::index(const Counts &n) const {
  std::size_t i = 0;
  for (std::size_t c = 0; c < most_.size(); c++)
    i = i * (most_[c] + 1) + std::min(n[c], most_[c]);
  return i;
}

const MeasuredProgram::Point *MeasuredProgram::at(const Counts &n) const {
  const int i = nearest_[index(n)];
  return i < 0 ? nullptr : &points_[i];
}

const MeasuredProgram::Point &MeasuredProgram::alone() const { return points_[nearest_.back()]; }

TableThroughput MeasuredProgram::throughput() const {
  std::vector<double> values;
  for (const int i : nearest_)
    values.push_back(i < 0 ? 0 : 1 / points_[i].seconds);
  return {most_, std::move(values)};
}

namespace {

class Reader {
public:
  Reader(std::istream &file, const std::string &name) : file_(file), name_(name) {}
  std::vector<MeasuredProgram> read();

private:
  [[noreturn]] void fail(const std::string &problem) const {
    throw std::invalid_argument(name_ + ":" + std::to_string(line_) + ": " + problem);
  }
  void columns(const std::string &text);
  double number(std::size_t column, const std::string &text, double least,
                const char *expected) const;
  void row(const std::string &text);

  std::istream &file_;
  const std::string &name_;
  int line_ = 0;
  std::vector<std::string> columns_;
  std::size_t classes_ = 0;
  std::vector<int> most_;
  std::vector<std::string> order_;
  std::map<std::string, std::vector<MeasuredProgram::Point>> points_;
};

void Reader::columns(const std::string &text) {
  std::istringstream words(text);
  for (std::string word; words >> word;)
    columns_.push_back(word);
  const auto time = std::ranges::find(columns_, "seconds");
  const std::size_t behind = columns_.end() - time;
  classes_ = time - columns_.begin() - 1;
  if (columns_.front() != "program" || behind < 1 || behind > 2 || classes_ < 1 ||
      classes_ > kMaxClasses || (behind == 2 && columns_.back() != "joules"))
    fail("columns '" + text + "': expected program, 1 to " + std::to_string(kMaxClasses) +
         " classes, seconds, and joules or nothing");
  most_.assign(classes_, 0);
}

double Reader::number(std::size_t column, const std::string &text, double least,
                      const char *expected) const {
  std::size_t used = 0;
  double value = std::nan("");
  try {
    value = std::stod(text, &used);
  } catch (const std::exception &) {
  }
  if (used != text.size() || text.empty() || !std::isfinite(value) || value < least)
    fail("column " + columns_[column] + ": '" + text + "': expected " + expected);
  return value;
}

void Reader::row(const std::string &text) {
  std::vector<std::string> cells;
  std::istringstream line(text);
  for (std::string cell; std::getline(line, cell, '\t');)
    cells.push_back(cell);
  if (columns_.empty())
    fail("a row before a line '# columns: program CLASS... seconds [joules]'");
  if (cells.size() != columns_.size())
    fail(std::to_string(cells.size()) + " columns; expected " + std::to_string(columns_.size()) +
         ", separated by tabs");
  MeasuredProgram::Point point;
  for (std::size_t i = 0; i < classes_; i++) {
    constexpr double kMostCores = 1024;
    const double n = number(1 + i, cells[1 + i], 0, "a number of cores");
    if (n != std::floor(n) || n > kMostCores)
      fail("column " + columns_[1 + i] + ": '" + cells[1 + i] + "': expected a number of cores");
    const std::size_t c = classes_ - 1 - i;
    point.cores[c] = static_cast<int>(n);
    most_[c] = std::max(most_[c], point.cores[c]);
  }
  constexpr double kLeastSeconds = 1e-9;
  point.seconds = number(1 + classes_, cells[1 + classes_], kLeastSeconds, "seconds above 0");
  if (columns_.back() == "joules")
    point.joules = number(2 + classes_, cells.back(), 0, "joules");
  if (total(point.cores) == 0)
    fail("no cores; expected at least one");
  std::vector<MeasuredProgram::Point> &points = points_[cells[0]];
  if (points.empty())
    order_.push_back(cells[0]);
  if (std::ranges::find(points, point.cores, &MeasuredProgram::Point::cores) != points.end())
    fail("a second row for these cores of '" + cells[0] + "'; expected one");
  points.push_back(point);
}

std::vector<MeasuredProgram> Reader::read() {
  for (std::string text; std::getline(file_, text);) {
    line_++;
    constexpr std::string_view kColumns = "# columns:";
    if (text.starts_with(kColumns))
      columns(text.substr(kColumns.size()));
    else if (!text.empty() && text[0] != '#')
      row(text);
  }
  if (order_.empty())
    fail("no rows; expected operating points");
  Counts all{};
  std::ranges::copy(most_, all.begin());
  std::vector<MeasuredProgram> programs;
  for (const std::string &program : order_) {
    if (std::ranges::find(points_[program], all, &MeasuredProgram::Point::cores) ==
        points_[program].end())
      fail("'" + program + "' has no row for all cores; expected one, to compare with");
    programs.emplace_back(program, most_, points_[program]);
  }
  return programs;
}

} // namespace

std::vector<MeasuredProgram> read_points(std::istream &file, const std::string &name) {
  return Reader(file, name).read();
}

} // namespace coord
