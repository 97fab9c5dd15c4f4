// SPDX-License-Identifier: GPL-3.0-or-later
// What a run wrote, its output and files, and whether plain runs with as many threads write that.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace amp {

std::uint64_t hash_of(std::string_view text);
std::string hash_text(std::uint64_t hash); // in hexadecimal

// The hash of what FILE contains, in hexadecimal; empty if it cannot be read, or is no file.
std::string hash_of_file(const std::string &file);

struct Content {
  std::uint64_t hash = 0;
  std::shared_ptr<const std::string> text; // null: it is too large to be compared by lines

  bool operator==(const Content &other) const { return hash == other.hash; }
  bool operator!=(const Content &other) const { return hash != other.hash; }
};

// By name; standard output has the empty one.
using Written = std::map<std::string, Content>;

Content content_of(std::string text);
Content content_of_file(const std::string &file);

// Numbers of threads, which programs print: COUNT in one run is as good as OTHER in another one.
struct ThreadCounts {
  int count = 0, other = 0;
};

// A line and its numbers, each with the blanks before it.
struct Line {
  explicit Line(const std::string &text);
  std::string rest; // the line with a NUL for each number
  std::vector<std::string> numbers;
};

// How plain runs with another number of threads differ from plain runs.
struct Rounding {
  std::string first; // the first place where they do
  bool small = true; // by no more than rounding does
};

// What plain runs with one number of threads wrote.
class Reference {
public:
  void add(const Written &run) { runs_.push_back(run); }
  std::size_t runs() const { return runs_.size(); }

  // Where RUN differs from these runs; nothing if nowhere. Lines, or numbers of a line, that differ
  // among these do not count; all else is the same to the byte. If only the order of lines differs
  // among these, it does not count. If these have different numbers of lines, each line that all of
  // them have must be there.
  std::optional<std::string> difference(const Written &run) const;

  // Whether there is anything that counts.
  bool compares() const;

  // Names of what is compared: "output and 2 files".
  std::string names() const;

  // How these runs, with THREADS.other threads, differ from PLAIN, with THREADS.count; nothing if
  // they do not. What varies among either does not count. Numbers with a point may differ by 1e-6
  // of the largest number in their line, or in their column of lines that are otherwise the same.
  std::optional<Rounding> rounding(const Reference &plain, ThreadCounts threads) const;

private:
  std::vector<const Content *> of(const std::string &name) const;

  std::vector<Written> runs_;
};

} // namespace amp
