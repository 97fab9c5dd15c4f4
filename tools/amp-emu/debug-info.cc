// SPDX-License-Identifier: GPL-3.0-or-later
// Reads line tables and calls into the OpenMP runtime with elfutils' libdw.
#include "amp-emu/debug-info.h"

#include <algorithm>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <filesystem>
#include <gelf.h>
#include <map>
#include <memory>
#include <string_view>
#include <unistd.h>

namespace amp {

namespace {

// Calls of the runtime. The calls of a loop have names such as
// GOMP_loop_nonmonotonic_runtime_start, GOMP_loop_ull_start, GOMP_loop_guided_next, ... A routed
// loop starts by a function of its own object, whose name begins with __amp_ instead of GOMP_.
enum class Call { not_openmp, other, start, next };

Call kind_of(std::string_view name) {
  const auto begins_with = [&name](std::string_view prefix) {
    return name.substr(0, prefix.size()) == prefix;
  };
  const auto ends_with = [&name](std::string_view suffix) {
    return name.size() >= suffix.size() && name.substr(name.size() - suffix.size()) == suffix;
  };
  if (begins_with("__amp_"))
    name.remove_prefix(6);
  else if (begins_with("GOMP_"))
    name.remove_prefix(5);
  else
    return Call::not_openmp;
  if (!begins_with("loop_"))
    return Call::other;
  return ends_with("_start") ? Call::start : ends_with("_next") ? Call::next : Call::other;
}

class Reader {
public:
  // The addresses in the debug information are lower than those in the file by OFFSET.
  Reader(DebugInfo &info, Dwarf_Addr offset) : info_(info), offset_(offset) {}

  void read_unit(Dwarf_Die &unit) {
    Dwarf_Lines *lines;
    std::size_t count;
    Dwarf_Attribute attribute;
    const char *const directory = dwarf_formstring(dwarf_attr(&unit, DW_AT_comp_dir, &attribute));
    if (dwarf_getsrclines(&unit, &lines, &count) == 0)
      read_rows(lines, count, directory ? directory : "");
    visit_children(unit, nullptr, -1);
  }

  void finish() {
    std::stable_sort(
        info_.rows.begin(), info_.rows.end(),
        [](const DebugInfo::Row &a, const DebugInfo::Row &b) { return a.address < b.address; });
  }

private:
  // A piece of inlined code.
  struct Scope {
    int parent; // the enclosing scope, or -1
    std::vector<AddressRange> ranges;
  };

  struct CallSite {
    Call kind;
    std::uint64_t returns_to;
    int scope;
  };

  struct Function {
    std::string name;
    std::uint64_t entry, end;
    std::vector<Scope> scopes;
    std::vector<CallSite> calls;
  };

  void read_rows(Dwarf_Lines *lines, std::size_t count, const std::filesystem::path &directory) {
    for (std::size_t i = 0; i < count; ++i) {
      Dwarf_Line *const row = dwarf_onesrcline(lines, i);
      Dwarf_Addr address;
      bool is_end;
      int line;
      const char *const name = dwarf_linesrc(row, nullptr, nullptr);
      if (name && dwarf_lineendsequence(row, &is_end) == 0 && !is_end &&
          dwarf_lineno(row, &line) == 0 && dwarf_lineaddr(row, &address) == 0)
        info_.rows.push_back({address + offset_, number_of(directory / name), line});
    }
  }

  unsigned number_of(const std::filesystem::path &name) {
    const auto [known, is_new] = numbers_.emplace(name, 0);
    if (is_new) {
      const std::string path = name.lexically_normal();
      const auto same = std::find(info_.files.begin(), info_.files.end(), path);
      known->second = static_cast<unsigned>(same - info_.files.begin());
      if (same == info_.files.end())
        info_.files.push_back(path);
    }
    return known->second;
  }

  // FUNCTION encloses the children; it is null outside of all functions with code. SCOPE is its
  // innermost scope around them, or -1.
  void visit_children(Dwarf_Die &parent, Function *function, int scope) {
    Dwarf_Die die;
    if (dwarf_child(&parent, &die) != 0)
      return;
    do {
      switch (dwarf_tag(&die)) {
      case DW_TAG_subprogram:
        visit_function(die);
        break;
      case DW_TAG_inlined_subroutine:
        if (function) {
          function->scopes.push_back({scope, ranges_of(die)});
          visit_children(die, function, static_cast<int>(function->scopes.size()) - 1);
        }
        break;
      case DW_TAG_call_site:
      case DW_TAG_GNU_call_site:
        if (function)
          visit_call(die, *function, scope);
        break;
      default:
        if (dwarf_haschildren(&die) > 0)
          visit_children(die, function, scope);
      }
    } while (dwarf_siblingof(&die, &die) == 0);
  }

  void visit_function(Dwarf_Die &die) {
    Function function;
    Dwarf_Addr entry;
    if (dwarf_entrypc(&die, &entry) != 0) {
      visit_children(die, nullptr, -1);
      return;
    }
    function.name = name_of(die);
    function.entry = function.end = entry + offset_;
    for (const AddressRange &range : ranges_of(die)) // rarely executed code may be elsewhere
      if (range.has(function.entry))
        function.end = range.end;
    visit_children(die, &function, -1);
    add_loops(function);
  }

  void visit_call(Dwarf_Die &die, Function &function, int scope) {
    Dwarf_Attribute attribute;
    Dwarf_Die callee;
    Dwarf_Addr returns_to;
    const bool is_new = dwarf_tag(&die) == DW_TAG_call_site;
    if (!dwarf_attr(&die, is_new ? DW_AT_call_origin : DW_AT_abstract_origin, &attribute) ||
        !dwarf_formref_die(&attribute, &callee) ||
        !dwarf_attr(&die, is_new ? DW_AT_call_return_pc : DW_AT_low_pc, &attribute) ||
        dwarf_formaddr(&attribute, &returns_to) != 0)
      return;
    const Call kind = kind_of(name_of(callee));
    if (kind != Call::not_openmp)
      function.calls.push_back({kind, returns_to + offset_, scope});
  }

  static std::string name_of(Dwarf_Die &die) {
    Dwarf_Attribute attribute;
    const char *name = nullptr;
    if (dwarf_attr_integrate(&die, DW_AT_linkage_name, &attribute))
      name = dwarf_formstring(&attribute);
    if (!name)
      name = dwarf_diename(&die);
    return name ? name : "";
  }

  std::vector<AddressRange> ranges_of(Dwarf_Die &die) const {
    std::vector<AddressRange> ranges;
    Dwarf_Addr base, begin, end;
    for (std::ptrdiff_t at = 0; (at = dwarf_ranges(&die, at, &base, &begin, &end)) > 0;)
      ranges.push_back({begin + offset_, end + offset_});
    return ranges;
  }

  // A loop that starts its work share itself is known by that call. A loop whose parallel region
  // started the work share is the only loop there and is known by its function.
  void add_loops(Function &function) {
    auto &calls = function.calls;
    std::sort(calls.begin(), calls.end(),
              [](const CallSite &a, const CallSite &b) { return a.returns_to < b.returns_to; });
    const auto count = [&calls](Call kind) {
      return std::count_if(calls.begin(), calls.end(),
                           [kind](const CallSite &call) { return call.kind == kind; });
    };
    const auto starts = count(Call::start);
    const AddressRange code = {function.entry, function.end};
    std::uint64_t from = function.entry;
    for (const CallSite &call : calls) {
      const AddressRange site = {call.returns_to - 1, call.returns_to};
      if (call.kind == Call::start)
        info_.loops.push_back({function.name,
                               site,
                               code,
                               {from, call.returns_to},
                               false,
                               starts == 1,
                               inlined_but(function, call.scope)});
      from = call.returns_to;
    }
    if (starts == 0 && count(Call::next) > 0)
      info_.loops.push_back({function.name,
                             {function.entry, function.entry + 1},
                             code,
                             code,
                             true,
                             true,
                             inlined_but(function, -1)});
  }

  // The inlined code in FUNCTION, except SCOPE and the scopes around it.
  static std::vector<AddressRange> inlined_but(const Function &function, int scope) {
    std::vector<bool> own(function.scopes.size());
    for (; scope >= 0; scope = function.scopes[static_cast<std::size_t>(scope)].parent)
      own[static_cast<std::size_t>(scope)] = true;
    std::vector<AddressRange> inlined;
    for (std::size_t i = 0; i < own.size(); ++i)
      if (!own[i])
        inlined.insert(inlined.end(), function.scopes[i].ranges.begin(),
                       function.scopes[i].ranges.end());
    return inlined;
  }

  DebugInfo &info_;
  const Dwarf_Addr offset_;
  std::map<std::string, unsigned> numbers_; // of files, by their names in the tables
};

} // namespace

DebugInfo read_debug_info(const std::string &path) {
  static const Dwfl_Callbacks callbacks = {dwfl_build_id_find_elf, dwfl_standard_find_debuginfo,
                                           dwfl_offline_section_address, nullptr};
  DebugInfo info;
  const std::unique_ptr<Dwfl, void (*)(Dwfl *)> session(dwfl_begin(&callbacks), dwfl_end);
  Dwfl_Module *const module = dwfl_report_offline(session.get(), "", path.c_str(), -1);
  Dwarf_Addr debug_bias, file_bias;
  if (!module || dwfl_report_end(session.get(), nullptr, nullptr) != 0 ||
      !dwfl_module_getelf(module, &file_bias))
    return info;
  Dwarf *const debug = dwfl_module_getdwarf(module, &debug_bias);
  if (!debug)
    return info;
  Reader reader(info, debug_bias - file_bias);
  Dwarf_CU *unit = nullptr;
  Dwarf_Die die;
  while (dwarf_get_units(debug, unit, &unit, nullptr, nullptr, &die, nullptr) == 0)
    reader.read_unit(die);
  reader.finish();
  return info;
}

std::uint64_t base_address(const std::string &path) {
  elf_version(EV_CURRENT);
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const std::unique_ptr<Elf, int (*)(Elf *)> elf(elf_begin(file, ELF_C_READ, nullptr), elf_end);
  std::uint64_t base = 0;
  std::size_t count = 0;
  if (elf && elf_getphdrnum(elf.get(), &count) == 0)
    for (std::size_t i = 0; i < count; ++i) {
      GElf_Phdr segment;
      if (gelf_getphdr(elf.get(), static_cast<int>(i), &segment) && segment.p_type == PT_LOAD) {
        base = segment.p_vaddr & -static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
        break; // the headers are in ascending order of addresses
      }
    }
  if (file >= 0)
    close(file);
  return base;
}

} // namespace amp
