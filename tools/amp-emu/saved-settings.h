// SPDX-License-Identifier: GPL-3.0-or-later
// Settings of the machine that are changed for a while and put back, however the process ends.
#pragma once

#include <string>
#include <vector>

namespace amp {

// A writable one-line file of the kernel.
struct Setting {
  std::string file;
  std::string before; // the content to put back
  std::string value;  // the content while the settings are in force
};

// The file with the settings to put back in case this process cannot: below /run for root, who
// usually runs it, else in the user's XDG_RUNTIME_DIR. Throws amp::Failure if there is none.
std::string default_state_file();

// Settings in force from construction to restore() or destruction. Before the first is changed, all
// are written to a state file. The file is removed when all are back. If SIGKILL ends the process,
// the file remains for restore_from_state.
class SavedSettings {
public:
  // Puts SETTINGS into force, in their order. Throws amp::Failure, and leaves nothing changed, if
  // STATE exists or cannot be written, or if one of the settings cannot be written.
  SavedSettings(std::vector<Setting> settings, const std::string &state);
  ~SavedSettings();
  SavedSettings(const SavedSettings &) = delete;
  SavedSettings &operator=(const SavedSettings &) = delete;

  // Puts all back, the last one first. If some cannot be put back, reports them on stderr and keeps
  // STATE.
  void restore();

private:
  std::vector<Setting> settings_;
  std::string state_;
  bool changed_ = false;
};

// Whether an earlier process that was killed left its state in the default file.
bool left_by_default();

// If STATE exists, puts back its settings and removes it. Reports on stderr what it did. Throws
// amp::Failure, and keeps STATE, if a setting cannot be put back.
void restore_from_state(const std::string &state);

} // namespace amp
