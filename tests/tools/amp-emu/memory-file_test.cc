// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of files in memory that other processes open by name.
#include "amp-emu/memory-file.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>

namespace amp {

TEST(MemoryFile, TakesWhatOtherProcessesAppend) {
  MemoryFile file("test");
  EXPECT_EQ(file.content(), "");
  file.append("one\n");
  ASSERT_EQ(std::system(("echo two >>" + file.path()).c_str()), 0);
  file.append("three\n");
  EXPECT_EQ(file.content(), "one\ntwo\nthree\n");
}

TEST(MemoryFile, HoldsMoreThanOneBuffer) {
  MemoryFile file("test");
  const std::string text(200000, 'x');
  file.append(text);
  EXPECT_EQ(file.content(), text);
}

TEST(MemoryFile, IsGoneWithItsObject) {
  std::string path;
  {
    const MemoryFile file("test");
    path = file.path();
    EXPECT_TRUE(std::ifstream(path));
  }
  EXPECT_FALSE(std::ifstream(path));
}

} // namespace amp
