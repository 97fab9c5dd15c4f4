# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains LightGBM and has it predict: prints the size of teams, the seconds of the prediction,
virtual ones under `libgomp-amp emu virtual`, and a sum of the model and of what it predicts."""

import ctypes
import hashlib

import libgomp_amp  # noqa: F401
import lightgbm
import numpy

runtime = ctypes.CDLL(None)
clock = runtime.omp_get_wtime
clock.restype = ctypes.c_double
data = numpy.random.default_rng(7).random((120_000, 40), dtype=numpy.float32)
labels = (numpy.sin(6 * data[:, 0]) + data[:, 1] * data[:, 2] > 0.6).astype(int)
settings = {"objective": "binary", "verbose": -1, "deterministic": True, "force_row_wise": True}
model = lightgbm.train(settings, lightgbm.Dataset(data[:20_000], labels[:20_000]), 100)
begun = clock()
for _ in range(6):
    predicted = model.predict(data)
seconds = clock() - begun
trees = model.model_to_string().split("parameters:")[0].encode()
print(
    runtime.omp_get_max_threads(), seconds, hashlib.sha256(trees + predicted.tobytes()).hexdigest()
)
