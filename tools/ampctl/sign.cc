// SPDX-License-Identifier: GPL-3.0-or-later
#include "ampctl/sign.h"

#include "ampctl/program.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

namespace amp {

CacheStacks::CacheStacks() : stacks_(kStacks) {
  for (int i = 0; i < kStacks; i++)
    stacks_[i].lines.resize(std::size_t{kDepth} << (kFirst + i));
}

void CacheStacks::access(std::uint64_t address, unsigned bytes) {
  for (std::uint64_t line = address / 64 + 1; line <= (address + bytes - 1) / 64 + 1; line++) {
    accesses_++;
    // It is on top of all stacks.
    if (line == last_) {
      for (Stacks &stacks : stacks_)
        stacks.hits[0]++;
      continue;
    }
    last_ = line;
    for (int i = 0; i < kStacks; i++) {
      const std::size_t set = (line - 1) & ((std::size_t{1} << (kFirst + i)) - 1);
      std::uint64_t *const stack = &stacks_[i].lines[set * kDepth];
      const auto depth = std::find(stack, stack + kDepth, line) - stack;
      if (depth < kDepth)
        stacks_[i].hits[depth]++;
      std::move_backward(stack, stack + std::min<std::ptrdiff_t>(depth, kDepth - 1),
                         stack + std::min<std::ptrdiff_t>(depth, kDepth - 1) + 1);
      stack[0] = line;
    }
  }
}

std::vector<std::vector<double>> CacheStacks::signature() const {
  std::vector<std::vector<double>> rows;
  for (int ways = 4; ways <= 32; ways *= 2) {
    std::vector<double> &row = rows.emplace_back();
    for (std::size_t bytes = 16 << 10; bytes <= 16 << 20; bytes *= 2) {
      const int sets = std::countr_zero(bytes / 64 / ways);
      const Stacks &stacks = stacks_[sets - kFirst];
      std::uint64_t hits = 0;
      for (int depth = 0; depth < ways; depth++)
        hits += stacks.hits[depth];
      row.push_back(instructions_ ? 4096.0 * static_cast<double>(accesses_ - hits) /
                                        static_cast<double>(instructions_)
                                  : 0);
    }
  }
  return rows;
}

void add_sign_options(CLI::App &command, SignOptions &options) {
  command.add_option(
      "-o,--output", options.output,
      "the file to write; by default one where 'ampctl run' finds it for this build");
  command
      .add_option("--most", options.most, "instructions to look at, from the start; then it ends")
      ->capture_default_str();
}

namespace {

// Starts COMMAND, the file PROGRAM, under lackey; the trace can be read from *TRACE.
pid_t start_lackey(const std::string &program, const Command &command, int *trace) {
  const std::string valgrind = find_program("valgrind");
  int ends[2];
  if (pipe(ends) != 0)
    throw Failure(std::string("pipe: ") + std::strerror(errno));
  const pid_t child = fork();
  if (child < 0)
    throw Failure(std::string("fork: ") + std::strerror(errno));
  if (child == 0) {
    close(ends[0]);
    Command line = {"valgrind", "--tool=lackey", "--trace-mem=yes",
                    "--log-fd=" + std::to_string(ends[1]), program};
    line.insert(line.end(), command.begin() + 1, command.end());
    execute(valgrind, line);
    _exit(exit_not_executable);
  }
  close(ends[1]);
  *trace = ends[0];
  return child;
}

// Reads TRACE to its end, or until it has MOST instructions. Whether it was read to its end.
bool read_trace(FILE *trace, double most, CacheStacks &stacks) {
  // "I  ADDRESS,SIZE", and " L", " S" and " M" (a load and a store) alike; other lines are
  // valgrind's.
  for (char text[256]; std::fgets(text, sizeof text, trace);) {
    char *end;
    if (!std::strchr("I ", text[0]) || !std::strchr(" LSM", text[1]) || text[2] != ' ')
      continue;
    const std::uint64_t address = std::strtoull(text + 3, &end, 16);
    if (*end != ',')
      continue;
    const unsigned bytes = std::clamp(std::atoi(end + 1), 1, 4096);
    if (text[0] == 'I')
      stacks.instruction();
    stacks.access(address, bytes);
    if (static_cast<double>(stacks.instructions()) >= most)
      return false;
  }
  return true;
}

// The file for the signature of PROGRAM, in a directory that is there.
std::string output_file(const SignOptions &options, const std::string &program) {
  if (!options.output.empty())
    return options.output;
  std::string output = signature_path(program);
  if (output.empty()) {
    output = program.substr(program.rfind('/') + 1) + ".signature";
    std::cerr << "ampctl: '" << program << "' has no build-id by which 'ampctl run' could find its "
              << "signature; it is in " << output << '\n';
  } else {
    std::error_code ignored;
    std::filesystem::create_directories(std::filesystem::path(output).parent_path(), ignored);
  }
  return output;
}

} // namespace

int sign(const SignOptions &options, const Command &command) {
  const std::string program = find_program(command[0]);
  int end;
  const pid_t child = start_lackey(program, command, &end);
  CacheStacks stacks;
  FILE *const trace = fdopen(end, "r");
  const bool whole = read_trace(trace, options.most, stacks);
  if (!whole)
    kill(child, SIGKILL);
  std::fclose(trace);
  int status = 0;
  while (waitpid(child, &status, 0) != child && errno == EINTR)
    ;
  if (stacks.instructions() == 0)
    throw Failure("valgrind --tool=lackey traced nothing of '" + program +
                  "'; nothing was written");
  if (whole && status != 0)
    std::cerr << "ampctl: '" << program << "' did not succeed; its signature is of what it did\n";
  const std::string output = output_file(options, program);
  std::ofstream out(output);
  if (!(out << nlohmann::json{{"program", command[0]},
                              {"instructions", stacks.instructions()},
                              {"signature", stacks.signature()}}
                   .dump(1)
            << '\n') ||
      !out.flush())
    throw Failure(output + ": cannot be written");
  return 0;
}

} // namespace amp
