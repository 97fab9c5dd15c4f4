// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of an ELF file that matter for preloading: its machine, loader, libraries, symbols and
// contents.
#pragma once

#include <cstddef>
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
  // read. A damaged file is no error: data that it claims to have outside itself counts as absent.
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

  // The bytes of thread-local variables that each thread has of it (PT_TLS); 0 if it has none.
  std::size_t thread_local_size() const;

  // The libraries that it needs (DT_NEEDED).
  std::vector<std::string> needed() const;

  // The names in .dynsym that other files must define.
  std::vector<std::string> imports() const;

  // What the file cannot do without of the library SONAME: names in .dynsym with their versions,
  // NAME@VERSION. Weak references are not among them.
  std::vector<std::string> imports_from(std::string_view soname) const;

  // The definitions in .dynsym that have a version, as NAME@VERSION.
  std::vector<std::string> versioned_definitions() const;

  // Whether .dynsym or .symtab has a global or weak definition of one of NAMES.
  bool defines_any(const std::vector<std::string_view> &names) const;

  // Whether TEXT occurs anywhere in the file.
  bool contains(std::string_view text) const;

private:
  struct Header;
  ElfFile(std::shared_ptr<const char> data, std::size_t size);
  std::string_view bytes(std::size_t offset, std::size_t size) const;
  template <typename T> bool read(std::size_t offset, T &value) const;
  bool native() const;
  template <typename Body> void each_segment(Body body) const;
  template <typename Body> void each_section(Body body) const;
  template <typename Body> void each_symbol(bool dynamic_only, Body body) const;
  template <typename Body> void each_dynamic_entry(Body body) const;
  template <typename Body> void each_versioned_symbol(Body body) const;
  template <typename Entry, typename Next, typename Body>
  void each_version(std::size_t at, std::size_t count, Next Entry::*next, Body body) const;
  std::map<unsigned, std::string> versions_of(std::string_view soname) const;
  std::map<unsigned, std::string> defined_versions() const;

  std::shared_ptr<const char> data_; // the mapping, unmapped with the last copy
  std::size_t size_;
};

} // namespace amp
