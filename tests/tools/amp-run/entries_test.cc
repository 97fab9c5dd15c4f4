// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of reading, choosing and editing entries of programs.toml.
#include "amp-run/tune/entries.h"

#include <gtest/gtest.h>

namespace amp {

Target target_of(const std::string &name, const std::string &build_id = "") {
  Target target;
  target.name = name;
  target.build_id = build_id;
  return target;
}

std::string chosen(const std::vector<std::string> &texts, const Target &target) {
  std::vector<EntryFile> files;
  for (const std::string &text : texts)
    files.push_back(parse_entries(text, "file" + std::to_string(files.size())));
  const Choice choice = choose_way(files, target, [] { return std::string("here"); });
  return choice.way ? choice.way->name + (" " + choice.line) : "none";
}

TEST(Entries, TheFirstFileThatHasOneDecides) {
  const std::string folded = "[[program]]\nname = '/a'\nway = 'folded'\n";
  const std::string fast = "\n[[program]]\nname = '/a'\nway = 'fast'\n";
  EXPECT_EQ(chosen({folded, fast}, target_of("/a")), "folded file0:1");
  EXPECT_EQ(chosen({"", fast}, target_of("/a")), "fast file1:2");
  EXPECT_EQ(chosen({folded + fast}, target_of("/a")), "folded file0:1");
  EXPECT_EQ(chosen({"[[program", fast}, target_of("/a")), "fast file1:2");
  EXPECT_EQ(chosen({folded}, target_of("/b")), "none");
  EXPECT_EQ(chosen({folded}, target_of("")), "none");
}

TEST(Entries, HoldForABuildAndAMachine) {
  const std::string entry = "[[program]]\nname = '/a'\nway = 'folded'\n";
  EXPECT_EQ(chosen({entry + "build-id = 'x'"}, target_of("/a", "x")), "folded file0:1");
  EXPECT_EQ(chosen({entry + "build-id = 'x'"}, target_of("/a", "y")), "none");
  EXPECT_EQ(chosen({entry + "machine = 'here'"}, target_of("/a")), "folded file0:1");
  EXPECT_EQ(chosen({entry + "machine = 'there'"}, target_of("/a")), "none");
  EXPECT_EQ(chosen({entry + "machine = 'there'", entry}, target_of("/a")), "folded file1:1");
  EXPECT_EQ(chosen({entry + "hash = 'x'"}, target_of("/a")), "none");
}

TEST(Entries, OfTheSameArgumentsOrElseTheLast) {
  const auto entry = [](const std::string &arguments, const std::string &way) {
    return "[[program]]\nname = '/a'\nway = '" + way + "'\n" +
           (arguments.empty() ? "" : "arguments = '" + arguments + "'\n");
  };
  Target target = target_of("/a");
  target.arguments = "x";
  const std::string two = entry("x", "fast") + entry("y", "bound");
  EXPECT_EQ(chosen({two}, target).substr(0, 4), "fast");
  target.arguments = "z";
  EXPECT_EQ(chosen({two}, target).substr(0, 5), "bound");
  EXPECT_EQ(chosen({entry("", "folded") + two}, target).substr(0, 6), "folded");
  target.arguments = "y";
  EXPECT_EQ(chosen({entry("", "folded") + two}, target).substr(0, 5), "bound");
}

TEST(Entries, WhatCountsForNothingIsReported) {
  const auto warning = [](const std::string &lines) {
    const EntryFile file = parse_entries("[[program]]\n" + lines, "f");
    return file.warnings.empty() ? "" : file.warnings.front();
  };
  EXPECT_EQ(warning("name = '/a'\nway = 'fast'\n"), "");
  EXPECT_EQ(warning("name = '/a'\nway = 'foldd'\n").substr(0, 34),
            "f:1: way 'foldd': expected one of ");
  EXPECT_EQ(warning("name = '/a'\nway = 'calls'\n"), "f:1: way 'calls' is folded now");
  EXPECT_EQ(warning("nme = '/a'\nway = 'fast'\n"), "f:1: key 'nme' is not known");
  EXPECT_EQ(warning("way = 'fast'\n"), "f:1: an entry without a name is about no program");
}

TEST(Entries, ABareNameIsOfTheSystemOrOfABuild) {
  const std::string entry = "[[program]]\nname = 'john'\nway = 'folded'\n";
  EXPECT_EQ(chosen({entry}, target_of("/usr/sbin/john")), "folded file0:1");
  EXPECT_EQ(chosen({entry}, target_of("/usr/bin/johnny")), "none");
  EXPECT_EQ(chosen({entry}, target_of("/home/me/john")), "none");
  EXPECT_EQ(chosen({entry + "build-id = 'x'"}, target_of("/home/me/john", "x")), "folded file0:1");
  EXPECT_EQ(chosen({entry + "build-id = 'x'"}, target_of("/usr/bin/john", "y")), "none");
}

TEST(Entries, DamageIsReportedWithItsLine) {
  EXPECT_EQ(parse_entries("a = 1\n[[program]]\nname = \n", "f").fault.substr(0, 4), "f:3:");
  EXPECT_EQ(parse_entries("program = 1", "f").fault, "f:1: expected [[program]]");
  EXPECT_EQ(parse_entries("program = [{name = 'a'}]", "f").fault, "f:1: expected [[program]]");
  EXPECT_EQ(parse_entries(std::string("[[program]]\nname = '\xff'\n"), "f").fault.substr(0, 4),
            "f:2:");
  EXPECT_EQ(chosen({"[[program]]\nname = '/a'\nway = 'other'\n"}, target_of("/a")), "none");
  EXPECT_EQ(chosen({"[[program]]\nname = 7\nway = 'folded'\n"}, target_of("/a")), "none");
  EXPECT_TRUE(parse_entries("", "f").fault.empty());
}

Entry entry_of(const std::string &name, const std::string &way, const std::string &tuned = "") {
  Entry entry;
  entry.name = name;
  entry.way = way;
  entry.tuned = tuned;
  return entry;
}

TEST(EntryWriter, AppendsReplacesAndRemoves) {
  const std::string one = with_entry("# mine\n", entry_of("/a", "folded"));
  EXPECT_EQ(one, "# mine\n\n[[program]]\nname = \"/a\"\nway = \"folded\"\n");
  const std::string two = with_entry(one, entry_of("/b", "fast"));
  EXPECT_EQ(with_entry(two, entry_of("/a", "plain")),
            "# mine\n\n[[program]]\nname = \"/b\"\nway = \"fast\"\n\n"
            "[[program]]\nname = \"/a\"\nway = \"plain\"\n");
  unsigned count;
  EXPECT_EQ(without_entries(two, target_of("/a"), count),
            "# mine\n\n[[program]]\nname = \"/b\"\nway = \"fast\"\n");
  EXPECT_EQ(count, 1u);
}

TEST(EntryWriter, KeepsWhatPeopleWrote) {
  const std::string text =
      "[other]\nx = 1\n[[program]]\n# why\nway = 'folded' # old\nmine = [\n1]\n"
      "name = '/a'\n[last]\ny = 2\n";
  const std::string after = with_entry(text, entry_of("/a", "fast"));
  for (const char *const kept : {"[other]\nx = 1\n", "[last]\ny = 2\n"})
    EXPECT_NE(after.find(kept), after.npos) << after;
  EXPECT_EQ(chosen({after}, target_of("/a")).substr(0, 4), "fast");
  const std::string simple = "[[program]]\n# why\nway = 'folded'\nmine = 3\nname = '/a'\n[last]\n";
  EXPECT_EQ(with_entry(simple, entry_of("/a", "fast")),
            "[last]\n\n[[program]]\nname = \"/a\"\nway = \"fast\"\n# why\nmine = 3\n");
}

TEST(EntryWriter, OtherMachinesKeepTheirs) {
  Entry here = entry_of("/a", "folded"), there = entry_of("/a", "fast");
  here.machine = "here";
  there.machine = "there";
  const std::string text = with_entry(with_entry("", there), here);
  EXPECT_EQ(parse_entries(text, "").entries.size(), 2u);
  EXPECT_EQ(chosen({text}, target_of("/a")).substr(0, 6), "folded");
}

TEST(EntryWriter, EveryByteOfANameComesBack) {
  std::string name = "/";
  for (int c = 1; c < 128; ++c)
    name += static_cast<char>(c);
  const std::string text = with_entry("", entry_of(name + "é", "fast"));
  EXPECT_EQ(parse_entries(text, "").entries.at(0).name, name + "é");
}

TEST(EntryWriter, TheFirstLeavesWhenThereAreTooMany) {
  std::string text;
  for (std::size_t i = 0; i < most_entries; ++i)
    text += "[[program]]\nname = '/" + std::to_string(i) + "'\nway = 'fast'\n";
  const std::string after = with_entry(text, entry_of("/new", "folded", "2022-02-02"));
  EXPECT_EQ(parse_entries(after, "").entries.size(), most_entries);
  EXPECT_EQ(chosen({after}, target_of("/0")), "none");
  EXPECT_EQ(chosen({after}, target_of("/new")).substr(0, 6), "folded");
}

} // namespace amp
