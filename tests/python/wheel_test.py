#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The wheel, installed by pip beside others of PyPI: what it asks of a system, who runs on it, that
results stay the same, what goes wrong with several runtimes and processes, and LightGBM folded on a
virtual machine."""

import re
import unittest

import wheels
from wheels import BIN, COMPUTATIONS, HERE, MACHINE, WORK, output

MODULES = (
    "sklearn.cluster", "lightgbm", "xgboost", "faiss", "dftd4.interface", "tblite.interface",
    "prange",
)  # fmt: skip


def setUpModule():
    global wheel
    if not wheels.reaches_pypi():
        wheels.skip("PyPI cannot be reached")
    wheel = wheels.build("x86_64")
    wheels.install(wheel)


def python(code, **variables):
    """What the Python program CODE prints; it is a script, as processes that it spawns need one."""
    script = WORK / "script.py"
    script.write_text(code)
    return output(BIN / "python", "-B", script, **variables)


class Wheel(unittest.TestCase):
    def test_runs_on_glibc_2_28(self):
        text = output(WORK / "tools/bin/auditwheel", "show", wheel)
        found = re.search(r'"manylinux_2_(\d+)_x86_64"', text)
        self.assertIsNotNone(found, text)
        self.assertLessEqual(int(found[1]), 28)
        self.assertIn(f"-manylinux_2_{found[1]}_x86_64.whl", wheel.name)

    def test_all_packages_run_on_it(self):
        text = output(BIN / "libgomp-amp", "status", *MODULES)
        ours = text.split("libgomp-amp/libgomp.so.1 (libgomp-amp)\n")[1].split("\n/")[0]
        self.assertEqual(
            ours.split(),
            ["dftd4", "faiss", "faiss_cpu", "lightgbm", "prange", "sklearn", "tblite", "xgboost"],
        )
        self.assertNotIn("warning", text)

    def test_results_are_the_same(self):
        report = WORK / "report.json"
        for name in COMPUTATIONS:
            alone = wheels.shown(name, OMP_NUM_THREADS="2")
            for more in ({}, {"GOMP_AMP_FOLD": "3"}):
                report.unlink(missing_ok=True)
                found = wheels.shown(
                    name, OMP_NUM_THREADS="2", LIBGOMP_AMP="1", GOMP_AMP_FOLD_REPORT=report, **more
                )
                self.assertTrue(wheels.alike(name, alone, found), (name, more, alone, found))
                self.assertEqual(report.exists(), bool(more), (name, more))

    def test_numpy_has_threads_of_its_own(self):
        code = (
            "import numpy, sys, hashlib, threadpoolctl\n"
            "a = numpy.random.default_rng(7).random((600, 600))\n"
            "print(hashlib.sha256((a @ a).tobytes()).hexdigest())\n"
            "print([x['internal_api'] for x in threadpoolctl.threadpool_info()], file=sys.stderr)\n"
        )
        alone = python(code)
        self.assertIn("['openblas']", alone)
        ours = python(code, LIBGOMP_AMP="1", GOMP_AMP_FOLD="3")
        hash_of = lambda text: re.search("^[0-9a-f]{64}$", text, re.MULTILINE)[0]  # noqa: E731
        self.assertEqual(hash_of(alone), hash_of(ours))

    def test_threadpoolctl(self):
        python(
            "import libgomp_amp, threadpoolctl, ctypes, sklearn.cluster, numpy\n"
            "sklearn.cluster.KMeans(3, n_init=1).fit(numpy.random.rand(5000, 4))\n"
            "pools = threadpoolctl.threadpool_info()\n"
            "ours = [x for x in pools if 'libgomp-amp' in x['filepath']]\n"
            "assert len(ours) == 1 and ours[0]['num_threads'] == 6, ours\n"
            "with threadpoolctl.threadpool_limits(2):\n"
            "    assert ctypes.CDLL(None).omp_get_max_threads() == 2\n",
            GOMP_AMP_FOLD="3",
            OMP_NUM_THREADS="2",
        )

    def test_lightgbm_folded_on_a_virtual_machine(self):
        found = {}
        for name, variables in (
            ("static", {"OMP_NUM_THREADS": "8"}),
            ("fast cores only", {"OMP_NUM_THREADS": "4"}),
            ("folded", {"GOMP_AMP_FOLD": "auto"}),
        ):
            text = output(
                BIN / "libgomp-amp", "emu", "virtual", "--quiet", MACHINE, "--",
                BIN / "python", HERE / "lightgbm_prediction.py", **variables,
            )  # fmt: skip
            threads, seconds, model = text.split()
            print(f"{name}: {threads} threads, {seconds} s")
            found[name] = (int(threads), model)
        self.assertEqual([threads for threads, _ in found.values()], [8, 4, 16])
        self.assertEqual(len({model for _, model in found.values()}), 1)


class Processes(unittest.TestCase):
    """Several processes, and what they take for the number of CPUs."""

    # All that scikit-learn and joblib ask, before and after a region of a folded team.
    COUNTS = (
        "import os; usable = len(os.sched_getaffinity(0))\n"
        "import libgomp_amp, joblib, numpy, sklearn.cluster\n"
        "from sklearn.utils._openmp_helpers import _openmp_effective_n_threads as threads\n"
        "def counts(): return joblib.cpu_count(), len(os.sched_getaffinity(0)), threads()\n"
        "before = counts(); assert before[1] == usable, before\n"
        "sklearn.cluster.KMeans(3, n_init=1).fit(numpy.random.rand(5000, 4))\n"
        "assert counts() == before, (counts(), before)\n"
        "print(*before)\n"
    )

    def test_counts_stay(self):
        """scikit-learn takes no more threads than there are CPUs unless OMP_NUM_THREADS is set."""
        cpus, usable, threads = map(int, python(self.COUNTS, GOMP_AMP_FOLD="3").split())
        self.assertEqual(cpus, usable)
        self.assertLessEqual(threads, cpus)
        told = python(self.COUNTS, GOMP_AMP_FOLD="3", OMP_NUM_THREADS="2").split()
        self.assertEqual(int(told[2]), 6)

    def test_fork_after_a_region(self):
        """LightGBM in a process that is forked after LightGBM was used, which hangs on libgomp."""
        code = (
            "import libgomp_amp, multiprocessing, numpy, lightgbm\n"
            "data = numpy.random.default_rng(7).random((5000, 10))\n"
            "rows = lightgbm.Dataset(data, (data[:, 0] > .5).astype(int))\n"
            "model = lightgbm.train({'objective': 'binary', 'verbose': -1}, rows, 5)\n"
            "here = model.predict(data)\n"
            "with multiprocessing.get_context('fork').Pool(2) as pool:\n"
            "    for there in pool.map_async(model.predict, [data] * 4).get(60):\n"
            "        assert (there == here).all()\n"
            "assert (model.predict(data) == here).all()\n"
        )
        for more in ({}, {"GOMP_AMP_FOLD": "3"}):
            python(code, OMP_NUM_THREADS="2", **more)

    def test_workers_of_joblib(self):
        """They are loky's: new processes, which find the library by LIBGOMP_AMP, and are folded
        unless the program says otherwise once its own library has read the environment."""
        code = (
            "import ctypes, joblib, os\n"
            "import libgomp_amp\n"
            "os.environ['GOMP_AMP_FOLD'] = {fold!r}\n"
            "def ask(_):\n"
            "    import ctypes, sys\n"
            "    return 'libgomp_amp' in sys.modules, ctypes.CDLL(None).omp_get_max_threads()\n"
            "with joblib.parallel_config('loky', inner_max_num_threads=2):\n"
            "    print(*set(joblib.Parallel(2)(joblib.delayed(ask)(n) for n in range(4))))\n"
            "print(ctypes.CDLL(None).omp_get_max_threads())\n"
        )
        for fold, threads in (("3", 6), ("0", 2)):
            text = python(
                code.format(fold=fold), LIBGOMP_AMP="1", GOMP_AMP_FOLD="3", OMP_NUM_THREADS="2"
            )
            self.assertRegex(text, rf"^\(True, {threads}\)\n6\n$")


if __name__ == "__main__":
    unittest.main()
