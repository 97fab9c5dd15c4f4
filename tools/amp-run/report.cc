// SPDX-License-Identifier: GPL-3.0-or-later
// Says what was found in a program and in all that it loads, or has amp-report say what was done.
#include "amp-run/report.h"

#include "amp-run/tune/tune.h"
#include "amp-run/tune/ways.h"
#include "common/child.h"
#include "common/preload.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <iostream>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

extern char **environ;

namespace amp {

namespace {

namespace fs = std::filesystem;

void show_modules(const Modules &modules, bool folds, std::ostream &stream) {
  for (const Module &module : modules.using_openmp) {
    stream << "  " << module.file << "\n";
    for (const std::string &line : describe(module.use, folds))
      stream << "    " << line << "\n";
  }
  for (const std::string &copy : modules.copies)
    stream << "  " << copy << "\n    another OpenMP runtime: a copy of libgomp that some library "
           << "bundles; it reads\n    OMP_SCHEDULE too, and complains of schedules that it does "
           << "not know\n";
}

// Reports which libgomp FILE loads with PRELOADS, without amp-run, if it loads one.
void show_without_us(const std::string &file, const std::string &preloads, std::ostream &stream) {
  for (const LoadedFile &loaded : find_libraries(file, preloads))
    if (base_name(loaded.file).compare(0, 10, "libgomp.so") == 0) {
      const bool ours = loaded.elf->defines_any({"ompx_amp_version"});
      stream << "amp-run: without amp-run it loads " << loaded.file << ", which is "
             << (ours ? "libgomp-amp too" : "not libgomp-amp") << "\n";
      return;
    }
}

// Which way PROGRAM is run, and which --tune would try. PARALLEL: it has parallel regions.
void show_decision(const Program &program, const Decision &decision, bool parallel,
                   std::ostream &stream) {
  if (decision.way)
    stream << "amp-run: " << decision.by << " decides how it is run: " << decision.way->name << ", "
           << decision.way->text << "\n";
  else if (!folds() && parallel)
    stream << "amp-run: its threads are not folded: " << decision.why_none << "\n";
  const Traits traits = program.traits();
  if (!parallel && !traits.unseen)
    return;
  try {
    if (const Machine &machine = ask_machine(); machine.uneven())
      stream << "amp-run: --tune would try " << names_of_ways(traits, machine) << "\n";
  } catch (const Failure &) {
    // Without /proc the machine is not known; all else is.
  }
}

// PLUGINS: PROGRAM may load OpenMP code later.
void show_what_is_not_seen(const Program &program, bool plugins, std::ostream &stream) {
  std::string page; // about programs that load their OpenMP code as plug-ins
  for (const std::string &file : {program.seen, program.code})
    if (page.empty())
      page = is_python(file)                                      ? "docs/guide/python.md"
             : is_called(file, "R") || is_called(file, "Rscript") ? "docs/guide/building.md"
                                                                  : "";
  if (!page.empty())
    stream << "amp-run: it loads modules later, which are not seen: give --check their .so files "
           << "as arguments, see " << page << "\n";
  else if (plugins)
    stream << "amp-run: what it loads later, by dlopen, is not seen: give --check the plug-ins' "
           << ".so files as arguments\n";
}

// Throws the failure to run PROGRAM if its code would not run on the library, which is OURS.
void refuse(const Program &program, const ElfFile *ours) {
  std::optional<std::string> why;
  if (!program.elf || !program.elf->is_shared_library)
    why = find_obstacle(program.elf ? program.code : program.seen, program.library);
  else if (ours && !ours->same_machine(*program.elf))
    why = "is " + program.elf->machine() + ", but the library is " + ours->machine();
  if (why)
    throw Failure("'" + (program.elf ? program.code : program.seen) + "' " + *why +
                  "; nothing was run");
}

// The descriptor to which the explanation goes. Opened before the program runs, so that a name that
// cannot be written costs no run.
int open_explanation(const std::string &file) {
  if (file == explain_on_stderr)
    return STDERR_FILENO;
  const int opened = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (opened < 0)
    throw Failure("--explain: '" + file + "': " + std::strerror(errno) + "; nothing was run");
  return opened;
}

std::string make_directory() {
  const char *const variable = std::getenv("TMPDIR");
  std::string name = std::string(variable && *variable ? variable : "/tmp") + "/amp-run-XXXXXX";
  if (!mkdtemp(name.data()))
    throw Failure("--explain: '" + name + "': " + std::strerror(errno) +
                  "; TMPDIR names another directory; nothing was run");
  return name;
}

bool has_reports(const std::string &directory) {
  std::error_code error;
  for (const auto &entry : fs::directory_iterator(directory, error))
    if (entry.path().extension() == ".json")
      return true;
  return false;
}

// The program was ended by SIGNAL, if that is not 0, and no process wrote a report.
void show_nothing(const std::string &program, int signal, std::ostream &stream) {
  stream << "amp-run: nothing to explain: ";
  if (signal != 0)
    stream << "'" << program << "' was ended by signal " << signal << " (" << strsignal(signal)
           << "), and its report is written when a process ends by exit or a return from main\n";
  else
    stream << "no parallel region or loop ran on libgomp-amp in '" << program
           << "' or in a process that it started, or the process ended by _exit or a signal; "
              "amp-run --check shows which OpenMP runtime it asks for\n";
}

// Has amp-report explain the reports in DIRECTORY. Returns whether it did.
bool show(const std::string &directory, const Command &command,
          const std::optional<std::string> &unfolded, const HeldSignals &signals) {
  const std::string tool = own_tool("amp-report");
  Command words = {tool, "--explain", directory};
  if (unfolded)
    words.push_back("--unfolded=" + *unfolded);
  words.push_back("--command");
  words.insert(words.end(), command.begin(), command.end());
  try {
    return run_child(tool, words, signals) == 0;
  } catch (const Failure &failure) {
    std::cerr << "amp-run: " << failure.what() << "\n";
    return false;
  }
}

// Ends this process by SIGNAL, without another core dump.
void end_by(int signal) {
  const rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

} // namespace

int check(const Program &program, const Decision &decision, const std::string &preloads,
          std::ostream &stream) {
  const ElfFile *const ours = open_elf(program.library);
  refuse(program, ours);
  if (!program.elf) {
    stream << "amp-run: '" << program.seen << "' is a script; the programs that it starts get "
           << program.library << "\n";
    return exit_unreachable;
  }
  if (program.code != program.seen)
    stream << "amp-run: '" << program.seen << "' is a script for " << program.code
           << "; the programs that it starts get the library too\n";
  Modules modules = program.modules();
  const std::size_t libraries = modules.files.size() - 1;
  bool given = false;
  for (const std::string &argument : program.command)
    if (const ElfFile *const module =
            &argument == &program.command[0] ? nullptr : open_elf(argument);
        module && module->is_shared_library && ours && ours->same_machine(*module)) {
      given = true;
      modules.add(argument, program.library);
    }
  const bool reachable = std::any_of(
      modules.using_openmp.begin(), modules.using_openmp.end(), [&](const Module &module) {
        return module.use.reachable() || (folds() && module.use.parallel);
      });
  const std::string would = std::string("would ") +
                            (program.elf->is_shared_library ? "be loaded beside " : "run with ") +
                            program.library;
  stream << "amp-run: '" << program.code << "' ";
  if (modules.using_openmp.empty())
    stream << "uses no OpenMP: neither it nor the " << libraries
           << " libraries that it loads at its start " << (given ? "nor its modules " : "")
           << "call an OpenMP runtime\n";
  else if (reachable)
    stream << would << "\n";
  else
    stream << would << ", which has nothing to schedule there: no routed loops, none with "
           << "schedule(runtime), no tasks" << (folds() ? ", no parallel regions\n" : "\n");
  show_modules(modules, folds(), stream);
  show_decision(program, decision, modules.any(&OpenMPUse::parallel), stream);
  show_without_us(program.code, preloads, stream);
  if (!given)
    show_what_is_not_seen(program, modules.plugins && !reachable, stream);
  return reachable ? exit_reachable : exit_unreachable;
}

int run_and_explain(const Program &program, const std::string &file, const Environment &before,
                    const std::optional<std::string> &unfolded, const std::string &decided) {
  int status = 0, signal = 0;
  const int explanation = open_explanation(file);
  const std::string directory = make_directory();
  std::error_code ignored;
  if (const char *const asked = std::getenv("GOMP_AMP_REPORT"))
    std::cerr << "amp-run: GOMP_AMP_REPORT=" << asked << " has no effect: --explain sets it\n";
  // Each process that the program starts has a file of its own.
  setenv("GOMP_AMP_REPORT", (directory + "/%p.json").c_str(), 1);
  {
    const HeldSignals signals;
    try {
      status = run_child(program.file, program.command, signals, &signal);
    } catch (...) {
      fs::remove_all(directory, ignored);
      throw;
    }
    std::vector<char *> variables;
    for (const std::string &variable : before)
      variables.push_back(const_cast<char *>(variable.c_str()));
    variables.push_back(nullptr);
    environ = variables.data();
    // What amp-report prints must not mix with the program's output.
    dup2(explanation, STDOUT_FILENO);
    if (!decided.empty())
      std::cout << "amp-run: " << decided << "\n";
    const bool any = has_reports(directory);
    if (!any)
      show_nothing(program.file, signal, std::cout);
    std::cout.flush();
    if (!any || show(directory, program.command, unfolded, signals))
      fs::remove_all(directory, ignored);
    else
      std::cerr << "amp-run: amp-report, which takes Python 3.9, has not explained the reports in "
                << directory << "; amp-report --explain " << directory << " does it\n";
  }
  if (signal != 0)
    end_by(signal);
  return status;
}

} // namespace amp
