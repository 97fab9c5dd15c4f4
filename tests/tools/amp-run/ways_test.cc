// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of what LD_PRELOAD gets for folded programs.
#include "amp-run/tune/ways.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace amp {

TEST(FoldPreload, SecondInTheList) {
  EXPECT_EQ(with_second("/a", "/y"), "/a:/y");
  EXPECT_EQ(with_second("/a:/b", "/y"), "/a:/y:/b");
  EXPECT_EQ(with_second("/a /b", "/y"), "/a:/y /b");
  EXPECT_EQ(with_second("/a:/b:/y", "/y"), "/a:/b:/y");
  EXPECT_EQ(with_second("/a:/yy", "/y"), "/a:/y:/yy");
  EXPECT_EQ(with_second("/lib/libasan.so.8:/a:/b", "/y"), "/lib/libasan.so.8:/a:/y:/b");
}

TEST(FoldPreload, OnlyIfTeamsAreFolded) {
  for (const char *value : {"1", "3", "auto", "08"}) {
    setenv("GOMP_AMP_FOLD", value, 1);
    EXPECT_TRUE(folds()) << value;
  }
  for (const char *value : {"", "0", "00", " 0"}) {
    setenv("GOMP_AMP_FOLD", value, 1);
    EXPECT_FALSE(folds()) << value;
  }
  unsetenv("GOMP_AMP_FOLD");
  EXPECT_FALSE(folds());
}

} // namespace amp
