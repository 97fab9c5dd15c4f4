// SPDX-License-Identifier: GPL-3.0-or-later
// Reads, chooses and edits entries, and remembers for a day of which programs there is none.
#include "amp-run/tune/entries.h"

#include "common/preload.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
// One of the tools reads TOML, and no library of it is linked.
#undef TOML_HEADER_ONLY
#undef TOML_SHARED_LIB
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

namespace amp {

namespace {

namespace fs = std::filesystem;

using Lines = std::vector<std::string>;

// A hostile or damaged file is no reason to take long.
constexpr std::size_t most_bytes = 16 << 20;

// The keys of an entry that are texts, in the order in which they are written.
constexpr struct {
  std::string_view key;
  std::string Entry::*text;
} text_keys[] = {{"name", &Entry::name},           {"interpreter", &Entry::interpreter},
                 {"build-id", &Entry::build_id},   {"hash", &Entry::hash},
                 {"arguments", &Entry::arguments}, {"way", &Entry::way},
                 {"measured", &Entry::measured},   {"machine", &Entry::machine}};

// Whether amp-run writes KEY.
bool is_ours(std::string_view key) {
  return key == "gain" || key == "tuned" ||
         std::any_of(std::begin(text_keys), std::end(text_keys),
                     [&](const auto &known) { return known.key == key; });
}

Entry entry_of(const toml::table &table) {
  Entry entry;
  for (const auto &[key, text] : text_keys)
    entry.*text = table[key].value_or(std::string());
  entry.gain = table["gain"].value_or(0.0);
  if (const auto date = table["tuned"].value<toml::date>()) {
    char text[40];
    std::snprintf(text, sizeof text, "%04u-%02u-%02u", date->year + 0u, date->month + 0u,
                  date->day + 0u);
    entry.tuned = text;
  }
  entry.line = entry.last = table.source().begin.line;
  for (const auto &[key, value] : table)
    entry.last = std::max(entry.last, value.source().end.line);
  return entry;
}

// Notes what of ENTRY, which is TABLE of FILE, counts for nothing.
void warn(const toml::table &table, const Entry &entry, EntryFile &file) {
  const std::string line = file.file + ":" + std::to_string(entry.line) + ": ";
  for (const auto &[key, value] : table)
    if (!is_ours(key.str()) && key != "package" && key != "version" && key != "input")
      file.warnings.push_back(line + "key '" + std::string(key.str()) + "' is not known");
  if (entry.name.empty())
    file.warnings.push_back(line + "an entry without a name is about no program");
  if (entry.way == "turns" || entry.way == "calls")
    file.warnings.push_back(line + "way '" + entry.way + "' is folded now");
  else if (!find_way(entry.way))
    file.warnings.push_back(line + "way '" + entry.way + "': expected one of " + way_names());
}

bool is_of_the_system(const std::string &file) {
  for (const std::string_view directory :
       {"/bin/", "/sbin/", "/lib/", "/lib64/", "/usr/bin/", "/usr/sbin/", "/usr/lib/",
        "/usr/lib64/", "/usr/libexec/", "/usr/games/"})
    if (file.compare(0, directory.size(), directory) == 0)
      return true;
  return false;
}

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
  for (const auto &[key, text] : text_keys)
    if (!(entry.*text).empty())
      lines.push_back(std::string(key) + " = " + quoted(entry.*text));
  if (entry.gain > 0) {
    char text[40];
    std::snprintf(text, sizeof text, "gain = %.3f", entry.gain);
    lines.push_back(text);
  }
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
  Lines others;
  for (unsigned at = entry.line; at < entry.last; ++at)
    if (!is_ours(key_of(lines[at])))
      others.push_back(lines[at]);
  return others;
}

void remove(Lines &lines, const Entry &entry) {
  auto last = lines.begin() + entry.last;
  if (last != lines.end() && last->empty())
    ++last;
  lines.erase(lines.begin() + entry.line - 1, last);
}

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

// The file of what was reported today; empty if there is no place for it.
std::string said_file() {
  const char *const cache = std::getenv("XDG_CACHE_HOME"), *const home = std::getenv("HOME");
  if (cache && cache[0] == '/')
    return std::string(cache) + "/libgomp-amp/untuned";
  return home && home[0] == '/' ? std::string(home) + "/.cache/libgomp-amp/untuned" : "";
}

// Whether TEXT was not reported today; it is from now on, in a file of hashes of a day.
bool is_news(const std::string &text) {
  const fs::path file = said_file();
  const std::string hash = std::to_string(std::hash<std::string>()(text));
  struct stat status;
  const bool today =
      stat(file.c_str(), &status) == 0 && status.st_mtime / 86400 == std::time(nullptr) / 86400;
  std::ifstream known(today ? file : "");
  for (std::string line; std::getline(known, line);)
    if (line == hash)
      return false;
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  std::ofstream stream(file, today ? std::ios::app : std::ios::trunc);
  // Without a place to remember it would be said each time.
  return static_cast<bool>(stream << hash << std::endl);
}

} // namespace

EntryFile parse_entries(const std::string &text, const std::string &file) {
  EntryFile result;
  result.file = file;
  const toml::parse_result parsed = toml::parse(text);
  const auto fail = [&](unsigned line, std::string_view what) {
    result.entries.clear();
    result.fault = file + ":" + std::to_string(line) + ": " + std::string(what);
    return result;
  };
  if (!parsed)
    return fail(parsed.error().source().begin.line, parsed.error().description());
  const toml::node *const node = parsed.table().get("program");
  if (!node)
    return result;
  const toml::array *const list = node->as_array();
  for (std::size_t i = 0; list && i < list->size(); ++i) {
    const toml::table *const table = list->get(i)->as_table();
    if (!table || table->is_inline())
      return fail(list->get(i)->source().begin.line, "expected [[program]]");
    result.entries.push_back(entry_of(*table));
    warn(*table, result.entries.back(), result);
  }
  return list ? result : fail(node->source().begin.line, "expected [[program]]");
}

EntryFile read_entries(const std::string &file) {
  EntryFile result;
  result.file = file;
  // A pipe is not waited for.
  const int opened = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status;
  if (opened < 0) {
    if (errno != ENOENT && errno != ENOTDIR)
      result.fault = file + ": " + std::strerror(errno);
    return result;
  }
  std::string text;
  if (fstat(opened, &status) != 0 || !S_ISREG(status.st_mode))
    result.fault = file + ": it is not a file";
  else if (static_cast<std::size_t>(status.st_size) > most_bytes)
    result.fault = file + ": it has more than " + std::to_string(most_bytes >> 20) + " MB";
  else
    text.resize(static_cast<std::size_t>(status.st_size));
  const ssize_t count = read(opened, text.data(), text.size());
  close(opened);
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return result.fault.empty() ? parse_entries(text, file) : result;
}

bool is_about(const Entry &entry, const Target &target) {
  if (target.name.empty() || entry.name.empty())
    return false;
  const bool bare = entry.name.find('/') == entry.name.npos && entry.name[0] != '-';
  if (!bare)
    return entry.name == target.name && entry.interpreter == target.interpreter;
  // A file anywhere may have that name: it counts in the system's directories, or for that build.
  return target.name.substr(target.name.rfind('/') + 1) == entry.name &&
         (is_of_the_system(target.name) ||
          (!entry.build_id.empty() && entry.build_id == target.build_id));
}

Choice choose_way(const std::vector<EntryFile> &files, const Target &target,
                  const std::function<std::string()> &machine) {
  Choice choice;
  int best = 0; // how well the entry of the choice fits
  for (const EntryFile &file : files) {
    for (const Entry &entry : file.entries) {
      if (!is_about(entry, target))
        continue;
      const std::string line = file.file + ":" + std::to_string(entry.line);
      const int fits = entry.arguments.empty() ? 2 : entry.arguments == target.arguments ? 3 : 1;
      if ((!entry.build_id.empty() && entry.build_id != target.build_id) ||
          (!entry.hash.empty() && entry.hash != target.hash()))
        choice.others.push_back(line + " is about another build");
      else if (!entry.machine.empty() && entry.machine != machine())
        choice.others.push_back(line + " was measured on another machine, " + entry.machine);
      else if (!find_remembered_way(entry.way))
        choice.others.push_back(line + ": way '" + entry.way + "': expected one of " + way_names());
      else if (fits > best || (fits == best && fits != 2)) {
        choice.way = find_remembered_way(entry.way);
        choice.line = line;
        best = fits;
      }
    }
    if (choice.way)
      return choice;
  }
  return choice;
}

std::string user_file() {
  const char *const config = std::getenv("XDG_CONFIG_HOME"), *const home = std::getenv("HOME");
  // A relative one is to be ignored, says its specification.
  if (config && config[0] == '/')
    return std::string(config) + "/libgomp-amp/programs.toml";
  if (home && home[0] == '/')
    return std::string(home) + "/.config/libgomp-amp/programs.toml";
  return {};
}

std::vector<EntryFile> all_entry_files() {
  std::vector<EntryFile> files;
  if (const std::string user = user_file(); !user.empty())
    files.push_back(read_entries(user));
  files.push_back(read_entries("/etc/libgomp-amp/programs.toml"));
  const std::string self = own_file();
  const std::string prefix = self.substr(0, self.rfind('/', self.rfind('/') - 1));
  files.push_back(read_entries(prefix + "/share/libgomp-amp/programs.toml"));
  return files;
}

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
  hold_file(file + ".lock", "");
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

void hold_file(const std::string &file, const std::string &waiting) {
  const int opened = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  // Without a place for it, or on a file system without locks, there is none.
  if (opened < 0 || flock(opened, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
    return;
  std::cerr << waiting;
  while (flock(opened, LOCK_EX) != 0 && errno == EINTR)
    ;
}

Decision decide(const Target &target, bool verbose) {
  Decision decision;
  if (const char *const name = decided_by()) {
    decision.why_none = std::string(name) + " is set";
    return decision;
  }
  const std::vector<EntryFile> files = all_entry_files();
  for (const EntryFile &file : files)
    if (!file.fault.empty())
      std::cerr << "amp-run: " << file.fault << "; its entries do not count\n";
  for (const EntryFile &file : files)
    for (const std::string &warning : file.warnings)
      if (is_news(warning))
        std::cerr << "amp-run: " << warning << "\n";
  const Choice choice = choose_way(files, target, [] { return ask_machine().name; });
  if (verbose)
    for (const std::string &other : choice.others)
      std::cerr << "amp-run: " << other << "\n";
  decision.way = choice.way;
  decision.by = choice.line;
  if (!choice.way)
    decision.why_none =
        choice.others.empty() ? "no entry of programs.toml is about it" : choice.others.front();
  return decision;
}

void advise_to_tune(const Program &program) {
  if (!isatty(STDERR_FILENO) || program.name.empty() ||
      !(is_python(program.interpreter) || program.traits().parallel) || !ask_machine().uneven() ||
      !is_news(program.name + "\n" + program.interpreter))
    return;
  std::cerr << "amp-run: '" << program.name
            << "' was never tuned: amp-run --tune finds its best way on these cores\n";
}

} // namespace amp
