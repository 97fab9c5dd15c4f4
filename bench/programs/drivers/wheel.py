# SPDX-License-Identifier: GPL-3.0-or-later
"""Has a wheel compute something: wheel.py NAME INPUTS.

Prints what came out, and as `seconds: S` how long it took without the imports. OMP_NUM_THREADS says
how many threads; under libgomp-amp its clock counts, which tells virtual time if there is any.
"""

import ctypes
import sys
import time
from pathlib import Path

import numpy

_runtime = ctypes.CDLL(None)
if hasattr(_runtime, "omp_get_wtime"):
    clock = _runtime.omp_get_wtime
    clock.restype = ctypes.c_double
    threads = _runtime.omp_get_max_threads()
else:
    clock = time.perf_counter
    threads = 0


def timed(compute):
    begun = clock()
    found = compute()
    print(f"seconds: {clock() - begun:.6f}")
    return found


def shown(values):
    """Some of the values, and their sum."""
    flat = numpy.asarray(values, dtype=float).ravel()
    for value in flat[:: len(flat) // 16 + 1]:
        print(f"{value:.9g}")
    print(f"{flat.sum():.9g}")


def points(count, width):
    return numpy.random.default_rng(7).random((count, width), dtype=numpy.float32)


def labels(data):
    """Classes that depend on the columns in a way that trees can learn."""
    return (numpy.sin(6 * data[:, 0]) + data[:, 1] * data[:, 2] > 0.6).astype(int)


def scikitlearn_kmeans():
    from sklearn.cluster import KMeans

    data = points(60_000, 24).astype(float)
    model = KMeans(40, init=data[:40], n_init=1, max_iter=300, tol=0)
    shown(timed(lambda: model.fit(data)).cluster_centers_)


def scikitlearn_boosting():
    from sklearn.ensemble import HistGradientBoostingClassifier

    data = points(60_000, 40)
    model = HistGradientBoostingClassifier(max_iter=100, early_stopping=False)
    shown(timed(lambda: model.fit(data, labels(data)).predict_proba(data)))


def lightgbm_training():
    import lightgbm

    data = points(60_000, 40)
    settings = {"objective": "binary", "verbose": -1, "deterministic": True, "force_row_wise": True}
    rows = lightgbm.Dataset(data, labels(data)).construct()
    shown(timed(lambda: lightgbm.train(settings, rows, 160).predict(data)))


def lightgbm_prediction():
    import lightgbm

    data = points(120_000, 40)
    settings = {"objective": "binary", "verbose": -1, "deterministic": True, "force_row_wise": True}
    model = lightgbm.train(settings, lightgbm.Dataset(data[:20_000], labels(data[:20_000])), 100)
    shown(timed(lambda: [model.predict(data) for _ in range(6)][-1]))


def xgboost():
    import xgboost

    data = points(60_000, 40)
    settings = {"objective": "binary:logistic", "tree_method": "hist", "nthread": threads}
    rows = xgboost.QuantileDMatrix(data, labels(data), nthread=threads)
    shown(timed(lambda: xgboost.train(settings, rows, 150).predict(rows)))


def faiss():
    import faiss

    index = faiss.IndexScalarQuantizer(64, faiss.ScalarQuantizer.QT_8bit)
    data = points(60_000, 64)
    index.train(data)
    index.add(data)
    distances, _ = timed(lambda: index.search(data[:4000] + 0.01, 10))
    shown(distances)


def atoms(name):
    """Numbers and positions, in Bohr, of an xyz file."""
    path = Path(sys.argv[2]) / name
    rows = [line.split() for line in path.read_text().splitlines()[2:]]
    numbers = numpy.array([{"H": 1, "O": 8}[row[0]] for row in rows])
    return numbers, numpy.array([[float(x) for x in row[1:]] for row in rows]) / 0.529177210903


def dftd4():
    from dftd4.interface import DampingParam, DispersionModel

    numbers, positions = atoms("more-water.xyz")
    parameters = DampingParam(method="pbe")

    def compute():
        return DispersionModel(numbers, positions).get_dispersion(parameters, grad=True)

    found = timed(compute)
    shown([found["energy"], *found["gradient"].ravel()])


def tblite():
    from tblite.interface import Calculator

    calculator = Calculator("GFN2-xTB", *atoms("water.xyz"))
    calculator.set("verbosity", 0)
    found = timed(calculator.singlepoint)
    shown([found.get("energy"), *found.get("gradient").ravel()])


if __name__ == "__main__":
    globals()[sys.argv[1]]()
