# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of amp-run --tune."""

import os
import pathlib
import pty
import re
import signal
import subprocess
import sys

import tool_case
from tune_case import REGION, Case

# A way that gains so much that no load of the machine hides it.
FOLDED_GAINS = "test $way = folded || sleep 0.25\n"
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


class Tune(Case):
    def test_best_way_is_remembered_and_used(self):
        program = self.fake(FOLDED_GAINS + "echo result; echo aside >&2")
        done = self.tune(program)
        self.assertEqual((done.returncode, done.stdout), (0, "result\n"), done.stderr)
        self.assertEqual(done.stderr.count("aside\n"), 1)
        self.assertIn("the best", self.row(done, "folded"))
        self.assertIn("as many threads: output.", done.stderr)
        self.assert_remembered(program, "folded")
        entry = self.remembered()[0]
        self.assertGreater(entry["gain"], 1.03)
        self.assertIn("1x1024+1x512", entry["machine"])
        line = f"{self.entries}:1"
        self.assertIn(f"{line} decides: it is run folded", self.amp_run("-v", program).stderr)
        checked = self.amp_run("--check", program).stdout
        self.assertIn(f"{line} decides how it is run: folded, it has more threads", checked)
        self.assertIn(f"{line} decides", self.amp_run("--known", program).stdout)
        self.assertIn(f"{line}: {program} folded", self.amp_run("--known").stdout)
        self.assertEqual(self.amp_run("--forget", program).returncode, 0)
        self.assertEqual(self.amp_run("--forget", program).returncode, 1)
        self.assertIn("no entry decides", self.amp_run("--known", program).stdout)

    def test_virtual_time(self):
        """Runs are compared by virtual time: in real time no way gains on the one CPU that there
        is. An entry holds for that machine alone, where amp-run runs the lab's library."""
        program = self.compile("app", LOOP, "-fopenmp")

        def emulated(*words, machine="2x3.0+2x1.0"):
            words = ("virtual", machine, "--quiet", "--", self.bin / "amp-run", *words)
            env = self.values(GOMP_AMP_TOPOLOGY=None)
            return self.run_tool("amp-emu", *words, env=env, stdin=subprocess.DEVNULL)

        done = emulated("--tune", program)
        self.assertEqual((done.returncode, done.stdout.count("\n")), (0, 1), done.stderr)
        self.assertEqual(self.remembered()[0]["way"], "folded", done.stderr)
        self.assertEqual(self.remembered()[0]["machine"], "virtual time; 2x1024+2x341")
        threads = int(emulated(program).stdout.split()[0])
        self.assertGreater(threads, 4)
        self.assertIn(f"{threads} threads", emulated("--way=folded", program).stdout)
        self.assertIn("2 threads", emulated("--way=fast", program).stdout)
        self.assertIn("4 threads", emulated("--way=plain", program).stdout)
        self.assertIn("3 threads", emulated(program, machine="2x3.0+1x1.0").stdout)
        self.assertEqual(self.amp_run("--known", program).stdout.count("another machine"), 1)
        done = emulated("--tune", self.fake("echo"))
        self.assertIn("the plain run opened no team in virtual time", done.stderr)

    def test_ways_that_fail(self):
        program = self.fake(
            "case $way in\n"
            "  bound) echo other; exit;;\n"
            "  folded) trap '' TERM; sleep 3600.25;;\n"
            "  routed) echo why >&2; exit 3;;\n"
            "  fast) kill -SEGV $$;;\n"
            "esac\n"
            "echo result"
        )
        done = self.tune(program)
        self.assertEqual((done.returncode, done.stdout), (0, "result\n"), done.stderr)
        for way, why in (
            ("bound", "output differs: line 1 is 'other', not 'result'"),
            ("folded", "ended after .*: the best took "),
            ("fast", r"ended by signal 11 \(Segmentation fault\)"),
            ("routed", "exit status 3, not 0: why"),
        ):
            self.assertRegex(self.row(done, way), why)
        self.assert_remembered(program, "plain")
        self.assertFalse(self.processes("3600.25"))

    def test_processes_that_a_run_leaves(self):
        mark = "3600.50"
        done = self.tune("--rounds=2", self.fake(f"sleep {mark} & setsid sleep {mark} & echo"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse(self.processes(mark))

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
        self.assertEqual((done.returncode, done.stdout), (0, "result\n"), shown)
        self.assertNotIn("noise", shown)
        self.assertRegex(shown, "folded .*exit status [0-9]+, not 0")
        # It shows there how far it is, and that the terminal is nothing to read from.
        self.assertIn("round 2 of 2, plain; about ", shown)
        self.assertIn("standard input is a terminal", shown)

    def assert_taken(self, printed, way, said, *words):
        """Folded, which gains, is compared with plain runs that have as many threads, and these
        with plain: WAY is remembered if PRINTED is what the program prints."""
        done = self.tune(*words, self.fake(f"{FOLDED_GAINS}echo {printed}"))
        self.assertIn(said, done.stderr)
        self.assertEqual(self.remembered()[0]["way"], way, done.stderr)

    def test_rounding(self):
        said = "3 threads output, line 1 is 'sum 1.0000003'"
        self.assert_taken("sum 1.000000$threads", "folded", said)

    def test_other_numbers_with_other_threads(self):
        said = "with 3 threads, as in plain runs with so many"
        self.assert_taken("sum 1.0$threads", "plain", said)

    def test_other_numbers_that_are_accepted(self):
        said = "as in plain runs with 3"
        self.assert_taken("sum 1.0$threads", "folded", said, "--accept-rounding")

    def test_numbers_of_threads(self):
        self.assert_taken("$threads threads", "folded", "output.")

    def test_what_differs_from_plain_runs_with_as_many_threads(self):
        self.assert_taken("$way", "plain", "line 1 is 'folded', not 'plain'")

    def test_what_differs_beside_what_varies(self):
        self.assert_taken("$way 1.5 $$", "plain", "line 1 is 'folded 1.5")

    def test_nothing_that_is_compared(self):
        done = self.tune("--rounds=2", self.fake("echo $(date +%s%N)"))
        for way in ("fast", "folded"):
            self.assertIn("nothing can be compared", self.row(done, way))

    def test_lines_that_differ_between_plain_runs(self):
        program = self.fake("echo time $(date +%s%N)\necho result")
        done = self.tune("--rounds=2", program)
        self.assertNotIn("differs", done.stderr)

    def test_what_two_plain_runs_have_alike_by_chance(self):
        """A time stamp in seconds, and the order in which ranks or threads print."""
        stamp = self.outside() / "stamp"
        # The first three runs are plain ones.
        program = self.fake(
            f"echo run >> {stamp}\n"
            f"runs=$(wc -l < {stamp})\n"
            "echo time $((runs / 4))\n"
            "test $way != bound && echo end || echo wrong"
        )
        done = self.tune("--rounds=2", program)
        self.assertIn("output differs: line 2 is 'wrong', not 'end'", self.row(done, "bound"))
        self.assertNotIn("differs", self.row(done, "routed"))
        stamp.unlink()
        program = self.fake(
            f"echo run >> {stamp}\n"
            f"runs=$(wc -l < {stamp})\n"
            "test $((runs / 4 % 2)) = 1 && lines='1 0' || lines='0 1'\n"
            "for line in $lines; do echo rank $line; done"
        )
        done = self.tune("--rounds=2", program)
        self.assertNotIn("differs", done.stderr)

    def test_every_run_starts_from_the_same_files(self):
        """And those of the first plain run are the user's."""
        work, home, log = self.dir / "work", self.dir / "home", self.outside() / "log"
        for directory in (work, home, self.dir / "other", work / "old"):
            directory.mkdir()
        (work / "changed").write_text("before\n")
        (work / "removed").write_text("before\n")
        program = self.fake(
            f"echo $way >> {log}\n"
            "test ! -e made && test -e removed || exit 9\n"
            'echo "$way" > made; echo more >> changed; rm removed; rmdir old; ln -s made link\n'
            'mkdir -m 700 sub && echo x > sub/file; touch "$HOME/home" "$TMPDIR/tmp" "$1"\n'
        )
        env = {"HOME": str(home)}
        done = self.tune("--rounds=2", program, self.dir / "other/out", cwd=work, env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("status", done.stderr)
        self.assertGreater(len(log.read_text().split()), 8)
        self.assertIn("as many threads: 9 files.", done.stderr)
        self.assertEqual((work / "made").read_text(), "plain\n")
        self.assertEqual((work / "changed").read_text(), "before\nmore\n")
        self.assertEqual(sorted(os.listdir(work)), ["changed", "link", "made", "sub"])
        self.assertEqual(os.readlink(work / "link"), "made")
        self.assertEqual((work / "sub").stat().st_mode & 0o777, 0o700)
        for file in ("home/home", "other/out", "tmp"):
            self.assertTrue((self.dir / file).exists(), file)

    def assert_file_differs(self, body, why):
        done = self.tune("--rounds=2", self.fake(body), cwd=self.dir)
        self.assertIn(why, self.row(done, "routed"))

    def test_a_file_that_differs(self):
        self.assert_file_differs("echo $way > out", "out' differs: line 1 is 'routed', not 'plain'")

    def test_a_file_that_is_not_written(self):
        self.assert_file_differs("test $way = routed || echo > out", "out' is not written")

    def test_a_file_that_is_written(self):
        self.assert_file_differs("test $way != routed || echo > out", "out' is written")

    def test_a_file_elsewhere(self):
        out = self.outside() / "out"
        done = self.tune("--rounds=2", f"--output={out}", self.fake(f"echo $way > {out}"))
        self.assertIn("out' differs: line 1 is 'routed'", self.row(done, "routed"))
        self.assertEqual(out.read_text(), "plain\n")
        done = self.tune(f"--output={self.dir}/none", self.fake("echo"))
        self.assertIn("the plain run has not written", done.stderr)

    def test_a_user_who_is_not_root(self):
        self.need_root()
        for directory in (self.dir, self.dir / "work"):
            directory.mkdir(exist_ok=True)
            directory.chmod(0o777)
        program = self.fake("test ! -e made || exit 9; echo $way > made; cat made")
        done = self.amp_run(
            "--tune",
            "--rounds=2",
            program,
            cwd=self.dir / "work",
            before=("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"),
        )
        if "cannot have copies" in done.stderr:
            self.skipTest(done.stderr)
        self.assertEqual((done.returncode, done.stdout), (0, "plain\n"), done.stderr)
        self.assertIn("output differs", self.row(done, "routed"))
        self.assertEqual((self.dir / "work/made").read_text(), "plain\n")
        self.assertEqual((self.dir / "work/made").stat().st_uid, 65534)

    def test_where_there_are_no_copies(self):
        """--reset and --output do what copies would."""
        none = 'echo 0 > /proc/sys/user/max_mnt_namespaces && exec "$@"'
        before = ("unshare", "-Ur", "sh", "-c", none, "sh")
        if subprocess.run([*before, "true"], capture_output=True).returncode:
            self.skipTest("no user namespace that forbids mount namespaces")
        out, file = self.dir / "out", self.dir / "input"
        program = self.fake(f'test -e "$1" && rm "$1" && echo $way > {out}; echo result')
        words = ("--rounds=2", f"--reset=touch {file}", f"--output={out}", program, file)
        done = self.tune(*words, before=before)
        self.assertEqual((done.returncode, done.stdout), (0, "result\n"), done.stderr)
        self.assertIn("runs cannot have copies of your files", done.stderr)
        self.assertIn(f"'{out}' differs: line 1 is 'routed', not 'plain'", self.row(done, "routed"))
        done = self.tune(self.fake("test -e $1 && exit 9; touch $1; echo"), file, before=before)
        file.unlink()
        done = self.tune(self.fake("test -e $1 && exit 9; touch $1"), file, before=before)
        self.assertIn("a plain run after the first one ended with status 9", done.stderr)
        self.assertIn("--reset='rm FILE'", done.stderr)
        self.assertIn("--reset: 'false' ended", self.tune("--reset=false", program).stderr)

    def test_ways_that_would_do_nothing(self):
        for report, ways in (
            ('{"regions":[],"loops":[]}', ("bound", "folded", "routed")),
            ('{"regions":[{}],"loops":[]}', ("routed",)),
        ):
            program = self.fake(f"test -z \"$GOMP_AMP_REPORT\" || echo '{report}' > ")
            with program.open("a") as stream:
                stream.write('"${GOMP_AMP_REPORT%%%*}1.json"; echo 1')
            done = self.tune("--rounds=2", program)
            for way in ("bound", "folded", "routed"):
                self.assertEqual("is plain" in self.row(done, way), way in ways, done.stderr)
        program = self.fake(
            'test -z "$GOMP_AMP_FOLD_REPORT" || : > "$GOMP_AMP_FOLD_REPORT"; echo 1'
        )
        self.assertIn("no team was folded", self.row(self.tune("--rounds=2", program), "folded"))

    def test_output_without_end(self):
        done = self.tune(self.fake("yes"))
        self.assertIn("the plain run printed more than 256 MB", done.stderr)

    def test_standard_input(self):
        file = self.script("input", "text\n")
        program = self.fake('read word; test "$word" = "$1" || exit 1')
        with file.open() as stream:
            done = self.tune("--rounds=2", program, "text", stdin=stream)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("status", done.stderr)
        self.assert_refused(self.tune(program, stdin=subprocess.PIPE), "standard input is a pipe")

    def test_plain_runs_that_fail(self):
        done = self.tune(self.fake("echo out; echo why >&2; echo > made; exit 3"), cwd=self.dir)
        self.assertEqual((done.returncode, done.stdout), (3, "out\n"))
        self.assertTrue((self.dir / "made").exists())
        said = "amp-run: the plain run ended with status 3; nothing is remembered\n"
        self.assertEqual(done.stderr, "why\n" + said)
        done = self.tune(self.fake("kill -TERM $$"))
        self.assert_refused(done, "the plain run ended by signal 15", status=143)
        self.assert_refused(self.tune(self.dir / "none"), "No such file", status=127)
        self.assertFalse(self.entries.exists())

    def test_where_nothing_can_be_tried(self):
        done = self.tune(self.fake("echo"), env={"GOMP_AMP_TOPOLOGY": "off"})
        self.assert_refused(done, "the cores are equally fast")

    def test_budget(self):
        program = self.fake("sleep 0.4; echo")
        done = self.tune("--budget=0.1", program)
        self.assert_refused(done, "the plain run takes longer than the budget")
        done = self.tune("--budget=2s", program)
        self.assertIn("the budget of 2.00 s is used up", done.stderr)
        self.assertEqual(done.returncode, 1)
        self.assertFalse(self.entries.exists())
        self.assert_refused(self.tune("--budget=long", program), "expected a time such as 90s")

    def test_interrupted_or_killed(self):
        """No process of a run is left, also if --tune is killed."""
        for number, how in enumerate((signal.SIGINT, signal.SIGKILL)):
            mark = f"3600.7{number}"
            process = subprocess.Popen(
                [self.bin / "amp-run", "--tune", self.fake(f"setsid sleep {mark} & sleep {mark}")],
                env=tool_case.environment.clean(**self.values()),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            self.wait_for(mark)
            process.send_signal(how)
            _, errors = process.communicate(timeout=900)
            self.assertNotEqual(process.returncode, 0)
            if how == signal.SIGINT:
                self.assertIn("interrupted; nothing is remembered", errors)
                self.assertFalse(self.processes(mark))
            self.wait_for(mark, there=False)

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
        other = {"GOMP_AMP_TOPOLOGY": "0=1024,1=700"}
        self.assertIn("is run folded", self.amp_run("-v", program).stderr)
        said = self.amp_run("-v", program, env=other).stderr
        self.assertIn("was measured on another machine", said)

    def test_a_name_with_blanks_and_newlines(self):
        for number, name in enumerate(("new\nline", 'a" é#]\\')):
            program = self.fake("echo", name)
            self.assertEqual(self.tune("--rounds=2", program).returncode, 0)
            self.assertEqual(self.remembered()[number]["name"], str(program))
            self.assertIn("decides", self.amp_run("--known", program).stdout)

    def test_another_build(self):
        for flag, key in (("-Wl,--build-id", "build-id"), ("-Wl,--build-id=none", "hash")):
            program = self.compile("app", REGION, "-fopenmp", flag)
            self.assertEqual(self.tune("--rounds=2", program).returncode, 0)
            self.assertIn(key, self.remembered()[0])
            self.assertIn("decides", self.amp_run("--known", program).stdout)
            self.compile("app", REGION + "int more = 1;", "-fopenmp", flag)
            self.assertIn("is about another build", self.amp_run("--known", program).stdout)
            self.amp_run("--forget", program)

    def test_scripts_and_code_are_known_by_what_they_say(self):
        python = os.path.realpath(sys.executable)
        for name in ("one", "two"):
            (self.dir / name).mkdir()
            (self.dir / name / "solve.py").write_text("print(1)\n")
        for words in (("solve.py",), ("-m", "solve"), ("-c", "import solve")):
            command = (python, *words)
            done = self.tune("--rounds=2", *command, cwd=self.dir / "one")
            self.assertEqual((done.returncode, done.stdout), (0, "1\n"), done.stderr)
            here = self.amp_run("--known", *command, cwd=self.dir / "one")
            self.assertIn("decides", here.stdout, words)
            there = self.amp_run("--known", *command, cwd=self.dir / "two")
            self.assertIn("no entry decides", there.stdout, words)
        (self.dir / "one/solve.py").write_text("print(2)\n")
        changed = self.amp_run("--known", python, "-m", "solve", cwd=self.dir / "one")
        self.assertIn("is about another build", changed.stdout)

    def test_entries_have_arguments(self):
        program = self.fake(f"{FOLDED_GAINS}echo result")
        for argument in ("x", "y"):
            self.assertEqual(self.tune(program, argument).returncode, 0)
            self.assertIn(f"with {argument}", self.amp_run("--known").stdout)
        self.assertEqual(len(self.remembered()), 2)
        self.entries.write_text(self.entries.read_text().replace("folded", "bound", 1))
        for argument, way in (("x", "bound"), ("y", "folded"), ("z", "folded")):
            self.assertIn(f"is run {way}", self.amp_run("--known", program, argument).stdout)

    def test_ways_are_documented(self):
        page = pathlib.Path(__file__).resolve().parents[2] / "docs/guide/tune.md"
        rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", page.read_text(), re.M)
        shown = " ".join(self.amp_run("--help").stdout.split())
        self.assertIn("; ".join(f"{name}, {text}" for name, text in rows), shown)

    def test_what_applies(self):
        for flags, ways in (
            ("schedule(static)", "plain, bound, fast, folded"),
            ("schedule(runtime)", "plain, bound, fast, folded, routed"),
        ):
            loop = f"#pragma omp parallel for {flags}\nfor (int i = 0; i < 9; i++);"
            program = self.compile("app", f"int main(void) {{\n{loop}\n}}", "-fopenmp")
            self.assertIn(f"would try {ways}\n", self.amp_run("--check", program).stdout)


if __name__ == "__main__":
    sys.exit(tool_case.main())
