#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Policies live and simulated: the same programs under ampd and under ampsim.

live_test.py [--clock] <ampd> <ampctl> <ampsim> <load> POLICY...

No time by the clock is compared, as other processes have the CPUs too: only which part of its CPU
time a program had on the fast core, how long it took for its work by that clock, and how often it
moved per second of it. A run that was disturbed is done again, with twice the time, up to ROUNDS
times. --clock is for an idle machine: it compares the work in a second too, and prints it.
"""

import csv
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import daemon

ROUNDS = 4
CLASSES = {daemon.CPUS[0]: 1, daemon.CPUS[1]: 0}


def simulate(policy, programs, seconds):
    """Of each program its share of time on the fast core, its CPU time, and its moves."""
    text = f'cores = "1x3+1x1.5"\npolicy = "{policy}"\nseconds = {seconds}\nnoise_percent = 0\n'
    for name, work, factor, at in programs:
        text += (
            f'[[program]]\nname = "{name}"\nwork = {work or 1e6}\nfactor = {factor}\nat = {at}\n'
        )
    with tempfile.TemporaryDirectory() as directory:
        scenario = pathlib.Path(directory, "scenario.toml")
        scenario.write_text(text)
        subprocess.run(
            [AMPSIM, "run", scenario, "--quiet", "--output", directory],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        with pathlib.Path(directory, "cores.csv").open() as file:
            rows = list(csv.DictReader(file))
    found = {}
    for name, *_ in programs:
        mine = [row for row in rows if row["program"] == name]
        spans = [
            (row["class"], float(row["share"]), float(row["from_s"]), float(row["to_s"]))
            for row in mine
        ]
        cpu = [sum(share * (to - at) for c, share, at, to in spans if c == each) for each in "01"]
        spans.sort(key=lambda span: span[2])
        moves = sum(a[0] != b[0] for a, b in zip(spans, spans[1:]))
        found[name] = {"cpu_s": cpu, "migrations": moves}
    return found


def pace(counted, factor):
    """Seconds of CPU time for a second's work on a slow core, of a program of FACTOR."""
    return sum(counted["cpu_s"]) / max(counted["cpu_s"][0] + factor * counted["cpu_s"][1], 1e-9)


def fast_share(counted):
    return counted["cpu_s"][1] / max(sum(counted["cpu_s"]), 1e-9)


class Live(unittest.TestCase):
    """Each policy of the command line."""

    def load(self, ampd, work, factor, name):
        classes = ",".join(str(CLASSES.get(cpu, 0)) for cpu in range(max(CLASSES) + 1))
        command = [LOAD, classes, f"{work}:{factor}"]
        return ampd.run(*command, options=["--name", name, "--factors", f"1,{factor}"])

    def compare(self, policy, live, simulated, programs):
        """Fails if they differ."""
        factors = {name: factor for name, _, factor, _ in programs}
        for name, counted in live.items():
            wanted = simulated[name]
            longer = pace(counted, factors[name]) / pace(wanted, factors[name])
            self.assertAlmostEqual(
                longer, 1, delta=0.1, msg=f"{policy}: {name}: {live} {simulated}"
            )
            self.assertAlmostEqual(
                fast_share(counted), fast_share(wanted), delta=0.08,
                msg=f"{policy}: {name}: {live} {simulated}",
            )  # fmt: skip
            rate = [
                each["migrations"] / max(sum(each["cpu_s"]), 1e-9) for each in (counted, wanted)
            ]
            self.assertLess(rate[0], 3 * rate[1] + 4, f"{policy}: {name}: {live} {simulated}")
            self.assertGreater(rate[0], rate[1] / 3 - 1, f"{policy}: {live} {simulated}")

    def shared(self, policy, seconds):
        """Two programs that do not end."""
        programs = [("light", 0, 1.2, 0), ("heavy", 0, 1.9, 0)]
        simulated = simulate(policy, programs, 20)
        with daemon.Daemon(AMPD, AMPCTL, policy) as ampd:
            started = {name: self.load(ampd, 0, factor, name) for name, _, factor, _ in programs}

            def cpu_s():
                return min(sum(each["cpu_s"]) for each in ampd.status()["programs"])

            def placed():
                masks = [daemon.mask(program.pid) for program in started.values()]
                return all(len(cpus) == 1 for mask in masks for cpus in mask.values())

            daemon.wait_for("both", lambda: len(ampd.reasons()) == 2)
            daemon.wait_for("masks", placed)
            # It looks for better places after a second.
            if policy == "hass-s":
                daemon.wait_for("CPU time", lambda: cpu_s() > 1.5, 60)
            for program in started.values():
                program.send_signal(signal.SIGUSR1)
            before, begin = cpu_s(), time.monotonic()
            daemon.wait_for("CPU time", lambda: cpu_s() - before > seconds / 2, 60)
            wall_s = time.monotonic() - begin
            live = {name: daemon.end(program) for name, program in started.items()}
        self.compare(policy, live, simulated, programs)
        if CLOCK:
            work = [
                sum(
                    each[name]["cpu_s"][0] + factor * each[name]["cpu_s"][1]
                    for name, _, factor, _ in programs
                )
                for each in (live, simulated)
            ]
            self.compare_clock(policy, "work in a second", work[0] / wall_s, work[1] / 20)

    def compare_clock(self, policy, what, live, simulated):
        print(f"{policy}: {what}: live {live:.3f}, simulated {simulated:.3f}")
        self.assertAlmostEqual(live / simulated, 1, delta=0.1, msg=policy)

    def test_live_is_as_simulated(self):
        for policy in POLICIES:
            with self.subTest(policy=policy):
                for round in range(ROUNDS):
                    try:
                        self.shared(policy, 2 << round)
                        break
                    except AssertionError as problem:
                        if round == ROUNDS - 1:
                            raise
                        print(f"again: {problem}", file=sys.stderr)


if __name__ == "__main__":
    CLOCK = sys.argv[1] == "--clock"
    AMPD, AMPCTL, AMPSIM, LOAD, *POLICIES = sys.argv[1 + CLOCK :]
    daemon.become_nobody()
    unittest.main(argv=sys.argv[:1])
