# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of --tune and of its entries share: programs that read in their environment in
which way they run."""

import os
import pathlib
import re
import subprocess
import tempfile
import time
import tomllib

from tool_case import ToolCase

UNEVEN = "0=1024,1=512"
# A script of the shell that knows its way by these, and reports what the library would.
WAY = """#!/bin/sh
way=plain
threads=${OMP_NUM_THREADS:-2}
test "$GOMP_AMP_FOLD" != auto || { way=folded; threads=3; }
test "$OMP_PROC_BIND" != close || way=bound
test "$OMP_SCHEDULE" != aid_hybrid || way=routed
test "$(taskset -cp $$ | sed 's/.*: //'),$OMP_NUM_THREADS" != 0, || { way=fast; threads=1; }
test -z "$GOMP_AMP_FOLD_REPORT" || echo '{}' >> "$GOMP_AMP_FOLD_REPORT"
test -z "$GOMP_AMP_REPORT" || echo '{"regions":[{}],"loops":[{}]}' > "${GOMP_AMP_REPORT%%%*}1.json"
"""
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

    def outside(self):
        """A directory that is not copied."""
        directory = tempfile.TemporaryDirectory(prefix="amp-tools-", dir="/dev/shm")
        self.addCleanup(directory.cleanup)
        return pathlib.Path(directory.name)

    def fake(self, body, name="fake"):
        return self.script(name, WAY + body)

    def remembered(self):
        text = self.entries.read_text() if self.entries.exists() else ""
        return tomllib.loads(text).get("program", [])

    def assert_remembered(self, program, way):
        (entry,) = self.remembered()
        self.assertEqual((entry["name"], entry["way"]), (str(program), way))

    def row(self, done, way):
        """What the table says of WAY."""
        return re.search(rf"^{way} .*", done.stderr, re.M)[0]

    def processes(self, mark):
        """The numbers of the processes with MARK in their command line."""
        found = []
        for directory in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if mark in (directory / "cmdline").read_text(errors="replace"):
                    found.append(int(directory.name))
            except (FileNotFoundError, ProcessLookupError):
                pass
        return found

    def wait_for(self, mark, there=True):
        while bool(self.processes(mark)) != there:
            time.sleep(0.01)
