// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of finding libraries as the dynamic linker does.
#include "amp-run/library-search.h"
#include "amp-run/loader-cache.h"

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
  const auto self = ElfFile::open("/proc/self/exe");
  for (const LoadedFile &file : find_libraries(own_loader(), "/proc/self/exe", *self, ""))
    found.insert(real(file.file));
  found.erase(real("/proc/self/exe"));
  EXPECT_EQ(found, loaded);
}

TEST(LibrarySearch, SaysWhichFileNeedsWhich) {
  const auto self = ElfFile::open("/proc/self/exe");
  const LoadedFiles files = find_libraries(own_loader(), "/proc/self/exe", *self, "");
  for (const LoadedFile &file : files) {
    std::set<std::string> needed, found;
    for (const std::string &name : file.elf.needed())
      needed.insert(name);
    for (const std::size_t at : file.needs)
      found.insert(files[at].elf.soname());
    EXPECT_EQ(found, needed) << file.file;
  }
}

TEST(LoaderCache, HasTheSystemsCLibrary) {
  EXPECT_EQ(system_loader_cache().count("libc.so.6"), 1u);
}

TEST(LoaderCache, SurvivesDamage) {
  const std::string magic = "glibc-ld.so.cache1.1";
  for (const std::string &rest :
       {std::string(), std::string(28, '\xff'), std::string(500, '\xff'), std::string(500, '\1')})
    EXPECT_TRUE(parse_loader_cache(magic + rest).empty());
  EXPECT_TRUE(parse_loader_cache("").empty());
}

} // namespace amp
