# SPDX-License-Identifier: GPL-3.0-or-later
"""The words of both files, as words.def has them."""

import pathlib
import re

_ROW = re.compile(r'^(RAN|WHY|WAY|WAIT|EVENT)\((\w+), "([^"]*)"', re.MULTILINE)
_rows = _ROW.findall(pathlib.Path(__file__).with_name("words.def").read_text())


def _words(wanted):
    return {key: text for name, key, text in _rows if name == wanted}


# By key, what people read, in the order of their numbers.
RAN, WHY, WAY, WAIT, EVENT = map(_words, ("RAN", "WHY", "WAY", "WAIT", "EVENT"))
# Of RAN: the whole loop was dealt beforehand; times decide who gets what.
STATIC = ("static", "static_chunked")
TIMED = ("aid_static", "aid_hybrid", "aid_dynamic", "timed_chunks")


def ran_as(loops, *keys):
    """Whether an execution of one of LOOPS ran as one of KEYS."""
    return any(way["as"] in keys for loop in loops for way in loop["ran"])


def say_ran(way):
    """What a loop ran as, and why, for people."""
    why = ", ".join(WHY[key] for key in way["why"])
    return RAN[way["as"]] + (f" ({why})" if why else "")
