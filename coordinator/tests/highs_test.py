#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hold the allocations of a-exact and of dynamic programming against HiGHS's.

ORACLE prints random instances, and what both make of them, a JSON object a line. Skipped if highspy
(PyPI) is not installed.
"""

import json
import subprocess
import sys

SKIP = 77
TOLERANCE = 1e-6

try:
    import highspy
except ImportError:
    print("highspy is not installed; pip install highspy")
    sys.exit(SKIP)


def optimum(cores: list[int], apps: list[dict]) -> float:
    """The largest sum of values: one allocation for each application, all within CORES."""
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    terms: list = [[] for _ in cores]
    total = []
    for app in apps:
        choice = []
        for option in app["options"]:
            taken = solver.addBinary()
            choice.append(taken)
            total.append(option["value"] * taken)
            for of_class, count in zip(terms, option["cores"], strict=True):
                if count:
                    of_class.append(count * taken)
        solver.addConstr(sum(choice) == 1)
    for of_class, count in zip(terms, cores, strict=True):
        if of_class:
            solver.addConstr(sum(of_class) <= count)
    solver.maximize(sum(total))
    return solver.getObjectiveValue()


def main() -> int:
    """Compare all instances that the oracle prints."""
    instances = subprocess.run(
        [sys.argv[1]], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    wrong = 0
    for line in instances:
        instance = json.loads(line)
        best = optimum(instance["cores"], instance["apps"])
        for name in ("dp", "exact") if instance["separable"] else ("dp",):
            if abs(instance[name] - best) > TOLERANCE:
                print(f"{name} found {instance[name]}, HiGHS {best}: {line}")
                wrong += 1
    print(f"{len(instances)} instances, {wrong} not as HiGHS has them")
    return 1 if wrong or not instances else 0


if __name__ == "__main__":
    sys.exit(main())
