# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the loop of prange.pyx; prints what bench/programs/drivers/wheel.py does."""

import ctypes
import hashlib
import time

import numpy
import prange

values = numpy.linspace(0, 6, 20_000)
clock = time.perf_counter
if hasattr(ctypes.CDLL(None), "ompx_amp_version"):
    # Virtual time, if there is any.
    clock = ctypes.CDLL(None).omp_get_wtime
    clock.restype = ctypes.c_double
begun = clock()
for _ in range(8):
    prange.waves(values, 200)
print(f"seconds: {clock() - begun:.6f}")
print(hashlib.sha256(values.tobytes()).hexdigest())
