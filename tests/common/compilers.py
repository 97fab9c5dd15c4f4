# SPDX-License-Identifier: GPL-3.0-or-later
"""The system's GCC that tests compile and compare with: the major version that built this tree, or
that a test of routing is declared for.

CMake passes it in AMP_TEST_GCC_MAJOR. A test that is run by hand takes that of the plain gcc.
"""

import os
import subprocess


def _major():
    given = os.environ.get("AMP_TEST_GCC_MAJOR")
    if given:
        return given
    done = subprocess.run(["gcc", "-dumpversion"], capture_output=True, text=True, check=True)
    return done.stdout.strip().split(".")[0]


MAJOR = _major()
GCC, GXX, GFORTRAN = (f"{driver}-{MAJOR}" for driver in ("gcc", "g++", "gfortran"))
# What has our wrappers run these.
WRAPPED = {"AMP_CC": GCC, "AMP_CXX": GXX, "AMP_FC": GFORTRAN}
