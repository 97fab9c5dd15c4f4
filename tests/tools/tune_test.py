# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of amp-run --tune, on programs that read in their environment in which way they run, and of
what amp-run does with entries of programs.toml."""

import os
import pathlib
import pty
import re
import shlex
import signal
import subprocess
import sys
import time
import tomllib

import tool_case
from tool_case import ToolCase

UNEVEN = "0=1024,1=512"
# A script of the shell that knows its way by these.
WAY = """#!/bin/sh
way=plain
case "$GOMP_AMP_FOLD,$GOMP_AMP_FOLD_CALLS" in
  auto,off) way=turns;;
  auto,auto) way=folded;;
  auto,all) way=calls;;
esac
test "$OMP_PROC_BIND" != close || way=bound
test "$OMP_SCHEDULE" != aid_hybrid || way=routed
"""
# A way that gains so much that no load of the machine hides it.
FOLDED_GAINS = "test $way = folded || sleep 0.5\n"
REGION = """
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int threads = 0;
  #pragma omp parallel reduction(+:threads)
  threads++;
  const char *fold = getenv("GOMP_AMP_FOLD");
  printf("%s %d\\n", fold ? fold : "unset", threads);
  fflush(stdout);
  return argc > 1 ? system(argv[1]) : 0;
}
"""
# A static loop; prints the size of the team.
LOOP = """
#include <stdio.h>
#include <omp.h>
int main(void) {
  int threads = 0;
  double sum = 0;
  #pragma omp parallel for reduction(+:sum)
  for (int i = 0; i < 4000; i++) {
    if (i == 0)
      threads = omp_get_num_threads();
    double x = i;
    for (int k = 0; k < 2000; k++)
      x = x * 0.999 + 1;
    sum += x;
  }
  printf("%d threads: %.6g\\n", threads, sum);
}
"""
# A sweep as NPB's LU has it: each thread spins on a flag until the one before has done the plane.
PIPELINE = """
#include <stdio.h>
#include <omp.h>
static volatile int done[64][64];
static double field[64][64];
int main(void) {
  #pragma omp parallel
  for (int step = 1; step <= 30; step++) {
    int me = omp_get_thread_num();
    for (int plane = 1; plane <= 8; plane++) {
      int goal = step * 8 + plane;
      while (me > 0 && done[me - 1][0] < goal);
      __sync_synchronize();
      #pragma omp for schedule(static) nowait
      for (int row = 0; row < 64; row++)
        for (int i = 1; i < 64; i++)
          field[row][i] = field[row][i] * .5 + field[row][i - 1] * .25 + plane;
      __sync_synchronize();
      done[me][0] = goal;
    }
    #pragma omp barrier
  }
  printf("%.9g\\n", field[63][63]);
}
"""


class Case(ToolCase):
    def setUp(self):
        super().setUp()
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("one CPU")
        self.config = self.dir / "config"
        self.entries = self.config / "libgomp-amp/programs.toml"

    def values(self, **env):
        return {
            "GOMP_AMP_TOPOLOGY": UNEVEN,
            "XDG_CONFIG_HOME": str(self.config),
            "XDG_CACHE_HOME": str(self.dir / "cache"),
            "TMPDIR": str(self.dir),
            **env,
        }

    def amp_run(self, *words, env=None, **options):
        options = {"stdin": subprocess.DEVNULL} | options
        return self.run_tool("amp-run", *words, env=self.values(**(env or {})), **options)

    def tune(self, *words, **options):
        """Runs --tune. Another test's may be at work, which is reported too."""
        done = self.amp_run("--tune", *words, **options)
        lines = done.stderr.splitlines(keepends=True)
        done.stderr = "".join(line for line in lines if "another --tune is at work" not in line)
        return done

    def fake(self, body, name="fake"):
        return self.script(name, WAY + body)

    def remembered(self):
        return tomllib.loads(self.entries.read_text())["program"] if self.entries.exists() else []

    def assert_remembered(self, program, way):
        (entry,) = self.remembered()
        self.assertEqual((entry["name"], entry["way"]), (str(program), way))

    def row(self, done, way):
        """What the table says of WAY."""
        return re.search(rf"^{way} .*", done.stdout, re.M)[0]

    def assert_nothing_left(self, mark):
        """No process with MARK in its command line is there, nor a temporary directory."""
        for directory in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                self.assertNotIn(mark, (directory / "cmdline").read_text(errors="replace"))
            except (FileNotFoundError, ProcessLookupError):
                pass
        self.assertFalse(list(self.dir.glob("amp-run-*")))


class Tune(Case):
    def test_best_way_is_remembered_and_used(self):
        program = self.fake(FOLDED_GAINS + "echo result")
        done = self.tune("--rounds=2", program)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertIn("the best", self.row(done, "folded"))
        self.assert_remembered(program, "folded")
        entry = self.remembered()[0]
        self.assertGreater(entry["gain"], 1.03)
        self.assertIn("1x1024+1x512", entry["machine"])
        shows = self.fake("echo $way")
        self.assertEqual(self.amp_run(shows).stdout, "folded\n")
        line = f"{self.entries}:1"
        self.assertIn(f"{line} decides: it is run folded", self.amp_run("-v", shows).stderr)
        checked = self.amp_run("--check", shows).stdout
        self.assertIn(f"{line} decides how it is run: folded, its threads are folded", checked)
        self.assertIn(f"{line} decides", self.amp_run("--known", shows).stdout)
        self.assertIn(f"{line}: {shows} folded", self.amp_run("--known").stdout)
        self.assertEqual(self.amp_run("--forget", shows).returncode, 0)
        self.assertEqual(self.amp_run(shows).stdout, "plain\n")
        self.assertEqual(self.amp_run("--forget", shows).returncode, 1)
        self.assertIn("no entry decides", self.amp_run("--known", shows).stdout)

    def test_virtual_time(self):
        """Runs are compared by virtual time: in real time no way gains on the one CPU that there
        is. An entry holds for that machine alone, where amp-run runs the lab's library."""
        program = self.compile("app", LOOP, "-fopenmp")

        def emulated(*words, machine="2x3.0+2x1.0"):
            words = ("virtual", machine, "--quiet", "--", self.bin / "amp-run", *words)
            env = self.values(GOMP_AMP_TOPOLOGY=None)
            return self.run_tool("amp-emu", *words, env=env, stdin=subprocess.DEVNULL)

        done = emulated("--tune", "--rounds=2", program)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertIn(self.remembered()[0]["way"], ("turns", "folded"))
        self.assertEqual(self.remembered()[0]["machine"], "virtual time; 2x1024+2x341")
        threads = int(emulated(program).stdout.split()[0])
        self.assertGreater(threads, 4)
        self.assertIn(f"{threads} threads", emulated("--way=turns", program).stdout)
        self.assertIn("2 threads", emulated("--way=fast", program).stdout)
        self.assertIn("4 threads", emulated("--way=plain", program).stdout)
        self.assertIn("3 threads", emulated(program, machine="2x3.0+1x1.0").stdout)
        self.assertEqual(self.amp_run("--known", program).stdout.count("another machine"), 1)
        done = emulated("--tune", self.fake("echo"))
        self.assertIn("the plain run opened no team in virtual time", done.stderr)

    def test_a_pipeline(self):
        """Folded threads that spin on each other's flags take a hundred times as long."""
        program = self.compile("app", PIPELINE, "-fopenmp")
        done = self.tune("--rounds=2", program)
        for way in ("turns", "folded"):
            self.assertRegex(self.row(done, way), "ended after .*: the best took ")
        self.assertIn(self.remembered()[0]["way"], ("plain", "bound", "fast"))

    def test_ways_that_fail(self):
        program = self.fake(
            "case $way in\n"
            "  bound) echo other; exit;;\n"
            "  turns) trap '' TERM; sleep 3600.25;;\n"
            "  folded) kill -SEGV $$;;\n"
            "  calls) exit 3;;\n"
            "  routed) kill -KILL $$;;\n"
            "esac\n"
            "echo result"
        )
        done = self.tune("--rounds=2", program)
        self.assertEqual(done.returncode, 0, done.stderr)
        for way, why in (
            ("bound", "output differs: line 1 is 'other', not 'result'"),
            ("turns", "ended after .*: the best took "),
            ("folded", r"ended by signal 11 \(Segmentation fault\)"),
            ("calls", "exit status 3, not 0"),
            ("routed", "ended by signal 9"),
        ):
            self.assertRegex(self.row(done, way), why)
        self.assertNotIn(self.remembered()[0]["way"], ("bound", "turns", "folded", "calls"))
        self.assert_nothing_left("3600.25")

    def test_processes_that_a_run_leaves(self):
        mark = "3600.50"
        done = self.tune("--rounds=2", self.fake(f"sleep {mark} & setsid sleep {mark} & echo"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_nothing_left(mark)

    def test_a_way_that_writes_to_the_terminal(self):
        parent, child = pty.openpty()
        program = self.fake("test $way != folded || echo noise > /dev/tty || exit 4\necho result")
        command = [self.bin / "amp-run", "--tune", "--rounds=2", program]
        environment = tool_case.environment.clean(**self.values())
        done = subprocess.run(
            ["setsid", "-c", "-w", *command],
            stdin=child,
            stdout=subprocess.PIPE,
            stderr=child,
            env=environment,
            text=True,
        )
        os.close(child)
        shown = os.read(parent, 65536).decode()
        os.close(parent)
        self.assertEqual(done.returncode, 0, shown)
        self.assertNotIn("noise", shown)
        self.assertRegex(self.row(done, "folded"), "exit status [0-9]+, not 0")
        # It shows there how far it is, and that the terminal is nothing to read from.
        self.assertIn("round 2 of 2, plain; about ", shown)
        self.assertIn("standard input is a terminal", shown)

    def test_numbers(self):
        for plain, folded, alike in (
            ("sum 1.00000000", "sum 1.00000001", True),
            ("sum 1.00000000", "sum 1.00001000", False),
            ("2 threads", "3 threads", True),
            ("2 threads", "4 threads", False),
            ("12345678", "12345679", False),
        ):
            program = self.fake(f"test $way = folded && echo '{folded}' || echo '{plain}'")
            done = self.tune("--rounds=2", program)
            self.assertEqual("differs" not in self.row(done, "folded"), alike, done.stdout)

    def test_lines_that_differ_between_plain_runs(self):
        program = self.fake("echo time $(date +%s%N)\necho result")
        done = self.tune("--rounds=2", program)
        self.assertNotIn("differs", done.stdout)

    def test_what_two_plain_runs_have_alike_by_chance(self):
        """A time stamp in seconds, and the order in which ranks or threads print."""
        stamp = self.dir / "stamp"
        # The first two runs are plain ones.
        program = self.fake(
            f"echo run >> {stamp}\n"
            f"runs=$(wc -l < {stamp})\n"
            "echo time $((runs / 3))\n"
            "test $way = plain && echo end || echo wrong"
        )
        done = self.tune("--rounds=2", program)
        self.assertIn("output differs: line 2 is 'wrong', not 'end'", self.row(done, "bound"))
        stamp.unlink()
        program = self.fake(
            f"echo run >> {stamp}\n"
            f"runs=$(wc -l < {stamp})\n"
            "test $((runs / 3 % 2)) = 1 && lines='1 0' || lines='0 1'\n"
            "for line in $lines; do echo rank $line; done"
        )
        done = self.tune("--rounds=2", program)
        self.assertNotIn("differs", done.stdout)

    def test_files_that_it_writes(self):
        out, program = self.dir / "out", self.fake("")
        for body, why in (
            ("echo $way > OUT", f"'{out}' differs: line 1 is 'folded', not 'plain'"),
            ("test $way = folded || echo > OUT", f"'{out}' is not written"),
        ):
            program.write_text(WAY + body.replace("OUT", str(out)))
            done = self.tune("--rounds=2", f"--output={out}", program)
            self.assertEqual(done.stderr, "")
            self.assertIn(why, self.row(done, "folded"))
        done = self.tune(f"--output={self.dir}/none", program)
        self.assert_refused(done, "the plain run has not written")

    def test_reset(self):
        program = self.fake("test -e INPUT && rm INPUT && echo result".replace("INPUT", "$1"))
        file = self.dir / "input"
        done = self.tune("--rounds=2", f"--reset=touch {file}", program, file)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("status", done.stdout)
        self.assert_refused(self.tune("--reset=false", program, file), "--reset")

    def test_standard_input(self):
        file = self.script("input", "text\n")
        program = self.fake('read word; test "$word" = "$1" || exit 1')
        with file.open() as stream:
            done = self.tune("--rounds=2", program, "text", stdin=stream)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("status", done.stdout)
        self.assert_refused(self.tune(program, stdin=subprocess.PIPE), "standard input is a pipe")

    def test_plain_runs_that_fail(self):
        done = self.tune(self.fake("echo why >&2; exit 3"))
        self.assert_refused(done, "the plain run ended with status 3: why; nothing is remembered")
        done = self.tune(self.fake("kill -TERM $$"))
        self.assert_refused(done, "the plain run ended by signal 15")
        self.assert_refused(self.tune(self.dir / "none"), "No such file", status=127)
        self.assertFalse(self.entries.exists())

    def test_where_nothing_can_be_tried(self):
        done = self.tune(self.fake("echo"), env={"GOMP_AMP_TOPOLOGY": "off"})
        self.assert_refused(done, "the cores are equally fast")

    def test_budget(self):
        program = self.fake("sleep 0.4; echo")
        done = self.tune("--budget=0.1", program)
        self.assert_refused(done, "a plain run takes longer than the budget")
        done = self.tune("--budget=2s", program)
        self.assertIn("the budget of 2.00 s is used up", done.stdout)
        self.assertEqual(done.returncode, 1)
        self.assertFalse(self.entries.exists())
        self.assert_refused(self.tune("--budget=long", program), "expected a time such as 90s")

    def test_interrupted(self):
        mark = "3600.75"
        process = subprocess.Popen(
            [self.bin / "amp-run", "--tune", self.fake(f"sleep {mark}")],
            env=tool_case.environment.clean(**self.values()),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        while not list(self.dir.glob("amp-run-*/out")):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=900)
        self.assertNotEqual(process.returncode, 0)
        self.assertIn("interrupted; nothing is remembered", errors)
        self.assert_nothing_left(mark)

    def test_two_at_once(self):
        commands = [
            [self.bin / "amp-run", "--tune", "--rounds=2", self.fake("echo", name)]
            for name in ("one", "two")
        ]
        environment = tool_case.environment.clean(**self.values())
        processes = [
            subprocess.Popen(
                command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
            )
            for command in commands
        ]
        self.assertEqual([process.wait() for process in processes], [0, 0])
        names = sorted(entry["name"] for entry in self.remembered())
        self.assertEqual(names, [str(self.dir / "one"), str(self.dir / "two")])

    def test_a_home_that_cannot_be_written(self):
        self.config = pathlib.Path("/proc/none")
        done = self.tune("--rounds=2", self.fake("echo"))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "not remembered: .*; amp-run --way=[a-z]+ runs it like that")
        self.assertIn("plain", done.stdout)

    def test_a_damaged_file(self):
        self.entries.parent.mkdir(parents=True)
        self.entries.write_text("# mine\n[[program\n")
        program = self.fake("echo $way")
        done = self.amp_run(program)
        self.assertEqual((done.returncode, done.stdout), (0, "plain\n"))
        self.assertIn(f"{self.entries}:2: ", done.stderr)
        self.assertEqual(self.tune("--rounds=2", program).returncode, 1)
        self.assertEqual(self.entries.read_text(), "# mine\n[[program\n")

    def test_an_entry_of_another_machine(self):
        program = self.fake("echo")
        self.assertEqual(self.tune("--rounds=2", program).returncode, 0)
        text = re.sub("way = .*", 'way = "folded"', self.entries.read_text())
        self.entries.write_text(text)
        shows = self.fake("echo $way")
        other = {"GOMP_AMP_TOPOLOGY": "0=1024,1=700"}
        self.assertEqual(self.amp_run(shows).stdout, "folded\n")
        self.assertEqual(self.amp_run(shows, env=other).stdout, "plain\n")
        said = self.amp_run("-v", shows, env=other).stderr
        self.assertIn("was measured on another machine", said)

    def test_a_name_with_blanks_and_newlines(self):
        for number, name in enumerate(("two words", "new\nline", 'a"quote\\', "é#]")):
            program = self.fake("echo", name)
            self.assertEqual(self.tune("--rounds=2", program).returncode, 0)
            self.assertEqual(self.remembered()[number]["name"], str(program))
            self.assertIn("decides", self.amp_run("--known", program).stdout)

    def test_another_build(self):
        program = self.compile("app", REGION, "-fopenmp", "-Wl,--build-id")
        self.assertEqual(self.tune("--rounds=2", program).returncode, 0)
        self.assertIn("build-id", self.remembered()[0])
        self.compile("app", REGION + "int more;", "-fopenmp", "-Wl,--build-id")
        self.assertIn("is about another build", self.amp_run("--known", program).stdout)

    def test_ways_are_documented(self):
        page = pathlib.Path(__file__).resolve().parents[2] / "docs/guide/tune.md"
        rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", page.read_text(), re.M)
        shown = " ".join(self.amp_run("--help").stdout.split())
        self.assertIn("; ".join(f"{name}, {text}" for name, text in rows), shown)

    def test_what_applies(self):
        for flags, ways in (
            ("schedule(static)", "plain, bound, fast, turns, folded"),
            ("schedule(runtime)", "plain, bound, fast, turns, folded, routed"),
        ):
            loop = f"#pragma omp parallel for {flags}\nfor (int i = 0; i < 9; i++);"
            program = self.compile("app", f"int main(void) {{\n{loop}\n}}", "-fopenmp")
            self.assertIn(f"would try {ways}\n", self.amp_run("--check", program).stdout)


class Entries(Case):
    def write(self, way, name, **values):
        self.entries.parent.mkdir(parents=True, exist_ok=True)
        lines = {"name": name, "way": way, **values}
        text = "".join(f"{key} = '{value}'\n" for key, value in lines.items())
        self.entries.write_text("[[program]]\n" + text)

    def test_what_the_user_says_wins(self):
        program = self.fake("echo $way")
        self.write("folded", program)
        self.assertEqual(self.amp_run(program).stdout, "folded\n")
        for words, env, way in (
            (["--fold=0"], {}, "plain"),
            (["--schedule=aid_hybrid"], {}, "routed"),
            (["--affinity=BS"], {}, "plain"),
            (["--way=calls"], {}, "calls"),
            (["--way=plain"], {"GOMP_AMP_FOLD": "auto"}, "plain"),
            ([], {"GOMP_AMP_FOLD": "0"}, "plain"),
            ([], {"OMP_PROC_BIND": "close"}, "bound"),
            ([], {"OMP_SCHEDULE": ""}, "folded"),
        ):
            self.assertEqual(self.amp_run(*words, program, env=env).stdout, f"{way}\n", words)
        done = self.amp_run("-v", program, env={"OMP_SCHEDULE": "static"})
        self.assertIn("no entry decides how it is run: OMP_SCHEDULE is set", done.stderr)
        self.assert_refused(self.amp_run("--way=none", program), "expected one of plain, bound")

    def test_every_way(self):
        program = self.fake("echo $way")
        for way in ("plain", "bound", "turns", "folded", "calls", "routed"):
            self.assertEqual(self.amp_run(f"--way={way}", program).stdout, f"{way}\n")
        mask = self.amp_run("--way=fast", "sh", "-c", "taskset -cp $$").stdout
        self.assertTrue(mask.endswith(": 0\n"), mask)

    def test_what_is_looked_through(self):
        program = self.fake("echo $way")
        self.write("folded", program)
        wrapper = self.script("wrapper", f'#!/bin/sh\n# a comment\nexec {program} "$@"\n')
        for command in (
            ["nice", "-n", "1", program],
            ["env", "-u", "NAME", "A=B", program],
            ["taskset", "-c", "0,1", program],
            ["timeout", "-k", "1", "60", program],
            ["nice", "env", program],
            [wrapper],
            ["sh", program],
        ):
            self.assertEqual(self.amp_run(*command).stdout, "folded\n", command)
        for command in (["sh", "-c", shlex.quote(str(program))], ["nice"]):
            self.assertNotEqual(self.amp_run(*command).stdout, "folded\n", command)

    def test_what_does_not_run_on_the_library_behind_another_program(self):
        program = self.compile("static", "int main(void) {}", "-static")
        done = self.amp_run("nice", program)
        self.assert_refused(done, program, "statically linked", "--force")
        self.assertIn("statically linked", self.amp_run("--check", "nice", program).stderr)

    def test_explanations_name_the_entry(self):
        program = self.compile("app", REGION, "-fopenmp")
        self.write("folded", program)
        done = self.amp_run("--explain", program)
        self.assertIn(f"amp-run: {self.entries}:1 decides: it is run folded\n", done.stderr)
        self.write("bound", program)
        done = self.amp_run("--explain", program)
        self.assertIn(f"unasked: {self.entries}:1 says bound", done.stderr)

    def test_programs_of_python(self):
        script = self.dir / "app.py"
        script.write_text("import os; print(os.environ.get('GOMP_AMP_FOLD'))\n")
        python = os.path.realpath(sys.executable)
        self.write("folded", script, interpreter=python)
        self.assertEqual(self.amp_run(sys.executable, script).stdout, "auto\n")
        self.assertEqual(self.amp_run(sys.executable, "-B", script).stdout, "auto\n")
        self.write("folded", script, interpreter="/usr/bin/other")
        self.assertEqual(self.amp_run(sys.executable, script).stdout, "None\n")
        self.write("folded", "-m platform", interpreter=python)
        self.assertIn("decides", self.amp_run("--known", sys.executable, "-m", "platform").stdout)
        # A script that starts Python is an interpreter too.
        shim = self.script("python3", f'#!/bin/sh\nexec "{python}" "$@"\n')
        self.write("folded", script, interpreter=shim)
        self.assertEqual(self.amp_run(shim, script).stdout, "auto\n")
        self.assertIn("no entry", self.amp_run("--known", shim, "-m", "platform").stdout)

    def test_a_bare_name_is_of_the_system(self):
        self.write("turns", "env")
        self.assertIn("GOMP_AMP_FOLD=auto\n", self.amp_run("env").stdout)
        self.assertIn("GOMP_AMP_FOLD=auto\n", self.amp_run("/usr/bin/env").stdout)
        other = self.script("env", "#!/bin/sh\n/usr/bin/env\n")
        self.assertNotIn("GOMP_AMP_FOLD", self.amp_run(other).stdout)

    def test_comments_and_order_stay(self):
        program = self.fake("echo")
        text = (
            "# first\n[[program]]\nname = 'a' # mine\nway = 'plain'\n\n"
            f"# of the fake\n[[program]]\nway = 'turns'\n# why\nname = '{program}'\nnote = 1\n\n"
            "# last\n[[program]]\nname = 'z'\nway = 'fast'\n"
        )
        self.entries.parent.mkdir(parents=True)
        self.entries.write_text(text)
        self.assertEqual(self.tune("--rounds=2", program).returncode, 0)
        after = self.entries.read_text()
        for line in text.splitlines():
            if "turns" not in line and str(program) not in line:
                self.assertIn(f"{line}\n", after)
        self.assertEqual([one["name"] for one in self.remembered()], ["a", str(program), "z"])
        self.assertNotIn("turns", after)
        self.amp_run("--forget", program)
        self.assertEqual([one["name"] for one in self.remembered()], ["a", "z"])

    def test_folding_is_for_the_program_alone(self):
        parent = self.compile("parent", REGION, "-fopenmp")
        child = self.compile("child", REGION, "-fopenmp")
        self.write("folded", parent)
        done = self.amp_run(parent, child)
        self.assertEqual(done.stdout, "auto 3\nauto 2\n")
        # Another amp-run decides by itself; the user's own variable is for all.
        nested = f"{self.bin}/amp-run {child}"
        self.assertEqual(self.amp_run(parent, nested).stdout, "auto 3\nunset 2\n")
        done = self.amp_run("--fold", parent, child)
        self.assertEqual(done.stdout, "auto 3\nauto 3\n")

    def test_programs_that_were_never_tuned(self):
        program = self.compile("app", REGION, "-fopenmp")

        def said(*words, **env):
            parent, child = pty.openpty()
            self.run_on(child, *words, **env)
            os.set_blocking(parent, False)
            try:
                return os.read(parent, 65536).decode()
            except (BlockingIOError, OSError):
                return ""
            finally:
                os.close(parent)

        news = "was never tuned: amp-run --tune"
        self.assertNotIn(news, said("--fold", program))
        self.assertNotIn(news, said(program, GOMP_AMP_TOPOLOGY="off"))
        self.assertNotIn(news, said("true"))
        self.assertIn(news, said(program))
        self.assertNotIn(news, said(program))
        other = self.compile("other", REGION, "-fopenmp")
        self.assertIn(news, said(other))
        untuned = self.dir / "cache/libgomp-amp/untuned"
        untuned.write_text(untuned.read_text().replace("20", "19", 1))
        self.assertIn(news, said(program))
        self.assertNotIn(news, self.amp_run(other).stderr)

    def run_on(self, terminal, *words, **env):
        subprocess.run(
            [self.bin / "amp-run", *words],
            env=tool_case.environment.clean(**self.values(**env)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=terminal,
        )
        os.close(terminal)


if __name__ == "__main__":
    sys.exit(tool_case.main())
