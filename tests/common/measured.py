# SPDX-License-Identifier: GPL-3.0-or-later
"""Repeats assertions about measurements, which other load on a shared machine may spoil."""

import functools
import sys

TRIES = 4


def measured(check):
    """Makes CHECK, which measures again at each call, fail only if TRIES calls in a row do: one
    moment's load spoils a measurement or two, broken code every one. What failed is printed."""

    @functools.wraps(check)
    def tried(*arguments, **options):
        for left in reversed(range(TRIES)):
            try:
                return check(*arguments, **options)
            except AssertionError as failure:
                if not left:
                    raise
                print(f"{check.__qualname__}: {failure}; {left} more", file=sys.stderr, flush=True)

    return tried
