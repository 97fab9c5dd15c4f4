// SPDX-License-Identifier: GPL-3.0-or-later
// Goes by the library's table of names, and through what a module needs.
#include "amp-run/thread-state.h"

#include <set>
#include <string_view>

namespace amp {

namespace {

constexpr struct {
  std::string_view name, reason;
} thread_imports[] = {
#define AMP_THREAD_IMPORT(name, reason) {name, reason},
#include "fold/thread-state.def"
};

constexpr std::string_view exceptions[] = {
#define AMP_THREAD_EXCEPTION(name) name,
#include "fold/thread-state.def"
};

bool begins(std::string_view text, std::string_view with) {
  return text.substr(0, with.size()) == with;
}

bool is_exception(std::string_view name) {
  for (const std::string_view known : exceptions)
    if (begins(name, known))
      return true;
  return false;
}

// What ELF itself imports of the table, and of what that speaks; empty if nothing.
std::string own_import(const ElfFile &elf) {
  for (const std::string &name : elf.imports())
    for (const auto &[known, reason] : thread_imports)
      if (known.back() == '*' ? begins(name, known.substr(0, known.size() - 1)) : name == known)
        return name + ", " + std::string(reason);
  return {};
}

} // namespace

std::string kernel_import(const LoadedFiles &files, std::size_t at) {
  std::vector<std::size_t> reached{at};
  std::set<std::size_t> seen{at};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const LoadedFile &file = files[reached[i]];
    const std::string name = file.file.substr(file.file.rfind('/') + 1);
    if (const std::string import = own_import(file.elf); !import.empty())
      return (i == 0 ? "" : name + ": ") + import;
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
