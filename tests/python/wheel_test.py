#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The wheel, installed by pip beside others of PyPI: what it asks of a system, who runs on it, that
results stay the same, and LightGBM folded on a virtual machine."""

import re
import sys
import unittest
import venv
from pathlib import Path

import wheels
from wheels import SOURCE, WORK, output

sys.path.append(str(SOURCE / "bench"))
from realprograms import inputs  # noqa: E402
from realprograms.programs import PROGRAMS  # noqa: E402
from realprograms.runner import normalised, same  # noqa: E402

HERE = Path(__file__).resolve().parent
DRIVER = SOURCE / "bench/realprograms/drivers/wheel.py"
OF_PYPI = [program for program in PROGRAMS if program.wheels]
MODULES = ("sklearn.cluster", "lightgbm", "xgboost", "faiss", "dftd4.interface", "tblite.interface")
MACHINE = "4x3.0+4x1.0"


def setUpModule():
    global bin_directory, wheel
    if not wheels.reaches_pypi():
        wheels.skip("PyPI cannot be reached")
    wheel = wheels.build("x86_64")
    directory = WORK / "venv"
    venv.create(directory, with_pip=True, clear=True)
    bin_directory = directory / "bin"
    others = sorted({name for program in OF_PYPI for name in program.wheels})
    output(
        bin_directory / "pip",
        "install",
        "--quiet",
        "--only-binary",
        ":all:",
        wheel,
        "threadpoolctl",
        *others,
    )
    for name in ("water.xyz", "more-water.xyz"):
        inputs.make(WORK / "inputs", name)


def python(*words, **variables):
    return output(bin_directory / "python", *words, **variables)


class Wheel(unittest.TestCase):
    def test_runs_on_glibc_2_28(self):
        text = output(WORK / "tools/bin/auditwheel", "show", wheel)
        found = re.search(r'"manylinux_2_(\d+)_x86_64"', text)
        self.assertIsNotNone(found, text)
        self.assertLessEqual(int(found[1]), 28)

    def test_all_packages_run_on_it(self):
        text = output(bin_directory / "libgomp-amp", "status", *MODULES)
        ours = text.split("libgomp-amp/libgomp.so.1 (libgomp-amp)\n")[1].split("\n/")[0]
        self.assertEqual(
            ours.split(),
            ["dftd4", "faiss", "faiss_cpu", "lightgbm", "sklearn", "tblite", "xgboost"],
        )
        self.assertNotIn("warning", text)

    def test_results_are_the_same(self):
        for program in OF_PYPI:
            words = [DRIVER, program.command[1], WORK / "inputs"]
            outputs = [
                normalised(python(*words, OMP_NUM_THREADS="2", **more), program.compared)
                for more in ({}, {"LIBGOMP_AMP": "1"}, {"LIBGOMP_AMP": "1", "GOMP_AMP_FOLD": "3"})
            ]
            for one in outputs[1:]:
                self.assertTrue(same(outputs[0], one, program.compared), program.name)

    def test_threadpoolctl_and_loky(self):
        code = (
            "import libgomp_amp, joblib, threadpoolctl, ctypes\n"
            "import sklearn.cluster, numpy\n"
            "before = joblib.cpu_count()\n"
            "sklearn.cluster.KMeans(3, n_init=1).fit(numpy.random.rand(5000, 4))\n"
            "assert joblib.cpu_count() == before, (joblib.cpu_count(), before)\n"
            "pools = threadpoolctl.threadpool_info()\n"
            "ours = [x for x in pools if 'libgomp-amp' in x['filepath']]\n"
            "assert len(ours) == 1 and ours[0]['num_threads'] == 6, ours\n"
            "with threadpoolctl.threadpool_limits(2):\n"
            "    assert ctypes.CDLL(None).omp_get_max_threads() == 2\n"
        )
        python("-c", code, GOMP_AMP_FOLD="3", OMP_NUM_THREADS="2")

    def test_lightgbm_folded_on_a_virtual_machine(self):
        found = {}
        for name, variables in (
            ("static", {"OMP_NUM_THREADS": "8"}),
            ("fast cores only", {"OMP_NUM_THREADS": "4"}),
            ("folded", {"GOMP_AMP_FOLD": "auto", "GOMP_AMP_FOLD_RANGES": "fixed"}),
        ):
            text = output(
                bin_directory / "libgomp-amp", "emu", "virtual", "--quiet", MACHINE, "--",
                bin_directory / "python", HERE / "lightgbm_prediction.py", **variables,
            )  # fmt: skip
            threads, seconds, model = text.split()
            print(f"{name}: {threads} threads, {seconds} s")
            found[name] = (int(threads), model)
        self.assertEqual([threads for threads, _ in found.values()], [8, 4, 16])
        self.assertEqual(len({model for _, model in found.values()}), 1)


if __name__ == "__main__":
    unittest.main()
