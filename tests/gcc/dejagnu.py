# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs one of GCC's gomp test suites under DejaGnu, outside of a build of GCC."""

import os
import re
import shutil
import signal
import subprocess
from dataclasses import dataclass, field

import drivers
from results import read_sum
from setup_error import SetupError, Skip

# DejaGnu's tool (it runs the folders whose names begin so): the language, and the variable that
# names the compiler. The longest suite is first.
SUITES = {
    "g++": ("c++", "GXX_UNDER_TEST"),
    "gcc": ("c", "GCC_UNDER_TEST"),
    "gfortran": ("fortran", "GFORTRAN_UNDER_TEST"),
}

TEST_TIMEOUT = 60  # seconds for each compilation

# Unless it is told that it is in a build tree, GCC's DejaGnu code adds no directories of its own,
# so that the system's libraries are used.
SITE = """\
set srcdir {suites}
set tmpdir {directory}
set host_triplet {triplet}
set build_triplet {triplet}
set target_triplet {triplet}
set target_alias {triplet}
set CFLAGS ""
set CXXFLAGS ""
set TEST_ALWAYS_FLAGS ""
set tool_timeout {timeout}
set {variable} "{compiler}"
"""


@dataclass
class Outcome:
    """What a run of a suite gave: states of tests by name, counters of messages, and failures."""

    tests: dict = field(default_factory=dict)
    ices: dict = field(default_factory=dict)
    failures: list = field(default_factory=list)


def require():
    """Skip without DejaGnu."""
    if not shutil.which("runtest"):
        raise Skip("DejaGnu's runtest is not here (package dejagnu)")


def run_suite(suite, compiler, suites, directory, timeout):
    """The outcome of SUITE with COMPILER, a list; the files stay in DIRECTORY."""
    if any(re.search(r"[^\w./+=,-]", text) for text in [str(directory), str(suites), *compiler]):
        raise SetupError(
            f"--work is {directory}, the compiler {' '.join(compiler)}; "
            "DejaGnu accepts no spaces or special characters in paths"
        )
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    site = SITE.format(
        suites=suites,
        directory=directory,
        triplet=drivers.run([compiler[0], "-dumpmachine"]).strip(),
        timeout=TEST_TIMEOUT,
        variable=SUITES[suite][1],
        compiler=" ".join(compiler),
    )
    (directory / "site.exp").write_text(site)
    with open(directory / "output", "w") as output:
        process = subprocess.Popen(
            ["runtest", "--tool", suite, "gomp.exp"],
            cwd=directory,
            env=drivers.environment(HOME=str(directory)),  # no ~/.dejagnurc
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            process.wait(timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return Outcome(failures=[f"stopped after {timeout} seconds; see {directory}/output"])
    return read_outcome(suite, compiler, directory)


def read_outcome(suite, compiler, directory):
    """The outcome of a run of SUITE that has ended."""
    outcome = Outcome()
    summary = directory / f"{suite}.sum"
    text = summary.read_text(errors="surrogateescape") if summary.exists() else ""
    if f"=== {suite} Summary ===" not in text:
        outcome.failures.append(f"DejaGnu did not reach the end; see {directory}/output")
        return outcome
    outcome.tests = read_sum(text)
    if not outcome.tests:
        outcome.failures.append(f"no test was run; see {directory}/output")
    log = (directory / f"{suite}.log").read_text(errors="surrogateescape")
    for line in log.splitlines():
        if "internal compiler error" in line and not re.match(r"X?(PASS|FAIL): ", line):
            message = re.sub(r", at \S+$", "", line)  # the patch moves lines
            outcome.ices[message] = outcome.ices.get(message, 0) + 1
    # The log says what was run, which is the proof that no other compiler took part.
    for ran in re.findall(r"^Executing on host: (.*)$", log, re.M):
        program, *options = ran.split()
        compiles = re.search(r"(cc|[gc]\+\+|gfortran)[\d.-]*$", program) and options[0] != "-v"
        if compiles and not ran.startswith(" ".join(compiler) + " "):
            outcome.failures.append(f"ran something other than {' '.join(compiler)}: {ran}")
            break
    return outcome
