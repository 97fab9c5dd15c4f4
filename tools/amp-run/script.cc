// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the line that names a script's interpreter.
#include "amp-run/script.h"

#include "amp-run/elf-file.h"
#include "common/command.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace amp {

std::vector<std::string> script_words(const std::string &file) {
  if (open_elf(file))
    return {};
  std::ifstream stream(file, std::ios::binary);
  std::string line;
  line.resize(512); // more than the kernel reads
  stream.read(line.data(), static_cast<std::streamsize>(line.size()));
  line.resize(static_cast<std::size_t>(stream.gcount()));
  if (line.compare(0, 2, "#!") != 0)
    return {};
  line.resize(std::min(line.find('\n'), line.size()));
  std::istringstream rest(line.substr(2));
  std::vector<std::string> words;
  for (std::string word; rest >> word;)
    words.push_back(word);
  return words;
}

std::string script_program(const std::string &file) {
  const std::vector<std::string> words = script_words(file);
  if (words.empty())
    return {};
  const std::string &first = words.front();
  std::string name = first;
  if (first.substr(first.rfind('/') + 1) == "env") {
    const auto program = std::find_if(words.begin() + 1, words.end(), [](const std::string &word) {
      return word[0] != '-' && word.find('=') == word.npos;
    });
    name = program == words.end() ? std::string() : *program;
  }
  try {
    return find_program(name);
  } catch (const Failure &) {
    return {};
  }
}

} // namespace amp
