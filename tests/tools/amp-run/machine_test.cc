// SPDX-License-Identifier: GPL-3.0-or-later
// Tests that the local rank is found in the variables of each launcher.
#include "amp-run/machine.h"
#include "common/command.h"

#include <gtest/gtest.h>
#include <map>

namespace {

using Environment = std::map<std::string, std::string>;

std::optional<amp::LocalRank> find(const Environment &environment) {
  return amp::find_local_rank([&](const char *name) {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

// "launcher rank/size", or what is wrong.
std::string found(const Environment &environment) {
  try {
    const auto rank = find(environment);
    if (!rank)
      return "none";
    return rank->launcher + " " + std::to_string(rank->rank) + "/" + std::to_string(rank->size);
  } catch (const amp::Failure &failure) {
    return failure.what();
  }
}

Environment slurm(const std::string &tasks, const std::string &node, const std::string &local) {
  return {{"SLURM_STEP_ID", "0"},
          {"SLURM_LOCALID", local},
          {"SLURM_NODEID", node},
          {"SLURM_STEP_TASKS_PER_NODE", tasks}};
}

} // namespace

TEST(LocalRank, OfEachLauncher) {
  const Environment open_mpi{{"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                             {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"}};
  const Environment hydra{{"MPI_LOCALRANKID", "2"}, {"MPI_LOCALNRANKS", "3"}};
  EXPECT_EQ(found({}), "none");
  EXPECT_EQ(found(open_mpi), "Open MPI 1/4");
  EXPECT_EQ(found(hydra), "MPICH 2/3");
  EXPECT_EQ(found(slurm("2", "0", "1")), "Slurm 1/2");
  EXPECT_EQ(find(open_mpi)->variable, "OMPI_COMM_WORLD_LOCAL_RANK");
}

TEST(LocalRank, SlurmHasANumberForEachNode) {
  EXPECT_EQ(found(slurm("4(x2),3", "0", "3")), "Slurm 3/4");
  EXPECT_EQ(found(slurm("4(x2),3", "1", "3")), "Slurm 3/4");
  EXPECT_EQ(found(slurm("4(x2),3", "2", "2")), "Slurm 2/3");
  EXPECT_EQ(found({{"SLURM_STEP_ID", "0"}, {"SLURM_LOCALID", "1"}, {"SLURM_NTASKS_PER_NODE", "2"}}),
            "Slurm 1/2");
}

TEST(LocalRank, AnMpirunInsideOfABatchJob) {
  Environment environment = slurm("1", "0", "0");
  environment["MPI_LOCALRANKID"] = "1";
  environment["MPI_LOCALNRANKS"] = "2";
  EXPECT_EQ(found(environment), "MPICH 1/2");
  // The script itself is no step of srun's.
  environment = slurm("1", "0", "0");
  environment.erase("SLURM_STEP_ID");
  EXPECT_EQ(found(environment), "none");
}

TEST(LocalRank, SlurmSaysWhetherItBinds) {
  Environment environment = slurm("2", "0", "1");
  EXPECT_EQ(find(environment)->bound, false);
  environment["SLURM_CPU_BIND_TYPE"] = "none";
  EXPECT_EQ(find(environment)->bound, false);
  environment["SLURM_CPU_BIND_TYPE"] = "mask_cpu:";
  EXPECT_EQ(find(environment)->bound, true);
  EXPECT_EQ(find({{"MPI_LOCALRANKID", "0"}, {"MPI_LOCALNRANKS", "1"}})->bound, std::nullopt);
}

TEST(LocalRank, WrongValues) {
  const std::string end = "; the mask of this rank is left as it is";
  EXPECT_EQ(found({{"MPI_LOCALRANKID", "one"}, {"MPI_LOCALNRANKS", "2"}}),
            "--ranks: MPI_LOCALRANKID='one': expected a number of 0 or more" + end);
  EXPECT_EQ(found({{"MPI_LOCALRANKID", "0"}}),
            "--ranks: MPI_LOCALNRANKS=(unset): expected a number of 1 or more" + end);
  EXPECT_EQ(
      found({{"MPI_LOCALRANKID", "2"}, {"MPI_LOCALNRANKS", "2"}}),
      "--ranks: MPI_LOCALRANKID='2': expected a number below 2, the number of ranks of this node" +
          end);
  for (const char *const tasks :
       {"", "2", "x", "2(x", "2(x1", "2(x1)3", "2(x-1),2", "2,0", "2,", "-2,-2"})
    EXPECT_EQ(found(slurm(tasks, "1", "0")),
              "--ranks: SLURM_STEP_TASKS_PER_NODE='" + std::string(tasks) +
                  "': expected numbers of tasks such as 4(x2),3, with one for node SLURM_NODEID" +
                  end)
        << tasks;
}
