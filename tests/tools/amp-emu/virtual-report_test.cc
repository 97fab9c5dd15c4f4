// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of reading and printing the reports of the virtual-time library.
#include "amp-emu/virtual-report.h"

#include <gtest/gtest.h>
#include <regex>

namespace amp {

static const std::string line =
    R"({"pid":17,"program":"/x/app","work":"counted","machine":"1x3+2x1","makespan_ns":2000000000,)"
    R"("work_ns":3,"bound_ns":500000000,"parallel":{"makespan_ns":1000000,"work_ns":2,)"
    R"("bound_ns":950000},"removals":{"count":12,"ns_each":8,"waited_ns":345},"switches":3,)"
    R"("handovers":0,"threads":3,"classes":[)"
    R"({"class":1,"cpus":"0","speed":3,"busy_ns":1500000000,"idle_ns":500000000,"spin_ns":400000000,)"
    R"("parallel_busy_ns":500000,"parallel_spin_ns":250000,"used":1},)"
    R"({"class":0,"cpus":"1-2","speed":1,"busy_ns":1000,"idle_ns":3000,"spin_ns":2000,)"
    R"("parallel_busy_ns":0,"parallel_spin_ns":0,"used":2}]})";

static VirtualReports read(const std::string &text) {
  return read_virtual_reports(text, {"chip", {1, 4, 0.5, 0.2, 1}, {0, 0, 0, 0, 1}});
}

TEST(VirtualReport, ComputesSharesOfWhatTheLibraryTells) {
  const VirtualReports reports = read(line + "\n" + line + "\n");
  ASSERT_EQ(reports.processes.size(), 2u);
  EXPECT_EQ(reports.unreadable, 0);
  const auto &process = reports.processes[0];
  EXPECT_EQ(process["pid"], 17);
  EXPECT_EQ(process["share"], 0.25);
  EXPECT_EQ(process["parallel"]["share"], 0.95);
  EXPECT_EQ(process["classes"][0]["busy_percent"], 75);
  EXPECT_EQ(process["classes"][1]["busy_percent"], 25);
}

TEST(VirtualReport, DividesNothingByZero) {
  const std::string idle = std::regex_replace(line, std::regex("_ns\":[0-9]+"), "_ns\":0");
  const VirtualReports reports = read(idle);
  ASSERT_EQ(reports.processes.size(), 1u) << idle;
  EXPECT_EQ(reports.processes[0]["share"], 0);
  EXPECT_EQ(reports.processes[0]["classes"][0]["busy_percent"], 0);
}

TEST(VirtualReport, CountsWhatItCannotRead) {
  const std::string half = line.substr(0, line.size() / 2);
  for (const std::string &bad :
       {half, std::string("{}"), std::string("[1]"), std::string("7"), line + "x", std::string()}) {
    const VirtualReports reports = read(bad + "\n" + line + "\n");
    EXPECT_EQ(reports.unreadable, 1) << bad;
    EXPECT_EQ(reports.processes.size(), 1u) << bad;
  }
  EXPECT_EQ(read("").unreadable, 0);
}

TEST(VirtualReport, PrintsTheFigures) {
  const std::string text = describe_process(read(line).processes[0]);
  for (const char *part :
       {"/x/app (pid 17): 3 threads on 1x3+2x1", "2.000 s       500.000 ms    25.0 %",
        "1.000 ms       950.000 us    95.0 %", "1.500 s    500.000 ms    75.0 %  0\n",
        "1.000 us      3.000 us    25.0 %  1-2\n",
        // Of 2 s the fast core is idle for 0.5, of which it spins for 0.4: 2 + 4 * 1.7 + 0.02 J.
        // In 1 ms it computes for 0.5, spins for 0.25 and sleeps for 0.25: 1 + 4 * 0.625 + 0.05.
        "energy, by the model of chip: 8.82 J, 4.41 W, 17.64 J s; parallel part 0.00355 J, "
        "3.55 W, 3.55e-06 J s\n",
        "12 removals of 8 ns from pools of iterations, which queued for 345 ns"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_EQ(text.find("handover"), std::string::npos) << text;
}

TEST(VirtualReport, ExplainsHandovers) {
  std::string handed = line;
  handed.replace(handed.find("\"handovers\":0") + 12, 1, "2");
  const std::string text = describe_process(read(handed).processes[0]);
  EXPECT_NE(text.find("2 handovers: "), std::string::npos) << text;
}

TEST(VirtualReport, TellsOfFactorsThatNoLoopHad) {
  for (const auto &[used, count] : {std::pair(1, "2 of the 3 address ranges"), {3, ""}}) {
    std::string report = line;
    report.insert(report.rfind('}'),
                  ",\"factors\":{\"lines\":3,\"used\":" + std::to_string(used) + "}");
    const std::string text = describe_process(read(report).processes[0]);
    EXPECT_EQ(text.find("--sf-file") != std::string::npos, used < 3) << text;
    EXPECT_NE(text.find(count), std::string::npos) << text;
  }
}

} // namespace amp
