// SPDX-License-Identifier: GPL-3.0-or-later
// Goes by the library's table of names, and through what a module needs.
#include "amp-run/thread-state.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>

namespace amp {

namespace {

constexpr std::string_view thread_imports[] = {
#define AMP_THREAD_IMPORT(name) name,
#include "fold/thread-state.def"
};

constexpr std::string_view exceptions[] = {
#define AMP_THREAD_EXCEPTION(name) name,
#include "fold/thread-state.def"
};

// Thread-local variables that do not count; the first entry stands for none.
constexpr std::string_view harmless[] = {
    "",
#define AMP_THREAD_HARMLESS(name) name,
#include "fold/thread-state.def"
#undef AMP_THREAD_HARMLESS
};

bool begins(std::string_view text, std::string_view with) {
  return text.substr(0, with.size()) == with;
}

bool is_thread_import(std::string_view name) {
  for (const std::string_view known : thread_imports)
    if (known.back() == '*' ? begins(name, known.substr(0, known.size() - 1)) : name == known)
      return true;
  return false;
}

bool is_exception(std::string_view name) {
  for (const std::string_view known : exceptions)
    if (begins(name, known))
      return true;
  return false;
}

// What ELF itself keeps or changes; empty if nothing.
std::string own_state(const ElfFile &elf) {
  if (const std::size_t size = elf.thread_local_size())
    return std::to_string(size) + " bytes of thread-local variables";
  for (const std::string &name : elf.thread_local_imports())
    if (std::find(std::begin(harmless), std::end(harmless), name) == std::end(harmless))
      return name + ", a thread-local variable";
  for (const std::string &name : elf.imports())
    if (is_thread_import(name))
      return name;
  return {};
}

} // namespace

std::string thread_state(const LoadedFiles &files, std::size_t at) {
  std::vector<std::size_t> reached{at};
  std::set<std::size_t> seen{at};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const LoadedFile &file = files[reached[i]];
    const std::string name = file.file.substr(file.file.rfind('/') + 1);
    if (const std::string state = own_state(file.elf); !state.empty())
      return (i == 0 ? "" : name + ": ") + state;
    for (const std::string &missing : file.missing)
      if (!is_exception(missing))
        return missing + " is not found";
    for (const std::size_t needed : file.needs) {
      const std::string soname = files[needed].elf.soname(), &path = files[needed].file;
      if (!is_exception(soname.empty() ? path.substr(path.rfind('/') + 1) : soname) &&
          seen.insert(needed).second)
        reached.push_back(needed);
    }
  }
  return {};
}

} // namespace amp
