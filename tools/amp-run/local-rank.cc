// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the variables by which Open MPI, MPICH's Hydra and Slurm number the processes of a node.
#include "amp-run/local-rank.h"

#include "common/command.h"

#include <charconv>
#include <string_view>

namespace amp {

namespace {

// Of Hydra: also Intel MPI and MVAPICH.
struct Launcher {
  const char *name, *rank, *size;
};
constexpr Launcher launchers[] = {
    {"Open MPI", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"MPICH", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
};

constexpr const char *consequence = "; the mask of this rank is left as it is";

// Reads a number from the front of TEXT, and removes it there. Negative if there is none.
int take_number(std::string_view &text) {
  int number = -1;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0)
    return -1;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  return number;
}

[[noreturn]] void reject(const char *name, const char *value, const std::string &expected) {
  throw Failure(std::string("--ranks: ") + name + "=" +
                (value ? "'" + std::string(value) + "'" : "(unset)") + ": expected " + expected +
                consequence);
}

// The value of NAME, a number of LEAST or more.
int number_of(const Variables &variables, const char *name, int least) {
  const char *const value = variables(name);
  std::string_view text = value ? value : "";
  const int number = take_number(text);
  if (number < least || !text.empty())
    reject(name, value, "a number of " + std::to_string(least) + " or more");
  return number;
}

// The number of node NODE in TEXT, which is Slurm's, such as "4(x2),3": nodes 0 and 1 have 4, and
// node 2 has 3. Negative if TEXT has another form or too few nodes.
int number_of_node(std::string_view text, int node) {
  for (int nodes = 0; !text.empty();) {
    const int number = take_number(text);
    int times = 1;
    if (text.substr(0, 2) == "(x") {
      text.remove_prefix(2);
      times = take_number(text);
      if (text.empty() || text.front() != ')')
        return -1;
      text.remove_prefix(1);
    }
    if (number < 0 || times < 0)
      return -1;
    if (node - nodes < times)
      return number;
    nodes += times;
    if (text.empty() || text.front() != ',')
      return -1;
    text.remove_prefix(1);
  }
  return -1;
}

int slurm_size(const Variables &variables) {
  const char *const name = "SLURM_STEP_TASKS_PER_NODE";
  const char *const value = variables(name);
  if (value == nullptr)
    return number_of(variables, "SLURM_NTASKS_PER_NODE", 1);
  const int size = number_of_node(value, number_of(variables, "SLURM_NODEID", 0));
  if (size < 1)
    reject(name, value, "numbers of tasks such as 4(x2),3, with one for node SLURM_NODEID");
  return size;
}

// Slurm names its binding in words, and where it confines a step by a control group instead no mask
// can show it.
bool slurm_bound(const Variables &variables) {
  const char *const type = variables("SLURM_CPU_BIND_TYPE");
  return type && *type && std::string_view(type) != "none";
}

} // namespace

std::optional<LocalRank> find_local_rank(const Variables &variables) {
  std::optional<LocalRank> found;
  for (const Launcher &launcher : launchers)
    if (!found && variables(launcher.rank))
      found = {launcher.name, launcher.rank, number_of(variables, launcher.rank, 0),
               number_of(variables, launcher.size, 1), std::nullopt};
  if (!found && variables("SLURM_LOCALID") && variables("SLURM_STEP_ID"))
    found = {"Slurm", "SLURM_LOCALID", number_of(variables, "SLURM_LOCALID", 0),
             slurm_size(variables), slurm_bound(variables)};
  if (found && found->rank >= found->size)
    reject(found->variable.c_str(), variables(found->variable.c_str()),
           "a number below " + std::to_string(found->size) + ", the number of ranks of this node");
  return found;
}

} // namespace amp
