// SPDX-License-Identifier: GPL-3.0-or-later
// Entries of programs.toml: which way is best for a program. People edit the files too: what is not
// of an entry stays.
#pragma once

#include "amp-run/tune/ways.h"

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

// Holds FILE, of the user, for this process alone until it ends. Prints WAITING if another one
// does.
void hold_file(const std::string &file, const std::string &waiting);

// The user's file; empty if there is no home directory.
std::string user_file();

// The user's file, the system's and the package's, in this order, read.
std::vector<EntryFile> all_entry_files();

struct Decision {
  const Way *way = nullptr; // null: plain, as nothing decides
  std::string by;           // "--way", or "FILE:LINE" of an entry
  std::string why_none;     // why no entry decides: no entry, or what the user set
};

// Which way TARGET is run, if the user chose none. Reports damaged files on stderr, and if VERBOSE
// entries that do not count.
Decision decide(const Target &target, bool verbose);

// Says once a day for each program that PROGRAM was never tuned, if it may gain: on a terminal,
// where cores differ, if it has parallel regions or is a program of Python.
void advise_to_tune(const Program &program);

// TEXT, the content of a file without fault, with ENTRY at its end, in place of the one about the
// same program, arguments and machine, of which people's comments and keys stay. Beyond the most
// entries that a file has, the first one leaves.
std::string with_entry(const std::string &text, const Entry &entry);

// TEXT without the entries about TARGET. COUNT is how many these were.
std::string without_entries(const std::string &text, const Target &target, unsigned &count);

constexpr std::size_t most_entries = 4096;

// Replaces FILE as a whole by what CHANGE makes of its text, while no other amp-run does, and makes
// its directory. Throws Failure if FILE has a fault or cannot be written; it is as before then.
void change_entries(const std::string &file,
                    const std::function<std::string(const std::string &)> &change);

} // namespace amp
