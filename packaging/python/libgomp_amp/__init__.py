# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the OpenMP code of other packages on libgomp-amp, the runtime for asymmetric processors.

    import libgomp_amp      # before all packages that use OpenMP
    import lightgbm

    print(libgomp_amp.status())

Importing it loads the library, which reads its settings then: set GOMP_AMP_FOLD and the like
before, in os.environ or in the shell, or call restart.
"""

from libgomp_amp._library import library, load, version
from libgomp_amp._start import restart, run
from libgomp_amp._status import Runtime, Status, status

__all__ = ["Runtime", "Status", "library", "restart", "run", "status", "version"]

load()
