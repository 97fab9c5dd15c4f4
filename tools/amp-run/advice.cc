// SPDX-License-Identifier: GPL-3.0-or-later
// Recognizes commands that have no effect.
#include "amp-run/advice.h"

#include "amp-run/fold-value.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <unistd.h>

namespace amp {

std::optional<std::string> advice_on_schedule(const std::string &program, const Modules &modules,
                                              const std::string &value) {
  // What is loaded later is not seen, and a program without OpenMP may start others.
  if (modules.using_openmp.empty() || modules.plugins || modules.any(&OpenMPUse::routed) ||
      modules.any(&OpenMPUse::runtime) || modules.any(&OpenMPUse::passed))
    return std::nullopt;
  return "OMP_SCHEDULE=" + value + " has no effect: '" + program +
         "' has no loops with schedule(runtime) and none that amp-gcc routed; amp-run --tune "
         "finds out what it gains by, --check shows what it has";
}

std::string advice_on_missing(const Command &command, const std::string &flag) {
  const std::string &word = command.front();
  if (word.find('/') != word.npos)
    return "";
  if (flag == "fold" && !fault_of_fold(word))
    return "; --fold=" + word + " sets the number of threads";
  if (flag == "explain" && command.size() > 1)
    return "; --explain=" + word + " writes the explanation to a file";
  const bool here = std::filesystem::is_regular_file(word) && access(word.c_str(), X_OK) == 0;
  return here ? "; PATH has not this directory: './" + word + "' is here" : "";
}

bool is_called(const std::string &file, const std::string &name) {
  const std::string base = file.substr(file.rfind('/') + 1);
  return base.compare(0, name.size(), name) == 0 &&
         std::all_of(base.begin() + static_cast<std::ptrdiff_t>(name.size()), base.end(),
                     [](unsigned char c) { return std::isdigit(c) || c == '.'; });
}

bool is_python(const std::string &program) {
  return is_called(program, "python") || is_called(program, "pypy");
}

} // namespace amp
