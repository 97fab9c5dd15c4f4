# SPDX-License-Identifier: GPL-3.0-or-later
"""The environment that tests and benchmarks give to the programs that they run.

A user's settings must not decide what a test finds. As a script, this prints the names of the
variables that are set here and that no test may get; AmpTest.cmake has ctest ask it.
"""

import os
import re

_FOREIGN = re.compile(
    # OpenMP, OpenACC, hwloc, GoogleTest.
    r"(OMP|GOMP|KMP|ACC|HWLOC|GTEST)_"
    # The dynamic linker, and Python.
    r"|LD_|PYTHON"
    # Build systems, our wrappers, GCC and its test suites.
    r"|(AMP_)?(CC|CXX|FC)$|\w*FLAGS$|CMAKE_"
    r"|GCC_|(COMPILER|LIBRARY|C_INCLUDE|CPLUS_INCLUDE)_PATH$|CPATH$|SOURCE_DATE_EPOCH$"
    r"|DEJAGNU|GXX_TESTSUITE_STDS$"
    # The language of messages.
    r"|LANG|LC_"
)
# These change no result. ../portability sets the first for a ctest that it runs.
_KEPT = {"LD_BIND_NOW", "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX"}


def is_foreign(name):
    """Whether no program of a test inherits the variable NAME."""
    return name not in _KEPT and _FOREIGN.match(name) is not None


def clean(**variables):
    """The environment of this process without foreign variables, and with VARIABLES; a value of
    None unsets one."""
    kept = {name: value for name, value in os.environ.items() if not is_foreign(name)}
    return {name: value for name, value in (kept | variables).items() if value is not None}


if __name__ == "__main__":
    print("\n".join(filter(is_foreign, os.environ)))
