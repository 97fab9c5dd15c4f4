// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of finding libraries as the dynamic linker does.
#include "amp-run/modules.h"

#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <link.h>
#include <set>

namespace amp {

std::string real(const std::string &file) { return std::filesystem::weakly_canonical(file); }

TEST(LibrarySearch, FindsWhatTheLinkerLoadedForThisProgram) {
  std::set<std::string> loaded, found;
  dl_iterate_phdr(
      [](dl_phdr_info *info, std::size_t, void *names) {
        if (std::strchr(info->dlpi_name, '/')) // neither this program nor the kernel's own
          static_cast<std::set<std::string> *>(names)->insert(real(info->dlpi_name));
        return 0;
      },
      &loaded);
  for (const LoadedFile &file : find_libraries("/proc/self/exe", ""))
    found.insert(real(file.file));
  found.erase(real("/proc/self/exe"));
  EXPECT_EQ(found, loaded);
}

TEST(LibrarySearch, SaysWhichFileNeedsWhich) {
  const LoadedFiles &files = find_libraries("/proc/self/exe", "");
  for (const LoadedFile &file : files) {
    std::set<std::string> needed, found;
    for (const std::string &name : file.elf->needed)
      needed.insert(name);
    for (const std::size_t at : file.needs)
      found.insert(files[at].elf->soname);
    EXPECT_EQ(found, needed) << file.file;
  }
}

TEST(LibrarySearch, FindsTheLoaderOfThisProgram) {
  EXPECT_EQ(own_loader(), *ElfFile::open("/proc/self/exe")->interpreter);
}

TEST(LoaderCache, SurvivesDamage) {
  const std::string magic = "glibc-ld.so.cache1.1";
  for (const std::string &rest :
       {std::string(), std::string(28, '\xff'), std::string(500, '\xff'), std::string(500, '\1')})
    EXPECT_TRUE(parse_loader_cache(magic + rest).empty());
  EXPECT_TRUE(parse_loader_cache("").empty());
}

} // namespace amp
