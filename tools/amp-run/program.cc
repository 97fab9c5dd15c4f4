// SPDX-License-Identifier: GPL-3.0-or-later
// Looks through commands that run another command, and scripts that do, and for what keeps a
// program from using a preloaded libgomp.
#include "amp-run/program.h"

#include "amp-run/tune/compare.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <system_error>
#include <unistd.h>

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

// The interpreter in the first line of FILE and its arguments; empty if FILE is not a script with
// such a line.
Command script_words(const std::string &file) {
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
  Command words;
  for (std::string word; rest >> word;)
    words.push_back(word);
  return words;
}

// The program that runs the script FILE: its interpreter, or the program that env(1) looks up for
// it. Empty if FILE is not a script or the program is not found.
std::string script_program(const std::string &file) {
  const Command words = script_words(file);
  if (words.empty())
    return {};
  if (base_name(words.front()) != "env")
    return found(words.front()).value_or("");
  const auto program = std::find_if(words.begin() + 1, words.end(), [](const std::string &word) {
    return word[0] != '-' && word.find('=') == word.npos;
  });
  return program == words.end() ? "" : found(*program).value_or("");
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
      target.build_id = elf->build_id;
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

// Whether executing FILE changes the process's privileges. The loader then drops LD_PRELOAD entries
// with a '/' in them. The rules are those of execve(2) and capabilities(7).
bool gains_privileges(const std::string &file) {
  struct stat status;
  struct statvfs filesystem;
  if (stat(file.c_str(), &status) != 0 || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ||
      (statvfs(file.c_str(), &filesystem) == 0 && (filesystem.f_flag & ST_NOSUID)))
    return false;
  const mode_t setgid = S_ISGID | S_IXGRP;
  return ((status.st_mode & S_ISUID) && status.st_uid != getuid()) ||
         ((status.st_mode & setgid) == setgid && status.st_gid != getgid()) ||
         (getuid() != 0 && getxattr(file.c_str(), "security.capability", nullptr, 0) > 0);
}

constexpr const char *static_obstacle =
    "is statically linked, so nothing can be preloaded into it; link it dynamically";

// Which functions FILES need of libgomp and OURS does not have, as NAME@VERSION; a few of them, and
// how many more there are.
std::string missing_functions(const LoadedFiles &files, const ElfFile &ours) {
  const std::vector<std::string> defined = ours.versioned_definitions();
  const std::set<std::string> have(defined.begin(), defined.end());
  std::set<std::string> missing;
  for (const LoadedFile &loaded : files)
    for (const std::string &name : loaded.elf->imports_from("libgomp.so.1"))
      if (!have.count(name))
        missing.insert(name);
  std::string result;
  std::size_t shown = 0;
  for (auto name = missing.begin(); name != missing.end() && shown < 3; ++name, ++shown)
    result += (shown ? ", " : "") + *name;
  if (missing.size() > shown)
    result += " and " + std::to_string(missing.size() - shown) + " more";
  return result;
}

// Why OURS cannot be loaded by LOADER together with FILES; empty if it can. A C library has one
// loader, and another C library's does not know what ours needs.
std::string why_not_loaded(const std::string &loader, const LoadedFiles &files,
                           const ElfFile &ours) {
  const ElfFile *const theirs = open_elf(loader), *const own = open_elf(own_loader());
  if (!theirs || (own && theirs->soname != own->soname))
    return "it is not that of libgomp-amp's C library";
  std::set<std::string> have;
  for (const LoadedFile &loaded : files)
    if (loaded.elf->soname == "libc.so.6")
      for (const std::string &name : loaded.elf->versioned_definitions())
        have.insert(name);
  for (const std::string &name : ours.imports_from("libc.so.6"))
    if (!have.count(name))
      return "its C library has no " + name;
  return {};
}

// The obstacles in what LOADER would load for PROGRAM.
std::optional<std::string> find_loader_obstacle(const std::string &loader,
                                                const std::string &program, const ElfFile &ours) {
  if (access(loader.c_str(), X_OK) != 0)
    return "names the loader " + loader + ", which does not start (" + std::strerror(errno) +
           "); it cannot run on this machine";
  const LoadedFiles &files = find_libraries(program);
  for (const LoadedFile &loaded : files)
    if (const std::string_view owner = other_runtime_owner(loaded.file); !owner.empty())
      return "loads another OpenMP runtime, " + std::string(owner) + "'s " + loaded.file +
             "; compile it, or the library that needs that, with GCC or amp-gcc";
  if (const std::string missing = missing_functions(files, ours); !missing.empty())
    return "needs functions of libgomp that the library does not have: " + missing +
           "; compile it without what calls them, or with an older GCC";
  if (const std::string why = why_not_loaded(loader, files, ours); !why.empty())
    return "does not get the library from its loader " + loader + " (" + why +
           "); run it on the machine and C library that libgomp-amp was built for";
  return std::nullopt;
}

} // namespace

std::string base_name(const std::string &file) { return file.substr(file.rfind('/') + 1); }

bool is_called(const std::string &file, const std::string &name) {
  const std::string base = base_name(file);
  return base.compare(0, name.size(), name) == 0 &&
         std::all_of(base.begin() + static_cast<std::ptrdiff_t>(name.size()), base.end(),
                     [](unsigned char c) { return std::isdigit(c) || c == '.'; });
}

bool is_python(const std::string &program) {
  return is_called(program, "python") || is_called(program, "pypy");
}

// Other OpenMP runtimes than libgomp: the stem of the library's file name, and the owner.
static constexpr struct {
  std::string_view stem, owner;
} other_runtimes[] = {
    {"libomp", "LLVM"},         {"libomp5", "LLVM"},     {"libiomp5", "Intel"},
    {"libiompstubs5", "Intel"}, {"libnvomp", "NVIDIA"},  {"libpgmp", "PGI"},
    {"libcraymp", "Cray"},      {"libfjomp", "Fujitsu"}, {"libxlsmp", "IBM"},
    {"libmtsk", "Oracle"},
};

std::string_view other_runtime_owner(std::string_view file) {
  const std::string_view name = file.substr(file.rfind('/') + 1);
  for (const auto &runtime : other_runtimes) {
    if (name.substr(0, runtime.stem.size()) != runtime.stem)
      continue;
    // Python wheels put a hash between stem and suffix: libomp-a1b2c3d4.so.5
    const std::string_view rest = name.substr(runtime.stem.size());
    if (rest.substr(0, 3) == ".so" || (rest[0] == '-' && rest.find(".so") != rest.npos))
      return runtime.owner;
  }
  return {};
}

std::string Target::hash() const {
  if (name.compare(0, 3, "-c ") == 0 || name.compare(0, 3, "-e ") == 0) {
    std::error_code error;
    const std::string text = std::filesystem::current_path(error).string() + "\n" + name;
    return hash_text(hash_of(text));
  }
  return name.empty() || name[0] != '/' ? "" : hash_of_file(name);
}

Program::Program(const Command &words, std::string ours, bool library_allowed)
    : command(words), library(std::move(ours)) {
  const std::string &name = command.front();
  const ElfFile *const given =
      library_allowed && name.find('/') != name.npos ? open_elf(name) : nullptr;
  file = given && given->is_shared_library ? name : find_program(name);
  std::string inner = file, behind_it, why;
  Command rest = command;
  // A chain of wrappers ends; a script may execute itself.
  for (int depth = 0; depth < 16; ++depth) {
    Command next;
    if (const Wrapper *const wrapper = find_wrapper(inner))
      next = behind(*wrapper, rest);
    if (base_name(inner) == "env" && rest.size() > 1 &&
        listed(" - -i --ignore-environment ", rest[1]))
      why = "takes the environment from the program, and with it the library; env -i amp-run CMD "
            "leaves it";
    auto program = next.empty() ? std::nullopt : found(next.front());
    if (!program) {
      Target::operator=(direct_target(inner, rest, next));
      program = next.empty() ? std::nullopt : found(next.front());
    }
    through = behind_it;
    if (!program)
      break;
    behind_it = base_name(inner);
    inner = *program;
    rest = next;
  }
  obstacle = why;
  seen = through.empty() || executable.empty() ? file : executable;
  code = open_elf(seen) ? seen : script_program(seen);
  elf = open_elf(code);
}

void Program::refuse_obstacles() const {
  if (!obstacle.empty())
    throw Failure("'" + file + "' " + obstacle + "; nothing was run");
  for (const std::string *const each : {&file, seen == file ? nullptr : &seen})
    if (const auto why = each ? find_obstacle(*each, library) : std::nullopt)
      throw Failure("'" + *each + "' " + *why + "; nothing was run (--force runs it all the same)");
}

const Modules &Program::modules() const {
  if (modules_.files.empty() && elf)
    modules_.add(code, library);
  return modules_;
}

Traits Program::traits() const {
  Traits traits;
  // An interpreter loads modules later.
  traits.unseen = executable.empty() || !interpreter.empty();
  if (traits.unseen)
    return traits;
  // One without OpenMP may load what has it, or start a program.
  traits.unseen = modules().using_openmp.empty() && modules().plugins;
  traits.parallel = modules().any(&OpenMPUse::parallel);
  traits.reachable = modules().any(&OpenMPUse::routed) || modules().any(&OpenMPUse::runtime) ||
                     modules().any(&OpenMPUse::passed);
  return traits;
}

std::string Program::sanitizer() const {
  for (const LoadedFile &loaded : find_libraries(code))
    if (base_name(loaded.file).compare(0, 10, "libasan.so") == 0)
      return loaded.file;
  return {};
}

std::optional<std::string> find_obstacle(const std::string &file, const std::string &library) {
  const ElfFile *const ours = open_elf(library), *const elf = open_elf(file);
  if (!ours)
    throw std::system_error(ENOEXEC, std::generic_category(), library);
  if (!elf) {
    if (access(file.c_str(), R_OK) != 0)
      return std::string("cannot be read, so there is no telling whether it would use the library "
                         "(") +
             std::strerror(errno) + "); make it readable";
    // The programs that a script starts inherit the preload; its interpreter must be able to use
    // it. One that is missing is reported when it is executed.
    const Command words = script_words(file);
    const ElfFile *const interpreter = words.empty() ? nullptr : open_elf(words.front());
    if (interpreter && ours->same_machine(*interpreter) && !interpreter->interpreter)
      return "is a script for " + words.front() + ", which " + static_obstacle;
    return std::nullopt;
  }

  if (!elf->same_machine(*ours))
    return "is " + elf->machine() + ", but the library is " + ours->machine() +
           "; build libgomp-amp for the former";
  if (!elf->interpreter)
    return static_obstacle;
  if (gains_privileges(file))
    return "gains privileges when it starts (set-user-ID, set-group-ID or file capabilities), "
           "upon which the loader ignores LD_PRELOAD; compile it with amp-gcc, or run a copy "
           "without them";
  // A stripped static libgomp has no names, but still the start of its messages. The string is
  // joined here, so that this program does not contain it.
  if (elf->defines_any({"GOMP_parallel", "omp_get_num_threads"}) ||
      elf->contains(std::string("\nlib") + "gomp: "))
    return "has an OpenMP runtime linked into it statically; link it with libgomp.so";
  return find_loader_obstacle(*elf->interpreter, file, *ours);
}

} // namespace amp
