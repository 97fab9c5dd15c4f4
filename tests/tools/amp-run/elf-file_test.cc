// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of reading ELF files: this program itself, and damaged copies of it.
#include "amp-run/elf-file.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fstream>
#include <gtest/gtest.h>
#include <link.h>
#include <sstream>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <vector>

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
  ASSERT_TRUE(elf->interpreter);
  EXPECT_EQ(access(elf->interpreter->c_str(), X_OK), 0) << *elf->interpreter;
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

bool has(const std::vector<std::string> &names, const std::string &name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

TEST(ElfFile, ReadsVersions) {
  Dl_info info;
  ASSERT_TRUE(dladdr(dlsym(RTLD_DEFAULT, "dlvsym"), &info));
  const auto library = ElfFile::open(info.dli_fname);
  const std::vector<std::string> defined = library->versioned_definitions();
  EXPECT_GT(defined.size(), 1000u);
  // Each that this program needs of the C library is there, in its version.
  const std::vector<std::string> needed = ElfFile::open(self)->imports_from("libc.so.6");
  EXPECT_GT(needed.size(), 10u);
  for (const std::string &name : needed) {
    EXPECT_NE(name.find("@GLIBC_"), name.npos) << name;
    EXPECT_TRUE(has(defined, name)) << name;
  }
  EXPECT_FALSE(has(defined, "dlvsym@GLIBC_99"));
  EXPECT_TRUE(ElfFile::open(self)->imports_from("libnothing.so.1").empty());
  EXPECT_TRUE(ElfFile::open(self)->versioned_definitions().empty());
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
  EXPECT_FALSE(ElfFile::open(other_class.path())->interpreter);
}

TEST(ElfFile, IsNothingElse) {
  for (const char *content : {"", "#!/bin/sh\n", "\177ELF", "\177EL\0aaaaaaaaaaaaaaaaaaaaaaa"}) {
    const TemporaryFile file(content);
    EXPECT_FALSE(ElfFile::open(file.path())) << content;
  }
  EXPECT_THROW(ElfFile::open("/nonexistent"), std::system_error);
}

void read_all(const ElfFile &elf) {
  elf.defines_any({"amp_test_defined"});
  elf.imports_from("libc.so.6");
  elf.versioned_definitions();
}

// The first section of TYPE of CONTENT.
ElfW(Shdr) section_of(const std::string &content, ElfW(Word) type) {
  ElfW(Ehdr) header;
  std::memcpy(&header, content.data(), sizeof header);
  ElfW(Shdr) section = {};
  for (int i = 0; i < header.e_shnum && section.sh_type != type; ++i)
    std::memcpy(&section, &content[header.e_shoff + i * sizeof section], sizeof section);
  return section;
}

TEST(ElfFile, SurvivesTruncation) {
  const std::string content = content_of(self);
  for (std::size_t size = 16; size < content.size(); size = size * 5 / 4 + 1) {
    const TemporaryFile file(content.substr(0, size));
    const auto elf = ElfFile::open(file.path());
    ASSERT_TRUE(elf);
    read_all(*elf);
  }
}

TEST(ElfFile, SurvivesADamagedHeader) {
  const std::string content = content_of(self);
  const TemporaryFile file(content);
  std::fstream stream(file.path(), std::ios::in | std::ios::out | std::ios::binary);
  for (std::size_t at = EI_NIDENT; at < sizeof(ElfW(Ehdr)); ++at)
    for (const char value : {'\x00', '\x7f', '\xff', content[at]}) {
      ASSERT_TRUE(stream.seekp(std::streamoff(at)).put(value).flush());
      const auto elf = ElfFile::open(file.path());
      ASSERT_TRUE(elf);
      read_all(*elf);
    }
}

TEST(ElfFile, SurvivesDamagedVersions) {
  const std::string content = content_of(self);
  for (const ElfW(Word) type : {SHT_GNU_verneed, SHT_GNU_versym, SHT_DYNSYM, SHT_GNU_HASH})
    for (const char value : {'\x00', '\x01', '\x7f', '\xff'}) {
      std::string damaged = content;
      const ElfW(Shdr) section = section_of(content, type);
      ASSERT_GT(section.sh_size, 0u);
      std::fill_n(&damaged[section.sh_offset], section.sh_size, value);
      const TemporaryFile file(damaged);
      read_all(*ElfFile::open(file.path()));
    }
}

TEST(ElfFile, NeedsNoSectionHeaders) {
  std::string content = content_of(self);
  std::memset(&content[offsetof(ElfW(Ehdr), e_shoff)], 0, sizeof(ElfW(Off)));
  std::memset(&content[offsetof(ElfW(Ehdr), e_shnum)], 0, sizeof(ElfW(Half)));
  const TemporaryFile file(content);
  const auto whole = ElfFile::open(self), stripped = ElfFile::open(file.path());
  EXPECT_GT(whole->imports().size(), 10u);
  EXPECT_EQ(stripped->imports(), whole->imports());
  EXPECT_EQ(stripped->needed, whole->needed);
  EXPECT_EQ(stripped->imports_from("libc.so.6"), whole->imports_from("libc.so.6"));
}

TEST(ElfFile, TakesTablesOfAnotherFormatForDamage) {
  for (const auto &[field, tables] : {std::pair(offsetof(ElfW(Ehdr), e_shentsize), "sections"),
                                      std::pair(offsetof(ElfW(Ehdr), e_phentsize), "segments")}) {
    std::string content = content_of(self);
    content[field] = 1;
    const TemporaryFile file(content);
    const auto elf = ElfFile::open(file.path());
    if (tables == std::string("segments"))
      EXPECT_FALSE(elf->interpreter);
    else // .symtab is all that sections lead to
      EXPECT_FALSE(elf->defines_any({"amp_test_defined"}));
  }
}

TEST(ElfFile, TakesMemoryInProportionToTheFile) {
  // Every section claims to be the symbols of the whole file, and every name its rest.
  std::string content(65536, 'x');
  ElfW(Ehdr) header = {};
  const std::string own = content_of(self);
  std::memcpy(&header, own.data(), sizeof header);
  header.e_phnum = 2;
  header.e_phoff = sizeof header;
  header.e_shoff = sizeof header;
  header.e_shnum = 0xffff;
  ElfW(Phdr) load = {}, dynamic = {};
  load.p_type = PT_LOAD;
  load.p_filesz = content.size();
  dynamic.p_type = PT_DYNAMIC;
  dynamic.p_offset = 1024;
  dynamic.p_filesz = content.size();
  const ElfW(Dyn) entries[] = {{DT_STRTAB, {8}},  {DT_STRSZ, {content.size()}},
                               {DT_SYMTAB, {8}},  {DT_SYMENT, {sizeof(ElfW(Sym))}},
                               {DT_HASH, {2048}}, {DT_NULL, {0}}};
  std::memcpy(&content[0], &header, sizeof header);
  std::memcpy(&content[sizeof header], &load, sizeof load);
  std::memcpy(&content[sizeof header + sizeof load], &dynamic, sizeof dynamic);
  std::memcpy(&content[1024], entries, sizeof entries);
  std::memset(&content[2048], 0xff, 8);
  const TemporaryFile file(content);
  const auto elf = ElfFile::open(file.path());
  EXPECT_LT(elf->imports().size(), content.size() / sizeof(ElfW(Sym)));
  elf->defines_any({"absent"});
}

TEST(ElfFile, DoesNotWaitForAFifo) {
  char name[] = "/tmp/amp-elf-test-XXXXXX";
  ASSERT_TRUE(mkdtemp(name));
  const std::string fifo = std::string(name) + "/fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_FALSE(ElfFile::open(fifo));
  std::remove(fifo.c_str());
  std::remove(name);
}

} // namespace amp
