// SPDX-License-Identifier: GPL-3.0-or-later
// Reads files of entries, and finds the one that decides for a program.
#include "amp-run/tune/entries.h"

#include "common/preload.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <set>
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

// A hostile or damaged file is no reason to take long.
constexpr long most_bytes = 16 << 20;

std::string text_of(const toml::table &table, const char *key) {
  return table[key].value_or(std::string());
}

Entry entry_of(const toml::table &table) {
  Entry entry;
  entry.name = text_of(table, "name");
  entry.interpreter = text_of(table, "interpreter");
  entry.build_id = text_of(table, "build-id");
  entry.hash = text_of(table, "hash");
  entry.arguments = text_of(table, "arguments");
  entry.way = text_of(table, "way");
  entry.machine = text_of(table, "machine");
  entry.measured = text_of(table, "measured");
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
  static const std::set<std::string_view> keys = {
      "name",    "interpreter", "build-id", "hash",    "arguments", "way",  "gain",
      "machine", "measured",    "tuned",    "package", "version",   "input"};
  const std::string line = file.file + ":" + std::to_string(entry.line) + ": ";
  for (const auto &[key, value] : table)
    if (!keys.count(key.str()))
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
  else if (status.st_size > most_bytes)
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
  if (const std::string user = user_file(); !user.empty()) {
    files.push_back(read_entries(user));
    files.back().of_user = true;
  }
  files.push_back(read_entries("/etc/libgomp-amp/programs.toml"));
  const std::string self = own_file();
  const std::string prefix = self.substr(0, self.rfind('/', self.rfind('/') - 1));
  files.push_back(read_entries(prefix + "/share/libgomp-amp/programs.toml"));
  return files;
}

} // namespace amp
