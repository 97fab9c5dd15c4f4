// SPDX-License-Identifier: GPL-3.0-or-later
// Compares the lines that lead to loops with the lines that the user named.
#include "amp-emu/loop-lines.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>

namespace amp {

namespace {

constexpr int max_between = 1; // lines with code between the pragma and the loop

// Whether the last components of PATH are the components of SUFFIX.
bool ends_with_components(const std::string &path, const std::string &suffix) {
  if (path.size() < suffix.size() ||
      path.compare(path.size() - suffix.size(), suffix.size(), suffix) != 0)
    return false;
  return path.size() == suffix.size() || suffix[0] == '/' ||
         path[path.size() - suffix.size() - 1] == '/';
}

std::vector<bool> matching_files(const DebugInfo &info, const std::string &source) {
  const std::string suffix = std::filesystem::path(source).lexically_normal();
  std::vector<bool> matches;
  for (const std::string &file : info.files)
    matches.push_back(ends_with_components(file, suffix));
  return matches;
}

// The first row at ADDRESS or after it.
std::vector<DebugInfo::Row>::const_iterator find_row(const DebugInfo &info, std::uint64_t address) {
  return std::lower_bound(
      info.rows.begin(), info.rows.end(), address,
      [](const DebugInfo::Row &row, std::uint64_t wanted) { return row.address < wanted; });
}

} // namespace

std::set<std::string> files_of(const DebugInfo &info, const std::string &source) {
  const std::vector<bool> matches = matching_files(info, source);
  std::set<std::string> files;
  for (std::size_t i = 0; i < matches.size(); ++i)
    if (matches[i])
      files.insert(info.files[i]);
  return files;
}

// The lines of the code in RANGE that belongs to LOOP's function and is not inlined, in each file
// that MATCHES, except the line of EXCEPT.
static std::map<unsigned, std::set<int>> lines_in(const DebugInfo &info, const AddressRange &range,
                                                  const DebugInfo::Loop &loop,
                                                  const DebugInfo::Row *except,
                                                  const std::vector<bool> &matches) {
  std::map<unsigned, std::set<int>> lines;
  for (auto row = find_row(info, range.begin); row != info.rows.end() && row->address < range.end;
       ++row) {
    const bool is_inlined =
        std::any_of(loop.inlined.begin(), loop.inlined.end(),
                    [&](const AddressRange &inlined) { return inlined.has(row->address); });
    const bool is_except = except && row->file == except->file && row->line == except->line;
    if (matches[row->file] && row->line != 0 && !is_inlined && !is_except)
      lines[row->file].insert(row->line);
  }
  return lines;
}

std::vector<LoopLines> loops_of(const DebugInfo &info, const std::string &source) {
  const std::vector<bool> matches = matching_files(info, source);
  std::vector<LoopLines> result;
  for (const DebugInfo::Loop &loop : info.loops) {
    const auto entry = find_row(info, loop.code.begin);
    if (entry == info.rows.end())
      continue;
    // A region's own code, which has the line of its pragma, may be before each of its loops.
    auto lines = lines_in(info, loop.head, loop, loop.is_function ? nullptr : &*entry, matches);
    if (lines.empty() && loop.is_alone)
      lines = lines_in(info, loop.code, loop, nullptr, matches);
    if (lines.empty() && matches[entry->file])
      lines[entry->file].insert(entry->line);
    for (const auto &[file, in_file] : lines)
      result.push_back({info.files[file], in_file, &loop});
  }
  return result;
}

std::set<int> code_lines(const DebugInfo &info, const std::string &file) {
  std::set<int> lines;
  for (const DebugInfo::Row &row : info.rows)
    if (row.line > 0 && info.files[row.file] == file)
      lines.insert(row.line);
  return lines;
}

int line_of_loop(int line, const std::set<int> &lines, const std::set<int> &code) {
  const auto found = lines.lower_bound(line);
  if (found == lines.end())
    return 0;
  const auto between = code.upper_bound(line);
  if (*found > line && std::distance(between, code.lower_bound(*found)) > max_between)
    return 0;
  return *found;
}

} // namespace amp
