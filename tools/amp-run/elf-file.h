// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of an ELF file that matter for preloading: its machine, loader, libraries, symbols and
// contents. As the dynamic linker does, it reads what the program headers lead to; a file needs no
// section headers.
#pragma once

#include <cstddef>
#include <elf.h>
#include <link.h>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace amp {

class ElfFile {
public:
  // Maps PATH. Returns nothing if it is not an ELF file; throws std::system_error if it cannot be
  // read. A damaged file is no error: data that it claims to have outside itself counts as absent,
  // and so do tables whose entries have another size than the format's. Memory and time are in
  // proportion to the size of the file, whatever it claims.
  static std::optional<ElfFile> open(const std::string &path);

  // Whether one process can hold both: the same class (32 or 64 bits), byte order and machine.
  bool same_machine(const ElfFile &other) const;

  // "a 64-bit ELF file for machine 62", which distinguishes two machines in a message.
  std::string machine() const;

  // The loader of a dynamically linked program (PT_INTERP). Like defines(), it reads only files
  // of the class that this program was compiled for, and finds nothing in others.
  std::optional<std::string> interpreter() const;

  // Whether it is a shared library and not a program that is linked like one (a PIE).
  bool is_shared_library() const;

  // The number by which the linker identifies this build, in hexadecimal; empty if it has none.
  std::string build_id() const;

  // The libraries that it needs (DT_NEEDED).
  std::vector<std::string> needed() const;

  // The name by which others need it (DT_SONAME); empty if it has none.
  std::string soname() const;

  // Where the libraries that it needs are looked for, as lists with colons: DT_RPATH, DT_RUNPATH.
  std::string rpath() const { return dynamic_string(DT_RPATH); }
  std::string runpath() const { return dynamic_string(DT_RUNPATH); }

  // Whether the dynamic section has an entry with TAG.
  bool has_tag(ElfW(Sxword) tag) const;

  // Whether the loader ignores its cache and its own directories for what this file needs.
  bool ignores_default_directories() const;

  // The names of dynamic symbols that other files must define.
  std::vector<std::string> imports() const;

  // What the file cannot do without of the library SONAME: dynamic symbols with their versions,
  // NAME@VERSION. Weak references are not among them.
  std::vector<std::string> imports_from(std::string_view soname) const;

  // The definitions of dynamic symbols that have a version, as NAME@VERSION.
  std::vector<std::string> versioned_definitions() const;

  // Whether the dynamic symbols or .symtab have a global or weak definition of one of NAMES.
  bool defines_any(const std::vector<std::string_view> &names) const;

  // Whether TEXT occurs anywhere in the file.
  bool contains(std::string_view text) const;

private:
  struct Header;
  struct Dynamic;
  ElfFile(std::shared_ptr<const char> data, std::size_t size);
  std::string_view bytes(std::size_t offset, std::size_t size) const;
  template <typename T> bool read(std::size_t offset, T &value) const;
  bool native() const;
  template <typename Body> void each_segment(Body body) const;
  std::size_t offset_of(std::size_t address) const;
  std::shared_ptr<const Dynamic> read_dynamic() const;
  std::size_t hashed_symbols(std::size_t table) const;
  std::string dynamic_string(ElfW(Sxword) tag) const;
  template <typename Body>
  void each_symbol(std::size_t at, std::size_t count, std::string_view names, Body body) const;
  bool defines_static(const std::vector<std::string_view> &names) const;
  template <typename Body> void each_versioned_symbol(Body body) const;
  template <typename Entry, typename Next, typename Body>
  void each_version(std::size_t at, std::size_t count, Next Entry::*next, std::size_t &left,
                    Body body) const;
  std::map<unsigned, std::string> versions_of(std::string_view soname) const;
  std::map<unsigned, std::string> defined_versions() const;

  std::shared_ptr<const char> data_; // the mapping, unmapped with the last copy
  std::size_t size_;
  std::shared_ptr<const Dynamic> dynamic_; // never null
};

// The ELF file FILE; nothing if it is none or cannot be read. Each file is opened once: what
// amp-run asks of a program and of its libraries, it asks several times.
std::optional<ElfFile> open_elf(const std::string &file);

} // namespace amp
