# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that the slices of loops in a trace have the iterations that the program counted.

sums_test.py <shapes> [--seeds N]
"""

import argparse
import pathlib
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "life"))
import driver  # noqa: E402
from picture import Picture  # noqa: E402

WAYS = {
    "one class": {"GOMP_AMP_TOPOLOGY": "off"},
    "two classes": {"GOMP_AMP_THREAD_CLASSES": "0,1"},
    "turns": {"GOMP_AMP_TOPOLOGY": "off", "GOMP_AMP_FOLD": "2", "GOMP_AMP_FOLD_CALLS": "off"},
    "called": {"GOMP_AMP_TOPOLOGY": "off", "GOMP_AMP_FOLD": "3", "GOMP_AMP_FOLD_CALLS": "all"},
}
ROUNDS = 60


def compare(program, seed, way, path):
    done = driver.run(
        [program, seed, ROUNDS, "counted"],
        {"OMP_NUM_THREADS": 4, "GOMP_AMP_TRACE": path, **WAYS[way]},
    )
    where = f"seed {seed}, {way}"
    driver.check(done.returncode == 0, f"{where}: {done.stderr}")
    picture = Picture(path)
    counted = sum(int(line.split()[2]) for line in done.stdout.splitlines())
    said = sum(picture.iterations().values())
    driver.check(said == counted, f"{where}: {said} iterations instead of {counted}")
    for event in picture.kind("loop"):
        least = event["args"].get("iterations", 0)
        most = event["args"].get("trip_count", 0)
        driver.check(least <= most, f"{where}: {event}")
    return picture


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--seeds", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(scratch) / "trace.json"
        for seed in range(1, arguments.seeds + 1):
            for way in WAYS:
                picture = compare(arguments.program, seed, way, path)
                print(f"{way}: {len(picture.slices)} slices, {dict(picture.ran())}")


main()
