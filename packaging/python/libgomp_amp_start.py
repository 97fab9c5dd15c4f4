# SPDX-License-Identifier: GPL-3.0-or-later
"""libgomp-amp.pth has this run when Python starts with LIBGOMP_AMP set."""

import os
import sys

_value = os.environ["LIBGOMP_AMP"]
if _value == "1":
    import libgomp_amp  # noqa: F401
elif _value != "0":
    print(f"LIBGOMP_AMP: '{_value}': expected 1 or 0; libgomp-amp is not loaded", file=sys.stderr)
