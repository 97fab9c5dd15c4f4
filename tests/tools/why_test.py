# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the examples of pages in docs/guide, and holds their outputs against what is printed."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import tool_case
from tool_case import ToolCase, environment

GUIDE = Path(__file__).resolve().parents[2] / "docs/guide"
# Where the library is in the pages' examples.
PREFIX = "/opt/libgomp-amp"
NOT_RUN = "<!-- not run: "
MARGIN = "    "


def sources(text):
    """The C programs that the page shows, by the name in their first line."""
    blocks = re.findall(r"^```c\n/\* (\S+) \*/\n(.*?)^```$", text, re.M | re.S)
    return {name: f"/* {name} */\n{body}" for name, body in blocks}


def examples(text):
    """The commands of the page and the lines that each prints, block by block."""
    run = True
    for paragraph in re.sub(r"^```c\n.*?^```$", "", text, flags=re.M | re.S).split("\n\n"):
        if paragraph.startswith(NOT_RUN):
            run = False
        elif paragraph.startswith(MARGIN + "$ "):
            if run:
                for part in re.split(r"^    \$ ", paragraph, flags=re.M)[1:]:
                    command, *lines = part.splitlines()
                    yield command, [line.removeprefix(MARGIN) for line in lines]
            run = True


def fits(lines, printed):
    """Whether PRINTED are LINES, of which one that is "..." stands for any number."""
    pattern = r"\n".join(r"(?:.*\n)*?.*" if line == "..." else re.escape(line) for line in lines)
    return re.fullmatch(pattern, "\n".join(printed)) is not None


class Why(ToolCase):
    def hold(self, page, least):
        """Run the examples of PAGE, at least LEAST."""
        text = (GUIDE / page).read_text()
        for compiler in set(re.findall(r"^    \$ (gcc\S*)", text, re.M)):
            if not shutil.which(compiler):
                self.skipTest(f"the examples take {compiler}")
        for name, source in sources(text).items():
            # The page's line numbers count from the first line after its name.
            (self.dir / name).write_text(source.split("\n", 1)[1])
        variables = environment.clean(PATH=f"{self.bin}:/usr/bin:/bin", LC_ALL="C.UTF-8")
        found = list(examples(text))
        self.assertGreaterEqual(len(found), least)
        for command, lines in found:
            with self.subTest(command):
                done = subprocess.run(
                    ["sh", "-c", command],
                    cwd=self.dir,
                    env=variables,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                )
                own = str(self.bin.parent.resolve())
                printed = done.stdout.replace(str(self.bin.parent), PREFIX).replace(own, PREFIX)
                self.assertTrue(fits(lines, printed.splitlines()), printed)

    def test_why_nothing_changed(self):
        self.hold("why.md", 11)

    def test_start(self):
        self.hold("start.md", 3)


if __name__ == "__main__":
    sys.exit(tool_case.main())
