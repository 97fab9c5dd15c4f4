#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The counter files that the runtime writes, by the table up.def.

up_test.py <up.def> <regions> <ampd> <ampctl>
"""

import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import time
import unittest

import daemon

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "common"))
from measured import measured  # noqa: E402

REGIONS = 40
# Flags of up.def.
FOLDED, FOLLOWS = 1, 2


def fields():
    """The name, format and count of each row of up.def."""
    text = UP.read_text()
    classes = re.search(r"#define UP_CLASSES (\d+)", text)[1]
    row = r"^UP \((\w+), (\w+), (\w+), "
    for kind, name, count in re.findall(row, text, re.MULTILINE):
        count = classes if count == "UP_CLASSES" else count
        yield name, {"uint64_t": "Q", "uint32_t": "I"}[kind], int(count)


def parsed(line):
    """The numbers of a file that regions has printed; None if there was none."""
    if line == "none":
        return None
    rows = list(fields())
    values = struct.unpack(
        "".join(f"{count}{kind}" for _, kind, count in rows), bytes.fromhex(line)
    )
    found = {}
    for name, _, count in rows:
        found[name], values = values[:count], values[count:]
    return {name: value if len(value) > 1 else value[0] for name, value in found.items()}


class Up(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        self.up = self.directory / "libgomp-amp/up"

    def run_regions(self, *options, **variables):
        """Of a run: its file, its child's before and after a region, and its own again."""
        topology = f"{daemon.CPUS[0]}=1024,{daemon.CPUS[1]}=512"
        done = subprocess.run(
            [REGIONS_PROGRAM, str(REGIONS), *options],
            env=os.environ
            | {"XDG_RUNTIME_DIR": str(self.directory), "GOMP_AMP_TOPOLOGY": topology}
            | variables,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
            timeout=900,
            preexec_fn=lambda: os.sched_setaffinity(0, daemon.CPUS),
        )
        return [parsed(line) for line in done.stdout.splitlines()]

    def check(self, counted, regions):
        self.assertEqual(counted["magic"].to_bytes(6, "little"), b"ampup2")
        self.assertEqual(counted["size"], SIZE)
        self.assertGreater(counted["start"], 0)
        self.assertEqual(counted["classes"], 2)
        self.assertEqual(counted["regions"], regions)

    def test_without_a_directory_there_is_no_file(self):
        self.assertEqual(self.run_regions(OMP_NUM_THREADS="2"), [None] * 4)
        self.assertEqual(list(self.directory.iterdir()), [])
        self.assertEqual(self.run_regions(OMP_NUM_THREADS="2", XDG_RUNTIME_DIR="x"), [None] * 4)

    def test_each_process_has_a_file_of_its_own(self):
        self.up.mkdir(parents=True)
        parent, before, child, again = self.run_regions(OMP_NUM_THREADS="2")
        self.check(parent, REGIONS)
        self.assertEqual(parent["flags"], 0)
        self.assertEqual(parent["threads"], 2)
        self.assertIsNone(before)
        self.check(child, 1)
        self.assertEqual(again, parent, "a child has left it alone, and not removed it")
        self.assertEqual(list(self.up.iterdir()), [], "at their ends")

    @measured
    def test_folded_teams_count_work(self):
        self.up.mkdir(parents=True, exist_ok=True)
        parent, *_ = self.run_regions(GOMP_AMP_FOLD="3")

        self.check(parent, REGIONS)
        self.assertEqual(parent["flags"], FOLDED | FOLLOWS)
        self.assertEqual(parent["threads"], 6)
        self.assertEqual(parent["factor"][0], 1000)
        self.assertGreater(parent["samples"][1], 0)
        self.assertGreater(parent["parallel_ns"], 0)
        # Of two CPUs, of which one is believed to be up to some times as fast, and of which other
        # programs leave some part.
        rate = parent["work_ns"] / parent["parallel_ns"]
        self.assertGreater(rate, 0.005)
        self.assertLess(rate, 1.5 * (1 + parent["factor"][1] / 1000))

    def test_programs_get_the_library(self):
        # No other makes a counter file.
        static = self.directory / "static"
        source = self.directory / "static.c"
        source.write_text(
            "#include <stdio.h>\n#include <stdlib.h>\n"
            'int main(void) { puts(getenv("LD_PRELOAD")); }\n'
        )
        with daemon.Daemon(AMPD, AMPCTL) as ampd:
            for options, made in (((), True), (("--as-is",), False)):
                lines = ampd.run(REGIONS_PROGRAM, "2", options=options).communicate()[0]
                self.assertEqual(parsed(lines.splitlines()[0]) is not None, made, options)
            show = ("sh", "-c", "echo $LD_PRELOAD")
            self.assertIn("libgomp-amp", ampd.run(*show).communicate()[0])
            # What cannot use it keeps what there was.
            subprocess.run(["gcc", "-static", "-fopenmp", source, "-o", static], check=True)
            ampd.environment["LD_PRELOAD"] = "libm.so.6"
            self.assertEqual(ampd.run(static).communicate()[0], "libm.so.6\n")

    def test_what_others_do_to_the_file_harms_nobody(self):
        self.up.mkdir(parents=True)
        with subprocess.Popen(
            [REGIONS_PROGRAM, "1000000000"],
            env=os.environ | {"XDG_RUNTIME_DIR": str(self.directory), "OMP_NUM_THREADS": "2"},
        ) as program:
            self.addCleanup(program.kill)
            file = self.up / str(program.pid)

            def regions():
                line = file.read_bytes().hex() if file.exists() else ""
                return parsed(line)["regions"] if len(line) == 2 * SIZE else 0

            daemon.wait_for("its file", regions)
            os.truncate(file, 0)
            before = daemon.wait_for("it again", regions)
            daemon.wait_for("more regions", lambda: regions() > before)
            file.unlink()
            time.sleep(0.3)
            self.assertEqual((program.poll(), file.exists()), (None, False))
            program.kill()

    def test_status_shows_factors(self):
        with daemon.Daemon(AMPD, AMPCTL) as ampd:
            ampd.environment |= {
                "LD_LIBRARY_PATH": os.environ["LD_LIBRARY_PATH"],
                "GOMP_AMP_TOPOLOGY": f"{daemon.CPUS[0]}=1024,{daemon.CPUS[1]}=512",
                "GOMP_AMP_FOLD": "3",
            }
            ampd.run(REGIONS_PROGRAM, "1000000000", "leaf")

            def factors():
                return [each["factors"] for each in ampd.status()["programs"]]

            found = daemon.wait_for("factors", lambda: [each for each in factors() if each])
            self.assertEqual(found[0][0], 1)
            self.assertTrue(0.03 < found[0][1] < 33, found)

    @measured
    def test_loops_of_aid_have_factors(self):
        self.up.mkdir(parents=True, exist_ok=True)
        parent, *_ = self.run_regions(
            OMP_NUM_THREADS="2", OMP_SCHEDULE="aid_static", GOMP_AMP_AFFINITY="true"
        )
        self.check(parent, REGIONS)
        self.assertGreater(parent["samples"][1], REGIONS // 2)
        self.assertTrue(30 < parent["factor"][1] < 33000, parent)

    def test_a_directory_that_cannot_be_written_is_none(self):
        self.up.mkdir(parents=True)
        os.chmod(self.up, 0o500)
        self.assertNotEqual(os.geteuid(), 0)
        self.assertEqual(self.run_regions(OMP_NUM_THREADS="2"), [None] * 4)


if __name__ == "__main__":
    UP = pathlib.Path(sys.argv[1])
    REGIONS_PROGRAM, AMPD, AMPCTL = sys.argv[2:]
    SIZE = sum({"Q": 8, "I": 4}[kind] * count for _, kind, count in fields())
    daemon.become_nobody()
    unittest.main(argv=sys.argv[:1])
