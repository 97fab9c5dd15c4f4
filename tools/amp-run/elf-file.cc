// SPDX-License-Identifier: GPL-3.0-or-later
// Reads ELF headers and symbol tables from a mapped file, with every access bounds-checked.
#include "amp-run/elf-file.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace amp {

using Ehdr = ElfW(Ehdr);
using Phdr = ElfW(Phdr);
using Shdr = ElfW(Shdr);
using Sym = ElfW(Sym);

// The number in an entry of .gnu.version. The other bit says that it is not the default version.
constexpr unsigned version_bits = 0x7fff;

ElfFile::ElfFile(std::shared_ptr<const char> data, std::size_t size)
    : data_(std::move(data)), size_(size) {}

std::optional<ElfFile> ElfFile::open(const std::string &path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0) {
    const int error = errno;
    if (file >= 0)
      close(file);
    throw std::system_error(error, std::generic_category(), path);
  }
  const std::size_t size = static_cast<std::size_t>(status.st_size);
  void *const data =
      size < EI_NIDENT ? MAP_FAILED : mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  const int error = errno;
  close(file);
  if (size < EI_NIDENT)
    return std::nullopt;
  if (data == MAP_FAILED)
    throw std::system_error(error, std::generic_category(), path);
  ElfFile elf(std::shared_ptr<const char>(static_cast<const char *>(data),
                                          [data, size](const char *) { munmap(data, size); }),
              size);
  if (elf.bytes(0, SELFMAG) != std::string_view(ELFMAG, SELFMAG))
    return std::nullopt;
  return elf;
}

std::string_view ElfFile::bytes(std::size_t offset, std::size_t size) const {
  if (offset > size_ || size > size_ - offset)
    return {};
  return {data_.get() + offset, size};
}

template <typename T> bool ElfFile::read(std::size_t offset, T &value) const {
  const std::string_view from = bytes(offset, sizeof value);
  if (from.empty())
    return false;
  std::memcpy(&value, from.data(), sizeof value); // the file may hold it unaligned
  return true;
}

// The start of the header. It is the same in both classes except for its byte order.
struct ElfFile::Header {
  unsigned char ident[EI_NIDENT];
  std::uint16_t type;
  std::uint16_t machine;
};

bool ElfFile::same_machine(const ElfFile &other) const {
  Header a, b;
  return read(0, a) && other.read(0, b) && a.ident[EI_CLASS] == b.ident[EI_CLASS] &&
         a.ident[EI_DATA] == b.ident[EI_DATA] && a.machine == b.machine;
}

std::string ElfFile::machine() const {
  Header header{};
  read(0, header);
  const bool big_endian = header.ident[EI_DATA] == ELFDATA2MSB;
  const bool swap = big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
  const unsigned machine = swap ? __builtin_bswap16(header.machine) : header.machine;
  return std::string("a ") + (header.ident[EI_CLASS] == ELFCLASS32 ? "32" : "64") +
         "-bit ELF file for machine " + std::to_string(machine);
}

bool ElfFile::native() const {
  constexpr bool big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
  Header header;
  return read(0, header) &&
         header.ident[EI_CLASS] == (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) &&
         header.ident[EI_DATA] == (big_endian ? ELFDATA2MSB : ELFDATA2LSB);
}

// Calls BODY with each program header.
template <typename Body> void ElfFile::each_segment(Body body) const {
  Ehdr header;
  if (!native() || !read(0, header))
    return;
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    Phdr segment;
    if (!read(header.e_phoff + i * header.e_phentsize, segment))
      break;
    body(segment);
  }
}

std::optional<std::string> ElfFile::interpreter() const {
  std::optional<std::string> result;
  each_segment([&](const Phdr &segment) {
    if (segment.p_type != PT_INTERP || result)
      return;
    const std::string_view path = bytes(segment.p_offset, segment.p_filesz);
    if (!path.empty())
      result = std::string(path.substr(0, path.find('\0')));
  });
  return result;
}

std::size_t ElfFile::thread_local_size() const {
  std::size_t result = 0;
  each_segment([&](const Phdr &segment) {
    if (segment.p_type == PT_TLS)
      result += segment.p_memsz;
  });
  return result;
}

// The string at OFFSET of TEXT, a table of strings.
static std::string_view string_at(std::string_view text, std::size_t offset) {
  if (offset >= text.size())
    return {};
  text.remove_prefix(offset);
  return text.substr(0, text.find('\0'));
}

// Calls BODY with each section header and the text of the string table that it is linked to.
template <typename Body> void ElfFile::each_section(Body body) const {
  Ehdr header;
  if (!native() || !read(0, header))
    return;
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    Shdr section, strings;
    if (!read(header.e_shoff + i * header.e_shentsize, section))
      break;
    if (read(header.e_shoff + section.sh_link * header.e_shentsize, strings))
      body(section, bytes(strings.sh_offset, strings.sh_size));
  }
}

// Calls BODY with each symbol and its name until it returns true.
template <typename Body> void ElfFile::each_symbol(bool dynamic_only, Body body) const {
  bool done = false;
  each_section([&](const Shdr &section, std::string_view text) {
    if (section.sh_type != SHT_DYNSYM && (dynamic_only || section.sh_type != SHT_SYMTAB))
      return;
    for (std::size_t at = 0; !done && at + sizeof(Sym) <= section.sh_size; at += sizeof(Sym)) {
      Sym symbol;
      if (!read(section.sh_offset + at, symbol))
        break;
      const std::string_view name = string_at(text, symbol.st_name);
      done = !name.empty() && body(symbol, name);
    }
  });
}

// Calls BODY with each entry of .dynamic and the text of its string table.
template <typename Body> void ElfFile::each_dynamic_entry(Body body) const {
  using Dyn = ElfW(Dyn);
  each_section([&](const Shdr &section, std::string_view text) {
    if (section.sh_type != SHT_DYNAMIC)
      return;
    for (std::size_t at = 0; at + sizeof(Dyn) <= section.sh_size; at += sizeof(Dyn)) {
      Dyn entry;
      if (!read(section.sh_offset + at, entry) || entry.d_tag == DT_NULL)
        break;
      body(entry, text);
    }
  });
}

bool ElfFile::is_shared_library() const {
  Ehdr header;
  bool pie = false, dynamic = false;
  each_dynamic_entry([&](const ElfW(Dyn) & entry, std::string_view) {
    dynamic = true;
    pie = pie || (entry.d_tag == DT_FLAGS_1 && (entry.d_un.d_val & DF_1_PIE));
  });
  return native() && read(0, header) && header.e_type == ET_DYN && dynamic && !pie &&
         !interpreter();
}

std::vector<std::string> ElfFile::needed() const {
  std::vector<std::string> result;
  each_dynamic_entry([&](const ElfW(Dyn) & entry, std::string_view text) {
    if (entry.d_tag == DT_NEEDED)
      result.emplace_back(string_at(text, entry.d_un.d_val));
  });
  return result;
}

std::vector<std::string> ElfFile::imports() const {
  std::vector<std::string> result;
  each_symbol(true, [&](const Sym &symbol, std::string_view name) {
    if (symbol.st_shndx == SHN_UNDEF)
      result.emplace_back(name);
    return false;
  });
  return result;
}

// Calls BODY with each symbol of .dynsym, its name, and the number of its version in this file.
template <typename Body> void ElfFile::each_versioned_symbol(Body body) const {
  Shdr symbols = {}, versions = {};
  std::string_view names;
  each_section([&](const Shdr &section, std::string_view text) {
    if (section.sh_type == SHT_DYNSYM) {
      symbols = section;
      names = text;
    } else if (section.sh_type == SHT_GNU_versym)
      versions = section;
  });
  for (std::size_t i = 0; (i + 1) * sizeof(ElfW(Half)) <= versions.sh_size; ++i) {
    Sym symbol;
    ElfW(Half) version;
    if (!read(symbols.sh_offset + i * sizeof symbol, symbol) ||
        !read(versions.sh_offset + i * sizeof version, version))
      break;
    body(symbol, string_at(names, symbol.st_name), version & version_bits);
  }
}

// Calls BODY with the offset of each of COUNT entries of type Entry from AT on. NEXT is the member
// that says how far the next one is.
template <typename Entry, typename Next, typename Body>
void ElfFile::each_version(std::size_t at, std::size_t count, Next Entry::*next, Body body) const {
  Entry entry;
  // In a damaged file an entry may be its own successor, or lie in another one.
  for (; count > 0 && read(at, entry); --count, at += entry.*next) {
    body(entry, at);
    if (entry.*next < sizeof entry)
      break;
  }
}

// The versions of the library SONAME that this file asks for, by their numbers in it.
std::map<unsigned, std::string> ElfFile::versions_of(std::string_view soname) const {
  using Need = ElfW(Verneed);
  using Version = ElfW(Vernaux);
  std::map<unsigned, std::string> result;
  each_section([&](const Shdr &section, std::string_view text) {
    if (section.sh_type == SHT_GNU_verneed)
      each_version(section.sh_offset, section.sh_info, &Need::vn_next,
                   [&](const Need &need, std::size_t at) {
                     if (string_at(text, need.vn_file) == soname)
                       each_version(at + need.vn_aux, need.vn_cnt, &Version::vna_next,
                                    [&](const Version &version, std::size_t) {
                                      result.emplace(version.vna_other & version_bits,
                                                     string_at(text, version.vna_name));
                                    });
                   });
  });
  return result;
}

// The versions that this file defines, by their numbers in it.
std::map<unsigned, std::string> ElfFile::defined_versions() const {
  using Definition = ElfW(Verdef);
  std::map<unsigned, std::string> result;
  each_section([&](const Shdr &section, std::string_view text) {
    if (section.sh_type == SHT_GNU_verdef)
      each_version(section.sh_offset, section.sh_info, &Definition::vd_next,
                   [&](const Definition &definition, std::size_t at) {
                     ElfW(Verdaux) name;
                     if (read(at + definition.vd_aux, name))
                       result.emplace(definition.vd_ndx & version_bits,
                                      string_at(text, name.vda_name));
                   });
  });
  return result;
}

std::vector<std::string> ElfFile::imports_from(std::string_view soname) const {
  std::vector<std::string> result;
  const std::map<unsigned, std::string> versions = versions_of(soname);
  if (versions.empty())
    return result;
  each_versioned_symbol([&](const Sym &symbol, std::string_view name, unsigned number) {
    const auto version = versions.find(number);
    if (symbol.st_shndx == SHN_UNDEF && ELF64_ST_BIND(symbol.st_info) != STB_WEAK &&
        version != versions.end())
      result.push_back(std::string(name) + "@" + version->second);
  });
  return result;
}

std::vector<std::string> ElfFile::versioned_definitions() const {
  std::vector<std::string> result;
  const std::map<unsigned, std::string> versions = defined_versions();
  each_versioned_symbol([&](const Sym &symbol, std::string_view name, unsigned number) {
    const auto version = versions.find(number);
    if (symbol.st_shndx != SHN_UNDEF && version != versions.end())
      result.push_back(std::string(name) + "@" + version->second);
  });
  return result;
}

bool ElfFile::defines_any(const std::vector<std::string_view> &names) const {
  bool found = false;
  each_symbol(false, [&](const Sym &symbol, std::string_view name) {
    // Both classes encode the binding in the same way.
    found = symbol.st_shndx != SHN_UNDEF && ELF64_ST_BIND(symbol.st_info) != STB_LOCAL &&
            std::find(names.begin(), names.end(), name) != names.end();
    return found;
  });
  return found;
}

bool ElfFile::contains(std::string_view text) const {
  return memmem(data_.get(), size_, text.data(), text.size()) != nullptr;
}

} // namespace amp
