# SPDX-License-Identifier: GPL-3.0-or-later
"""What the plugin says to arguments and compilers that it can't take."""

import shutil

import support
from support import GCC, Case, run


class Plugin(Case):
    def compile(self, *options, compiler=GCC):
        return run(
            compiler,
            "-c",
            "-fopenmp",
            f"-fplugin={support.plugin()}",
            *options,
            support.SOURCES / "no_openmp.c",
            cwd=self.work,
        )

    def test_bad_arguments(self):
        for option, message in [
            ("route=fast", "amproute: route ‘fast’ is not one of none, default, static, all"),
            ("route", "amproute: route ‘’ is not one of none, default, static, all"),
            ("rout=all", "amproute: unknown argument ‘rout’"),
            ("count=some", "amproute: count ‘some’ is not one of nothing, work, all"),
            ("explain=1", "amproute: unknown argument ‘explain’"),
        ]:
            done = self.compile(f"-fplugin-arg-amproute-{option}")
            self.assertNotEqual(done.returncode, 0)
            self.assertEqual(done.stderr.count("error:"), 1, done.stderr)
            self.assertIn(message.replace("‘", "'").replace("’", "'"), done.stderr)

    def refused(self, done):
        """Check that DONE, a finished compiler, says in one line that the plugin is not for it."""
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn("error: amproute: built for ", done.stderr)
        self.assertIn("; no code is compiled", done.stderr)
        self.assertEqual(list(self.work.iterdir()), [])

    def test_other_compiler_version(self):
        majors = (str(major) for major in range(9, 20))
        others = [m for m in majors if m != support.MAJOR and shutil.which(f"gcc-{m}")]
        if not others:
            self.skipTest(f"no GCC but version {support.MAJOR} is installed")
        for other in others:
            with self.subTest(other):
                self.refused(self.compile(compiler=f"gcc-{other}"))

    def test_patched_compiler(self):
        if reason := support.missing("patched", support.BIN):
            self.skipTest(reason)
        self.refused(self.compile(f"-B{support.LIB}/gcc/"))

    def test_without_openmp_nothing_happens(self):
        for options in [], ["-fopenmp-simd"]:
            done = run(
                GCC,
                "-S",
                "-O2",
                *options,
                f"-fplugin={support.plugin()}",
                "-fplugin-arg-amproute-explain",
                support.SOURCES / "explained.c",
                "-o",
                "-",
                cwd=self.work,
            )
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertNotIn("GOMP_", done.stdout)


if __name__ == "__main__":
    support.main()
