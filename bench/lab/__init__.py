# SPDX-License-Identifier: GPL-3.0-or-later
"""What measures: machines, rounds, the record of runs, and its tables."""

import sys
from pathlib import Path

# What benchmarks share with the tests.
sys.path.append(str(Path(__file__).resolve().parents[2] / "tests" / "common"))
