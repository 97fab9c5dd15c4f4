// SPDX-License-Identifier: GPL-3.0-or-later
// Whether code is in the object that it was in (libgomp/amp/base/objects.h), where the loader has
// no _dl_find_object: before gomp_amp_init_objects, which is not called here.
extern "C" {
#include "base/objects.h"
}

#include <cstdlib>
#include <dlfcn.h>
#include <gtest/gtest.h>

namespace {

void code() {}

struct Objects : testing::Test {
  const void *const at = reinterpret_cast<const void *>(code);
  gomp_amp_object object = {};
  void SetUp() override { gomp_amp_note_object(&object, at); }
  void TearDown() override { std::free(object.name); }
};

TEST_F(Objects, AreTheSameUntilOneIsUnloaded) {
  EXPECT_TRUE(gomp_amp_same_object(&object, at));
  const unsigned long before = gomp_amp_count_unloads();
  void *const module = dlopen("libanl.so.1", RTLD_NOW);
  if (!module)
    GTEST_SKIP() << dlerror();
  EXPECT_TRUE(gomp_amp_same_object(&object, at));
  dlclose(module);
  if (gomp_amp_count_unloads() == before)
    GTEST_SKIP() << "the module stays loaded";
  EXPECT_FALSE(gomp_amp_same_object(&object, at));
  gomp_amp_note_object(&object, at);
  EXPECT_TRUE(gomp_amp_same_object(&object, at));
}

} // namespace
