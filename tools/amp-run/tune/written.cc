// SPDX-License-Identifier: GPL-3.0-or-later
// Reads and hashes files.
#include "amp-run/tune/written.h"

#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace amp {

namespace {

// What is longer is compared as a whole.
constexpr std::size_t most_text = 4 << 20;

constexpr std::uint64_t basis = 0xcbf29ce484222325u;

// FNV-1a: a file made to have another's hash gains nothing.
std::uint64_t continued(std::uint64_t hash, std::string_view text) {
  for (const char byte : text)
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  return hash;
}

// The content of FILE, with at most MOST bytes of text. A pipe is not waited for.
bool read_file(const std::string &file, std::size_t most, Content &content) {
  const int opened = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status;
  const bool good = opened >= 0 && fstat(opened, &status) == 0 && S_ISREG(status.st_mode);
  std::string text;
  std::size_t size = 0;
  content.hash = basis;
  static char part[1 << 16];
  for (ssize_t count; good && (count = read(opened, part, sizeof part)) > 0;) {
    const std::string_view bytes(part, static_cast<std::size_t>(count));
    content.hash = continued(content.hash, bytes);
    size += bytes.size();
    if (size <= most)
      text += bytes;
  }
  if (opened >= 0)
    close(opened);
  if (size <= most)
    content.text = std::make_shared<const std::string>(std::move(text));
  return good;
}

} // namespace

std::uint64_t hash_of(std::string_view text) { return continued(basis, text); }

std::string hash_text(std::uint64_t hash) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

std::string hash_of_file(const std::string &file) {
  Content content;
  return read_file(file, 0, content) ? hash_text(content.hash) : "";
}

Content content_of(std::string text) {
  return {hash_of(text), std::make_shared<const std::string>(std::move(text))};
}

Content content_of_file(const std::string &file) {
  Content content;
  read_file(file, most_text, content);
  return content;
}

std::string shown_name(const std::string &name) {
  return name.empty() ? "output" : "'" + name + "'";
}

} // namespace amp
