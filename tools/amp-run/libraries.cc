// SPDX-License-Identifier: GPL-3.0-or-later
// Follows DT_NEEDED through DT_RPATH, LD_LIBRARY_PATH, DT_RUNPATH, the cache and the loader's own
// directories.
#include "amp-run/libraries.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/auxv.h>
#include <system_error>

namespace amp {

namespace {

namespace fs = std::filesystem;

// More libraries than any program has; a hostile file may name as many as it has room for.
constexpr std::size_t most_files = 4096;

std::string real_path(const std::string &path) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  return error ? path : real.string();
}

std::string directory_of(const std::string &file) {
  const std::size_t slash = file.rfind('/');
  return slash == file.npos ? "." : file.substr(0, slash);
}

std::vector<std::string> split(const std::string &list, const char *separators) {
  std::vector<std::string> result;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find_first_of(separators, begin), list.size());
    result.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return result;
}

void replace(std::string &text, const std::string &token, const std::string &by) {
  for (const std::string &form : {"${" + token + "}", "$" + token})
    for (std::size_t at = 0; (at = text.find(form, at)) != text.npos; at += by.size())
      text.replace(at, form.size(), by);
}

struct Header {
  char magic[20];
  std::uint32_t count, string_bytes, rest[5];
};
struct Entry {
  std::int32_t flags;
  std::uint32_t name, file, os_version; // offsets from the header
  std::uint64_t processor;              // 0: any
};
constexpr std::string_view magic = "glibc-ld.so.cache1.1";

std::string text_at(std::string_view content, std::size_t offset) {
  if (offset >= content.size())
    return {};
  content = content.substr(offset, 4096);
  const std::size_t end = content.find('\0');
  return std::string(end == content.npos ? std::string_view() : content.substr(0, end));
}

const LoaderCache &system_loader_cache() {
  static const LoaderCache cache = [] {
    std::ifstream file("/etc/ld.so.cache", std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(file), {}};
    return parse_loader_cache(content);
  }();
  return cache;
}

class Search {
public:
  Search(const std::string &loader, const std::string &file, const ElfFile *elf)
      : loader_directory_(directory_of(real_path(loader))) {
    add(file, elf, none, {});
  }

  void preload(const std::string &list) {
    for (const std::string &name : split(list, " :"))
      if (!name.empty())
        find(name, 0);
  }

  LoadedFiles follow() && {
    for (std::size_t i = 0; i < files_.size(); ++i)
      for (const std::string &name : files_[i].elf->needed)
        if (const auto found = find(name, i))
          files_[i].needs.push_back(*found);
    return std::move(files_);
  }

private:
  static constexpr std::size_t none = ~std::size_t(0);

  std::size_t add(const std::string &file, const ElfFile *elf, std::size_t parent,
                  const std::string &name) {
    const std::size_t place = files_.size();
    files_.push_back({file, elf, {}});
    parents_.push_back(parent);
    paths_.emplace(real_path(file), place);
    if (!name.empty())
      names_.emplace(name, place);
    if (!elf->soname.empty())
      names_.emplace(elf->soname, place);
    return place;
  }

  // TEXT, a path of file PARENT, with the tokens of ld.so(8) replaced. The kernel starts the real
  // file of a program, so that its $ORIGIN is not that of a link.
  std::string expanded(std::string text, std::size_t parent) const {
    replace(text, "ORIGIN", directory_of(real_path(files_[parent].file)));
    const bool usr = loader_directory_.compare(0, 5, "/usr/") == 0;
    replace(text, "LIB", loader_directory_.substr(usr ? 5 : 1));
    const auto platform = reinterpret_cast<const char *>(getauxval(AT_PLATFORM));
    replace(text, "PLATFORM", platform ? platform : "");
    return text;
  }

  void append(std::vector<std::string> &directories, const std::string &list, std::size_t owner,
              const char *separators = ":") const {
    if (list.empty())
      return;
    for (const std::string &directory : split(list, separators))
      directories.push_back(directory.empty() ? "." : expanded(directory, owner));
  }

  // Where the linker looks for a library that file PARENT needs, before its cache.
  std::vector<std::string> own_directories(std::size_t parent) const {
    std::vector<std::string> result;
    const std::string &runpath = files_[parent].elf->runpath;
    if (runpath.empty())
      for (std::size_t owner = parent; owner != none; owner = parents_[owner])
        if (files_[owner].elf->runpath.empty())
          append(result, files_[owner].elf->rpath, owner);
    if (const char *const variable = std::getenv("LD_LIBRARY_PATH"))
      append(result, variable, 0, ":;");
    append(result, runpath, parent);
    return result;
  }

  // Adds FILE, which was asked for as NAME, if it is a library that the program can load.
  std::optional<std::size_t> take(const std::string &file, std::size_t parent,
                                  const std::string &name) {
    if (const auto known = paths_.find(real_path(file)); known != paths_.end())
      return known->second;
    if (const auto elf = open_elf(file);
        elf && elf->same_machine(*files_.front().elf) && files_.size() < most_files)
      return add(file, elf, parent, name);
    return std::nullopt;
  }

  std::optional<std::size_t> find(const std::string &name, std::size_t parent) {
    if (const auto known = names_.find(name); known != names_.end())
      return known->second;
    if (name.find('/') != name.npos)
      return take(expanded(name, parent), parent, name);
    std::vector<std::string> candidates;
    for (const std::string &directory : own_directories(parent))
      candidates.push_back(directory + "/" + name);
    if (!files_[parent].elf->ignores_default_directories) {
      const LoaderCache &cache = system_loader_cache();
      if (const auto cached = cache.find(name); cached != cache.end())
        candidates.insert(candidates.end(), cached->second.begin(), cached->second.end());
      for (const std::string &directory :
           {loader_directory_, std::string("/lib"), std::string("/usr/lib"), std::string("/lib64"),
            std::string("/usr/lib64")})
        candidates.push_back(directory + "/" + name);
    }
    for (const std::string &candidate : candidates)
      if (const auto found = take(candidate, parent, name))
        return found;
    return std::nullopt;
  }

  const std::string loader_directory_;
  LoadedFiles files_;
  std::vector<std::size_t> parents_; // of each file: the first one that needs it
  std::map<std::string, std::size_t> names_, paths_;
};

} // namespace

const LoadedFiles &find_libraries(const std::string &file,
                                  const std::optional<std::string> &preloads) {
  static std::map<std::pair<std::string, std::string>, LoadedFiles> known;
  const char *const variable = std::getenv("LD_PRELOAD");
  const std::string list = preloads ? *preloads : variable ? variable : "";
  const auto [at, is_new] = known.try_emplace({file, list});
  if (const ElfFile *const elf = is_new ? open_elf(file) : nullptr) {
    Search search(elf->interpreter ? *elf->interpreter : own_loader(), file, elf);
    search.preload(list);
    at->second = std::move(search).follow();
  }
  return at->second;
}

std::string own_loader() {
  std::string result;
  dl_iterate_phdr(
      [](dl_phdr_info *info, std::size_t, void *loader) { // the first one is this program
        for (int i = 0; i < info->dlpi_phnum; ++i)
          if (info->dlpi_phdr[i].p_type == PT_INTERP)
            *static_cast<std::string *>(loader) =
                reinterpret_cast<const char *>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
        return 1;
      },
      &result);
  return result;
}

LoaderCache parse_loader_cache(std::string_view content) {
  LoaderCache cache;
  // Old systems have a table in an older format before it.
  const std::size_t start = content.find(magic);
  if (start == content.npos || content.size() - start < sizeof(Header))
    return cache;
  content.remove_prefix(start);
  Header header;
  std::memcpy(&header, content.data(), sizeof header);
  const std::size_t room = (content.size() - sizeof header) / sizeof(Entry);
  for (std::size_t i = 0; i < std::min<std::size_t>(header.count, room); ++i) {
    Entry entry;
    std::memcpy(&entry, content.data() + sizeof header + i * sizeof entry, sizeof entry);
    const std::string name = text_at(content, entry.name), file = text_at(content, entry.file);
    if (entry.processor == 0 && !name.empty() && !file.empty())
      cache[name].push_back(file);
  }
  return cache;
}

} // namespace amp
