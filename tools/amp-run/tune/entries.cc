// SPDX-License-Identifier: GPL-3.0-or-later
// Reads files of entries, and finds the one that decides for a program.
#include "amp-run/tune/entries.h"

#include "common/preload.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
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
constexpr std::size_t most_bytes = 16 << 20;

std::string text_of(const toml::table &table, const char *key) {
  return table[key].value_or(std::string());
}

Entry entry_of(const toml::table &table) {
  Entry entry;
  entry.name = text_of(table, "name");
  entry.interpreter = text_of(table, "interpreter");
  entry.build_id = text_of(table, "build-id");
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
  }
  return list ? result : fail(node->source().begin.line, "expected [[program]]");
}

EntryFile read_entries(const std::string &file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text;
  char part[4096];
  while (text.size() < most_bytes && (stream.read(part, sizeof part) || stream.gcount() > 0))
    text.append(part, static_cast<std::size_t>(stream.gcount()));
  return parse_entries(text, file);
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
  for (const EntryFile &file : files)
    for (const Entry &entry : file.entries) {
      if (!is_about(entry, target))
        continue;
      const std::string line = file.file + ":" + std::to_string(entry.line);
      if (!entry.build_id.empty() && entry.build_id != target.build_id)
        choice.others.push_back(line + " is about another build");
      else if (!entry.machine.empty() && entry.machine != machine())
        choice.others.push_back(line + " was measured on another machine, " + entry.machine);
      else if (!find_remembered_way(entry.way))
        choice.others.push_back(line + ": way '" + entry.way + "': expected one of " + way_names());
      else if (!choice.way) {
        choice.way = find_remembered_way(entry.way);
        choice.line = line;
      }
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
