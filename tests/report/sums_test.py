# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that the loops of a report have the executions and iterations that the program counts, and
the slices of a trace of the same run the iterations.

sums_test.py <shapes> [--seeds N]
"""

import argparse
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / room) for room in ("tests/life", "tests/trace", "tools/amp-watch")]
import driver  # noqa: E402
from amp_watch import reports  # noqa: E402
from picture import Picture  # noqa: E402

WAYS = {
    "one class": {"GOMP_AMP_TOPOLOGY": "off"},
    "two classes": {"GOMP_AMP_THREAD_CLASSES": "0,1"},
    "offline": {"GOMP_AMP_THREAD_CLASSES": "1,0,0", "GOMP_AID_SF": "1:2.5"},
    "folded": {"GOMP_AMP_TOPOLOGY": "off", "GOMP_AMP_FOLD": "3"},
    "fifo": {"GOMP_AMP_THREAD_CLASSES": "0,1", "GOMP_TASK_SCHEDULE": "fifo"},
}
# A trace has the last events only.
ROUNDS, TRACED_ROUNDS = 150, 60
DEFINITIONS = ROOT / "libgomp/amp/fold/fold-why.def"
# By key, how regions are run and why.
REASONS = {
    key: ({"IS_APART": "folded by the kernel: ", "NOT_FOLDED": "not folded: "}.get(how), text)
    for how, key, text in re.findall(
        r'^GOMP_FOLD_WHY \(\w+, (\w+), "([\w-]+)",\s*"([^"]+)"\)$', DEFINITIONS.read_text(), re.M
    )
}


def functions(module, addresses):
    """The functions of the program at these addresses, by address."""
    text = subprocess.run(
        ["addr2line", "-f", "-C", "-e", module, *map(hex, addresses)],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()[::2]
    return dict(zip(addresses, text, strict=True))


def found(report):
    """By function, the executions, the iterations by trip counts, and those that threads ran."""
    loops = [loop for loop in report["loops"] if loop["module"] is not None]
    driver.check(len(loops) == len(report["loops"]), "a loop has no module")
    # The call before the address to which it returns.
    name = functions(report["program"], [loop["address"] - 1 for loop in loops]) if loops else {}
    # A loop that starts together with its region is known by the region's function.
    regions = {region["address"] for region in report["regions"]}
    starts = [loop["address"] for loop in loops if loop["address"] in regions]
    begun = functions(report["program"], starts) if starts else {}
    result = collections.defaultdict(lambda: [0, 0, 0])
    for loop in loops:
        function = begun.get(loop["address"], name[loop["address"] - 1])
        sums = result[re.split(r"[(. ]", function.replace("(anonymous namespace)::", ""))[0]]
        sums[0] += loop["invocations"]
        sums[1] += loop["iterations"]
        sums[2] += sum(part["iterations"] for part in loop["classes"])
        ran = sum(way["invocations"] for way in loop["ran"])
        driver.check(ran == loop["invocations"], f"{function}: ran {ran} of {loop}")
    return result


def compare_trace(path, counted, where):
    picture = Picture(path)
    said = sum(picture.iterations().values())
    driver.check(said == counted, f"{where}: {said} iterations in the trace instead of {counted}")
    for event in picture.kind("loop"):
        least = event["args"].get("iterations", 0)
        most = event["args"].get("trip_count", 0)
        driver.check(least <= most, f"{where}: {event}")


def compare(program, seed, way, path, *counted):
    trace = path.with_name("trace")
    variables = {"OMP_NUM_THREADS": 4, "GOMP_AMP_REPORT": path, **WAYS[way]}
    if counted:
        variables["GOMP_AMP_TRACE"] = trace
    rounds = TRACED_ROUNDS if counted else ROUNDS
    done = driver.run([program, seed, rounds, *counted], variables)
    where = f"seed {seed}, {way}"
    driver.check(done.returncode == 0, f"{where}: {done.stderr}")
    report = reports.read(path)
    said = found(report)
    for line in done.stdout.splitlines():
        name, executions, iterations = line.split()
        expected = [int(executions), int(iterations), int(iterations)]
        if not counted:
            # Dynamic and guided loops do not count what each thread runs.
            driver.check(said[name][2] <= expected[2], f"{where}: {name}: {said[name]}")
            said[name][2] = expected[2]
        driver.check(said[name] == expected, f"{where}: {name}: {said[name]} instead of {expected}")
    if counted:
        iterations = sum(int(line.split()[2]) for line in done.stdout.splitlines())
        compare_trace(trace, iterations, where)
    for region in report["regions"]:
        ids = sum(part["ids"] for part in region["classes"])
        runs = region["invocations"]
        least, most = region["ids"]
        driver.check(least * runs <= ids <= most * runs, f"{where}: {region}")
        driver.check(sum(region["ran"].values()) == runs, f"{where}: {region}")
        if "GOMP_AMP_FOLD" in WAYS[way]:
            key = region["why_not_key"]
            why_not = key and "".join(REASONS[key])
            driver.check(region["why_not"] == why_not, f"{where}: {region}")
        lost = region["imbalance_ns"] + region["scheduling_ns"]
        driver.check(
            region["useful_ns"] + lost == region["capacity_ns"], f"{where}: times of {region}"
        )
    return report


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--seeds", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(scratch) / "report.json"
        folded = collections.Counter()
        for seed in range(1, arguments.seeds + 1):
            for way in WAYS:
                compare(arguments.program, seed, way, path, "counted")
                report = compare(arguments.program, seed, way, path)
                for region in report["regions"]:
                    folded.update({(way, how): n for how, n in region["ran"].items()})
        for way, how in [("folded", "folded"), ("folded", "kernel"), ("fifo", "threads")]:
            print(f"{way}: {folded[way, how]} runs by {how}")
        driver.check(folded["folded", "folded"] > 0, f"no region was folded: {folded}")


main()
