// SPDX-License-Identifier: GPL-3.0-or-later
// A test fixture that starts from an empty environment and default options.

#ifndef AMP_UNIT_ENVIRONMENT_H
#define AMP_UNIT_ENVIRONMENT_H

#include "messages.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

extern "C" {
#include "options/options.h"
}

class Environment : public testing::Test {
protected:
  Environment() : defaults(gomp_amp_options) { clear(); }
  ~Environment() override {
    clear();
    gomp_amp_options = defaults;
  }

  /// Read the options with the variable \p name set to \p value; returns the messages.
  std::vector<std::string> read(const char *name, const std::string &value) {
    gomp_amp_options = defaults;
    clear();
    setenv(name, value.c_str(), 1);
    gomp_amp_init_options();
    return takeMessages();
  }

private:
  static void clear() {
#define GOMP_AMP_OPTION(field, name, type, def, min, max, expected, help) unsetenv(name);
#include "options/options.def"
    takeMessages();
  }

  const struct gomp_amp_options defaults;
};

#endif
