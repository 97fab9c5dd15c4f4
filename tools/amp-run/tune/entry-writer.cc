// SPDX-License-Identifier: GPL-3.0-or-later
// Edits lines of programs.toml.
#include "amp-run/tune/entry-writer.h"

#include "common/command.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace amp {

namespace {

namespace fs = std::filesystem;

using Lines = std::vector<std::string>;

Lines lines_of(const std::string &text) {
  Lines lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

std::string joined(const Lines &lines) {
  std::string text;
  for (const std::string &line : lines)
    text += line + "\n";
  return text;
}

// TEXT as a basic string of TOML. Bytes that are no text stay, and the file is then refused as a
// whole, so that they must be replaced.
std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (const char byte : text) {
    char escape[8];
    if (byte == '"' || byte == '\\')
      result += std::string("\\") + byte;
    else if (static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f) {
      std::snprintf(escape, sizeof escape, "\\u%04X", static_cast<unsigned>(byte));
      result += escape;
    } else
      result += byte;
  }
  return result + "\"";
}

// The lines of ENTRY as a new one.
Lines written(const Entry &entry) {
  Lines lines{"[[program]]"};
  const auto add = [&](const char *key, const std::string &value) {
    if (!value.empty())
      lines.push_back(std::string(key) + " = " + quoted(value));
  };
  add("name", entry.name);
  add("interpreter", entry.interpreter);
  add("build-id", entry.build_id);
  add("hash", entry.hash);
  add("arguments", entry.arguments);
  add("way", entry.way);
  if (entry.gain > 0) {
    std::ostringstream gain;
    gain.precision(3);
    gain << std::fixed << entry.gain;
    lines.push_back("gain = " + gain.str());
  }
  add("measured", entry.measured);
  add("machine", entry.machine);
  if (!entry.tuned.empty())
    lines.push_back("tuned = " + entry.tuned);
  return lines;
}

// The key at the start of LINE; empty if it has none.
std::string key_of(const std::string &line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == line.npos || line[begin] == '#' || line[begin] == '[')
    return {};
  const std::size_t end = line.find_first_of(" \t=", begin);
  return end == line.npos ? std::string() : line.substr(begin, end - begin);
}

// The lines of ENTRY in LINES that amp-run does not write: people's comments and keys.
Lines others_of(const Lines &lines, const Entry &entry) {
  static const Lines ours = {"name", "interpreter", "build-id", "hash",    "arguments",
                             "way",  "gain",        "measured", "machine", "tuned"};
  Lines others;
  for (unsigned at = entry.line; at < entry.last; ++at)
    if (std::find(ours.begin(), ours.end(), key_of(lines[at])) == ours.end())
      others.push_back(lines[at]);
  return others;
}

void remove(Lines &lines, const Entry &entry) {
  auto last = lines.begin() + entry.last;
  if (last != lines.end() && last->empty())
    ++last;
  lines.erase(lines.begin() + entry.line - 1, last);
}

class Lock {
public:
  explicit Lock(const std::string &file)
      : file_(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)) {
    if (file_ < 0)
      throw Failure("'" + file + "': " + std::strerror(errno));
    // A file system without locks has none to offer.
    while (flock(file_, LOCK_EX) != 0 && errno == EINTR)
      ;
  }
  ~Lock() { close(file_); }
  Lock(const Lock &) = delete;
  Lock &operator=(const Lock &) = delete;

private:
  int file_;
};

// Writes TEXT to FILE by way of a temporary file beside it.
void replace_file(const std::string &file, const std::string &text) {
  std::string name = file + ".XXXXXX";
  const int temporary = mkostemp(name.data(), O_CLOEXEC);
  if (temporary < 0)
    throw Failure("'" + name + "': " + std::strerror(errno));
  struct stat before;
  if (stat(file.c_str(), &before) == 0)
    fchmod(temporary, before.st_mode & 07777);
  std::size_t done = 0;
  ssize_t count = 0;
  while (done < text.size() &&
         ((count = write(temporary, text.data() + done, text.size() - done)) > 0 || errno == EINTR))
    done += count > 0 ? static_cast<std::size_t>(count) : 0;
  const bool written = done == text.size() && fsync(temporary) == 0;
  int error = written ? 0 : errno;
  close(temporary);
  if (written && rename(name.c_str(), file.c_str()) == 0)
    return;
  error = written ? errno : error;
  unlink(name.c_str());
  throw Failure("'" + file + "': " + std::strerror(error));
}

} // namespace

std::string with_entry(const std::string &text, const Entry &entry) {
  Lines lines = lines_of(text);
  const std::vector<Entry> entries = parse_entries(text, "").entries;
  Lines added = written(entry);
  const auto same = std::find_if(entries.begin(), entries.end(), [&](const Entry &old) {
    return old.name == entry.name && old.interpreter == entry.interpreter &&
           (old.machine.empty() || old.machine == entry.machine) &&
           (old.arguments.empty() || old.arguments == entry.arguments);
  });
  if (same != entries.end()) {
    const Lines others = others_of(lines, *same);
    added.insert(added.end(), others.begin(), others.end());
    remove(lines, *same);
  } else if (entries.size() >= most_entries)
    remove(lines, entries.front());
  if (!lines.empty() && !lines.back().empty())
    lines.push_back("");
  lines.insert(lines.end(), added.begin(), added.end());
  return joined(lines);
}

std::string without_entries(const std::string &text, const Target &target, unsigned &count) {
  Lines lines = lines_of(text);
  const std::vector<Entry> entries = parse_entries(text, "").entries;
  count = 0;
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry)
    if (is_about(*entry, target)) {
      remove(lines, *entry);
      ++count;
    }
  return joined(lines);
}

void change_entries(const std::string &name,
                    const std::function<std::string(const std::string &)> &change) {
  if (name.empty())
    throw Failure("there is no home directory: neither XDG_CONFIG_HOME nor HOME is set");
  std::error_code error;
  fs::create_directories(fs::path(name).parent_path(), error);
  if (error)
    throw Failure("'" + fs::path(name).parent_path().string() + "': " + error.message());
  // A link stays one.
  const fs::path real = fs::weakly_canonical(name, error);
  const std::string file = error ? name : real.string();
  const Lock lock(file + ".lock");
  if (const EntryFile parsed = read_entries(file); !parsed.fault.empty())
    throw Failure(parsed.fault + "; it is left as it is");
  std::ifstream stream(file, std::ios::binary);
  const std::string before{std::istreambuf_iterator<char>(stream), {}};
  const std::string after = change(before);
  if (const EntryFile parsed = parse_entries(after, file); !parsed.fault.empty())
    throw Failure("what would be written is no TOML: " + parsed.fault);
  if (after != before)
    replace_file(file, after);
}

} // namespace amp
