# SPDX-License-Identifier: GPL-3.0-or-later
"""--amp-explain, and what the plugin says to arguments and compilers that it can't take."""

import re
import shutil
import unittest

import support
from support import Case, run


class Explain(Case):
    def notes(self, name, *options):
        """The notes about source file NAME, sorted by line: [(line, text), ...]."""
        shutil.copy(support.SOURCES / name, self.work)
        done = run(support.BIN / "amp-gcc", "-c", "-O2", *options, name, cwd=self.work)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = re.findall(rf"^{re.escape(name)}:(\d+):\d+: note: (.*)$", done.stderr, re.M)
        return sorted((int(line), text) for line, text in found)

    def test_one_note_a_loop(self):
        lines = (support.SOURCES / "explained.c").read_text().splitlines()
        expected = [
            (number, said.group(1))
            for number, line in enumerate(lines, 1)
            if (said := re.search(r"#pragma.* /\* (.*) \*/", line))
        ]
        self.assertGreater(len(expected), 15)
        self.assertEqual(self.notes("explained.c", "-fopenmp", "--amp-explain"), expected)

    def test_route_none_is_told(self):
        notes = self.notes("explained.c", "-fopenmp", "--amp-explain", "--amp-route=none")
        self.assertIn((14, "not routed: route=none"), notes)
        self.assertFalse([text for _, text in notes if text.startswith("routed")])

    def test_silent_unless_asked(self):
        self.assertEqual(self.notes("explained.c", "-fopenmp"), [])

    def test_open_end(self):
        notes = self.notes("orphans_open.c", "-I", support.SOURCES, "-fopenmp", "--amp-explain")
        texts = [text for _, text in notes]
        self.assertIn("not routed: orphaned nowait loop that can reach its function's end", texts)
        self.assertTrue(
            [
                t
                for t in texts
                if t.startswith(
                    "not routed: orphaned, may follow the nowait loop that ends "
                    "its function at orphans_open.c:"
                )
            ]
        )


class Plugin(Case):
    def compile(self, *options, compiler="gcc-12"):
        return run(
            compiler,
            "-c",
            "-fopenmp",
            f"-fplugin={support.LIB}/amproute.so",
            *options,
            support.SOURCES / "no_openmp.c",
            cwd=self.work,
        )

    def test_bad_arguments(self):
        for option, message in [
            ("route=fast", "amproute: route ‘fast’ is not one of none, default, static, all"),
            ("route", "amproute: route ‘’ is not one of none, default, static, all"),
            ("rout=all", "amproute: unknown argument ‘rout’"),
            ("explain=1", "amproute: unknown argument ‘explain’"),
        ]:
            done = self.compile(f"-fplugin-arg-amproute-{option}")
            self.assertNotEqual(done.returncode, 0)
            self.assertEqual(done.stderr.count("error:"), 1, done.stderr)
            self.assertIn(message.replace("‘", "'").replace("’", "'"), done.stderr)

    def test_other_compiler_version(self):
        others = [gcc for v in range(9, 20) if v != 12 and (gcc := shutil.which(f"gcc-{v}"))]
        if not others:
            self.skipTest("no GCC but version 12 is installed")
        done = self.compile(compiler=others[0])
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("error:"), 1, done.stderr)

    def test_without_openmp_nothing_happens(self):
        for options in [], ["-fopenmp-simd"]:
            done = run(
                "gcc-12",
                "-S",
                "-O2",
                *options,
                f"-fplugin={support.LIB}/amproute.so",
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
