// SPDX-License-Identifier: GPL-3.0-or-later
// Settings of the machine that are changed for a while, and put back whatever ends the process.
#pragma once

#include <string>
#include <vector>

namespace amp {

// A one-line file of the kernel's that can be written.
struct Setting {
  std::string file;
  std::string before; // what it says, to be put back
  std::string value;  // what it is to say meanwhile
};

// The file that keeps what is to be put back if this process cannot: below /run for root, whose
// process it usually is, else in the user's XDG_RUNTIME_DIR. Throws amp::Failure if there is none.
std::string default_state_file();

// Settings in force from construction to restore() or destruction. Before the first is changed,
// all are written to a state file; it is removed when all are back. Killed by SIGKILL, the process
// leaves that file to restore_from_state.
class SavedSettings {
public:
  // Puts SETTINGS into force, in their order. Throws amp::Failure, with nothing left changed, if
  // STATE exists or cannot be written, or if one of the files cannot.
  SavedSettings(std::vector<Setting> settings, const std::string &state);
  ~SavedSettings();
  SavedSettings(const SavedSettings &) = delete;
  SavedSettings &operator=(const SavedSettings &) = delete;

  // Puts all back, the last one first; says on stderr which could not be, and keeps STATE then.
  void restore();

private:
  std::vector<Setting> settings_;
  std::string state_;
  bool changed_ = false;
};

// Whether an earlier process that was killed left its state in the default file.
bool left_by_default();

// Puts back what STATE says, if it exists, and removes it; says on stderr what it did. Throws
// amp::Failure, and keeps STATE, if something cannot be put back.
void restore_from_state(const std::string &state);

} // namespace amp
