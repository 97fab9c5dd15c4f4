# SPDX-License-Identifier: GPL-3.0-or-later
"""What bench/figures is made of: programs, runtimes, runs, figures and their tables."""

import sys
from pathlib import Path

# What benchmarks share with the tests.
sys.path.append(str(Path(__file__).resolve().parents[2] / "tests" / "common"))
