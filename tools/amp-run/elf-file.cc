// SPDX-License-Identifier: GPL-3.0-or-later
// Reads ELF headers and symbol tables from a mapped file, with every access bounds-checked.
#include "amp-run/elf-file.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <link.h>
#include <map>
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

// The string at OFFSET of TEXT, a table of strings; empty if it is longer than LIMIT.
static std::string_view string_at(std::string_view text, std::size_t offset,
                                  std::size_t limit = longest_symbol) {
  if (offset >= text.size())
    return {};
  text = text.substr(offset, limit);
  const std::size_t end = text.find('\0');
  return end == text.npos ? std::string_view() : text.substr(0, end);
}

// What PT_DYNAMIC has.
struct ElfFile::Dynamic {
  std::vector<Dyn> entries;
  std::string_view strings;

  std::size_t value(ElfW(Sxword) tag) const {
    const auto entry = std::find_if(entries.begin(), entries.end(),
                                    [tag](const Dyn &any) { return any.d_tag == tag; });
    return entry == entries.end() ? 0 : entry->d_un.d_val;
  }
  std::string text(std::size_t offset) const {
    return std::string(offset ? string_at(strings, offset, longest_path) : "");
  }
};

// The versions of symbols, by their numbers in the file: the library, if it is another one, and the
// name. LEFT is how many more entries the file has room for: in a damaged one an entry may be its
// own successor, or lie in another one.
struct ElfFile::Versions {
  std::map<unsigned, std::pair<std::string_view, std::string_view>> by_number;
  std::size_t left;
};

ElfFile::ElfFile(std::shared_ptr<const char> data, std::size_t size)
    : data_(std::move(data)), size_(size) {
  Ehdr header;
  if (!native() || !read(0, header) || header.e_phentsize != sizeof(Phdr))
    return;
  Phdr one;
  for (std::size_t i = 0; i < header.e_phnum && read(header.e_phoff + i * sizeof one, one); ++i)
    segments_.push_back(one);
  bool dynamic = false;
  for (const Phdr &segment : segments_)
    if (segment.p_type == PT_INTERP && !interpreter) {
      if (const std::string_view path = bytes(segment.p_offset, segment.p_filesz); !path.empty())
        interpreter = std::string(path.substr(0, path.find('\0')));
    } else if (segment.p_type == PT_NOTE && build_id.empty()) {
      read_notes(segment);
    } else if (segment.p_type == PT_DYNAMIC && !dynamic) {
      dynamic = true;
      read_dynamic(segment);
    }
  is_shared_library = is_shared_library && header.e_type == ET_DYN && !interpreter;
}

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

// Class and byte order, and the machine, are at the same places in both classes.
bool ElfFile::same_machine(const ElfFile &other) const {
  return !bytes(18, 2).empty() && bytes(EI_CLASS, 2) == other.bytes(EI_CLASS, 2) &&
         bytes(18, 2) == other.bytes(18, 2);
}

std::string ElfFile::machine() const {
  const std::string_view two = bytes(18, 2);
  const bool big_endian = data_.get()[EI_DATA] == ELFDATA2MSB;
  unsigned number = 0;
  for (std::size_t i = 0; i < two.size(); ++i)
    number = number * 256 + static_cast<unsigned char>(two[big_endian ? i : 1 - i]);
  return std::string("a ") + (data_.get()[EI_CLASS] == ELFCLASS32 ? "32" : "64") +
         "-bit ELF file for machine " + std::to_string(number);
}

bool ElfFile::native() const {
  constexpr bool big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
  return data_.get()[EI_CLASS] == (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) &&
         data_.get()[EI_DATA] == (big_endian ? ELFDATA2MSB : ELFDATA2LSB);
}

void ElfFile::read_notes(const Phdr &segment) {
  const std::size_t end = segment.p_offset + std::min<std::size_t>(segment.p_filesz, size_);
  ElfW(Nhdr) note;
  for (std::size_t at = segment.p_offset; at < end && read(at, note);) {
    const std::size_t name = at + sizeof note, text = name + (note.n_namesz + 3u) / 4 * 4;
    at = text + (note.n_descsz + 3u) / 4 * 4;
    if (note.n_type != NT_GNU_BUILD_ID || note.n_descsz > 64 ||
        bytes(name, 4) != std::string_view("GNU", 4))
      continue;
    for (const char byte : bytes(text, note.n_descsz))
      for (const unsigned digit : {static_cast<unsigned char>(byte) / 16u, byte & 15u})
        build_id += "0123456789abcdef"[digit];
    return;
  }
}

// Where the file has what is at ADDRESS in memory; 0 if nowhere.
std::size_t ElfFile::offset_of(std::size_t address) const {
  for (const Phdr &segment : segments_)
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
        address - segment.p_vaddr < segment.p_filesz) {
      const std::size_t result = segment.p_offset + (address - segment.p_vaddr);
      return result < size_ ? result : 0;
    }
  return 0;
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

void ElfFile::read_dynamic(const Phdr &segment) {
  Dynamic dynamic;
  const std::size_t end = segment.p_offset + std::min<std::size_t>(segment.p_filesz, size_);
  Dyn entry;
  for (std::size_t at = segment.p_offset; at < end && read(at, entry) && entry.d_tag != DT_NULL;
       at += sizeof entry)
    dynamic.entries.push_back(entry);
  const std::size_t strings = offset_of(dynamic.value(DT_STRTAB));
  if (strings)
    dynamic.strings = bytes(strings, std::min(dynamic.value(DT_STRSZ), size_ - strings));
  for (const Dyn &any : dynamic.entries)
    if (any.d_tag == DT_NEEDED)
      needed.push_back(dynamic.text(any.d_un.d_val));
  soname = dynamic.text(dynamic.value(DT_SONAME));
  rpath = dynamic.text(dynamic.value(DT_RPATH));
  runpath = dynamic.text(dynamic.value(DT_RUNPATH));
  const std::size_t flags = dynamic.value(DT_FLAGS_1);
  ignores_default_directories = flags & DF_1_NODEFLIB;
  is_shared_library = !dynamic.entries.empty() && !(flags & DF_1_PIE);
  read_symbols(dynamic);
}

void ElfFile::read_needed_versions(const Dynamic &dynamic, Versions &versions) const {
  ElfW(Verneed) need;
  ElfW(Vernaux) version;
  std::size_t at = offset_of(dynamic.value(DT_VERNEED)), count = dynamic.value(DT_VERNEEDNUM);
  for (; at && count-- && versions.left && read(at, need); at += need.vn_next) {
    --versions.left;
    const std::string_view library = string_at(dynamic.strings, need.vn_file, longest_path);
    std::size_t inner = at + need.vn_aux, number = need.vn_cnt;
    for (; number-- && versions.left && read(inner, version); inner += version.vna_next) {
      --versions.left;
      versions.by_number.try_emplace(version.vna_other & version_bits, library,
                                     string_at(dynamic.strings, version.vna_name));
      if (version.vna_next < sizeof version)
        break;
    }
    if (need.vn_next < sizeof need)
      break;
  }
}

void ElfFile::read_defined_versions(const Dynamic &dynamic, Versions &versions) const {
  ElfW(Verdef) definition;
  ElfW(Verdaux) name;
  std::size_t at = offset_of(dynamic.value(DT_VERDEF)), count = dynamic.value(DT_VERDEFNUM);
  for (; at && count-- && versions.left && read(at, definition); at += definition.vd_next) {
    --versions.left;
    if (read(at + definition.vd_aux, name))
      versions.by_number.try_emplace(definition.vd_ndx & version_bits, std::string_view(),
                                     string_at(dynamic.strings, name.vda_name));
    if (definition.vd_next < sizeof definition)
      break;
  }
}

void ElfFile::read_symbols(const Dynamic &dynamic) {
  const std::size_t at = offset_of(dynamic.value(DT_SYMTAB));
  const std::size_t numbers = offset_of(dynamic.value(DT_VERSYM));
  if (!at || dynamic.value(DT_SYMENT) != sizeof(Sym))
    return;
  std::size_t count = 0;
  std::uint32_t hash[2]; // the numbers of buckets and of symbols
  if (const std::size_t table = offset_of(dynamic.value(DT_GNU_HASH)))
    count = hashed_symbols(table);
  else if (const std::size_t old = offset_of(dynamic.value(DT_HASH)); old && read(old, hash))
    count = hash[1];
  Versions versions{{}, size_ / sizeof(ElfW(Verneed))};
  read_defined_versions(dynamic, versions);
  read_needed_versions(dynamic, versions);
  Sym symbol;
  for (std::size_t i = 0; i < count && read(at + i * sizeof symbol, symbol); ++i) {
    ElfW(Half) number;
    const auto version = numbers && read(numbers + i * sizeof number, number)
                             ? versions.by_number.find(number & version_bits)
                             : versions.by_number.end();
    const auto [library, text] = version == versions.by_number.end()
                                     ? std::pair<std::string_view, std::string_view>()
                                     : version->second;
    const auto binding = ELF64_ST_BIND(symbol.st_info); // both classes encode it alike
    if (const auto name = string_at(dynamic.strings, symbol.st_name); !name.empty())
      symbols_.push_back({name, text, library, symbol.st_shndx != SHN_UNDEF, binding != STB_LOCAL,
                          binding == STB_WEAK});
  }
}

std::vector<std::string> ElfFile::imports() const {
  std::vector<std::string> result;
  for (const Symbol &symbol : symbols_)
    if (!symbol.defined)
      result.emplace_back(symbol.name);
  return result;
}

// The symbols with a version of LIBRARY that are DEFINED, or else needed.
std::vector<std::string> ElfFile::versioned(bool defined, std::string_view library) const {
  std::vector<std::string> result;
  for (const Symbol &symbol : symbols_)
    if (symbol.defined == defined && (defined || !symbol.weak) && !symbol.version.empty() &&
        symbol.library == library)
      result.push_back(std::string(symbol.name) + "@" + std::string(symbol.version));
  return result;
}

std::vector<std::string> ElfFile::imports_from(std::string_view soname) const {
  return versioned(false, soname);
}

std::vector<std::string> ElfFile::versioned_definitions() const { return versioned(true, {}); }

static bool has(const std::vector<std::string_view> &names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Whether .symtab, to which only section headers lead, has what defines_any looks for.
bool ElfFile::defines_static(const std::vector<std::string_view> &names) const {
  Ehdr header;
  Shdr section, strings;
  if (!native() || !read(0, header) || header.e_shentsize != sizeof(Shdr))
    return false;
  for (std::size_t i = 0; i < header.e_shnum && read(header.e_shoff + i * sizeof section, section);
       ++i) {
    if (section.sh_type != SHT_SYMTAB || section.sh_entsize != sizeof(Sym) ||
        !read(header.e_shoff + section.sh_link * sizeof strings, strings))
      continue;
    const std::string_view text = bytes(strings.sh_offset, strings.sh_size);
    Sym symbol;
    for (std::size_t n = 0;
         n < section.sh_size / sizeof symbol && read(section.sh_offset + n * sizeof symbol, symbol);
         ++n)
      if (symbol.st_shndx != SHN_UNDEF && ELF64_ST_BIND(symbol.st_info) != STB_LOCAL &&
          has(names, string_at(text, symbol.st_name)))
        return true;
    return false; // a file has one
  }
  return false;
}

bool ElfFile::defines_any(const std::vector<std::string_view> &names) const {
  return std::any_of(symbols_.begin(), symbols_.end(),
                     [&](const Symbol &symbol) {
                       return symbol.defined && symbol.global && has(names, symbol.name);
                     }) ||
         defines_static(names);
}

bool ElfFile::contains(std::string_view text) const {
  return memmem(data_.get(), size_, text.data(), text.size()) != nullptr;
}

const ElfFile *open_elf(const std::string &file) {
  static std::map<std::string, std::optional<ElfFile>> known;
  std::error_code error;
  const std::string real = std::filesystem::weakly_canonical(file, error);
  const auto [at, is_new] = known.try_emplace(error ? file : real);
  try {
    if (is_new)
      at->second = ElfFile::open(file);
  } catch (const std::system_error &) {
    // It stays nothing.
  }
  return at->second ? &*at->second : nullptr;
}

} // namespace amp
