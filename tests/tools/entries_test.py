# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of what amp-run does with entries of programs.toml."""

import os
import pty
import subprocess
import sys

import tool_case
from tune_case import REGION, Case


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
            (["--way=bound"], {}, "bound"),
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
        for way in ("plain", "bound", "folded", "routed"):
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
            ["sh", "-c", f"{program} with words"],
        ):
            self.assertEqual(self.amp_run(*command).stdout, "folded\n", command)
        for name, *words in (
            ("perf", "stat", "-e", "cycles"),
            ("strace", "-f", "-o", "/dev/null"),
            ("gdb", "--args"),
        ):
            command = [self.script(name, "#!/bin/sh\n"), *words, program]
            self.assertIn("is run folded", self.amp_run("--known", *command).stdout, command)
        done = self.amp_run("env", "-i", program)
        self.assert_refused(done, "env' takes the environment", "env -i amp-run CMD")
        for command in (["sh", "-c", f"{program}; true"], ["nice"]):
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
        self.write("folded", "env")
        self.assertIn("GOMP_AMP_FOLD=auto\n", self.amp_run("env").stdout)
        self.assertIn("GOMP_AMP_FOLD=auto\n", self.amp_run("/usr/bin/env").stdout)
        other = self.script("env", "#!/bin/sh\n/usr/bin/env\n")
        self.assertNotIn("GOMP_AMP_FOLD", self.amp_run(other).stdout)

    def test_a_file_that_is_none(self):
        self.entries.parent.mkdir(parents=True)
        os.mkfifo(self.entries)
        done = self.amp_run("true")
        self.assertIn("programs.toml: it is not a file; its entries do not count", done.stderr)

    def test_what_counts_for_nothing_is_reported_once(self):
        self.write("foldd", "/bin/some")
        self.assertIn("way 'foldd': expected one of plain", self.amp_run("true").stderr)
        self.assertEqual(self.amp_run("true").stderr, "")

    def test_options_of_tune_alone(self):
        for option in ("--rounds=3", "--budget=9", "--output=f", "--reset=x", "--accept-rounding"):
            done = self.amp_run(option, "true")
            self.assert_refused(done, f"{option.split('=')[0]}: expected --tune")

    def test_comments_stay(self):
        program = self.fake("echo")
        text = (
            "# first\n[[program]]\nname = 'a' # mine\nway = 'plain'\n\n"
            f"# of the fake\n[[program]]\nway = 'fast'\n# why\nname = '{program}'\nnote = 1\n\n"
            "# last\n[[program]]\nname = 'z'\nway = 'fast'\n"
        )
        self.entries.parent.mkdir(parents=True)
        self.entries.write_text(text)
        self.assertEqual(self.tune("--rounds=2", program).returncode, 0)
        after = self.entries.read_text()
        for line in text.splitlines():
            if line != "way = 'fast'" and str(program) not in line:
                self.assertIn(f"{line}\n", after)
        self.assertEqual([one["name"] for one in self.remembered()], ["a", "z", str(program)])
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
        os.utime(self.dir / "cache/libgomp-amp/untuned", (0, 0))
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
