// SPDX-License-Identifier: GPL-3.0-or-later
// Entries of programs.toml: which way is best for a program.
#pragma once

#include "amp-run/tune/target.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace amp {

struct Entry {
  std::string name; // as of a Target, or without a '/': a program of the system's directories
  std::string interpreter; // as of a Target
  std::string build_id;    // empty: any build
  std::string hash;        // as of a Target; empty: whatever its file contains
  std::string arguments;   // with which it was tuned; empty: not known
  std::string way;
  std::string machine;  // on which it was measured; empty: it holds on any
  std::string measured; // for people: what was measured
  std::string tuned;    // YYYY-MM-DD
  double gain = 0;      // times plain; 0: not known
  unsigned line = 0;    // of the file, where it begins
  unsigned last = 0;    // where it ends
};

// A file of entries. A file that is not there has none.
struct EntryFile {
  std::string file;
  bool of_user = false;
  std::string fault; // what is wrong with it, with the line; its entries do not count then
  std::vector<Entry> entries;
  std::vector<std::string> warnings; // what in entries counts for nothing, with the line
};

// The entries in TEXT, the content of FILE.
EntryFile parse_entries(const std::string &text, const std::string &file);
EntryFile read_entries(const std::string &file);

// Whether ENTRY is about TARGET, on whatever machine and of whatever build.
bool is_about(const Entry &entry, const Target &target);

struct Choice {
  const Way *way = nullptr;        // null: no entry decides
  std::string line;                // "FILE:LINE" of the entry that decides
  std::vector<std::string> others; // why other entries about the target do not, a text each
};

// What FILES, the first of which counts most, say of TARGET: the entry with its arguments, else one
// without arguments, else the last one. MACHINE returns the name of this machine, and is called if
// an entry asks for it.
Choice choose_way(const std::vector<EntryFile> &files, const Target &target,
                  const std::function<std::string()> &machine);

// The user's file; empty if there is no home directory.
std::string user_file();

// The user's file, the system's and the package's, in this order, read.
std::vector<EntryFile> all_entry_files();

} // namespace amp
