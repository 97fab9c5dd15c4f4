// SPDX-License-Identifier: GPL-3.0-or-later
// A manager on a simulated operating system.
#pragma once

#include "fake-linux.h"
#include "linux/manager.h"

#include <filesystem>
#include <fstream>
#include <stdlib.h>

namespace coord {

inline CpuSet set_of(const char *list) { return parse_cpu_list(list).value(); }

// A directory that is removed with it.
struct Directory {
  Directory() {
    std::string name = std::filesystem::temp_directory_path() / "live.XXXXXX";
    if (!mkdtemp(name.data()))
      throw std::runtime_error("mkdtemp");
    path = name;
  }
  ~Directory() { std::filesystem::remove_all(path); }
  void write(const std::string &name, const std::string &text) const {
    std::filesystem::create_directories((path / name).parent_path());
    std::ofstream(path / name) << text;
  }
  std::filesystem::path path;
};

// A manager of POLICY on MACHINE.
struct Live {
  explicit Live(const char *machine, const char *policy, const Parameters &parameters = {})
      : chip(chip_of(parse_machine(machine))), system(chip), journal(directory.path / "journal"),
        manager(std::make_unique<Manager>(system, chip, journal, policy, parameters)) {
    manager->message = [this](const std::string &text) { messages.push_back(text); };
  }
  pid_t run(int threads, const Profile &profile = {}) {
    const pid_t pid = system.begin(threads);
    manager->arrive({.pid = pid, .name = "p", .profile = profile});
    return pid;
  }
  void pass(Time time) {
    for (const Time end = system.now() + time; system.now() < end;) {
      manager->tick();
      system.advance(manager->period());
    }
    manager->tick();
  }
  ProgramStatus status(pid_t pid) {
    for (const ProgramStatus &each : manager->status())
      if (each.pid == pid)
        return each;
    throw std::runtime_error("no such program");
  }
  std::string cpus(pid_t pid) { return cpu_list(status(pid).cpus); }
  int replay() { return Journal::replay(directory.path / "journal", system); }

  Directory directory;
  Chip chip;
  FakeLinux system;
  Journal journal;
  std::unique_ptr<Manager> manager;
  std::vector<std::string> messages;
};

} // namespace coord
