# SPDX-License-Identifier: GPL-3.0-or-later
"""What bench/real is made of: programs that others have compiled, their inputs, and how they are
run with and without folded teams."""
