# SPDX-License-Identifier: GPL-3.0-or-later
"""What bench/figures is made of: programs, runtimes, runs, figures and their tables."""
