// SPDX-License-Identifier: GPL-3.0-or-later
// Reads files of factors, and finds their loops in the program.
#include "amp-emu/loop-factors.h"

#include "amp-emu/number.h"
#include "amp-run/modules.h"

extern "C" {
#include "loops/sf-lines.h"
#include "options/sf-list.h"
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

constexpr const char *accepted_site = "is not MODULE+0xOFFSET, as GOMP_AID_SF_SAVE writes it";

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
  const std::size_t plus = site.rfind("+0x");
  if (plus == site.npos || plus == 0)
    reject(line.number, line.site, accepted_site);
  const std::string_view digits = site.substr(plus + 3);
  const auto end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, line.where, 16);
  if (error != std::errc() || rest != end)
    reject(line.number, line.site, accepted_site);
  line.name = decode(site.substr(0, plus));
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

// The program or one of its libraries.
struct CodeFile {
  std::string path;            // absolute, without links
  std::set<std::string> names; // that the loader may know it by, without directories
};

class Resolver {
public:
  Resolver(const std::string &program, const std::string &library) {
    add(program);
    const std::string own = std::filesystem::canonical(library);
    for (const LoadedFile &loaded : find_libraries(program))
      if (const std::string file = std::filesystem::canonical(loaded.file);
          file != own && file != modules_.front().path)
        add(loaded.file);
  }

  // The module with this name, or at this path if NAME has a '/'; null if there is none.
  const CodeFile *find_module(const std::string &name) {
    if (name.find('/') != name.npos) {
      std::error_code error;
      const std::filesystem::path path = std::filesystem::canonical(name, error);
      if (error)
        return nullptr;
      named_ = {path, {}};
      return &named_;
    }
    for (const CodeFile &module : modules_)
      if (module.names.count(name))
        return &module;
    return nullptr;
  }

  // A line for the library.
  static std::string write(const CodeFile &module, const LoopFactors &line) {
    return encode(module.path) + offset(line.where) + " " + format_factors(line.factors) + "\n";
  }

private:
  void add(const std::string &path) {
    const std::string real = std::filesystem::canonical(path);
    modules_.push_back({real, {last_component(path), last_component(real)}});
  }

  std::vector<CodeFile> modules_; // the program first
  CodeFile named_;                // the module last found by its path
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
  std::set<std::pair<std::string, std::uint64_t>> seen;
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
    if (!seen.emplace(line.name, line.where).second)
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
    if (const CodeFile *const module = resolver.find_module(line.name))
      result.text += Resolver::write(*module, line);
    else if (!unknown)
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
