// SPDX-License-Identifier: GPL-3.0-or-later
// Changes the machine's settings, keeps the earlier ones, and puts them back.
#include "amp-emu/saved-settings.h"

#include "common/command.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

namespace amp {

namespace {

// Writes TEXT to FILE in one call, which the kernel's files require. Returns 0, or errno.
int write_file(const std::string &file, const std::string &text, int flags, mode_t mode = 0) {
  const int descriptor = open(file.c_str(), O_WRONLY | O_CLOEXEC | flags, mode);
  if (descriptor < 0)
    return errno;
  errno = EIO; // for a short write
  const bool written =
      write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int error = written ? 0 : errno;
  return close(descriptor) != 0 && !error ? errno : error;
}

int set(const std::string &file, const std::string &value) {
  return write_file(file, value + "\n", O_TRUNC);
}

bool exists(const std::string &file) {
  struct stat status;
  return lstat(file.c_str(), &status) == 0;
}

// The default state file, or nothing if there is no place for it.
std::string usual_state_file() {
  constexpr const char *name = "/amp-emu-cpufreq.json";
  if (geteuid() == 0)
    return std::string("/run") + name;
  const char *const directory = std::getenv("XDG_RUNTIME_DIR");
  return directory && directory[0] == '/' ? std::string(directory) + name : "";
}

std::string restore_hint(const std::string &state) {
  return "amp-emu cpufreq --restore --state " + state;
}

// Puts SETTINGS back, the last one first. Reports the failures and returns their number.
int put_back(const std::vector<Setting> &settings) {
  int failures = 0;
  for (auto setting = settings.rbegin(); setting != settings.rend(); ++setting)
    if (const int error = set(setting->file, setting->before)) {
      std::cerr << "amp-emu: cpufreq: " << setting->file << " cannot be set back to "
                << setting->before << ": " << std::strerror(error) << "\n";
      ++failures;
    }
  return failures;
}

void write_state(const std::vector<Setting> &settings, const std::string &state) {
  nlohmann::ordered_json saved = {{"pid", getpid()}, {"settings", nlohmann::ordered_json::array()}};
  for (const Setting &setting : settings)
    saved["settings"].push_back({{"file", setting.file}, {"before", setting.before}});
  // Renamed into place, so that no process sees a part of it.
  const std::string draft = state + ".new";
  unlink(draft.c_str());
  int error = write_file(draft, saved.dump(2) + "\n", O_CREAT | O_EXCL, 0600);
  if (!error && rename(draft.c_str(), state.c_str()) != 0)
    error = errno;
  if (error) {
    unlink(draft.c_str());
    throw Failure("cpufreq: " + state +
                  ", which keeps the frequencies to put back, cannot be "
                  "written: " +
                  std::strerror(error) + "; nothing was run");
  }
}

} // namespace

std::string default_state_file() {
  const std::string file = usual_state_file();
  if (file.empty())
    throw Failure("cpufreq: no place to keep the frequencies to put back: this is not root, and "
                  "XDG_RUNTIME_DIR is not set; name a file with --state; nothing was run");
  return file;
}

bool left_by_default() {
  const std::string file = usual_state_file();
  return !file.empty() && exists(file);
}

SavedSettings::SavedSettings(std::vector<Setting> settings, const std::string &state)
    : settings_(std::move(settings)), state_(state) {
  if (exists(state_)) // the current settings are that process's, not those to go back to
    throw Failure("cpufreq: an earlier amp-emu cpufreq was killed and left CPUs capped (" + state_ +
                  "): run " + restore_hint(state_) + "; nothing was run");
  if (settings_.empty())
    return;
  write_state(settings_, state_);
  changed_ = true;
  for (auto setting = settings_.begin(); setting != settings_.end(); ++setting)
    if (const int error = set(setting->file, setting->value)) {
      const std::string message = "cpufreq: " + setting->file + " cannot be set to " +
                                  setting->value + ": " + std::strerror(error) +
                                  (error == EACCES || error == EPERM ? " (this needs root)" : "") +
                                  "; nothing was run";
      settings_.erase(setting, settings_.end());
      restore();
      throw Failure(message);
    }
}

SavedSettings::~SavedSettings() { restore(); }

void SavedSettings::restore() {
  if (!changed_)
    return;
  changed_ = false;
  if (put_back(settings_) == 0)
    unlink(state_.c_str());
  else
    std::cerr << "amp-emu: cpufreq: when that can be written, run " << restore_hint(state_) << "\n";
}

void restore_from_state(const std::string &state) {
  if (!exists(state)) {
    std::cerr << "amp-emu: cpufreq: nothing to restore (there is no " << state << ")\n";
    return;
  }
  std::vector<Setting> settings;
  try {
    const auto saved = nlohmann::json::parse(std::ifstream(state));
    for (const auto &setting : saved.at("settings"))
      settings.push_back({setting.at("file"), setting.at("before"), ""});
  } catch (const nlohmann::json::exception &error) {
    throw Failure("cpufreq: " + state + " is not a state file: " + error.what() +
                  "; nothing was restored");
  }
  if (put_back(settings) > 0)
    throw Failure("cpufreq: " + state + " is kept for another attempt");
  unlink(state.c_str());
  for (const Setting &setting : settings)
    std::cerr << "amp-emu: cpufreq: " << setting.file << " is " << setting.before << " again\n";
}

} // namespace amp
