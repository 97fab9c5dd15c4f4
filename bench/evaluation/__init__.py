# SPDX-License-Identifier: GPL-3.0-or-later
"""What bench/run and bench/report are made of: matrices, machines, runs, records and tables."""
