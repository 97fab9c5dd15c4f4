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

using Dyn = ElfW(Dyn);

// The number in an entry of DT_VERSYM. The other bit says that it is not the default version.
constexpr unsigned version_bits = 0x7fff;
// A longer name is none that this program looks for. The limits keep the work in proportion to the
// file where names overlap.
constexpr std::size_t longest_symbol = 256, longest_path = 4096;

// What PT_DYNAMIC leads to: offsets in the file, 0 for what it does not have.
struct ElfFile::Dynamic {
  std::vector<Dyn> entries;
  std::string_view strings;
  std::size_t symbols = 0, symbol_count = 0, versions = 0;
  std::size_t needs = 0, need_count = 0, definitions = 0, definition_count = 0;

  std::size_t value(ElfW(Sxword) tag) const {
    const auto entry = std::find_if(entries.begin(), entries.end(),
                                    [tag](const Dyn &any) { return any.d_tag == tag; });
    return entry == entries.end() ? 0 : entry->d_un.d_val;
  }
};

ElfFile::ElfFile(std::shared_ptr<const char> data, std::size_t size)
    : data_(std::move(data)), size_(size), dynamic_(read_dynamic()) {}

std::optional<ElfFile> ElfFile::open(const std::string &path) {
  // Opening a FIFO would wait for a writer.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0) {
    const int error = errno;
    if (file >= 0)
      close(file);
    throw std::system_error(error, std::generic_category(), path);
  }
  const std::size_t size = S_ISREG(status.st_mode) ? static_cast<std::size_t>(status.st_size) : 0;
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
  if (!native() || !read(0, header) || header.e_phentsize != sizeof(Phdr))
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

std::string ElfFile::build_id() const {
  std::string result;
  each_segment([&](const Phdr &segment) {
    const std::size_t end = segment.p_offset + std::min<std::size_t>(segment.p_filesz, size_);
    ElfW(Nhdr) note;
    for (std::size_t at = segment.p_offset;
         segment.p_type == PT_NOTE && at < end && read(at, note);) {
      const std::size_t name = at + sizeof note, text = name + (note.n_namesz + 3u) / 4 * 4;
      at = text + (note.n_descsz + 3u) / 4 * 4;
      if (note.n_type != NT_GNU_BUILD_ID || note.n_descsz > 64 ||
          bytes(name, 4) != std::string_view("GNU", 4))
        continue;
      for (const char byte : bytes(text, note.n_descsz))
        for (const unsigned digit : {static_cast<unsigned char>(byte) / 16u, byte & 15u})
          result += "0123456789abcdef"[digit];
      return;
    }
  });
  return result.substr(0, 128);
}

// The string at OFFSET of TEXT, a table of strings; empty if it is longer than LIMIT.
static std::string_view string_at(std::string_view text, std::size_t offset, std::size_t limit) {
  if (offset >= text.size())
    return {};
  text = text.substr(offset, limit);
  const std::size_t end = text.find('\0');
  return end == text.npos ? std::string_view() : text.substr(0, end);
}

// Where the file has what is at ADDRESS in memory; 0 if nowhere.
std::size_t ElfFile::offset_of(std::size_t address) const {
  std::size_t result = 0;
  each_segment([&](const Phdr &segment) {
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
        address - segment.p_vaddr < segment.p_filesz)
      result = segment.p_offset + (address - segment.p_vaddr);
  });
  return result < size_ ? result : 0;
}

// The number of symbols that the table of DT_GNU_HASH at offset TABLE covers. Symbols before the
// first hashed one have no entry; after it, each chain ends with an odd value.
std::size_t ElfFile::hashed_symbols(std::size_t table) const {
  struct {
    std::uint32_t buckets, first, words, shift;
  } header;
  if (!read(table, header))
    return 0;
  const std::size_t buckets = table + sizeof header + header.words * sizeof(ElfW(Addr));
  const std::size_t chains = buckets + header.buckets * sizeof(std::uint32_t);
  std::uint32_t last = 0, value;
  for (std::size_t i = 0; i < header.buckets; ++i) {
    if (!read(buckets + i * sizeof value, value))
      return 0;
    last = std::max(last, value);
  }
  if (last < header.first)
    return header.first;
  while (read(chains + (last - header.first) * sizeof value, value) && !(value & 1))
    ++last;
  return last + 1;
}

std::shared_ptr<const ElfFile::Dynamic> ElfFile::read_dynamic() const {
  auto dynamic = std::make_shared<Dynamic>();
  std::size_t at = 0, end = 0;
  each_segment([&](const Phdr &segment) {
    if (segment.p_type == PT_DYNAMIC) {
      at = segment.p_offset;
      end = at + std::min<std::size_t>(segment.p_filesz, size_);
    }
  });
  for (Dyn entry; at < end && read(at, entry) && entry.d_tag != DT_NULL; at += sizeof entry)
    dynamic->entries.push_back(entry);
  const auto offset = [&](ElfW(Sxword) tag) {
    const std::size_t address = dynamic->value(tag);
    return address ? offset_of(address) : 0;
  };
  const std::size_t strings = offset(DT_STRTAB);
  dynamic->strings = bytes(strings, std::min(dynamic->value(DT_STRSZ), size_ - strings));
  if (dynamic->value(DT_SYMENT) == sizeof(Sym))
    dynamic->symbols = offset(DT_SYMTAB);
  std::uint32_t hash[2]; // the numbers of buckets and of symbols
  if (const std::size_t table = offset(DT_GNU_HASH))
    dynamic->symbol_count = hashed_symbols(table);
  else if (const std::size_t old = offset(DT_HASH); old && read(old, hash))
    dynamic->symbol_count = hash[1];
  dynamic->versions = offset(DT_VERSYM);
  dynamic->needs = offset(DT_VERNEED);
  dynamic->need_count = dynamic->value(DT_VERNEEDNUM);
  dynamic->definitions = offset(DT_VERDEF);
  dynamic->definition_count = dynamic->value(DT_VERDEFNUM);
  return dynamic;
}

// The string that the entry with TAG names; empty if there is none.
std::string ElfFile::dynamic_string(ElfW(Sxword) tag) const {
  return has_tag(tag)
             ? std::string(string_at(dynamic_->strings, dynamic_->value(tag), longest_path))
             : std::string();
}

bool ElfFile::has_tag(ElfW(Sxword) tag) const {
  return std::any_of(dynamic_->entries.begin(), dynamic_->entries.end(),
                     [tag](const Dyn &entry) { return entry.d_tag == tag; });
}

bool ElfFile::ignores_default_directories() const {
  return dynamic_->value(DT_FLAGS_1) & DF_1_NODEFLIB;
}

// Calls BODY with each of COUNT symbols from AT on and its name until it returns true.
template <typename Body>
void ElfFile::each_symbol(std::size_t at, std::size_t count, std::string_view names,
                          Body body) const {
  Sym symbol;
  for (std::size_t i = 0; at != 0 && i < count && read(at + i * sizeof symbol, symbol); ++i) {
    const std::string_view name = string_at(names, symbol.st_name, longest_symbol);
    if (!name.empty() && body(symbol, name))
      break;
  }
}

bool ElfFile::is_shared_library() const {
  Ehdr header;
  return native() && read(0, header) && header.e_type == ET_DYN && !dynamic_->entries.empty() &&
         !(dynamic_->value(DT_FLAGS_1) & DF_1_PIE) && !interpreter();
}

std::vector<std::string> ElfFile::needed() const {
  std::vector<std::string> result;
  for (const Dyn &entry : dynamic_->entries)
    if (entry.d_tag == DT_NEEDED)
      result.emplace_back(string_at(dynamic_->strings, entry.d_un.d_val, longest_path));
  return result;
}

std::string ElfFile::soname() const { return dynamic_string(DT_SONAME); }

std::vector<std::string> ElfFile::imports() const {
  std::vector<std::string> result;
  each_symbol(dynamic_->symbols, dynamic_->symbol_count, dynamic_->strings,
              [&](const Sym &symbol, std::string_view name) {
                if (symbol.st_shndx == SHN_UNDEF)
                  result.emplace_back(name);
                return false;
              });
  return result;
}

// Calls BODY with each dynamic symbol, its name, and the number of its version in this file.
template <typename Body> void ElfFile::each_versioned_symbol(Body body) const {
  std::size_t at = dynamic_->versions;
  ElfW(Half) version;
  for (std::size_t i = 0; at != 0 && dynamic_->symbols != 0 && i < dynamic_->symbol_count; ++i) {
    Sym symbol;
    if (!read(dynamic_->symbols + i * sizeof symbol, symbol) ||
        !read(at + i * sizeof version, version))
      break;
    body(symbol, string_at(dynamic_->strings, symbol.st_name, longest_symbol),
         version & version_bits);
  }
}

// Calls BODY with the offset of each of COUNT entries of type Entry from AT on. NEXT is the member
// that says how far the next one is. LEFT is how many more entries the file has room for.
template <typename Entry, typename Next, typename Body>
void ElfFile::each_version(std::size_t at, std::size_t count, Next Entry::*next, std::size_t &left,
                           Body body) const {
  Entry entry;
  // In a damaged file an entry may be its own successor, or lie in another one.
  for (; at != 0 && count > 0 && left > 0 && read(at, entry); --count, --left, at += entry.*next) {
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
  const std::string_view text = dynamic_->strings;
  std::size_t left = size_ / sizeof(Need);
  each_version(dynamic_->needs, dynamic_->need_count, &Need::vn_next, left,
               [&](const Need &need, std::size_t at) {
                 if (string_at(text, need.vn_file, longest_path) == soname)
                   each_version(at + need.vn_aux, need.vn_cnt, &Version::vna_next, left,
                                [&](const Version &version, std::size_t) {
                                  result.emplace(version.vna_other & version_bits,
                                                 string_at(text, version.vna_name, longest_symbol));
                                });
               });
  return result;
}

// The versions that this file defines, by their numbers in it.
std::map<unsigned, std::string> ElfFile::defined_versions() const {
  using Definition = ElfW(Verdef);
  std::map<unsigned, std::string> result;
  std::size_t left = size_ / sizeof(Definition);
  each_version(dynamic_->definitions, dynamic_->definition_count, &Definition::vd_next, left,
               [&](const Definition &definition, std::size_t at) {
                 ElfW(Verdaux) name;
                 if (read(at + definition.vd_aux, name))
                   result.emplace(definition.vd_ndx & version_bits,
                                  string_at(dynamic_->strings, name.vda_name, longest_symbol));
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

// Whether SYMBOL, called NAME, is a definition of one of NAMES that other files see. Both classes
// encode the binding in the same way.
static bool defines(const Sym &symbol, std::string_view name,
                    const std::vector<std::string_view> &names) {
  return symbol.st_shndx != SHN_UNDEF && ELF64_ST_BIND(symbol.st_info) != STB_LOCAL &&
         std::find(names.begin(), names.end(), name) != names.end();
}

// The same of .symtab, to which only section headers lead.
bool ElfFile::defines_static(const std::vector<std::string_view> &names) const {
  Ehdr header;
  if (!native() || !read(0, header) || header.e_shentsize != sizeof(Shdr))
    return false;
  bool found = false;
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    Shdr section, strings;
    if (!read(header.e_shoff + i * sizeof section, section))
      break;
    if (section.sh_type != SHT_SYMTAB || section.sh_entsize != sizeof(Sym) ||
        !read(header.e_shoff + section.sh_link * sizeof strings, strings))
      continue;
    each_symbol(section.sh_offset, section.sh_size / sizeof(Sym),
                bytes(strings.sh_offset, strings.sh_size),
                [&](const Sym &symbol, std::string_view name) {
                  return found = defines(symbol, name, names);
                });
    break; // a file has one
  }
  return found;
}

bool ElfFile::defines_any(const std::vector<std::string_view> &names) const {
  bool found = false;
  each_symbol(dynamic_->symbols, dynamic_->symbol_count, dynamic_->strings,
              [&](const Sym &symbol, std::string_view name) {
                return found = defines(symbol, name, names);
              });
  return found || defines_static(names);
}

bool ElfFile::contains(std::string_view text) const {
  return memmem(data_.get(), size_, text.data(), text.size()) != nullptr;
}

std::optional<ElfFile> open_elf(const std::string &file) {
  static std::map<std::string, std::optional<ElfFile>> known;
  const auto [at, is_new] = known.try_emplace(file);
  try {
    if (is_new)
      at->second = ElfFile::open(file);
  } catch (const std::system_error &) {
    // It stays nothing.
  }
  return at->second;
}

} // namespace amp
