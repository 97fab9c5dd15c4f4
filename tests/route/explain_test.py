# SPDX-License-Identifier: GPL-3.0-or-later
"""--amp-explain: one note a loop, that says what became of it."""

import re
import shutil

import support
from support import Case, run


class Explain(Case):
    def notes(self, name, *options):
        """The notes about source file NAME, sorted by line: [(line, text), ...]."""
        shutil.copy(support.SOURCES / name, self.work)
        done = run(*support.amp(), "-c", "-O2", *options, name, cwd=self.work)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = re.findall(rf"^{re.escape(name)}:(\d+):\d+: note: (.*)$", done.stderr, re.M)
        return sorted((int(line), text) for line, text in found)

    def check_notes(self, name, least, *options):
        """With OPTIONS, the notes about file NAME are those in its comments, at LEAST so many."""
        lines = (support.SOURCES / name).read_text().splitlines()
        expected = [
            (number, said.group(1))
            for number, line in enumerate(lines, 1)
            if (said := re.search(r"#pragma.* /\* (.*) \*/", line))
        ]
        self.assertGreater(len(expected), least)
        self.assertEqual(self.notes(name, "-fopenmp", "--amp-explain", *options), expected)

    def test_one_note_a_loop(self):
        self.check_notes("explained.c", 15)

    def test_mode_static(self):
        self.check_notes("explained_static.c", 7, "--amp-route=static")

    def test_route_none_is_told(self):
        notes = self.notes("explained.c", "-fopenmp", "--amp-explain", "--amp-route=none")
        self.assertIn((14, "not routed: route=none"), notes)
        self.assertFalse([text for _, text in notes if text.startswith("routed")])

    def test_silent_unless_asked(self):
        self.assertEqual(self.notes("explained.c", "-fopenmp"), [])

    def test_what_32_bits_lose(self):
        """GCC hands the runtime 64-bit numbers that are wrong for these types of 32 bits."""
        said = [text for _, text in self.notes("narrow.c", "-m32", "-fopenmp", "--amp-explain")]
        unsigned = "counts down in an unsigned type, which GCC compiles wrongly"
        pointer = "32-bit pointer, which GCC compiles wrongly"
        rest = " under a schedule of the run time"
        self.assertEqual(
            said, [f"not routed: {unsigned}{rest}", f"not routed: {unsigned}{rest}"]
            + [f"not routed: {pointer}{rest}"] * 2
            + ["routed: schedule(nonmonotonic:runtime)"] * 4
        )  # fmt: skip
        wide = self.notes("narrow.c", "-fopenmp", "--amp-explain")
        self.assertEqual([text.startswith("routed") for _, text in wide], [False] + [True] * 7)

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


if __name__ == "__main__":
    support.main()
