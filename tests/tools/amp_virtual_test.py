# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of amp-emu virtual: its options, what the command under it gets, and its report."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys

import tool_case
from tool_case import NOT_EXECUTABLE, NOT_FOUND, ToolCase

CPUS = sorted(os.sched_getaffinity(0))
NOTHING = "nothing to report"

# In the library's place: reports whatever FAKE_REPORT is, at the end of the process.
FAKE_LIBRARY = r"""
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void __attribute__((destructor)) done(void)
{
  const char *line = getenv("FAKE_REPORT"), *name = getenv("GOMP_AMP_VIRTUAL_REPORT");
  if (!line || !name)
    return;
  int file = open(name, O_WRONLY | O_APPEND | O_CREAT, 0666);
  if (file < 0 || write(file, line, strlen(line)) < 0 || write(file, "\n", 1) < 0)
    _exit(99);
}
"""

# Preloaded beside the library: prints the factors that it is given.
FACTORS_PRINTER = r"""
#include <stdio.h>
#include <stdlib.h>
static void __attribute__((constructor)) start(void)
{
  const char *name = getenv("GOMP_AMP_VIRTUAL_SF");
  FILE *file = name ? fopen(name, "r") : NULL;
  for (int c; file && (c = getc(file)) != EOF;)
    putchar(c);
  fflush(stdout);
}
"""

# What the file that the library is given begins with.
HEADER = "# libgomp-amp speedup factors, format 2\n# machine any\n"

TWO_LOOPS = r"""
double a[1000];
int main(int argc, char **argv)
{
#pragma omp parallel
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 1000 * argc; i++)
      a[i] = i;
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 1000 * argc; i++)
      a[i] += i;
  }

#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < 1000; i++)
    a[i] += i;
  return a[10] != 30;
}
"""
FIRST, SECOND, COMBINED = 7, 10, 15  # the pragmas' lines

# Of a class, in the parallel part.
PARALLEL = {"parallel_busy_ns": 0, "parallel_spin_ns": 0, "used": 1}

REPORT = {
    "pid": 17,
    "program": "/x/app",
    "machine": "1x3+1x1",
    "makespan_ns": 4000,
    "work_ns": 3000,
    "bound_ns": 1000,
    "parallel": {"makespan_ns": 2000, "work_ns": 2500, "bound_ns": 1900},
    "removals": {"count": 3, "ns_each": 5, "waited_ns": 7},
    "switches": 9,
    "handovers": 0,
    "threads": 2,
    "classes": [
        {
            "class": 1,
            "cpus": "0",
            "speed": 3,
            "busy_ns": 3000,
            "idle_ns": 1000,
            "spin_ns": 0,
            **PARALLEL,
        },
        {
            "class": 0,
            "cpus": "1",
            "speed": 1,
            "busy_ns": 1000,
            "idle_ns": 3000,
            "spin_ns": 0,
            **PARALLEL,
        },
    ],
}


class Case(ToolCase):
    def virtual(self, *words, machine="1x3+1x1", **options):
        return self.run_tool("amp-emu", "virtual", machine, *words, **options)

    def compile_openmp(self, name="loops", *flags):
        (self.dir / "kernels").mkdir(exist_ok=True)
        source = "kernels/two.c"  # the compiler's directory makes it absolute
        (self.dir / source).write_text(TWO_LOOPS)
        program = self.dir / name
        compiler = os.environ.get("AMP_TEST_CC", "cc")
        command = [compiler, "-fopenmp", source, "-o", program, *(flags or ["-g", "-O2"])]
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        return program


class FakeCase(Case):
    """With a copy of amp-emu whose library is FAKE_LIBRARY."""

    def setUp(self):
        super().setUp()
        place = self.dir / "tree" / "lib" / "libgomp-amp" / "virtual"
        place.mkdir(parents=True)
        self.library = self.compile("fake.so", FAKE_LIBRARY, "-shared", "-fPIC").rename(
            place / "libgomp.so.1"
        )
        binary = self.dir / "tree" / "bin"
        binary.mkdir()
        shutil.copy(self.bin / "amp-emu", binary)
        self.bin = binary

    def report(self, *words, line=json.dumps(REPORT), command=("true",), **options):
        done = self.virtual(
            "--removal-ns", "5", *words, "--", *command, env={"FAKE_REPORT": line}, **options
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done


class AmpVirtualOptions(Case):
    def test_bad_ones(self):
        for words, part in (
            (["1x1+1x3"], "'1x3'"),
            (["4"], "'4'"),
            (["./app"], "'./app'"),
            (["1025x1"], "1024"),
            ([], "MACHINE"),
            (["2x1", "--removal-ns", "-1"], "removal-ns"),
            (["2x1", "--removal-ns", "1000001"], "removal-ns"),
            (["2x1", "--removal-ns", "few"], "removal-ns"),
            (["2x1", "--wake-ns", "1000001"], "wake-ns"),
            (["2x1", "--turn-ns", "1000001"], "turn-ns"),
            (["2x1", "--patience-ms", "0"], "patience-ms"),
            (["2x1", "--patience-ms", "60001"], "patience-ms"),
            (["2x1", "--cpu", "8191"], "CPU 8191"),
            (["2x1", "--cpu", "0", "--no-pin"], "--no-pin"),
            (["2x1", "--sf-file", "/nonexistent/sf"], "/nonexistent/sf"),
            (["2x1", "--bandwidth", "40"], "--demand"),
            (["2x1", "--demand", "/dev/null"], "--bandwidth"),
            (
                ["2x1", "--bandwidth", "1:4", "--demand", "/x"],
                "'1:4': the machine has no such class",
            ),
            (["2x1", "--bandwidth", "40", "--demand", "/nonexistent/d"], "/nonexistent/d"),
            (["2x1", "--bandwidth", "4", "--demand", "/x", "--demand-by-perf"], "--demand-by-perf"),
            (["2x1", "--power", "m7"], "'m7' is none of the chips exynos5422, "),
            (["2x1", "--power", "/nonexistent/chip"], "/nonexistent/chip"),
            (["2x1", "--json", "/nonexistent/report"], "/nonexistent/report"),
            (["2x1", "--bogus"], "--bogus"),
            (["2x1", "-q", "-v"], "quiet"),
        ):
            with self.subTest(words):
                done = self.run_tool("amp-emu", "virtual", *words, "--", "echo", "ran")
                self.assert_refused(done, "amp-emu: ", part)

    def test_no_command(self):
        self.assert_refused(self.virtual(), "no command")

    def test_missing_program(self):
        self.assert_refused(self.virtual("no-such-program"), "no-such-program", status=NOT_FOUND)
        plain = self.dir / "plain"
        plain.write_text("text")
        self.assert_refused(self.virtual(plain), plain, status=NOT_EXECUTABLE)

    def test_missing_library(self):
        shutil.copy(self.bin / "amp-emu", self.dir)
        self.bin = self.dir
        self.assert_refused(self.virtual("true"), "virtual/libgomp.so.1", "build or install")

    def test_help(self):
        done = self.run_tool("amp-emu", "virtual", "--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for word in (
            "MACHINE",
            "--removal-ns",
            "--wake-ns",
            "--turn-ns",
            "--patience-ms",
            "--sf-file",
            "--bandwidth",
            "--demand",
            "--demand-by-perf",
            "--power",
            "--cpu",
            "--no-pin",
            "--json",
            "--force",
            "4x3.0+4x1.0",
            "125",
        ):
            self.assertIn(word, done.stdout)
        self.assertIn("virtual", self.run_tool("amp-emu", "--help").stdout)


class AmpVirtualCommand(FakeCase):
    def variables(self, *words, env=None):
        done = self.virtual(*words, "--", "env", env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        return dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)

    def test_environment(self):
        words = "--removal-ns 40 --wake-ns 0 --turn-ns 9 --patience-ms 7"
        found = self.variables(*words.split())
        self.assertEqual(found["GOMP_AMP_VIRTUAL"], "1x3+1x1")
        self.assertEqual(found["GOMP_AMP_VIRTUAL_REMOVAL_NS"], "40")
        self.assertEqual(found["GOMP_AMP_VIRTUAL_WAKE_NS"], "0")
        self.assertEqual(found["GOMP_AMP_VIRTUAL_TURN_NS"], "9")
        self.assertEqual(found["GOMP_AMP_VIRTUAL_PATIENCE_MS"], "7")
        self.assertEqual(found["LD_PRELOAD"], str(self.library))
        self.assertNotIn("GOMP_AMP_VIRTUAL_SF", found)

    def test_environment_of_another_run_is_replaced(self):
        names = ["", "_REMOVAL_NS", "_WAKE_NS", "_TURN_NS", "_PATIENCE_MS", "_SF", "_REPORT"]
        names += ["_BANDWIDTH", "_DEMAND", "_DEMAND_MBS"]
        found = self.variables(
            env={"GOMP_AMP_VIRTUAL" + name: "old" for name in names} | {"LD_PRELOAD": "libc.so.6"}
        )
        self.assertNotIn("old", found.values())
        self.assertEqual(found["LD_PRELOAD"], f"{self.library}:libc.so.6")

    def test_removal_is_measured(self):
        self.assertGreater(int(self.variables()["GOMP_AMP_VIRTUAL_REMOVAL_NS"]), 0)

    def affinity(self, *words):
        code = "import os; print(sorted(os.sched_getaffinity(0)))"
        return json.loads(self.virtual(*words, "--", sys.executable, "-c", code).stdout)

    def test_runs_on_one_cpu(self):
        self.assertEqual(len(self.affinity()), 1)
        self.assertIn(self.affinity()[0], CPUS)
        for cpu in (CPUS[0], CPUS[-1]):
            self.assertEqual(self.affinity("--cpu", str(cpu)), [cpu])
        self.assertEqual(self.affinity("--no-pin"), CPUS)

    def test_exit_status(self):
        self.assertEqual(self.virtual("sh", "-c", "exit 7").returncode, 7)
        done = self.virtual("sh", "-c", "kill -KILL $$")
        self.assertEqual(done.returncode, 128 + signal.SIGKILL)

    def test_standard_input_and_arguments(self):
        code = "import sys; print(sys.argv[1:], sys.stdin.read())"
        done = self.virtual("--", sys.executable, "-c", code, "a b", "--", "-q", input="text")
        self.assertEqual(done.stdout, "['a b', '--', '-q'] text\n")

    def test_signals_are_forwarded(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            process = subprocess.Popen(
                [
                    self.bin / "amp-emu",
                    "virtual",
                    "2x1",
                    "--",
                    "sh",
                    "-c",
                    "trap 'exit 9' TERM INT; echo; while :; do sleep 0.1; done",
                ],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            self.addCleanup(process.communicate)
            self.addCleanup(process.kill)
            process.stdout.readline()
            process.send_signal(number)
            self.assertEqual(process.wait(timeout=30), 9)

    def test_leaves_no_files(self):
        place = self.dir / "tmp"
        place.mkdir()
        self.report(command=("sh", "-c", "exit 0"))
        done = self.virtual("true", env={"TMPDIR": str(place)}, cwd=place)
        self.assertEqual((done.returncode, list(place.iterdir())), (0, []))


class AmpVirtualReport(FakeCase):
    def test_for_humans(self):
        done = self.report()
        self.assertEqual(done.stdout, "")
        for part in (
            "/x/app (pid 17): 2 threads on 1x3+1x1",
            "4.000 us",
            "1.000 us",
            "25.0 %",
            "95.0 %",
            "75.0 %",
            "3 removals of 5 ns",
            "queued for 7 ns",
        ):
            self.assertIn(part, done.stderr)
        self.assertNotIn("handover", done.stderr)

    def test_quiet(self):
        self.assertEqual(self.report("-q").stderr, "")

    def test_verbose(self):
        self.assertIn("GOMP_AMP_VIRTUAL=1x3+1x1\n", self.report("-v").stderr)

    def test_json(self):
        file = self.dir / "report.json"
        self.report("-q", "--json", file)
        result = json.loads(file.read_text())
        self.assertEqual(result["mode"], "virtual")
        self.assertEqual(result["machine"], "1x3+1x1")
        self.assertEqual((result["removal_ns"], result["removal_measured"]), (5, False))
        self.assertEqual(result["status"], 0)
        (process,) = result["processes"]
        self.assertEqual((process["share"], process["parallel"]["share"]), (0.25, 0.95))
        self.assertEqual([c["busy_percent"] for c in process["classes"]], [75, 25])
        # 4 us of two idle clusters, 3 us of a big core and 1 us of a little one.
        joules = 4e-6 * 2 * 0.12 + 3e-6 * 0.845 + 1e-6 * 0.1575
        self.assertAlmostEqual(process["energy"]["joules"], joules, delta=1e-12)
        self.assertEqual(process["parallel"]["energy"]["joules"], 2e-6 * 2 * 0.12)
        self.assertLessEqual(
            {**REPORT, "parallel": 0, "classes": 0}.items(),
            {**process, "parallel": 0, "classes": 0}.items(),
        )

    def test_each_process_has_its_own(self):
        done = self.report(command=("sh", "-c", "/bin/true; /bin/true"))
        self.assertGreaterEqual(done.stderr.count("/x/app (pid 17)"), 2)  # the shell may, too

    def test_none(self):
        file = self.dir / "report.json"
        done = self.virtual("--json", file, "true")
        self.assertEqual(done.returncode, 0)
        self.assertIn(NOTHING, done.stderr)
        self.assertEqual(json.loads(file.read_text())["processes"], [])

    def test_one_that_cannot_be_read(self):
        done = self.report(line='{"pid":')
        self.assertIn("1 of the library's reports cannot be read", done.stderr)
        self.assertNotIn(NOTHING, done.stderr)


class AmpVirtualObstacles(Case):
    SOURCE = '#include <stdio.h>\nint main(void) { puts("ran"); return 0; }\n'

    def test_static_program(self):
        program = self.compile("static", self.SOURCE, "-static")
        self.assert_refused(self.virtual(program), "statically linked", "--force")
        forced = self.virtual("--force", program)
        self.assertEqual((forced.returncode, forced.stdout), (0, "ran\n"))
        self.assertIn(NOTHING, forced.stderr)


class AmpVirtualFactors(Case):
    def setUp(self):
        super().setUp()
        self.printer = self.compile("printer.so", FACTORS_PRINTER, "-shared", "-fPIC")

    def factors(self, text, program, *words, **options):
        file = self.dir / "sf"
        file.write_text(text)
        return self.virtual(
            "--sf-file",
            file,
            *words,
            "--",
            program,
            env={"LD_PRELOAD": str(self.printer)},
            **options,
        )

    def lines(self, text, program, *words):
        """What the library gets for the file TEXT: (range from the module's start, factors) of each
        line."""
        done = self.factors(text, program, *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        result = []
        self.assertEqual(done.stdout[: len(HEADER)], HEADER)
        for line in done.stdout[len(HEADER) :].splitlines():
            place, factors = line.split()
            module, _, addresses = place.rpartition("+")
            self.assertEqual(module, os.path.realpath(program))
            result.append((tuple(int(a, 16) for a in addresses.split("-")), factors))
        return result

    def disassemble(self, program, *options):
        if not shutil.which("objdump") or os.uname().machine != "x86_64":
            self.skipTest("needs objdump and an x86-64 machine, to find calls by its output")
        return subprocess.run(
            ["objdump", *options, program], capture_output=True, text=True, check=True
        ).stdout

    def sites(self, program):
        """The addresses after the calls that start loops, and where functions of loops start."""
        code = self.disassemble(program, "-d", "--no-show-raw-insn")
        starts = re.findall(r"call .*GOMP_loop_\w*start\S*\n *([0-9a-f]+):", code)
        function = re.search(r"^0*([0-9a-f]+) <main\._omp_fn\.1>:", code, re.M).group(1)
        return sorted(int(a, 16) for a in starts), int(function, 16)

    def test_lines_of_source(self):
        for flags in (["-g", "-O1"], ["-g", "-O2", "-no-pie"], ["-g", "-O3"], ["-gdwarf-4", "-O2"]):
            with self.subTest(flags):
                program = self.compile_openmp("loops", *flags)
                (first, second), combined = self.sites(program)
                base = 0x400000 if "-no-pie" in flags else 0
                text = (
                    f"two.c:{FIRST} 1:2\nkernels/two.c:{SECOND + 1} 0:1,1:3.5\n"
                    f"{self.dir}/kernels/two.c:{COMBINED} 1:8.9 # last\n"
                )
                self.assertEqual(
                    self.lines(text, program),
                    [
                        ((first - 1 - base, first - base), "0:1,1:2"),
                        ((second - 1 - base, second - base), "0:1,1:3.5"),
                        ((combined - base, combined + 1 - base), "0:1,1:8.9"),
                    ],
                )

    def test_lines_of_source_in_a_library(self):
        library = self.compile_openmp(
            "libloops.so", "-g", "-O2", "-shared", "-fPIC", "-Dmain=loops"
        )
        program = self.compile(
            "user",
            "int loops(int, char **);\nint main(int n, char **v) { return loops(n, v); }",
            library,
            f"-Wl,-rpath,{self.dir}",
        )
        done = self.factors(f"two.c:{FIRST} 1:2", program)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"\n{library}+0x", done.stdout)

    def test_lines_that_are_no_loops(self):
        program = self.compile_openmp()
        for site, parts in (
            ("two.c:1", ["such loops are near the lines"]),
            (f"two.c:{COMBINED + 5}", ["such loops are near the lines"]),
            ("three.c:7", ["of no file", "kernels/two.c"]),
        ):
            with self.subTest(site):
                done = self.factors(f"{site} 1:2", program)
                self.assert_refused(done, f"/sf:1: '{site}'", *parts)

    def test_no_debug_information(self):
        for flags in (["-O2"], ["-g", "-O2", "-s"], ["-g", "-O0"]):
            with self.subTest(flags):
                program = self.compile_openmp("loops", *flags)
                done = self.factors(f"two.c:{FIRST} 1:2", program)
                self.assert_refused(done, "compile it with -g")

    def test_script(self):
        script = self.script("run", f"#!/bin/sh\nexec {self.compile_openmp()}\n")
        self.assert_refused(self.factors("two.c:7 1:2", script), "is a script", "+0xOFFSET")
        done = self.factors(f"{self.dir}/loops+0x1234 1:2", script)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"{self.dir}/loops+0x1234 0:1,1:2\n", done.stdout)

    def test_two_files_of_one_name(self):
        for name in ("a", "b"):
            (self.dir / name).mkdir()
            (self.dir / name / "two.c").write_text(TWO_LOOPS.replace("main", f"loops_{name}"))
        program = self.dir / "loops"
        subprocess.run(
            [
                os.environ.get("AMP_TEST_CC", "cc"),
                "-fopenmp",
                "-g",
                "-O2",
                "-fcommon",
                self.dir / "a" / "two.c",
                self.dir / "b" / "two.c",
                "-x",
                "c",
                "-",
                "-o",
                program,
            ],
            input="int main(void) { return 0; }",
            text=True,
            check=True,
        )
        self.assert_refused(self.factors("two.c:7 1:2", program), "a/two.c", "b/two.c", "director")
        self.assertEqual(len(self.lines("b/two.c:7 1:2", program)), 1)

    def test_what_a_real_run_saved(self):
        # As GOMP_AID_SF_SAVE writes it: offsets from where the program is loaded.
        for pie, base in ("-pie", 0), ("-no-pie", 0x400000):
            with self.subTest(pie):
                program = self.compile_openmp("my loops", "-g", "-O2", pie)
                (first, _), combined = self.sites(program)
                text = (
                    "# libgomp-amp speedup factors, format 2\n"
                    "# machine 0123456789abcdef\n"
                    f"my%20loops+0x{first - base:x} 0:1.000000,1:3.250000 # 12\n"
                    f"my%20loops+0x{combined - base:x} 0:1.000000,1:2.000000 # 1\n"
                )
                done = self.factors(text, program)
                self.assertEqual(done.returncode, 0, done.stderr)
                path = str(program).replace(" ", "%20")
                self.assertEqual(
                    done.stdout,
                    HEADER + f"{path}+0x{first - base:x} 0:1,1:3.25\n"
                    f"{path}+0x{combined - base:x} 0:1,1:2\n",
                )

    def test_other_modules(self):
        program = self.compile_openmp()
        done = self.factors("other+0x10 1:2\nloops+0x20 1:2\n", program)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, f"{HEADER}{program}+0x20 0:1,1:2\n")
        self.assertIn("/sf:1: 'other+0x10' is of a module", done.stderr)
        self.assert_refused(self.factors("other+0x10 1:2\n", program), "'other+0x10'", "path")

    def test_a_class_that_the_machine_lacks(self):
        program = self.compile_openmp()
        self.assert_refused(self.factors("two.c:7 2:2", program), "/sf:1: '2:2'", "0, the slowest")


# In perf's place: runs what is after --, and writes COUNTS.
FAKE_PERF = """#!/bin/sh
while [ "$1" != -o ]; do shift; done
file=$2
while [ "$1" != -- ]; do shift; done
shift
"$@"
status=$?
echo perf saw $OMP_NUM_THREADS thread
printf '%b' "$COUNTS" > "$file"
exit $status
"""


class AmpVirtualDemand(Case):
    """--bandwidth, --demand and --demand-by-perf."""

    def environment_of(self, text, *words, program="env", **options):
        file = self.dir / "demand"
        file.write_text(text)
        return self.virtual(
            "--bandwidth", "40,0:10", "--demand", file, *words, "--", program, **options
        )

    def test_what_the_library_gets(self):
        done = self.environment_of("# all\n\nprogram 2.5 # GB/s\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertIn("GOMP_AMP_VIRTUAL_BANDWIDTH=40,0:10", lines)
        self.assertIn("GOMP_AMP_VIRTUAL_DEMAND_MBS=2500", lines)

    def test_loops(self):
        program = self.compile_openmp()
        printer = self.compile(
            "printer.so", FACTORS_PRINTER.replace("_SF", "_DEMAND"), "-shared", "-fPIC"
        )
        done = self.environment_of(
            f"two.c:{FIRST} 8\n{program}+0x20 0\n",
            program=program,
            env={"LD_PRELOAD": str(printer)},
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        path = re.escape(os.path.realpath(program))
        self.assertRegex(
            done.stdout,
            rf"^{HEADER}{path}\+0x[0-9a-f]+-0x[0-9a-f]+ 0:8\n{path}\+0x20 0:0\.000001\n$",
        )

    def test_bad_lines(self):
        for text, part in (
            ("program", "1: ''"),
            ("program x", "1: 'x'"),
            ("program -1", "1: '-1'"),
            ("program 1000001", "1: '1000001'"),
            ("program 1 GB/s", "1: 'GB/s' follows"),
            ("\nprogram 1\nprogram 2", "3: 'program' has a line already"),
            ("two.c 1", "1: 'two.c' is neither"),
            ("two.c:7 1", "1: 'two.c:7' cannot be found"),
        ):
            with self.subTest(text):
                done = self.environment_of(text, program="/bin/true")
                self.assert_refused(done, f"/demand:{part}")

    def by_perf(self, counts, *command, path=None, **variables):
        folder = self.dir / "path"
        folder.mkdir(exist_ok=True)
        perf = folder / "perf"
        perf.write_text(FAKE_PERF)
        perf.chmod(0o755)
        return self.virtual(
            "--bandwidth",
            "40",
            "--demand-by-perf",
            "--",
            *(command or ("env",)),
            env={"PATH": path or f"{folder}:{os.environ['PATH']}", "COUNTS": counts, **variables},
        )

    def test_by_perf(self):
        # 1e9 lines of 64 bytes in 16 s are 4 GB/s, on a core of speed 3.
        done = self.by_perf(
            "# started\n\n1000000000,,cache-misses:u,1,100.00,,\n16000.0,msec,task-clock:u,1,1,,\n",
            OMP_NUM_THREADS="5",
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("perf saw 1 thread\n", done.stdout)
        self.assertIn("OMP_NUM_THREADS=5\n", done.stdout)
        self.assertIn("GOMP_AMP_VIRTUAL_DEMAND_MBS=1333\n", done.stdout)
        self.assertIn("4 GB/s", done.stderr)

    def test_perf_that_counts_nothing(self):
        done = self.by_perf("<not supported>,,cache-misses,0,100.00,,\n9.0,msec,task-clock,1,1,,\n")
        self.assert_refused_after(done, "cache-misses", "<not supported>", "--demand FILE")

    def assert_refused_after(self, done, *parts):
        """Refused after perf ran the command."""
        self.assertEqual(done.returncode, 125, done.stderr)
        self.assertNotIn("GOMP_AMP_VIRTUAL=", done.stdout)
        for part in parts:
            self.assertIn(part, done.stderr)

    def test_a_command_that_fails_under_perf(self):
        self.assert_refused_after(self.by_perf("", "false"), "status 1")

    def test_no_perf(self):
        done = self.by_perf("", "/usr/bin/env", path=str(self.dir / "empty"))
        self.assert_refused(done, "no perf in PATH", "--demand FILE")

    def test_the_perf_of_this_machine(self):
        if not shutil.which("perf"):
            self.skipTest("there is no perf here")
        done = self.virtual("--bandwidth", "40", "--demand-by-perf", "--", "/bin/true")
        if "cache-misses" in done.stderr:
            self.skipTest(f"no hardware counters here: {done.stderr}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("GB/s", done.stderr)


class AmpVirtualForReal(Case):
    def test_a_program_runs_on_the_machine(self):
        program = self.compile_openmp()
        file = self.dir / "report.json"
        done = self.virtual("--json", file, program, machine="4x3+4x1")
        self.assertEqual(done.returncode, 0, done.stderr)
        (process,) = json.loads(file.read_text())["processes"]
        self.assertEqual((process["machine"], process["threads"]), ("4x3+4x1", 8))
        self.assertEqual(process["program"], os.path.realpath(program))
        self.assertEqual([c["cpus"] for c in process["classes"]], ["0-3", "4-7"])
        self.assertEqual(process["removals"]["count"] > 0, True)
        for span in (process, process["parallel"]):
            self.assertGreater(span["makespan_ns"], 0)
            self.assertTrue(0 < span["share"] <= 1, span)
        self.assertIn(f"{program} (pid {process['pid']})", done.stderr)


class AmpVirtualDisturbed(Case):
    """A run beside a busy process on the same CPU."""

    SPIN = "import time\nbegun = time.process_time()\nwhile time.process_time() < begun + 0.2: pass"

    def setUp(self):
        super().setUp()
        cpu = CPUS[0]
        busy = subprocess.Popen(
            [sys.executable, "-c", "while True: pass"],
            preexec_fn=lambda: os.sched_setaffinity(0, {cpu}),
        )
        self.addCleanup(busy.wait)
        self.addCleanup(busy.kill)
        self.json = self.dir / "report.json"
        self.words = ("--removal-ns=100", "--cpu", str(cpu), "--json", self.json)

    def test_is_marked(self):
        done = self.virtual(*self.words, "--", sys.executable, "-c", self.SPIN)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("amp-emu: virtual: ! disturbed: "), 1, done.stderr)
        self.assertRegex(done.stderr, r"other programs ran for \d+ ms.*not to be compared\n")
        result = json.loads(self.json.read_text())
        self.assertEqual(result["runs"], 1)
        self.assertRegex("".join(result["disturbed"]), "other programs ran for")

    def test_is_repeated(self):
        done = self.virtual(
            *self.words, "--repeat=2", "--", sys.executable, "-c", self.SPIN + "\nprint('ran')"
        )
        self.assertEqual(done.stdout, "ran\n" * 3, done.stderr)
        self.assertEqual(done.stderr.count("running it again\n"), 2, done.stderr)
        self.assertEqual(json.loads(self.json.read_text())["runs"], 3)

    def test_is_not_repeated_if_it_failed(self):
        done = self.virtual(
            *self.words,
            "--repeat=2",
            "--",
            sys.executable,
            "-c",
            self.SPIN + "\nprint('ran')\nexit(3)",
        )
        self.assertEqual((done.stdout, done.returncode), ("ran\n", 3), done.stderr)


if __name__ == "__main__":
    sys.exit(tool_case.main())
