// SPDX-License-Identifier: GPL-3.0-or-later
// Reads files of factors, and finds their loops in the program.
#include "amp-emu/loop-factors.h"

#include "amp-emu/debug-info.h"
#include "amp-emu/loop-lines.h"
#include "amp-emu/number.h"
#include "amp-run/elf-file.h"
#include "amp-run/library-search.h"

extern "C" {
#include "sites/sf-lines.h"
#include "sites/sf-list.h"
}

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace amp {

namespace {

constexpr const char *header = GOMP_AMP_SF_HEADER "\n" GOMP_AMP_SF_MACHINE "any\n";

constexpr const char *all_code = "program";

constexpr const char *accepted_site = "is neither SOURCE:LINE, such as kernels/cg.c:41, nor "
                                      "MODULE+0xOFFSET, as GOMP_AID_SF_SAVE writes it";

[[noreturn]] void reject(int number, const std::string &what, const std::string &why) {
  throw std::invalid_argument(std::to_string(number) + ": '" + what + "' " + why);
}

bool is_plain(char c) { return c > ' ' && c <= '~' && c != '#' && c != '%'; }

// The name of a file in a line of factors: characters that are not plain are written as %XX.
std::string encode(const std::string &name) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string text;
  for (const char c : name)
    if (is_plain(c))
      text += c;
    else {
      const auto byte = static_cast<unsigned char>(c);
      text += {'%', digits[byte >> 4], digits[byte & 15]};
    }
  return text;
}

std::string decode(std::string_view text) {
  std::string name;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    const std::string_view code = text.substr(i + 1, 2);
    const auto end = code.data() + code.size();
    if (text[i] == '%' && code.size() == 2 &&
        std::from_chars(code.data(), end, byte, 16).ptr == end) {
      name += static_cast<char>(byte);
      i += 2;
    } else
      name += text[i];
  }
  return name;
}

void parse_site(LoopFactors &line) {
  const std::string_view site = line.site;
  if (const std::size_t plus = site.rfind("+0x"); plus != site.npos) {
    const std::string_view digits = site.substr(plus + 3);
    const auto end = digits.data() + digits.size();
    const auto [rest, error] = std::from_chars(digits.data(), end, line.where, 16);
    if (plus == 0 || error != std::errc() || rest != end)
      reject(line.number, line.site, accepted_site);
    line.by_source = false;
    line.name = decode(site.substr(0, plus));
    return;
  }
  const std::size_t colon = site.rfind(':');
  int number = 0;
  if (colon == site.npos || colon == 0 ||
      !read_number(site.substr(colon + 1), decimal_digits, number) || number == 0)
    reject(line.number, line.site, accepted_site);
  line.by_source = true;
  line.name = decode(site.substr(0, colon));
  line.where = static_cast<std::uint64_t>(number);
}

// Reads TEXT, class:SF,..., with the library's own reader.
void parse_factors(LoopFactors &line, const std::string &text, std::size_t classes) {
  double sf[GOMP_AMP_MAX_CLASSES];
  const char *at = text.c_str();
  const int count = gomp_amp_read_sf_list(&at, min_factor, max_factor, sf);
  const std::string rest = at;
  const std::string item = rest.substr(0, rest.find(','));
  if (count == GOMP_AMP_SF_OUT_OF_RANGE)
    reject(line.number, item,
           "does not have a factor of " + format_decimal(min_factor) + " to " +
               format_decimal(max_factor));
  if (count == GOMP_AMP_SF_TWICE)
    reject(line.number, item, "names a class for the second time on this line");
  if (count < 0 || !rest.empty())
    reject(line.number, item, "is not class:SF, such as 1:2.5; they are joined by ','");
  for (unsigned core_class = 0; core_class < static_cast<unsigned>(count); ++core_class)
    if (sf[core_class] > 0)
      line.factors.emplace(core_class, sf[core_class]);
  if (static_cast<std::size_t>(count) > classes)
    reject(line.number, std::to_string(count - 1) + ":" + format_decimal(sf[count - 1]),
           classes == 1 ? "names a class that the machine does not have: its only one is 0"
                        : "names a class that the machine does not have: its classes are 0, the "
                          "slowest, to " +
                              std::to_string(classes - 1));
}

// Adds the classes of MACHINE that are missing in FACTORS.
void complete(std::map<unsigned, double> &factors, const Machine &machine) {
  const double slowest = factors.emplace(0, 1).first->second;
  for (unsigned i = 1; i < machine.size(); ++i)
    factors.emplace(i, slowest * machine[machine.size() - 1 - i].speed / machine.back().speed);
}

std::string format_factors(const std::map<unsigned, double> &factors) {
  std::string text;
  for (const auto &[core_class, factor] : factors)
    text += (text.empty() ? "" : ",") + std::to_string(core_class) + ":" + format_decimal(factor);
  return text;
}

// BYTES from the start of a module, as text.
std::string offset(std::uint64_t bytes) {
  std::ostringstream text;
  text << "+0x" << std::hex << bytes;
  return text.str();
}

std::string last_component(const std::string &path) { return path.substr(path.rfind('/') + 1); }

// Whether PATH is in a directory of the distribution's libraries, which have no loops of the user.
bool is_of_the_system(const std::string &path) {
  for (const std::string_view directory : {"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"})
    if (path.compare(0, directory.size(), directory) == 0)
      return true;
  return false;
}

// The program or one of its libraries.
struct Module {
  std::string path;            // absolute, without links
  std::set<std::string> names; // that the loader may know it by, without directories
  std::optional<DebugInfo> info;
};

class Resolver {
public:
  Resolver(const std::string &program, const std::string &library) : program_(program) {
    add(program);
    const std::optional<ElfFile> elf = ElfFile::open(program);
    is_script_ = !elf;
    const std::optional<std::string> loader = elf ? elf->interpreter() : std::nullopt;
    if (!loader)
      return;
    const std::string own = std::filesystem::canonical(library);
    for (const LoadedFile &loaded : find_libraries(*loader, program, *elf))
      if (const std::string file = std::filesystem::canonical(loaded.file);
          file != own && file != modules_.front().path)
        add(loaded.file);
  }

  // The module with this name, or at this path if NAME has a '/'; null if there is none.
  const Module *find_module(const std::string &name) {
    if (name.find('/') != name.npos) {
      std::error_code error;
      const std::filesystem::path path = std::filesystem::canonical(name, error);
      if (error)
        return nullptr;
      named_ = {path, {}, std::nullopt};
      return &named_;
    }
    for (const Module &module : modules_)
      if (module.names.count(name))
        return &module;
    return nullptr;
  }

  // Adds the loop at a line of source to RESULT.
  void resolve_source(const LoopFactors &line, ResolvedFactors &result) {
    if (is_script_)
      reject(line.number, line.site,
             "is a line of source, but '" + program_ +
                 "' is a script: give the program that it runs as CMD, or the loop as "
                 "PATH/OF/PROGRAM+0xOFFSET");
    const int wanted = static_cast<int>(line.where);
    std::map<std::string, int> found; // in each file with that name, the line of the loop
    std::set<std::string> files, all_files;
    std::set<int> all_loops;
    bool loops_known = false;
    for (Module &module : modules_) {
      const DebugInfo &info = info_of(module);
      loops_known |= !info.loops.empty();
      all_files.insert(info.files.begin(), info.files.end());
      files.merge(files_of(info, line.name));
      for (const LoopLines &loop : loops_of(info, line.name)) {
        all_loops.insert(*loop.lines.begin());
        if (const int at = line_of_loop(wanted, loop.lines, code_lines(info, loop.file))) {
          const auto known = found.emplace(loop.file, at).first;
          known->second = std::min(known->second, at);
        }
      }
    }
    if (found.empty())
      reject(line.number, line.site, why_none(loops_known, files, all_files, all_loops));
    if (found.size() > 1)
      reject(line.number, line.site,
             "is in " + found.begin()->first + " and in " + std::next(found.begin())->first +
                 "; name more of its directories");
    const auto &[file, at] = *found.begin();
    for (Module &module : modules_)
      for (const LoopLines &loop : loops_of(info_of(module), line.name))
        if (loop.file == file && loop.lines.count(at)) {
          const std::uint64_t base = base_address(module.path);
          result.text += write(module,
                               offset(loop.loop->site.begin - base) + "-" +
                                   offset(loop.loop->site.end - base).substr(1),
                               line);
          result.found.push_back(std::to_string(line.number) + ": " + line.site +
                                 " is the loop with code on line " + std::to_string(at) + ", in " +
                                 loop.loop->function);
        }
  }

  // A line for the library. PLACE follows the module's path.
  static std::string write(const Module &module, const std::string &place,
                           const LoopFactors &line) {
    return encode(module.path) + place + " " + format_factors(line.factors) + "\n";
  }

private:
  void add(const std::string &path) {
    const std::string real = std::filesystem::canonical(path);
    modules_.push_back({real, {last_component(path), last_component(real)}, std::nullopt});
  }

  static const DebugInfo &info_of(Module &module) {
    if (!module.info)
      module.info = is_of_the_system(module.path) ? DebugInfo() : read_debug_info(module.path);
    return *module.info;
  }

  // Why there is no loop at a line of source. FILES are the files that the line may be in.
  std::string why_none(bool loops_known, const std::set<std::string> &files,
                       const std::set<std::string> &all_files, const std::set<int> &loops) const {
    if (all_files.empty() || !loops_known)
      return "cannot be found: '" + program_ + "' names no loops that the runtime schedules" +
             (all_files.empty() ? "; compile it with -g"
                                : "; compile it with -g and at least -O1, and the loop with "
                                  "schedule(runtime), dynamic or guided, or by amp-gcc");
    if (files.empty())
      return "is of no file that '" + program_ + "' names, such as " + *all_files.begin() +
             "; compile all of it with -g";
    std::string lines;
    for (const int line : loops)
      lines += (lines.empty() ? "" : ", ") + std::to_string(line);
    return "is not the line of a loop that the runtime schedules (" + *files.begin() + "); " +
           (lines.empty() ? "there is none" : "such loops are near the lines " + lines) +
           ", and the line of the pragma before it stands for a loop, too";
  }

  const std::string program_;
  bool is_script_;
  std::vector<Module> modules_; // the program first
  Module named_;                // the module last found by its path
};

} // namespace

LoopFactors parse_loop_site(int number, const std::string &site) {
  LoopFactors line{};
  line.number = number;
  line.site = site;
  parse_site(line);
  return line;
}

std::vector<LoopFactors> parse_loop_factors(const std::string &text, const Machine &machine) {
  std::vector<LoopFactors> lines;
  std::set<std::tuple<bool, std::string, std::uint64_t>> seen;
  std::istringstream stream(text);
  int number = 0;
  for (std::string content; std::getline(stream, content);) {
    ++number;
    content.resize(std::min(content.find('#'), content.size()));
    std::istringstream words(content);
    std::string site, list;
    if (!(words >> site))
      continue;
    LoopFactors line{};
    if (site == all_code) {
      line.number = number;
      line.site = site;
    } else
      line = parse_loop_site(number, site);
    std::getline(words >> std::ws, list);
    list.resize(list.find_last_not_of(" \t\r\v\f") + 1);
    parse_factors(line, list, machine.size());
    complete(line.factors, machine);
    for (const auto &[core_class, factor] : line.factors)
      if (factor > max_factor)
        reject(number, line.site,
               "gives class " + std::to_string(core_class) +
                   " no factor, and the machine's speeds give it more than " +
                   format_decimal(max_factor) + "; name one");
    if (!seen.emplace(line.by_source, line.name, line.where).second)
      reject(number, line.site, "has a line already");
    lines.push_back(line);
  }
  return lines;
}

ResolvedFactors resolve_loop_factors(const std::vector<LoopFactors> &lines,
                                     const std::string &program, const std::string &library) {
  Resolver resolver(program, library);
  ResolvedFactors result;
  result.text = header;
  const LoopFactors *unknown = nullptr;
  for (const LoopFactors &line : lines) {
    if (line.name.empty()) {
      result.text += all_code + (" " + format_factors(line.factors)) + "\n";
      continue;
    }
    if (line.by_source) {
      resolver.resolve_source(line, result);
      continue;
    }
    if (const Module *const module = resolver.find_module(line.name)) {
      result.text += Resolver::write(*module, offset(line.where), line);
    } else if (!unknown)
      unknown = &line;
  }
  if (unknown) {
    const std::string why = "is of a module that '" + program +
                            "' does not load at its start; give MODULE as a path with a '/' if it "
                            "is loaded later";
    if (result.text == header)
      reject(unknown->number, unknown->site, why);
    result.warning = std::to_string(unknown->number) + ": '" + unknown->site + "' " + why;
  }
  return result;
}

} // namespace amp
