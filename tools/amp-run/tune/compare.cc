// SPDX-License-Identifier: GPL-3.0-or-later
// Reads and hashes files, and compares what runs wrote line by line.
#include "amp-run/tune/compare.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

namespace amp {

namespace {

constexpr double tolerance = 1e-6;

// What is longer is compared as a whole.
constexpr std::size_t most_text = 4 << 20;

constexpr std::uint64_t basis = 0xcbf29ce484222325u;

// FNV-1a: a file made to have another's hash gains nothing.
std::uint64_t continued(std::uint64_t hash, std::string_view text) {
  for (const char byte : text)
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  return hash;
}

// The content of FILE, with at most MOST bytes of text. A pipe is not waited for.
bool read_file(const std::string &file, std::size_t most, Content &content) {
  const int opened = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status;
  const bool good = opened >= 0 && fstat(opened, &status) == 0 && S_ISREG(status.st_mode);
  std::string text;
  std::size_t size = 0;
  content.hash = basis;
  static char part[1 << 16];
  for (ssize_t count; good && (count = read(opened, part, sizeof part)) > 0;) {
    const std::string_view bytes(part, static_cast<std::size_t>(count));
    content.hash = continued(content.hash, bytes);
    size += bytes.size();
    if (size <= most)
      text += bytes;
  }
  if (opened >= 0)
    close(opened);
  if (size <= most)
    content.text = std::make_shared<const std::string>(std::move(text));
  return good;
}

// "output" or the file's NAME, as messages have it.
std::string shown_name(const std::string &name) {
  return name.empty() ? "output" : "'" + name + "'";
}

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }

std::size_t digits(std::string_view text, std::size_t at) {
  while (at < text.size() && is_digit(text[at]))
    ++at;
  return at;
}

// Where the number that begins at AT of TEXT ends: digits, which may have a sign before them, and a
// point and an exponent behind them. AT if none does.
std::size_t end_of_number(std::string_view text, std::size_t at) {
  const auto sign = [&](std::size_t place) {
    return place < text.size() && (text[place] == '+' || text[place] == '-') ? place + 1 : place;
  };
  const std::size_t first = sign(at), whole = digits(text, first);
  if (whole == first)
    return at;
  std::size_t end = whole;
  if (end < text.size() && text[end] == '.')
    end = digits(text, end + 1);
  if (end < text.size() && std::string_view("eEdD").find(text[end]) != text.npos)
    if (const std::size_t exponent = sign(end + 1); digits(text, exponent) > exponent)
      end = digits(text, exponent);
  return end;
}

// Numbers that are set to the right have as many blanks before them as their digits leave.
std::string_view trimmed(std::string_view number) {
  return number.substr(std::min(number.find_first_not_of(" \t"), number.size()));
}

bool is_fraction(std::string_view number) { return number.find_first_of(".eEdD") != number.npos; }

double value_of(std::string_view text) {
  std::string number(text);
  for (char &c : number)
    if (c == 'd' || c == 'D') // Fortran's exponent
      c = 'e';
  return std::strtod(number.c_str(), nullptr);
}

using Lines = std::vector<std::string>;

Lines lines_of(const Content &content) {
  const std::string &text = *content.text;
  Lines lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::string shown(const std::string &line) {
  std::string text;
  for (const char c : line.substr(0, 60))
    text += std::isprint(static_cast<unsigned char>(c)) ? c : '?';
  return "'" + text + (line.size() > 60 ? "...'" : "'");
}

// What runs have alike of one file.
class Pattern {
public:
  explicit Pattern(const std::vector<const Content *> &runs) {
    std::vector<Lines> all;
    for (const Content *const run : runs)
      if (std::none_of(all_.begin(), all_.end(),
                       [&](const Content *known) { return *known == *run; })) {
        all_.push_back(run);
        all.push_back(lines_of(*run));
      }
    for (const Lines &lines : all)
      same_number_ = same_number_ && lines.size() == all.front().size();
    any_order_ = same_number_ && all.size() > 1 && same_lines(all);
    if (any_order_)
      for (Lines &lines : all)
        std::sort(lines.begin(), lines.end());
    lines_ = all.front();
    free_.resize(lines_.size());
    for (std::size_t i = 1; i < all.size(); ++i)
      if (same_number_)
        for (std::size_t line = 0; line < lines_.size(); ++line)
          note(line, all[i][line]);
      else
        keep_common(all[i]);
  }

  bool any() const {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (free_[i].whole || lines_[i].find_first_not_of(" \t\r") == std::string::npos)
        continue;
      const Line line(lines_[i]);
      for (std::size_t n = 0; n < line.numbers.size(); ++n)
        if (is_fraction(line.numbers[n]) && !free_[i].numbers.count(n))
          return true;
      if (free_[i].numbers.empty())
        return true;
    }
    return false;
  }

  std::optional<std::string> difference(const Content &content) const {
    Lines lines = lines_of(content);
    if (!same_number_)
      return missing(lines);
    if (any_order_)
      std::sort(lines.begin(), lines.end());
    for (std::size_t i = 0; i < std::min(lines.size(), lines_.size()); ++i)
      if (!matches(i, lines[i]))
        return place(i) + " is " + shown(lines[i]) + ", not " + shown(lines_[i]);
    if (lines.size() != lines_.size())
      return std::to_string(lines.size()) + " lines, not " + std::to_string(lines_.size());
    return std::nullopt;
  }

  // How these lines, with THREADS.other threads, differ from PLAIN.
  std::optional<Rounding> rounding(const Pattern &plain, ThreadCounts threads) const {
    if (!same_number_ || !plain.same_number_)
      return std::nullopt; // what varies so much is no result
    if (lines_.size() != plain.lines_.size())
      return Rounding{std::to_string(lines_.size()) + " lines, not " +
                          std::to_string(plain.lines_.size()),
                      false};
    std::optional<Rounding> result;
    const auto columns = plain.columns();
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (free_[i].whole || plain.free_[i].whole || lines_[i] == plain.lines_[i])
        continue;
      const Line mine(lines_[i]), theirs(plain.lines_[i]);
      bool same = mine.rest == theirs.rest, small = same;
      for (std::size_t n = 0; n < mine.numbers.size() && mine.rest == theirs.rest; ++n) {
        const std::string_view a = trimmed(mine.numbers[n]), b = trimmed(theirs.numbers[n]);
        if (a == b || free_[i].numbers.count(n) || plain.free_[i].numbers.count(n) ||
            (threads.count != threads.other && a == std::to_string(threads.other) &&
             b == std::to_string(threads.count)))
          continue;
        same = false;
        small = small && is_fraction(a) && is_fraction(b) &&
                std::fabs(value_of(a) - value_of(b)) <=
                    tolerance * std::max(largest(theirs), columns.at(theirs.rest)[n]);
      }
      if (!same && !result)
        result = Rounding{place(i) + " is " + shown(lines_[i]) + ", not " + shown(plain.lines_[i]),
                          true};
      if (!same)
        result->small = result->small && small;
    }
    return result;
  }

private:
  struct Free {
    bool whole = false;
    std::set<std::size_t> numbers;
  };

  static bool same_lines(const std::vector<Lines> &all) {
    const std::multiset<std::string> first(all.front().begin(), all.front().end());
    for (const Lines &lines : all)
      if (std::multiset<std::string>(lines.begin(), lines.end()) != first)
        return false;
    return true;
  }

  static double largest(const Line &line) {
    double result = 0;
    for (const std::string &number : line.numbers)
      if (is_fraction(number))
        result = std::max(result, std::fabs(value_of(number)));
    return result;
  }

  // The largest number of each column, of the lines with the same text.
  std::map<std::string, std::vector<double>> columns() const {
    std::map<std::string, std::vector<double>> result;
    for (const std::string &text : lines_) {
      const Line line(text);
      std::vector<double> &column = result[line.rest];
      column.resize(line.numbers.size());
      for (std::size_t n = 0; n < column.size(); ++n)
        if (is_fraction(line.numbers[n]))
          column[n] = std::max(column[n], std::fabs(value_of(line.numbers[n])));
    }
    return result;
  }

  std::string place(std::size_t line) const {
    return (any_order_ ? "sorted, line " : "line ") + std::to_string(line + 1);
  }

  // Notes what of line AT differs from OTHER, of another run.
  void note(std::size_t at, const std::string &other) {
    if (free_[at].whole || lines_[at] == other)
      return;
    const Line mine(lines_[at]), theirs(other);
    free_[at].whole = mine.rest != theirs.rest;
    for (std::size_t n = 0; n < mine.numbers.size() && !free_[at].whole; ++n)
      if (trimmed(mine.numbers[n]) != trimmed(theirs.numbers[n]))
        free_[at].numbers.insert(n);
  }

  void keep_common(const Lines &other) {
    const std::set<std::string> have(other.begin(), other.end());
    for (std::size_t line = 0; line < lines_.size(); ++line)
      free_[line].whole = free_[line].whole || !have.count(lines_[line]);
  }

  bool matches(std::size_t at, const std::string &text) const {
    if (free_[at].whole || lines_[at] == text)
      return true;
    if (free_[at].numbers.empty())
      return false;
    const Line mine(lines_[at]), theirs(text);
    bool same = mine.rest == theirs.rest;
    for (std::size_t n = 0; n < mine.numbers.size() && same; ++n)
      same = free_[at].numbers.count(n) || trimmed(mine.numbers[n]) == trimmed(theirs.numbers[n]);
    return same;
  }

  std::optional<std::string> missing(const Lines &lines) const {
    const std::set<std::string> have(lines.begin(), lines.end());
    for (std::size_t i = 0; i < lines_.size(); ++i)
      if (!free_[i].whole && !have.count(lines_[i]))
        return "line " + std::to_string(i + 1) + ", " + shown(lines_[i]) + ", is not there";
    return std::nullopt;
  }

  std::vector<const Content *> all_; // each content once
  Lines lines_;                      // of the first run
  std::vector<Free> free_;
  bool same_number_ = true, any_order_ = false; // lines_ are sorted then
};

bool all_equal(const std::vector<const Content *> &contents) {
  return std::all_of(contents.begin(), contents.end(),
                     [&](const Content *content) { return *content == *contents.front(); });
}

bool have_text(const std::vector<const Content *> &contents) {
  return std::all_of(contents.begin(), contents.end(),
                     [](const Content *content) { return content->text != nullptr; });
}

} // namespace

std::uint64_t hash_of(std::string_view text) { return continued(basis, text); }

std::string hash_text(std::uint64_t hash) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

std::string hash_of_file(const std::string &file) {
  Content content;
  return read_file(file, 0, content) ? hash_text(content.hash) : "";
}

Content content_of(std::string text) {
  return {hash_of(text), std::make_shared<const std::string>(std::move(text))};
}

Content content_of_file(const std::string &file) {
  Content content;
  read_file(file, most_text, content);
  return content;
}

Line::Line(const std::string &text) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t begin = at;
    while (begin < text.size() && (text[begin] == ' ' || text[begin] == '\t'))
      ++begin;
    // A sign behind a letter or digit is a hyphen.
    const bool inside =
        begin == at && at > 0 && std::isalnum(static_cast<unsigned char>(text[at - 1]));
    const std::size_t end = inside && !is_digit(text[at]) ? begin : end_of_number(text, begin);
    if (end > begin) {
      numbers.push_back(text.substr(at, end - at));
      rest += '\0';
    } else {
      rest += text.substr(at, std::max(begin, at + 1) - at);
    }
    at = end > begin ? end : std::max(begin, at + 1);
  }
}

std::vector<const Content *> Reference::of(const std::string &name) const {
  std::vector<const Content *> result;
  for (const Written &run : runs_)
    if (const auto found = run.find(name); found != run.end())
      result.push_back(&found->second);
  return result;
}

std::optional<std::string> Reference::difference(const Written &run) const {
  bool names_vary = false;
  for (const Written &other : runs_)
    for (const auto &[name, content] : other) {
      const std::vector<const Content *> known = of(name);
      const auto found = run.find(name);
      if (known.size() < runs_.size()) {
        names_vary = true;
      } else if (found == run.end()) {
        return shown_name(name) + " is not written";
      } else if (std::none_of(known.begin(), known.end(),
                              [&](const Content *one) { return *one == found->second; })) {
        if (!have_text(known) || !found->second.text) {
          if (all_equal(known))
            return shown_name(name) + " differs";
        } else if (const auto place = Pattern(known).difference(found->second))
          return shown_name(name) + " differs: " + *place;
        else if (all_equal(known)) // at its last newline
          return shown_name(name) + " differs at its end";
      }
    }
  for (const auto &[name, content] : run)
    if (!names_vary && of(name).empty())
      return shown_name(name) + " is written";
  return std::nullopt;
}

bool Reference::compares() const {
  for (const auto &[name, content] : runs_.front())
    if (const auto known = of(name); known.size() == runs_.size())
      if (have_text(known) ? Pattern(known).any() : all_equal(known))
        return true;
  return false;
}

std::string Reference::names() const {
  std::size_t files = 0;
  for (const auto &[name, content] : runs_.front())
    files += !name.empty();
  const bool output = !runs_.front().at("").text || !runs_.front().at("").text->empty();
  const std::string counted = std::to_string(files) + (files == 1 ? " file" : " files");
  return output && files ? "output and " + counted : files ? counted : "output";
}

std::optional<Rounding> Reference::rounding(const Reference &plain, ThreadCounts threads) const {
  std::optional<Rounding> result;
  for (const auto &[name, content] : runs_.front()) {
    const auto mine = of(name), theirs = plain.of(name);
    if (mine.size() < runs_.size() || theirs.size() < plain.runs_.size() ||
        (all_equal(mine) && all_equal(theirs) && *mine.front() == *theirs.front()))
      continue;
    std::optional<Rounding> one = Rounding{"", false};
    if (have_text(mine) && have_text(theirs))
      one = Pattern(mine).rounding(Pattern(theirs), threads);
    if (!one)
      continue;
    if (!result)
      result = Rounding{shown_name(name) + ", " + one->first, one->small};
    result->small = result->small && one->small;
  }
  for (const auto &[name, content] : plain.runs_.front())
    if (of(name).empty() && plain.of(name).size() == plain.runs_.size() && !result)
      result = Rounding{shown_name(name) + " is not written", false};
  return result;
}

} // namespace amp
