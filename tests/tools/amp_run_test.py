# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of amp-run: what it passes through, what it sets, and how it starts programs."""

import os
import shutil
import signal
import subprocess
import sys

import tool_case
from amp_run_case import OPENMP, LOOP, Case
from tool_case import NOT_EXECUTABLE, NOT_FOUND

SHOW = [sys.executable, "-c", "import os, sys; print(repr(sys.argv[1:]))"]


class AmpRunPassesThrough(Case):
    def test_arguments(self):
        arguments = ["a b", "", "--", "--check", "-v", "*", "$HOME", "'\"", "\n", "é"]
        done = self.amp_run(*SHOW, *arguments)
        self.assertEqual(done.stdout, repr(arguments) + "\n", done.stderr)
        done = self.amp_run("--", *SHOW, *arguments)
        self.assertEqual(done.stdout, repr(arguments) + "\n", done.stderr)

    def test_standard_input_and_output(self):
        done = self.amp_run("sh", "-c", "cat; echo error >&2", input="text\n")
        self.assertEqual((done.stdout, done.stderr), ("text\n", "error\n"))

    def test_exit_status(self):
        for status in (0, 3, 125, 255):
            self.assertEqual(self.amp_run("sh", "-c", f"exit {status}").returncode, status)

    def test_process_and_signals(self):
        # The program has amp-run's process, so that whatever is sent there arrives.
        command = [self.bin / "amp-run", "sh", "-c", "echo $$; exec sleep 60"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            self.assertEqual(process.stdout.readline(), f"{process.pid}\n")
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(), -signal.SIGTERM)

    def test_environment(self):
        done = self.amp_run("env", env={"AMP_TEST_VARIABLE": "a b", "LD_PRELOAD": None})
        variables = done.stdout.splitlines()
        self.assertIn("AMP_TEST_VARIABLE=a b", variables)
        self.assertIn(f"LD_PRELOAD={self.library}", variables)
        self.assertFalse([v for v in variables if v.startswith(("OMP_", "GOMP_"))])

    def test_program_found_in_path(self):
        self.script("amp-test-program", "#!/bin/sh\necho found\n")
        done = self.amp_run("amp-test-program", env={"PATH": f"{self.dir}:{os.environ['PATH']}"})
        self.assertEqual(done.stdout, "found\n", done.stderr)


class AmpRunSets(Case):
    def test_the_library_of_address_sanitizer_comes_first(self):
        try:
            program = self.compile("app", OPENMP, "-fopenmp", "-fsanitize=address")
        except AssertionError:
            self.skipTest("the compiler has no AddressSanitizer")
        for words in ((program,), ("--fold", program), ("nice", program)):
            done = self.amp_run(*words)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(os.path.realpath(done.stdout.strip()), os.path.realpath(self.library))

    def test_library_is_the_one_loaded(self):
        program = self.compile("app", OPENMP, "-fopenmp")
        done = self.amp_run(program)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(os.path.realpath(done.stdout.strip()), os.path.realpath(self.library))

    def test_library_is_first_of_preloads(self):
        other = self.compile("libother.so", "int amp_other;", "-shared", "-fPIC")
        done = self.amp_run("env", env={"LD_PRELOAD": str(other)})
        self.assertIn(f"LD_PRELOAD={self.library}:{other}", done.stdout.splitlines())

    def test_library_is_named_once_when_nested(self):
        done = self.amp_run(self.bin / "amp-run", "env", env={"LD_PRELOAD": None})
        self.assertIn(f"LD_PRELOAD={self.library}", done.stdout.splitlines())

    def test_folded_program_gets_the_library_that_yields(self):
        both = f"LD_PRELOAD={self.library}:{self.yields}"
        done = self.amp_run("-v", "env", env={"GOMP_AMP_FOLD": "3", "LD_PRELOAD": None})
        self.assertIn(both, done.stdout.splitlines())
        self.assertIn(f"amp-run: {both}\n", done.stderr)
        nested = self.amp_run(
            self.bin / "amp-run", "env", env={"GOMP_AMP_FOLD": "auto", "LD_PRELOAD": None}
        )
        self.assertIn(both, nested.stdout.splitlines())
        done = self.amp_run("env", env={"GOMP_AMP_FOLD": "0", "LD_PRELOAD": None})
        self.assertIn(f"LD_PRELOAD={self.library}", done.stdout.splitlines())

    def test_schedule_and_affinity(self):
        done = self.amp_run("-v", "--schedule=aid_hybrid,4", "--affinity", "SB", "env")
        for variable in ("OMP_SCHEDULE=aid_hybrid,4", "GOMP_AMP_AFFINITY=SB"):
            self.assertIn(variable, done.stdout.splitlines())
            self.assertIn(f"amp-run: {variable}\n", done.stderr)

    def test_fold(self):
        for words, value in (
            (["--fold"], "auto"),
            (["--fold=auto"], "auto"),
            (["--fold=3"], "3"),
            (["--fold=0"], "0"),
        ):
            with self.subTest(words):
                # What follows the option is the command.
                done = self.amp_run("-v", *words, "env", env={"GOMP_AMP_FOLD": "7"})
                self.assertIn(f"GOMP_AMP_FOLD={value}", done.stdout.splitlines())
                self.assertIn(f"amp-run: GOMP_AMP_FOLD={value}\n", done.stderr)

    def test_verbose_asks_the_library_for_its_reports(self):
        program = self.compile(
            "app",
            LOOP.replace("SCHEDULE", "") + "int main(void) { double a[9]; loop(a, 9); }",
            "-fopenmp",
        )
        done = self.amp_run("-v", "--fold=2", program)
        self.assertIn("amp-run: OMP_DISPLAY_ENV=verbose\n", done.stderr)
        self.assertIn("LIBGOMP_AMP_FOLD = '", done.stderr)
        self.assertRegex(done.stderr, r"libgomp: folded teams of \d+ threads")
        done = self.amp_run("-v", "--fold=2", program, env={"OMP_DISPLAY_ENV": "false"})
        self.assertNotIn(
            "libgomp", done.stderr.replace("libgomp.so.1", "").replace("libgomp-amp", "")
        )
        done = self.amp_run("--fold=2", program)
        self.assertEqual(done.stderr, "")

    def test_an_option_that_was_removed(self):
        for words in (["--fold-calls=all", "true"], ["--fold-calls", "all", "true"]):
            done = self.amp_run("--fold", *words)
            self.assert_refused(done, "--fold-calls", "removed: --fold alone folds all regions")
        done = self.amp_run("env", env={"GOMP_AMP_FOLD_CALLS": "all"})
        self.assertEqual(done.returncode, 0)

    def test_library_missing(self):
        (self.dir / "bin").mkdir()
        tool = shutil.copy(self.bin / "amp-run", self.dir / "bin")
        done = self.run_tool(tool, "true")
        self.assert_refused(done, self.dir / "lib/libgomp-amp/libgomp.so.1")

    def test_library_in_a_directory_that_ld_preload_cannot_name(self):
        prefix = self.dir / "with blank"
        (prefix / "bin").mkdir(parents=True)
        tool = shutil.copy(self.bin / "amp-run", prefix / "bin")
        self.assert_refused(self.run_tool(tool, "true"), "with blank", "LD_PRELOAD")


class AmpRunFolds(Case):
    SHOW = """
        #include <stdio.h>
        #include <stdlib.h>
        void loop(double *, int);
        int main(void) {
          double a[9] = { 0 };
          const char *fold = getenv("GOMP_AMP_FOLD");
          loop(a, 9);
          puts(fold ? fold : "unset");
        }"""
    STATIC = LOOP.replace("SCHEDULE", "")

    def fold_of(self, program, *words, **env):
        done = self.amp_run(*words, program, env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def test_nothing_unasked(self):
        program = self.compile("app", self.STATIC + self.SHOW, "-fopenmp")
        differing = {"GOMP_AMP_TOPOLOGY": "0=1024,1=512"}
        for script in (program, self.script("script", f"#!{program}\n")):
            self.assertEqual(self.fold_of(script, **differing), "unset")
            self.assertEqual(self.fold_of(script, "--force", **differing), "unset")
            self.assertEqual(self.fold_of(script, "--fold", **differing), "auto")
        done = self.amp_run("--check", program)
        self.assertIn(
            "threads are not folded: no entry of programs.toml is about it\n", done.stdout
        )
        self.assertNotIn("not folded", self.amp_run("--check", "--fold", program).stdout)

    def test_what_the_user_says_wins(self):
        program = self.compile("app", self.STATIC + self.SHOW, "-fopenmp")
        self.assertEqual(self.fold_of(program, "--fold=0"), "0")
        for value in ("0", "2", "auto", ""):
            self.assertEqual(self.fold_of(program, GOMP_AMP_FOLD=value), value)

    def test_the_library_folds_where_cores_differ(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("one CPU")
        program = self.compile("app", self.STATIC + self.SHOW, "-fopenmp")
        fast, *slow = os.sched_getaffinity(0)
        differing = ",".join([f"{fast}=1024", *(f"{cpu}=512" for cpu in slow)])
        for topology, shown in (
            (differing, "[0-9]+ threads on [0-9]+ workers"),
            ("off", "none: the cores are equally fast"),
        ):
            values = {"GOMP_AMP_TOPOLOGY": topology, "OMP_DISPLAY_ENV": "verbose"}
            done = self.amp_run("--fold", program, env=values)
            self.assertRegex(done.stderr, f"LIBGOMP_AMP_FOLD = '{shown}")

    def test_programs_of_python_get_a_number_of_threads(self):
        show = "import os; print(os.environ.get('OMP_NUM_THREADS'))"
        script = self.script("app.py", f"#!{sys.executable}\n{show}\n")
        env = {"GOMP_AMP_TOPOLOGY": "0=1024,1=512"}
        for command in ([sys.executable, "-c", show], [script]):
            for words, more, number in (
                (["--fold"], {}, "2"),
                (["--fold"], {"OMP_NUM_THREADS": "1"}, "1"),
                (["--fold=0"], {}, "None"),
                ([], {}, "None"),
            ):
                done = self.amp_run(*words, *command, env=env | more)
                self.assertEqual(done.stdout, f"{number}\n", done.stderr)
        self.assertNotIn("OMP_NUM_THREADS", self.amp_run("--fold", "env", env=env).stdout)


class AmpRunAdvises(Case):
    MAIN = "int main(void) { double a[9]; loop(a, 9); }"

    def test_on_a_schedule_without_effect(self):
        says = "has no loops with schedule(runtime)"
        for schedule, env, said in (
            ("", {"OMP_SCHEDULE": "aid_hybrid"}, True),
            ("schedule(dynamic)", {"OMP_SCHEDULE": "aid_static"}, True),
            ("", {"OMP_SCHEDULE": "dynamic"}, False),
            ("", {}, False),
            ("schedule(runtime)", {"OMP_SCHEDULE": "aid_hybrid"}, False),
            ("schedule(nonmonotonic:runtime)", {"OMP_SCHEDULE": "aid_hybrid"}, False),
        ):
            source = LOOP.replace("SCHEDULE", schedule) + self.MAIN
            program = self.compile("app", source, "-fopenmp")
            done = self.amp_run(program, env=env)
            self.assertEqual((done.returncode, says in done.stderr), (0, said), done.stderr)
        for launcher in ("true", sys.executable):
            done = self.amp_run(launcher, "-c", "", env={"OMP_SCHEDULE": "aid_hybrid"})
            self.assertEqual(done.stderr, "")

    def test_on_a_program_that_is_not_found(self):
        self.script("here", "#!/bin/sh\n")
        self.script("there", "text").chmod(0o644)
        for words, said in (
            (["here"], "'./here' is here"),
            (["there"], "No such file or directory\n"),
            (["--explain", "out.txt", "./here"], "; --explain=out.txt writes"),
            (["--explain", "out.txt"], "No such file or directory\n"),
        ):
            done = self.amp_run(*words, cwd=self.dir)
            self.assert_refused(done, said, status=NOT_FOUND)
        self.assert_refused(self.amp_run("."), "Is a directory", status=NOT_EXECUTABLE)

    def test_on_fold_and_its_value(self):
        for value in ("3", "auto"):
            done = self.amp_run("--fold", value, "true", env={"PATH": "/usr/bin"})
            self.assert_refused(done, f"; --fold={value} sets the number", status=NOT_FOUND)
        done = self.amp_run("--fold", "no-such-program", "true")
        self.assertNotIn("--fold=", done.stderr)
        self.assertNotIn("--fold=", self.amp_run("3", "true").stderr)


class AmpRunSchedules(Case):
    NOT_ONE = 2

    def test_nearest_name(self):
        for value, nearest in (
            ("aid_hybird", "aid_hybrid"),
            ("AID-STATC,4", "aid_static"),
            ("nonmonotonic: dynmaic", "dynamic"),
        ):
            for variable in ("OMP_SCHEDULE", "GOMP_AMP_SCHEDULE"):
                done = self.amp_run("true", env={variable: value})
                self.assert_refused(
                    done,
                    f"{variable}: '{value}': expected aid_static[,chunk]",
                    f"the nearest is {nearest};",
                    status=self.NOT_ONE,
                )
        done = self.amp_run("--schedule=aid_hybird", "true")
        self.assert_refused(done, "'aid_hybird'", status=self.NOT_ONE)
        self.assert_refused(
            self.amp_run("--check", "true", env={"OMP_SCHEDULE": "aid_hybird"}),
            "'aid_hybird'",
            status=self.NOT_ONE,
        )

    def test_without_a_nearest_name(self):
        for value in ("xyz", "aid_static,0", ",", "aid_hybrid,1,101"):
            done = self.amp_run("true", env={"OMP_SCHEDULE": value})
            self.assert_refused(done, f"'{value}': expected ", status=self.NOT_ONE)
        for value in ("static,x", "guided,0x", "aid_static,0"):
            done = self.amp_run("true", env={"GOMP_AMP_SCHEDULE": value})
            self.assert_refused(
                done, f"GOMP_AMP_SCHEDULE: '{value}': expected ", status=self.NOT_ONE
            )
            self.assertNotIn("nearest", done.stderr)

    def test_what_the_library_accepts(self):
        for value in (
            "aid_static",
            " AID-hybrid , 4 , 80 ",
            "monotonic:aid_dynamic,2,9",
            "guided,7",
            "nonmonotonic:dynamic",
            "auto",
            "",
            "  ",
        ):
            done = self.amp_run("true", env={"OMP_SCHEDULE": value})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("amp-run: ", done.stderr)

    def test_force(self):
        done = self.amp_run("--force", "true", env={"OMP_SCHEDULE": "aid_hybird"})
        self.assertEqual(done.returncode, 0, done.stderr)


class AmpRunRuns(Case):
    def test_program_without_openmp(self):
        program = self.compile("app", "int main(void) { return 7; }")
        self.assertEqual(self.amp_run(program).returncode, 7)

    def test_scripts(self):
        text = "echo $LD_PRELOAD\n"
        firsts = {"shell": "#!/bin/sh\n", "env": "#! /usr/bin/env  sh\n", "none": ""}
        for name, first in firsts.items():
            done = self.amp_run(self.script(name, first + text), env={"LD_PRELOAD": None})
            self.assertEqual(done.stdout, f"{self.library}\n", name + done.stderr)

    def test_script_of_a_static_interpreter(self):
        interpreter = self.compile("static", "int main(void) { return 5; }", "-static")
        script = self.script("script", f"#!{interpreter}\n")
        self.assert_refused(self.amp_run(script), script, interpreter, "statically linked")
        self.assertEqual(self.amp_run("--force", script).returncode, 5)

    def test_script_of_a_missing_interpreter(self):
        script = self.script("script", "#!/nonexistent/interpreter\n")
        self.assert_refused(self.amp_run(script), script, status=NOT_FOUND)

    def test_what_cannot_be_executed(self):
        plain = self.dir / "plain"
        plain.write_text("text")
        self.assert_refused(self.amp_run("no-such-program"), "no-such-program", status=NOT_FOUND)
        self.assert_refused(self.amp_run("./no/such"), "./no/such", status=NOT_FOUND)
        self.assert_refused(self.amp_run(plain), plain, status=NOT_EXECUTABLE)
        self.assert_refused(self.amp_run(self.dir), self.dir, status=NOT_EXECUTABLE)

    def test_loader_debugging_is_left_to_the_program(self):
        done = self.amp_run(
            "sh",
            "-c",
            "echo $$; true",
            env={"LD_DEBUG": "files", "LD_DEBUG_OUTPUT": f"{self.dir}/debug"},
        )
        files = [file.name for file in self.dir.iterdir()]
        self.assertEqual(files, [f"debug.{done.stdout.strip()}"], done.stderr)

    def test_without_proc(self):
        self.need_root()
        hide = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh"]
        if subprocess.run([*hide, "true"], capture_output=True).returncode != 0:
            self.skipTest("needs to mount a file system")
        for words in (["true"], ["--check", "true"]):
            done = self.amp_run(*words, before=hide)
            self.assertEqual((done.returncode, done.stderr), (int(len(words) > 1), ""))


class AmpRunOptions(Case):
    def test_other_tools_name_themselves(self):
        for tool, words, status in (
            ("ampctl", [], tool_case.REFUSED),
            ("ampctl", ["status", "--foo"], tool_case.REFUSED),
            ("ampd", ["--foo"], 2),
        ):
            if not (self.bin / tool).exists():
                self.skipTest(f"{tool} is not built")
            done = self.run_tool(tool, *words)
            self.assert_refused(done, f"{tool}: ", f", see {tool} --help", status=status)

    def test_bad_ones(self):
        for words in (
            ["--bogus", "true"],
            ["-x", "--", "true"],
            ["--affinity=XX", "true"],
            ["--tune", "--rounds=1", "true"],
            ["--schedule=", "true"],
            ["--schedule"],
            ["--fold=65", "true"],
            ["--fold=-1", "true"],
            ["--fold=many", "true"],
            ["--fold"],
            [],
            ["--"],
        ):
            with self.subTest(words):
                self.assert_refused(self.amp_run(*words), "amp-run: ")

    def test_help_and_version(self):
        done = self.amp_run("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for word in ("[--] CMD", "--check", "--force", "--schedule", "--fold", "--affinity", "125"):
            self.assertIn(word, done.stdout)
        self.assertRegex(self.amp_run("--version").stdout, r"^amp-run \d+\.\d+\.\d+\n$")


if __name__ == "__main__":
    sys.exit(tool_case.main())
