# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of bash's completion of the commands, without the package bash-completion."""

import os
import pathlib
import re
import shlex
import subprocess

import tool_case
from tool_case import ToolCase

FILE = pathlib.Path(__file__).resolve().parents[2] / "packaging/bash-completion"


class Completion(ToolCase):
    def completed(self, *words):
        """What bash offers for the last of WORDS."""
        function = "_libgomp_amp_compiler" if words[0].startswith("amp-g") else "_libgomp_amp"
        script = (
            f"source {shlex.quote(str(FILE))}\n"
            f"COMP_WORDS=({shlex.join(words)})\nCOMP_CWORD={len(words) - 1}\n"
            f"{function}\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n"
        )
        environment = tool_case.environment.clean(PATH=f"{self.bin}:{os.environ['PATH']}")
        done = subprocess.run(
            ["bash", "-u", "-c", script], env=environment, text=True, capture_output=True
        )
        self.assertEqual(done.stderr, "")
        return set(done.stdout.split())

    def test_options_are_those_of_the_help(self):
        for command in (["amp-run"], ["amp-info"], ["amp-emu", "virtual"]):
            shown = self.run_tool(*command, "--help").stdout
            options = set(re.findall(r"^ +(?:-\w,)?(--[a-z-]+)", shown, re.M))
            self.assertGreater(len(options), 4)
            self.assertLessEqual(options, self.completed(*command, "--"))
        self.assertEqual(self.completed("amp-run", "--tu"), {"--tune"})
        self.assertEqual(self.completed("amp-run", "--way", "=", "fast", "--forg"), {"--forget"})
        self.assertIn("--amp-explain", self.completed("amp-gcc", "--amp-"))

    def test_subcommands(self):
        self.assertEqual(self.completed("amp-emu", ""), {"steal", "virtual"})
        self.assertEqual(self.completed("amp-emu", "vi"), {"virtual"})
        if (self.bin / "ampctl").exists():
            self.assertLessEqual({"run", "adopt", "policy"}, self.completed("ampctl", ""))
            self.assertIn("--as-is", self.completed("ampctl", "run", "--a"))

    def test_what_is_no_option(self):
        self.assertEqual(self.completed("amp-run", "./ap"), set())

    def test_every_command_has_it(self):
        script = f"source {shlex.quote(str(FILE))}; complete -p"
        listed = subprocess.run(["bash", "-c", script], text=True, capture_output=True).stdout
        page = FILE.parent / "CMakeLists.txt"
        installed = re.search(r"foreach\(command (.*)\)", page.read_text())[1].split()
        self.assertEqual(
            {line.split()[-1] for line in listed.splitlines()}, {"amp-run", *installed}
        )


if __name__ == "__main__":
    tool_case.sys.exit(tool_case.main())
