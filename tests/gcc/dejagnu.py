# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs one of GCC's gomp test suites under DejaGnu, outside of a build of GCC."""

import re
from dataclasses import dataclass, field

import drivers
import environment
import gcc_source
import runtest

# DejaGnu's tool (it runs the folders whose names begin so): the language, and the variable that
# names the compiler. The longest suite is first.
SUITES = {
    "g++": ("c++", "GXX_UNDER_TEST"),
    "gcc": ("c", "GCC_UNDER_TEST"),
    "gfortran": ("fortran", "GFORTRAN_UNDER_TEST"),
}

TEST_TIMEOUT = 900  # seconds for a compilation, against hangs

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


def unpack(arguments):
    """The directory of the suites, unpacked again as ARGUMENTS say."""
    target = arguments.work / "source"
    gcc_source.unpack(arguments.gcc_source, target, [*gcc_source.SHARED, "gcc/testsuite/*/gomp"])
    return target / "gcc/testsuite"


def run_suite(suite, compiler, suites, directory, timeout):
    """The outcome of SUITE with COMPILER, a list; the files stay in DIRECTORY."""
    runtest.require_plain("--work", directory, suites, *compiler)
    site = SITE.format(
        suites=suites,
        directory=directory,
        triplet=drivers.run([compiler[0], "-dumpmachine"]).strip(),
        timeout=TEST_TIMEOUT,
        variable=SUITES[suite][1],
        compiler=" ".join(compiler),
    )
    failure = runtest.run(
        ["--tool", suite, "gomp.exp"], directory, site, environment.clean(LC_ALL="C"), timeout
    )
    if failure:
        return Outcome(failures=[failure])
    return read_outcome(suite, compiler, directory)


def read_outcome(suite, compiler, directory):
    """The outcome of a run of SUITE that has ended."""
    tests, failures = runtest.read(suite, directory)
    outcome = Outcome(tests=tests, failures=failures)
    if not tests:
        return outcome
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
