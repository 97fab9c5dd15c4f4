// SPDX-License-Identifier: GPL-3.0-or-later
// A fixture: even threads are of one class and odd ones of another, whatever the machine has.
#ifndef TWO_CLASSES_H
#define TWO_CLASSES_H

#include <gtest/gtest.h>

extern "C" {
#include "options/options.h"
}

class TwoClasses : public testing::Test {
protected:
  TwoClasses() {
    gomp_amp_options.thread_classes.count = 2;
    gomp_amp_options.thread_classes.classes = 2;
    gomp_amp_options.thread_classes.member = member_;
  }
  ~TwoClasses() override { gomp_amp_options.thread_classes = {}; }

private:
  unsigned char member_[2] = {0, 1};
};

#endif
