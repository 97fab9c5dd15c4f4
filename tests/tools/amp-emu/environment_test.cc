// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of the environment variables that describe an emulated machine.
#include "amp-emu/environment.h"

#include <cstdlib>
#include <gtest/gtest.h>

namespace amp {

TEST(Topology, NamesEveryCpuInOrder) {
  EXPECT_EQ(topology_of({{0, 1}, {1, 1.98}}), "0=1024,1=517");
  EXPECT_EQ(topology_of({{1, 1}, {0, 2}}), "0=512,1=1024");
  EXPECT_EQ(topology_of({{3, 1}}), "3=1024");
}

TEST(Topology, JoinsNeighboursOfOneCapacity) {
  EXPECT_EQ(topology_of({{0, 2}, {1, 2}, {2, 1}, {3, 1}}), "0-1=512,2-3=1024");
  EXPECT_EQ(topology_of({{0, 2}, {1, 1}, {2, 2}}), "0=512,1=1024,2=512");
  EXPECT_EQ(topology_of({{0, 1}, {2, 1}}), "0=1024,2=1024");
}

TEST(Topology, StaysWithinTheScale) { EXPECT_EQ(topology_of({{0, 0.98}, {1, 1e9}}), "0=1024,1=1"); }

TEST(RelativeToFastest, DividesByTheLeastFactor) {
  const std::vector<CpuSpeed> cpus = relative_to_fastest({{0, 3}, {1, 1.5}});
  EXPECT_EQ(cpus[0].factor, 2);
  EXPECT_EQ(cpus[1].factor, 1);
  EXPECT_TRUE(relative_to_fastest({}).empty());
}

TEST(Places, PutTheFastestFirst) {
  EXPECT_EQ(places_of({{0, 3}, {1, 1}, {2, 2}, {3, 1}}), "{1},{3},{2},{0}");
}

class SetUnset : public testing::Test {
protected:
  void SetUp() override {
    for (const char *name : names)
      unsetenv(name);
  }
  void TearDown() override { SetUp(); }

  static constexpr const char *names[] = {"GOMP_AMP_TOPOLOGY", "GOMP_AMP_AFFINITY",
                                          "GOMP_CPU_AFFINITY", "KMP_AFFINITY",
                                          "OMP_PLACES",        "OMP_PROC_BIND"};
  const Variables unbound = variables_for({{0, 1}, {1, 2}}, false);
  const Variables bound = variables_for({{0, 1}, {1, 2}}, true);
};

TEST_F(SetUnset, BindsOnlyOnRequest) {
  EXPECT_EQ(unbound, (Variables{{"GOMP_AMP_TOPOLOGY", "0=1024,1=512"}}));
  EXPECT_EQ(bound, (Variables{{"GOMP_AMP_TOPOLOGY", "0=1024,1=512"},
                              {"OMP_PLACES", "{0},{1}"},
                              {"OMP_PROC_BIND", "true"}}));
}

TEST_F(SetUnset, SetsAllInAnEmptyEnvironment) {
  EXPECT_EQ(set_unset(bound), bound);
  EXPECT_STREQ(getenv("OMP_PLACES"), "{0},{1}");
}

TEST_F(SetUnset, KeepsATopology) {
  setenv("GOMP_AMP_TOPOLOGY", "off", 1);
  EXPECT_TRUE(set_unset(unbound).empty());
  EXPECT_STREQ(getenv("GOMP_AMP_TOPOLOGY"), "off");
}

TEST_F(SetUnset, KeepsABindingWhole) {
  for (const char *name :
       {"GOMP_AMP_AFFINITY", "GOMP_CPU_AFFINITY", "KMP_AFFINITY", "OMP_PLACES", "OMP_PROC_BIND"}) {
    SetUp();
    setenv(name, "x", 1);
    EXPECT_EQ(set_unset(bound), unbound) << name;
    EXPECT_STREQ(getenv(name), "x");
  }
}

} // namespace amp
