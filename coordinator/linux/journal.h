// SPDX-License-Identifier: GPL-3.0-or-later
// What was done to masks, on file, so that it can be undone when the daemon was killed.
//
// A line is written before each change: "PID TID START ORIGINAL OURS .", or "PID TID START - - ."
// when the thread has its original mask again. A line without the last word was cut off. A mask in
// the file may be one that was never set, and one that was set is always in the file. Replaying it
// changes a mask only if the thread is still that one and its mask is one of the file's. A thread
// or process that is not in the file, but whose process or parent is, may have begun with the mask
// of one of these.
#pragma once

#include "linux/system.h"

#include <map>
#include <string>
#include <vector>

namespace coord {

class Journal {
public:
  // Appends to FILE, which need not be there. Throws std::system_error.
  explicit Journal(std::string file);
  ~Journal();
  Journal(const Journal &) = delete;

  // False: nothing was written, and the mask must not be changed.
  bool set(const TaskId &task, const CpuSet &original, const CpuSet &ours);
  void done(const TaskId &task);
  // TASK seems to have ended. Its lines stay until the file is written again: they do no harm, and
  // a failure to look at a thread looks the same.
  void forget(const TaskId &task) { live_.erase(task); }

  // Undoes what FILE says. Returns how many masks were restored. The file is empty then; none at
  // all is nothing to do.
  static int replay(const std::string &file, System &system);

private:
  struct Entry {
    CpuSet original;
    std::vector<CpuSet> ours; // the last two: the change may have failed
  };
  bool write(const std::string &text);
  void compact();

  const std::string file_;
  int fd_;
  std::size_t size_ = 0, compacted_ = 0; // bytes now, and when it was last written again
  std::map<TaskId, Entry> live_;
};

} // namespace coord
