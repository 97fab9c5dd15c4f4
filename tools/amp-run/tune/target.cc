// SPDX-License-Identifier: GPL-3.0-or-later
// Looks through commands that run another command, and scripts that do.
#include "amp-run/tune/target.h"

#include "amp-run/advice.h"
#include "amp-run/elf-file.h"
#include "amp-run/modules.h"
#include "amp-run/script.h"
#include "amp-run/tune/written.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>

namespace amp {

namespace {

// A command that runs the command in its arguments.
struct Wrapper {
  std::string_view name;
  std::string_view with_value; // its options whose value is the next word, between blanks
  std::string_view with_two;   // those with two words
  int arguments;               // its own words before the command
  bool assignments = false;    // NAME=VALUE may come before the command
  bool subcommand = false;     // its own word before its options
};

constexpr Wrapper wrappers[] = {
    {"nice", " -n --adjustment ", "", 0},
    {"ionice", " -c --class -n --classdata -P -u ", "", 0},
    {"chrt", " -T -P -D ", "", 1},
    {"env", " -u --unset -C --chdir -S --split-string ", "", 0, true},
    {"time", " -o --output -f --format ", "", 0},
    {"taskset", "", "", 1},
    {"numactl", " -N -m -C -i -p --cpunodebind --membind --physcpubind ", "", 0},
    {"timeout", " -k --kill-after -s --signal ", "", 1},
    {"stdbuf", " -i -o -e ", "", 0},
    {"nohup", "", "", 0},
    {"setsid", "", "", 0},
    {"setarch", "", "", 0},
    {"strace", " -o -e -E -p -s -u -O -S -P -a -I -b ", "", 0},
    {"gdb", " -ex -x -iex --command ", "", 0},
    {"perf", " -e --event -r --repeat -o --output -F -c -C -x -I -G ", "", 0, false, true},
    {"mpirun",
     " -n -np -c -N -x -H -host --host -hostfile --hostfile -f -machinefile --map-by --bind-to "
     "--rank-by -wdir --wdir -ppn -bind-to -map-by -hosts -envlist -output-filename "
     "--output-filename -path --path --prefix -rf --rankfile ",
     " -mca --mca -gmca --gmca -env -genv ", 0},
    {"srun", " -n -N -c -p -t -w -J -o -e -A ", "", 0},
};

std::string base_name(const std::string &file) { return file.substr(file.rfind('/') + 1); }

const Wrapper *find_wrapper(const std::string &program) {
  std::string base = base_name(program);
  if (base == "mpiexec" || base == "mpirun.openmpi" || base == "mpirun.mpich" ||
      base == "mpiexec.hydra" || base == "orterun")
    base = "mpirun";
  for (const Wrapper &wrapper : wrappers)
    if (wrapper.name == base)
      return &wrapper;
  return nullptr;
}

bool listed(std::string_view list, const std::string &word) {
  return list.find(" " + word + " ") != list.npos;
}

// What is behind COMMAND, which is one of WRAPPER; empty if nothing.
Command behind(const Wrapper &wrapper, const Command &command) {
  std::size_t at = wrapper.subcommand ? 2 : 1;
  for (; at < command.size() && command[at].size() > 1 && command[at][0] == '-'; ++at) {
    if (command[at] == "--") {
      ++at;
      break;
    }
    if (listed(wrapper.with_value, command[at]))
      ++at;
    else if (listed(wrapper.with_two, command[at]))
      at += 2;
  }
  while (wrapper.assignments && at < command.size() && command[at].find('=') != std::string::npos)
    ++at;
  at += static_cast<std::size_t>(wrapper.arguments);
  return at < command.size()
             ? Command(command.begin() + static_cast<std::ptrdiff_t>(at), command.end())
             : Command();
}

std::string absolute(const std::string &file) {
  std::error_code error;
  const auto real = std::filesystem::canonical(file, error);
  return error ? file : real.string();
}

std::optional<std::string> found(const std::string &name) {
  try {
    return find_program(name);
  } catch (const Failure &) {
    return std::nullopt;
  }
}

bool is_shell(const std::string &program) {
  const std::string base = base_name(program);
  return base == "sh" || base == "bash" || base == "dash" || base == "ksh" || base == "zsh";
}

// The word behind the one `exec` at the start of a line of the shell script FILE; empty if there is
// none, or one that the shell would expand.
std::string executed_by(const std::string &file) {
  std::ifstream stream(file);
  std::string result;
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line);
    std::string first, second;
    if (!(words >> first >> second) || first != "exec")
      continue;
    if (!result.empty() || second.find_first_of("$`'\"\\~*?<>&-") == 0 ||
        second.find_first_of("$`'\"\\*?<>&|;") != second.npos)
      return {};
    result = second;
  }
  return result;
}

bool is_interpreter(const std::string &program) {
  for (const char *const name : {"Rscript", "julia", "octave", "octave-cli", "perl", "ruby"})
    if (is_called(program, name))
      return true;
  return is_shell(program) || is_python(program);
}

// WORDS from FIRST on, as a shell reads them.
std::string joined(const Command &words, std::size_t first) {
  std::string text;
  for (std::size_t i = first; i < words.size(); ++i) {
    const bool plain = !words[i].empty() && words[i].find_first_of(" \t\n'") == std::string::npos;
    text += (i > first ? " " : "") + (plain ? words[i] : "'" + words[i] + "'");
  }
  return text;
}

// The words of CODE, a command for a shell, if that only executes a program; else empty.
Command words_of(const std::string &code) {
  if (code.find_first_of("$`'\"\\*?<>&|;()~#\n[]{}!=") != code.npos)
    return {};
  std::istringstream stream(code);
  Command words;
  for (std::string word; stream >> word;)
    words.push_back(word);
  if (words.size() > 1 && words.front() == "exec")
    words.erase(words.begin());
  return words;
}

// The file that `-m MODULE` of Python runs in this directory; empty if it is an installed one.
std::string module_file(std::string module) {
  std::replace(module.begin(), module.end(), '.', '/');
  for (const char *const end : {".py", "/__main__.py"})
    if (std::ifstream(module + end))
      return absolute(module + end);
  return {};
}

// The target of INTERPRETER with the words ARGUMENTS behind it: a script, a module of Python, or
// code in the arguments. It has no name if that is read from elsewhere.
Target script_target(const std::string &interpreter, const Command &arguments) {
  Target target;
  target.interpreter = absolute(interpreter);
  // Others start the program that interprets.
  if (is_python(interpreter) && script_program(interpreter).empty())
    target.executable = target.interpreter;
  std::size_t at = 0;
  for (; at < arguments.size(); ++at) {
    const std::string &word = arguments[at];
    if (word == "-X" || word == "-W" || word == "-o") {
      ++at;
    } else if ((word == "-m" || word == "-c" || word == "-e") && at + 1 < arguments.size()) {
      const std::string &what = arguments[++at], file = word == "-m" ? module_file(what) : "";
      target.name = file.empty() ? word + " " + what : file;
      break;
    } else if (word.size() < 2 || word[0] != '-') {
      target.name = word == "-" ? "" : absolute(word);
      break;
    }
  }
  target.arguments = joined(arguments, at + 1);
  if (is_shell(interpreter) && !target.name.empty() && target.name[0] == '/')
    target.interpreter.clear(); // whichever shell runs it
  return target;
}

// The target of COMMAND, whose first word is found as PROGRAM, if that is no wrapper. NEXT is what
// is behind it, if it is a shell script that executes one other program.
Target direct_target(const std::string &program, const Command &command, Command &next) {
  Command arguments(command.begin() + 1, command.end());
  std::string interpreter = script_program(program);
  // Also if that is a script which starts an interpreter, as those of pyenv are.
  if (is_interpreter(program))
    interpreter = program;
  else if (!interpreter.empty())
    arguments.insert(arguments.begin(), program);
  if (interpreter.empty()) {
    Target target;
    target.name = absolute(program);
    target.arguments = joined(command, 1);
    if (const auto elf = open_elf(program)) {
      target.executable = target.name;
      target.build_id = elf->build_id();
    }
    return target;
  }
  const Target target = script_target(interpreter, arguments);
  if (is_shell(interpreter) && !target.name.empty() && target.name[0] == '/')
    if (const std::string word = executed_by(target.name); !word.empty())
      next = {word};
  if (is_shell(interpreter) && target.name.compare(0, 3, "-c ") == 0)
    next = words_of(target.name.substr(3));
  return target;
}

} // namespace

std::string Target::hash() const {
  if (name.compare(0, 3, "-c ") == 0 || name.compare(0, 3, "-e ") == 0) {
    std::error_code error;
    const std::string text = std::filesystem::current_path(error).string() + "\n" + name;
    return hash_text(hash_of(text));
  }
  return name.empty() || name[0] != '/' ? "" : hash_of_file(name);
}

Target find_target(const std::string &program, const Command &command) {
  std::string file = program;
  Command rest = command;
  Target target;
  std::string through, obstacle;
  // A chain of wrappers ends; a script may execute itself.
  for (int depth = 0; depth < 16; ++depth) {
    Command next;
    if (const Wrapper *const wrapper = find_wrapper(file))
      next = behind(*wrapper, rest);
    if (base_name(file) == "env" && rest.size() > 1 &&
        listed(" - -i --ignore-environment ", rest[1]))
      obstacle = "takes the environment from the program, and with it the library; env -i amp-run "
                 "CMD leaves it";
    if (next.empty() || !found(next.front()))
      target = direct_target(file, rest, next);
    target.through = through;
    target.obstacle = obstacle;
    const auto inner = next.empty() ? std::nullopt : found(next.front());
    if (!inner)
      break;
    through = base_name(file);
    file = *inner;
    rest = next;
  }
  return target;
}

Traits traits_of(const Target &target, const std::string &library) {
  Traits traits;
  // An interpreter loads modules later.
  traits.unseen = target.executable.empty() || !target.interpreter.empty();
  if (traits.unseen)
    return traits;
  const Modules modules = modules_of(target.executable, library);
  // One without OpenMP may load what has it, or start a program.
  traits.unseen = modules.using_openmp.empty() && modules.plugins;
  for (const Module &module : modules.using_openmp) {
    traits.reachable =
        traits.reachable || module.use.routed || module.use.runtime || module.use.passed;
    traits.parallel = traits.parallel || module.use.parallel;
  }
  return traits;
}

} // namespace amp
