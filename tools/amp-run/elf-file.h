// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of an ELF file that matter for preloading: its machine, loader, libraries, symbols and
// contents. As the dynamic linker does, it reads what the program headers lead to; a file needs no
// section headers.
#pragma once

#include <cstddef>
#include <elf.h>
#include <link.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace amp {

// Of files of another class than this program (32 or 64 bits) the machine alone is known.
class ElfFile {
public:
  // Maps PATH. Returns nothing if it is not an ELF file; throws std::system_error if it cannot be
  // read. A damaged file is no error: data that it claims to have outside itself counts as absent,
  // and so do tables whose entries have another size than the format's. Memory and time are in
  // proportion to the size of the file, whatever it claims.
  static std::optional<ElfFile> open(const std::string &path);

  std::optional<std::string> interpreter; // the loader of a dynamically linked program (PT_INTERP)
  bool is_shared_library = false;         // and not a program that is linked like one (a PIE)
  bool ignores_default_directories = false; // and the loader's cache, for what it needs
  std::string build_id; // by which the linker identifies this build, in hexadecimal; empty: none
  std::string soname;   // the name by which others need it (DT_SONAME); empty: none
  std::vector<std::string> needed; // the libraries that it needs (DT_NEEDED)
  std::string rpath, runpath;      // where these are looked for, as lists with colons

  // Whether one process can hold both: the same class, byte order and machine.
  bool same_machine(const ElfFile &other) const;

  // "a 64-bit ELF file for machine 62", which distinguishes two machines in a message.
  std::string machine() const;

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
  // A dynamic symbol; the texts are in the file. VERSION is empty if it has none, and LIBRARY is
  // the one that the version is of, empty if it is of this file.
  struct Symbol {
    std::string_view name, version, library;
    bool defined, global, weak;
  };
  struct Dynamic;
  struct Versions;
  ElfFile(std::shared_ptr<const char> data, std::size_t size);
  std::string_view bytes(std::size_t offset, std::size_t size) const;
  template <typename T> bool read(std::size_t offset, T &value) const;
  bool native() const;
  std::size_t offset_of(std::size_t address) const;
  void read_notes(const ElfW(Phdr) & segment);
  void read_dynamic(const ElfW(Phdr) & segment);
  std::size_t hashed_symbols(std::size_t table) const;
  void read_needed_versions(const Dynamic &dynamic, Versions &versions) const;
  void read_defined_versions(const Dynamic &dynamic, Versions &versions) const;
  void read_symbols(const Dynamic &dynamic);
  std::vector<std::string> versioned(bool defined, std::string_view library) const;
  bool defines_static(const std::vector<std::string_view> &names) const;

  std::shared_ptr<const char> data_; // the mapping, unmapped with the last copy
  std::size_t size_;
  std::vector<ElfW(Phdr)> segments_;
  std::vector<Symbol> symbols_;
};

// The ELF file FILE; null if it is none or cannot be read. Each file is opened once, by whatever
// name, and stays.
const ElfFile *open_elf(const std::string &file);

} // namespace amp
