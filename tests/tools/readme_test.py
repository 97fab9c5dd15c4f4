# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands of README.md run as written: in a directory with the reader's program and its
source, and with the tools in PATH, on a machine of two classes of cores."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import tool_case
import tune_case

README = pathlib.Path(__file__).resolve().parents[2] / "README.md"
APP = """
#include <stdio.h>
double a[100000];
int main(void) {
  double sum = 0;
  for (int round = 0; round < 50; round++)
    #pragma omp parallel for
    for (int i = 0; i < 100000; i++)
      a[i] += i * .5;
  for (int i = 0; i < 100000; i++)
    sum += a[i];
  printf("the sum is %g\\n", sum);
}
"""
# Commands of the blocks that are not run, by how they begin: they install, need a network, or build
# the tree, which the other tests do.
NOT_RUN = ("scripts/", "cmake ", "sudo ", "git ")


def commands():
    """The commands in README.md: lines of blocks, and code in the text that begins with a tool."""
    text = README.read_text()
    block = r"^ {4}(\S.*)$"
    found = re.findall(block, text, re.MULTILINE)
    tools = {tool.name for tool in pathlib.Path(os.environ["AMP_TEST_BIN"]).iterdir()}
    for span in re.findall(r"`([^`]+)`", re.sub(block, "", text, flags=re.MULTILINE)):
        words = span.split()
        if len(words) > 1 and words[0] in tools | {"mpirun"}:
            found.append(" ".join(words))
    return [command for command in found if not command.startswith(NOT_RUN)]


class Readme(tune_case.Case):
    def run_all(self, chosen, **env):
        self.compile("app", APP, "-fopenmp")
        (self.dir / "app.c").write_text(APP)
        path = f"{self.bin}:{os.environ['PATH']}"
        for command in chosen:
            with self.subTest(command):
                done = subprocess.run(
                    ["sh", "-c", command],
                    cwd=self.dir,
                    env=tool_case.environment.clean(**self.values(PATH=path, **env)),
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    text=True,
                )
                self.assertEqual(done.returncode, 0, done.stderr)
                ranks = re.search(r"-n (\d+)", command)
                lines = ["the sum is 1.24999e+11"] * int(ranks[1] if ranks else 1)
                self.assertEqual(done.stdout.splitlines(), lines, done.stderr)

    def test_commands(self):
        chosen = [command for command in commands() if not command.startswith("mpirun")]
        self.assertGreater(len(chosen), 3, chosen)
        self.run_all(chosen)
        self.assertIn(str(self.dir / "app"), self.entries.read_text())

    def test_mpi(self):
        if not shutil.which("mpirun"):
            self.skipTest("no mpirun")
        chosen = [command for command in commands() if command.startswith("mpirun")]
        self.assertTrue(chosen)
        # Of a test: root, and more ranks than CPUs.
        names = ("ALLOW_RUN_AS_ROOT", "ALLOW_RUN_AS_ROOT_CONFIRM", "MCA_rmaps_base_oversubscribe")
        self.run_all(chosen, **{f"OMPI_{name}": "1" for name in names})


if __name__ == "__main__":
    sys.exit(tool_case.main())
