// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of how the options are read from the environment.

#include "environment.h"

extern "C" {
#include "options/option-table.h"
}

#include <unistd.h>

class Options : public Environment {
protected:
  /// \p value must be refused with one message that names the variable, it and what is expected.
  void refuse(const char *name, const std::string &value, const char *expected) {
    const auto said = read(name, value);
    ASSERT_EQ(said.size(), 1u) << name << "=" << value;
    EXPECT_EQ(said[0].find(std::string(name) + ": '"), 0u) << said[0];
    EXPECT_NE(said[0].find(std::string("': expected ") + expected), std::string::npos) << said[0];
    EXPECT_NE(said[0].find("; using "), std::string::npos) << said[0];
    EXPECT_LT(said[0].size(), 500u);
  }

  void accept(const char *name, const std::string &value) {
    EXPECT_TRUE(read(name, value).empty()) << name << "=" << value;
  }
};

static const std::string garbage(10000, '\x01');

TEST_F(Options, DefaultsWithoutEnvironment) {
  gomp_amp_init_options();
  EXPECT_TRUE(takeMessages().empty());
  EXPECT_EQ(gomp_amp_options.topology, nullptr);
  EXPECT_EQ(gomp_amp_options.affinity, GOMP_AMP_AFFINITY_FALSE);
  EXPECT_EQ(gomp_amp_options.sample_ns, 2000u);
  EXPECT_EQ(gomp_amp_options.sf.count, 0u);
  EXPECT_EQ(gomp_amp_options.sf_file, nullptr);
  EXPECT_EQ(gomp_amp_options.sf_save, nullptr);
  EXPECT_EQ(gomp_amp_options.sf_max, 32u);
  EXPECT_EQ(gomp_amp_options.thread_classes.count, 0u);
}

TEST_F(Options, Number) {
  accept("GOMP_AID_SAMPLE_NS", "0");
  EXPECT_EQ(gomp_amp_options.sample_ns, 0u);
  accept("GOMP_AID_SAMPLE_NS", " \t1000000000\n");
  EXPECT_EQ(gomp_amp_options.sample_ns, 1000000000u);
  for (const std::string &bad :
       {std::string(), std::string(" "), std::string("1000000001"), std::string("-1"),
        std::string("1.5"), std::string("5x"), std::string("5 5"), std::string("0x10"),
        std::string("99999999999999999999999"), garbage}) {
    refuse("GOMP_AID_SAMPLE_NS", bad, "a number of nanoseconds, 0..1000000000; using 2000");
    EXPECT_EQ(gomp_amp_options.sample_ns, 2000u);
  }
  accept("GOMP_AMP_TEST_SF_MAX", "1000");
  EXPECT_EQ(gomp_amp_options.sf_max, 1000u);
  refuse("GOMP_AMP_TEST_SF_MAX", "0", "a number, 1..1000; using 32");
  refuse("GOMP_AMP_TEST_SF_MAX", "1001", "a number, 1..1000; using 32");
  EXPECT_EQ(gomp_amp_options.sf_max, 32u);
}

TEST_F(Options, Keyword) {
  const struct {
    const char *text;
    int value;
  } good[] = {{"BS", GOMP_AMP_AFFINITY_BS},
              {"bs", GOMP_AMP_AFFINITY_BS},
              {" True ", GOMP_AMP_AFFINITY_BS},
              {"Sb", GOMP_AMP_AFFINITY_SB},
              {"FALSE", GOMP_AMP_AFFINITY_FALSE}};
  for (const auto &each : good) {
    accept("GOMP_AMP_AFFINITY", each.text);
    EXPECT_EQ(gomp_amp_options.affinity, each.value) << each.text;
  }
  for (const std::string &bad : {std::string(), std::string("BSx"), std::string("B"),
                                 std::string("BS,SB"), std::string("1"), garbage}) {
    refuse("GOMP_AMP_AFFINITY", bad,
           "BS (big cores to small; or true), SB (small cores to big) or false; using FALSE");
    EXPECT_EQ(gomp_amp_options.affinity, GOMP_AMP_AFFINITY_FALSE);
  }
  EXPECT_STREQ(gomp_amp_keyword_name("affinity", GOMP_AMP_AFFINITY_BS), "BS");
}

TEST_F(Options, SpeedupFactors) {
  accept("GOMP_AID_SF", "1:2.5");
  EXPECT_EQ(gomp_amp_options.sf.count, 2u);
  EXPECT_EQ(gomp_amp_options.sf.sf[0], 1);
  EXPECT_EQ(gomp_amp_options.sf.sf[1], 2.5);
  accept("GOMP_AID_SF", " 2 : 3 , 0:1.5,1:1000 ");
  EXPECT_EQ(gomp_amp_options.sf.count, 3u);
  EXPECT_EQ(gomp_amp_options.sf.sf[0], 1.5);
  EXPECT_EQ(gomp_amp_options.sf.sf[1], 1000);
  EXPECT_EQ(gomp_amp_options.sf.sf[2], 3);
  for (const std::string &bad :
       {std::string(), std::string("1"), std::string("1:"), std::string(":2"), std::string("1:0.9"),
        std::string("1:0"), std::string("1:1001"), std::string("1:2,"), std::string("1:2,1:3"),
        std::string("64:2"), std::string("1:2,5"), std::string("1:2,5"), std::string("1:-2"),
        std::string("1:nan"), std::string("1:2;2:3"), garbage}) {
    refuse("GOMP_AID_SF", bad, "class:SF,...");
    EXPECT_EQ(gomp_amp_options.sf.count, 0u) << bad;
  }
}

TEST_F(Options, ThreadClasses) {
  accept("GOMP_AMP_THREAD_CLASSES", "0, 2,1");
  ASSERT_EQ(gomp_amp_options.thread_classes.count, 3u);
  EXPECT_EQ(gomp_amp_options.thread_classes.classes, 3u);
  EXPECT_EQ(gomp_amp_options.thread_classes.member[0], 0);
  EXPECT_EQ(gomp_amp_options.thread_classes.member[1], 2);
  EXPECT_EQ(gomp_amp_options.thread_classes.member[2], 1);
  for (const std::string &bad :
       {std::string(), std::string(","), std::string("0,"), std::string("0 1"), std::string("64"),
        std::string("-1"), garbage}) {
    refuse("GOMP_AMP_THREAD_CLASSES", bad, "class,...");
    EXPECT_EQ(gomp_amp_options.thread_classes.count, 0u);
  }
}

TEST_F(Options, TextIsTrimmedAndOutlivesTheEnvironment) {
  accept("GOMP_AMP_TOPOLOGY", " 0=1 ,1=2 ");
  unsetenv("GOMP_AMP_TOPOLOGY");
  EXPECT_STREQ(gomp_amp_options.topology, "0=1 ,1=2");
  refuse("GOMP_AMP_TOPOLOGY", " ", "a list such as");
  EXPECT_EQ(gomp_amp_options.topology, nullptr);
}

TEST_F(Options, FileNamesAreMadeAbsolute) {
  accept("GOMP_AID_SF_FILE", "a b.sf");
  char *directory = getcwd(nullptr, 0);
  EXPECT_EQ(gomp_amp_options.sf_file, std::string(directory) + "/a b.sf");
  free(directory);
  accept("GOMP_AID_SF_SAVE", "/x/y");
  EXPECT_STREQ(gomp_amp_options.sf_save, "/x/y");
  refuse("GOMP_AID_SF_FILE", "", "the name of a file");
  refuse("GOMP_AID_SF_SAVE", "", "the name of a file");
}

TEST_F(Options, MessageShowsLongAndUnprintableValuesHarmlessly) {
  const auto said = read("GOMP_AMP_TEST_SF_MAX", "7\x1b[31m" + std::string(200, 'z'));
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("'7?[31mzzz"), std::string::npos) << said[0];
  EXPECT_NE(said[0].find("zzz...': expected"), std::string::npos) << said[0];
}

/// What OMP_DISPLAY_ENV shows of the option NAME.
static std::string shown(const char *name) {
  char text[256] = "";
  FILE *stream = fmemopen(text, sizeof text, "w");
  gomp_amp_show_option(gomp_amp_find_option(name), stream);
  fclose(stream);
  return text;
}

TEST_F(Options, EachRefusesABlankValueAndNamesItsDefault) {
  for (unsigned i = 0; i < gomp_amp_option_count; i++) {
    const gomp_amp_option &option = gomp_amp_option_table[i];
    const std::string value = shown(option.name);
    refuse(option.name, " ",
           option.type == GOMP_AMP_TYPE_SCHEDULE ? "aid_static" : option.expected);
    const auto said = read(option.name, " ");
    const std::string end = "; using " + (value.empty() ? "none, as if unset" : value);
    ASSERT_EQ(said.size(), 1u);
    EXPECT_EQ(said[0].substr(said[0].size() - end.size()), end) << said[0];
    if (!value.empty())
      accept(option.name, value);
    EXPECT_EQ(shown(option.name), value);
  }
  EXPECT_EQ(gomp_amp_find_option("GOMP_AMP_NONE"), nullptr);
}
