// SPDX-License-Identifier: GPL-3.0-or-later
// Fuzzes the file of speedup factors: its reader, what is written of what was read, and the names
// of modules in it.

#include "hold.h"
#include "messages.h"
#include "oracle.h"
#include "scratch.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <link.h>
#include <search.h>
#include <sys/stat.h>
#include <unistd.h>

extern "C" {
#include "loops/sf-lines.h"
#include "sites/sites.h"
}

namespace {

namespace fs = std::filesystem;

constexpr size_t maxLine = 4095, maxRepeated = 20000;
constexpr unsigned long long machine = 0x0123456789abcdef;

const fs::path &directory() {
  static const Scratch scratch;
  return scratch.path;
}

struct Line {
  std::map<unsigned, double> factors;
  unsigned long samples;
};

using Lines = std::map<std::string, Line>;

/// The line \p text, which is neither blank nor a comment; no name if it is malformed.
std::pair<std::string, Line> parse(const std::string &text, double max) {
  const std::pair<std::string, Line> malformed;
  if (text.size() >= maxLine || text.find('\0') != std::string::npos)
    return malformed;
  const std::string line = oracle::trim(text);
  const size_t end = std::find_if(line.begin(), line.end(), oracle::blank) - line.begin();
  const size_t comment = line.find('#', end);
  const auto factors = oracle::factors(
      oracle::trim(line.substr(end, comment == std::string::npos ? comment : comment - end)),
      0.999 / max, max);
  if (!factors)
    return malformed;
  Line out{*factors, 1};
  for (auto &each : out.factors)
    each.second = std::max(each.second, 1 / max);
  if (comment != std::string::npos) {
    const std::string rest = oracle::trim(line.substr(comment + 1));
    const size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    out.samples = oracle::number(rest.substr(0, digits), ULONG_MAX).value_or(1);
  }
  return {line.substr(0, end), out};
}

/// What \p content, a whole file, says; the number of lines that say nothing is added to \p bad.
Lines expected(const std::string &content, double max, size_t &bad) {
  Lines lines;
  auto texts = oracle::split(content, '\n');
  if (texts.back().empty())
    texts.pop_back();
  if (texts.size() < 2 || texts[0] != GOMP_AMP_SF_HEADER ||
      (texts[1] != GOMP_AMP_SF_MACHINE "0123456789abcdef" &&
       texts[1] != GOMP_AMP_SF_MACHINE "0000000000000000" &&
       texts[1] != GOMP_AMP_SF_MACHINE "any")) {
    bad++;
    return lines;
  }
  for (size_t i = 2; i < texts.size(); i++) {
    const std::string &text = texts[i];
    const size_t start = std::find_if_not(text.begin(), text.end(), oracle::blank) - text.begin();
    if (start == text.size() ? start < maxLine : start < maxLine && text[start] == '#')
      continue;
    const auto [name, line] = parse(text, max);
    if (name.empty() || !lines.emplace(name, line).second)
      bad++;
  }
  return lines;
}

Lines *collected;

void collect(const void *node, VISIT visit, int) {
  if (visit != postorder && visit != leaf)
    return;
  const auto *line = *static_cast<const struct gomp_amp_sf_line *const *>(node);
  Line out{{}, line->samples};
  for (unsigned i = 0; i < line->count; i++)
    if (line->sf[i] != 0)
      out.factors[i] = line->sf[i];
  HOLD(!out.factors.empty() && out.factors.rbegin()->first + 1 == line->count);
  HOLD(collected->emplace(line->site, out).second);
}

void release(void *item) {
  auto *line = static_cast<struct gomp_amp_sf_line *>(item);
  free(line->site);
  free(line);
}

/// What the library makes of the file \p path; written to \p copy if that is given.
Lines read(const fs::path &path, double max, const fs::path &copy = {}) {
  gomp_amp_sf_lines lines = nullptr;
  Lines out;
  gomp_amp_read_sf_lines(&lines, path.c_str(), max, machine);
  collected = &out;
  twalk(lines, collect);
  if (!copy.empty())
    gomp_amp_write_sf_lines(&lines, copy.c_str(), machine);
  tdestroy(lines, release);
  return out;
}

void holdSame(const Lines &a, const Lines &b, double max, double error) {
  HOLD(a.size() == b.size());
  for (auto one = a.begin(), two = b.begin(); one != a.end(); ++one, ++two) {
    HOLD(one->first == two->first && one->second.samples == two->second.samples);
    HOLD(one->second.factors.size() == two->second.factors.size());
    for (const auto &[cls, factor] : one->second.factors) {
      const auto other = two->second.factors.find(cls);
      HOLD(other != two->second.factors.end());
      HOLD(std::isfinite(factor) && factor >= 1 / max && factor <= max);
      HOLD(std::fabs(factor - other->second) <= error);
    }
  }
}

void regularFile(const std::string &content, double max) {
  const fs::path path = directory() / "in", copy = directory() / "out";
  std::ofstream(path, std::ios::binary) << content;
  size_t bad = 0;
  const Lines wanted = expected(content, max, bad);
  const Lines got = read(path, max, copy);
  HOLD(takeMessages().size() == std::min<size_t>(bad, 5));
  holdSame(wanted, got, max, 2e-9);
  // Six decimals are written. The second writing has nothing left to round.
  const fs::path again = directory() / "again";
  const Lines once = read(copy, max, again);
  holdSame(got, once, max, 6e-7);
  const Lines twice = read(again, max);
  holdSame(once, twice, max, 0);
  HOLD(takeMessages().empty());
}

/// A file that is none, of \p kind: it is reported, and nobody waits.
void noFile(unsigned kind) {
  const fs::path path = directory() / "odd";
  switch (kind) {
  case 0:
    mkfifo(path.c_str(), 0600);
    break;
  case 1:
    fs::create_directory(path);
    break;
  case 2:
    fs::create_symlink("odd", path);
    break;
  case 3:
    fs::create_symlink("/dev/zero", path);
    break;
  default:
    break;
  }
  HOLD(read(path, 32).empty());
  HOLD(takeMessages().size() == 1);
  struct stat status;
  if (stat(path.c_str(), &status) == 0) {
    const gomp_amp_sf_lines none = nullptr;
    const fs::file_type before = fs::symlink_status(path).type();
    gomp_amp_write_sf_lines(&none, path.c_str(), machine);
    HOLD(takeMessages().size() == 1);
    HOLD(fs::symlink_status(path).type() == before);
  }
  fs::remove(path);
}

std::string module;

std::string nameOf(const void *site) {
  char *name = gomp_amp_site_name(site);
  HOLD(name != nullptr);
  const std::string copy = name;
  free(name);
  return copy;
}

/// A loop of a module of any name is found again in a file that was written of it.
void moduleName(const std::string &name, double factor) {
  // One that has no name is the program.
  if (name.empty())
    return;
  module = name;
  const std::string site = nameOf(&module);
  for (char c : site)
    HOLD(c > ' ' && c <= '~' && c != '#');
  const double sf[] = {1, factor};
  gomp_amp_sf_lines lines = nullptr;
  HOLD(gomp_amp_add_sf_line(&lines, gomp_amp_new_sf_line(strdup(site.c_str()), 3, 2, sf)));
  const fs::path path = directory() / "modules";
  gomp_amp_write_sf_lines(&lines, path.c_str(), machine);
  tdestroy(lines, release);
  const Lines wanted = {{site, {{{0, 1}, {1, factor}}, 3}}};
  holdSame(wanted, read(path, 32), 32, 6e-7);
  HOLD(takeMessages().empty());

  // No two modules share a name: it can be read backwards.
  std::string back;
  for (size_t i = 0; i < site.rfind("+0x"); i++)
    if (site[i] == '%') {
      back += char(std::stoi(site.substr(i + 1, 2), nullptr, 16));
      i += 2;
    } else {
      back += site[i];
    }
  HOLD(back == name.substr(name.rfind('/') + 1));
}

} // namespace

extern "C" int fuzzed_dl_iterate_phdr(int (*visit)(dl_phdr_info *, size_t, void *), void *data) {
  ElfW(Phdr) segment = {};
  segment.p_type = PT_LOAD;
  segment.p_memsz = sizeof module;
  dl_phdr_info info = {};
  info.dlpi_addr = reinterpret_cast<ElfW(Addr)>(&module);
  info.dlpi_name = module.c_str();
  info.dlpi_phdr = &segment;
  info.dlpi_phnum = 1;
  return visit(&info, sizeof info, data);
}

// The first byte says what an input is: a file as it is, one without its first line, one repeated,
// the name of a module, or no file; the second one is GOMP_AMP_TEST_SF_MAX, a factor, or of which
// kind that is.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 2)
    return 0;
  const std::string content(data + 2, data + size);
  const double max = 1 + data[1] * 999 / 255;
  const std::string header = GOMP_AMP_SF_HEADER "\n" GOMP_AMP_SF_MACHINE "0123456789abcdef\n";
  switch (data[0] % 8) {
  case 0:
    regularFile(content, max);
    break;
  case 1: {
    std::string longer = header;
    for (unsigned i = 0; i < data[0] / 8 * 40u && longer.size() < maxRepeated; i++)
      longer += content;
    regularFile(longer, max);
    break;
  }
  case 2:
    noFile(data[1] % 5);
    break;
  case 3:
    moduleName(content.c_str(), data[1] < 32 ? 1. / (data[1] + 1) : data[1] / 8.);
    break;
  default:
    regularFile(header + content, max);
  }
  return 0;
}
