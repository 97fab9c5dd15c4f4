// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of finding loops by lines, on tables as GCC makes them.
#include "amp-emu/loop-lines.h"

#include <gtest/gtest.h>

namespace amp {

using Lines = std::set<int>;

// Two loops of a region, whose pragmas are on lines 6 and 9 of it; the bodies are at the end.
class TwoLoops : public testing::Test {
protected:
  void SetUp() override {
    info.files = {"/home/u/src/kernels/cg.c", "/home/u/src/inc.h"};
    info.rows = {{0x100, 0, 4},  {0x100, 0, 7}, {0x100, 0, 4},  {0x130, 0, 3}, {0x134, 1, 70},
                 {0x138, 0, 10}, {0x150, 0, 4}, {0x160, 0, 11}, {0x170, 0, 8}, {0x180, 0, 20}};
    const AddressRange code = {0x100, 0x180};
    const std::vector<AddressRange> inlined = {{0x130, 0x138}};
    info.loops = {{"f._omp_fn.0", {0x110, 0x111}, code, {0x100, 0x111}, false, false, inlined},
                  {"f._omp_fn.0", {0x140, 0x141}, code, {0x120, 0x141}, false, false, inlined}};
  }
  DebugInfo info;
};

TEST_F(TwoLoops, AreKnownByTheirHeads) {
  const auto loops = loops_of(info, "cg.c");
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_EQ(loops[0].lines, Lines{7}); // and not the region's 4
  EXPECT_EQ(loops[0].loop, &info.loops[0]);
  EXPECT_EQ(loops[1].lines, Lines{10}); // and not the inlined 3
}

TEST_F(TwoLoops, AreInFilesOfThatName) {
  for (const char *source :
       {"cg.c", "kernels/cg.c", "./cg.c", "/home/u/src/kernels/cg.c", "kernels/x/../cg.c"}) {
    EXPECT_EQ(loops_of(info, source).size(), 2u) << source;
    EXPECT_EQ(files_of(info, source).size(), 1u) << source;
  }
  for (const char *source : {"g.c", "els/cg.c", "inc.h", "home/cg.c", "/cg.c/", "cg.cc", ""})
    EXPECT_TRUE(loops_of(info, source).empty()) << source;
  EXPECT_EQ(files_of(info, "inc.h"), std::set<std::string>{"/home/u/src/inc.h"});
}

TEST_F(TwoLoops, AndTheLinesThatHaveCode) {
  EXPECT_EQ(code_lines(info, info.files[0]), (Lines{3, 4, 7, 8, 10, 11, 20}));
}

TEST_F(TwoLoops, WithoutOtherCodeAreOnTheRegionsLine) {
  for (DebugInfo::Row &row : info.rows)
    row.line = 4;
  const auto loops = loops_of(info, "cg.c");
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_EQ(loops[0].lines, Lines{4});
}

TEST_F(TwoLoops, OneAloneIsAllOfItsFunctionIfItHasNoHead) {
  info.loops.resize(1);
  info.loops[0].head = {0x101, 0x111};
  info.loops[0].is_alone = true;
  EXPECT_EQ(loops_of(info, "cg.c")[0].lines, (Lines{4, 7, 8, 10, 11}));
}

TEST(Combined, IsItsFunction) {
  DebugInfo info;
  info.files = {"a.f90"};
  info.rows = {{0x10, 0, 5}, {0x20, 0, 7}, {0x30, 0, 0}, {0x40, 0, 30}};
  info.loops = {{"a_._omp_fn.0", {0x10, 0x11}, {0x10, 0x40}, {0x10, 0x40}, true, true, {}}};
  ASSERT_EQ(loops_of(info, "a.f90").size(), 1u);
  EXPECT_EQ(loops_of(info, "a.f90")[0].lines, (Lines{5, 7}));
}

TEST(LineOfLoop, IsThatOfThePragmaOrTheHead) {
  const Lines code = {4, 7, 8, 10, 11}, head = {7};
  EXPECT_EQ(line_of_loop(7, head, code), 7);
  EXPECT_EQ(line_of_loop(6, head, code), 7);
  EXPECT_EQ(line_of_loop(5, head, code), 7);
  EXPECT_EQ(line_of_loop(3, head, code), 7); // 4 is between
  EXPECT_EQ(line_of_loop(3, head, {4, 5, 7}), 0);
  EXPECT_EQ(line_of_loop(8, head, code), 0); // behind it
  EXPECT_EQ(line_of_loop(6, {4, 7, 10}, code), 7);
}

} // namespace amp
