// SPDX-License-Identifier: GPL-3.0-or-later
// How reports call sites. Functions of this program, and of copies of a module, stand for sites.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <link.h>
#include <string>
#include <unistd.h>
#include <vector>

extern "C" {
#include "sites/site-function.h"
#include "sites/sites.h"

static void __attribute__((noinline, used)) a_function_without_export() { asm volatile(""); }
}

namespace {

std::string describe(const void *address, const char *name = "app+0x1") {
  char text[GOMP_AMP_SITE_TEXT];
  struct gomp_amp_site site = {};
  site.address = address;
  site.name = name;
  EXPECT_EQ(gomp_amp_describe_site(&site, text), text);
  return text;
}

const char *address_of(void (*function)()) { return reinterpret_cast<const char *>(function); }

const int data = 1;

TEST(SiteFunction, IsInParentheses) {
  const char *const address = address_of(a_function_without_export);
  EXPECT_EQ(describe(address), "app+0x1 (a_function_without_export)");
  EXPECT_EQ(describe(address + 1), "app+0x1 (a_function_without_export)");
}

TEST(SiteFunction, IsLeftOutWhereThereIsNone) {
  EXPECT_EQ(describe(&data), "app+0x1");
  EXPECT_EQ(describe(reinterpret_cast<void *>(64)), "app+0x1");
  EXPECT_EQ(describe(nullptr), "app+0x1");
  EXPECT_EQ(describe(reinterpret_cast<void *>(64), nullptr), "of generated code");
}

TEST(SiteFunction, IsCutOff) {
  const std::string longest(GOMP_AMP_SITE_TEXT - 4, 'x'), longer(2 * GOMP_AMP_SITE_TEXT, 'x');
  const char *const address = address_of(a_function_without_export);
  EXPECT_EQ(describe(address, longest.c_str()), longest + " (a");
  EXPECT_EQ(describe(address, longer.c_str()), longer.substr(0, GOMP_AMP_SITE_TEXT - 1));
}

// The file of a module of which the address is known, changed after it was loaded.
TEST(SiteFunction, IsReadFromUndamagedFilesOnly) {
  char scratch[] = "/tmp/amp-unit-XXXXXX";
  const std::filesystem::path directory = mkdtemp(scratch), file = directory / "module.so";
  std::filesystem::copy_file(AMP_FAKE_HWLOC, file);
  void *const module = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(module, nullptr) << dlerror();
  const void *const address = dlsym(module, "hwloc_get_api_version");
  const std::string found = "app+0x1 (hwloc_get_api_version)";
  EXPECT_EQ(describe(address), found);
  std::ifstream stream(file, std::ios::binary);
  const std::string content((std::istreambuf_iterator<char>(stream)), {});
  // Replaced, not overwritten: the process has the old one mapped.
  const auto replace = [&](const std::string &by) {
    std::filesystem::remove(file);
    std::ofstream(file, std::ios::binary) << by;
  };
  for (std::size_t size = 0; size < content.size(); size += content.size() / 97 + 1) {
    replace(content.substr(0, size));
    const std::string text = describe(address);
    EXPECT_TRUE(text == "app+0x1" || text == found) << size << ": " << text;
  }
  ElfW(Ehdr) header;
  std::memcpy(&header, content.data(), sizeof header);
  // No field of the headers leads out of the file.
  std::vector<std::size_t> fields;
  for (std::size_t at = EI_NIDENT; at < sizeof header; at += 2)
    fields.push_back(at);
  for (std::size_t at = 0; at < header.e_shnum * sizeof(ElfW(Shdr)); at += 4)
    fields.push_back(header.e_shoff + at);
  for (const std::size_t at : fields)
    for (const char byte : {'\x7f', '\x01'}) {
      std::string damaged = content;
      std::fill_n(&damaged[at], at < sizeof header ? 2 : 4, byte);
      replace(damaged);
      EXPECT_EQ(describe(address).find("app+0x1"), 0u) << at;
    }
  std::string other = content;
  other[header.e_phoff + offsetof(ElfW(Phdr), p_align)] ^= 1;
  replace(other);
  EXPECT_EQ(describe(address), "app+0x1");
  replace(content);
  EXPECT_EQ(describe(address), found);
  std::filesystem::remove(file);
  EXPECT_EQ(describe(address), "app+0x1");
  dlclose(module);
  std::filesystem::remove_all(directory);
}

} // namespace
