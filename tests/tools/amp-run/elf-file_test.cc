// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of reading ELF files: this program itself, and damaged copies of it.
#include "amp-run/elf-file.h"

#include <cstdio>
#include <cstdlib>
#include <elf.h>
#include <fstream>
#include <gtest/gtest.h>
#include <link.h>
#include <sstream>
#include <system_error>
#include <unistd.h>

extern "C" {
// Found, or not, in the symbol table of this program.
__attribute__((used)) void amp_test_defined() {}
__attribute__((used)) static void amp_test_local() {}
}

namespace amp {

constexpr const char *self = "/proc/self/exe";

// A file that exists while the object does.
class TemporaryFile {
public:
  explicit TemporaryFile(const std::string &content) {
    const int file = mkstemp(path_);
    EXPECT_EQ(write(file, content.data(), content.size()), static_cast<ssize_t>(content.size()));
    close(file);
  }
  ~TemporaryFile() { std::remove(path_); }
  const char *path() const { return path_; }

private:
  char path_[32] = "/tmp/amp-elf-test-XXXXXX";
};

std::string content_of(const char *path) {
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  return content.str();
}

TEST(ElfFile, ReadsThisProgram) {
  const auto elf = ElfFile::open(self);
  ASSERT_TRUE(elf);
  ASSERT_TRUE(elf->interpreter());
  EXPECT_EQ(access(elf->interpreter()->c_str(), X_OK), 0) << *elf->interpreter();
  EXPECT_TRUE(elf->same_machine(*elf));
  EXPECT_TRUE(elf->contains("Tests of reading ELF") || elf->contains("ReadsThisProgram"));
}

TEST(ElfFile, SeesOnlyGlobalDefinitions) {
  const auto elf = ElfFile::open(self);
  ASSERT_TRUE(elf);
  EXPECT_TRUE(elf->defines_any({"absent", "amp_test_defined"}));
  EXPECT_FALSE(elf->defines_any({"amp_test_local"}));
  EXPECT_FALSE(elf->defines_any({"mkstemp", "absent"})); // the C library's
  EXPECT_FALSE(elf->defines_any({}));
}

TEST(ElfFile, TellsMachinesApart) {
  std::string content = content_of(self);
  const auto elf = ElfFile::open(self);
  content[offsetof(ElfW(Ehdr), e_machine)] ^= 1;
  const TemporaryFile machine(content);
  EXPECT_FALSE(elf->same_machine(*ElfFile::open(machine.path())));
  EXPECT_NE(elf->machine(), ElfFile::open(machine.path())->machine());
  content = content_of(self);
  content[EI_CLASS] ^= ELFCLASS32 ^ ELFCLASS64;
  const TemporaryFile other_class(content);
  EXPECT_FALSE(elf->same_machine(*ElfFile::open(other_class.path())));
  EXPECT_FALSE(ElfFile::open(other_class.path())->interpreter());
}

TEST(ElfFile, IsNothingElse) {
  for (const char *content : {"", "#!/bin/sh\n", "\177ELF", "\177EL\0aaaaaaaaaaaaaaaaaaaaaaa"}) {
    const TemporaryFile file(content);
    EXPECT_FALSE(ElfFile::open(file.path())) << content;
  }
  EXPECT_THROW(ElfFile::open("/nonexistent"), std::system_error);
}

TEST(ElfFile, SurvivesTruncation) {
  const std::string content = content_of(self);
  for (std::size_t size = 16; size < content.size(); size = size * 5 / 4 + 1) {
    const TemporaryFile file(content.substr(0, size));
    const auto elf = ElfFile::open(file.path());
    ASSERT_TRUE(elf);
    elf->interpreter();
    elf->defines_any({"amp_test_defined"});
  }
}

TEST(ElfFile, SurvivesADamagedHeader) {
  const std::string content = content_of(self);
  for (std::size_t at = EI_NIDENT; at < sizeof(ElfW(Ehdr)); ++at)
    for (const char value : {'\x00', '\x7f', '\xff'}) {
      std::string damaged = content;
      damaged[at] = value;
      const TemporaryFile file(damaged);
      const auto elf = ElfFile::open(file.path());
      ASSERT_TRUE(elf);
      elf->interpreter();
      elf->defines_any({"amp_test_defined"});
    }
}

} // namespace amp
