#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What docs/guide/building.md says of R: a package compiled by amp-gcc through ~/.R/Makevars,
and Debian's data.table, with the numbers of threads that it takes."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path.append(str(SOURCE / "tests/common"))
import environment  # noqa: E402

BIN = Path(os.environ["AMP_TEST_BUILD"]) / "bin"
PACKAGE = Path(__file__).resolve().parent / "waves"
VIRTUAL = [BIN / "amp-emu", "virtual", "--quiet", "4x3.0+4x1.0", "--"]
THREADS = "library(data.table); cat(getDTthreads())"
# Integers, whose sums do not depend on the number of threads.
TABLE = """
library(data.table)
set.seed(7)
rows <- data.table(group = sample(5000L, 2e6, TRUE), number = sample(1000L, 2e6, TRUE))
groups <- rows[, .(sum = sum(number), most = max(number)), by = group][order(-sum, group)]
setorder(rows, number, group)
cat(getDTthreads(), sum(groups$sum * seq_len(nrow(groups))), rows$group[seq(1, 2e6, 1e5)])
"""
WAVES = "library(waves); cat(sprintf('%a', waves(seq(0, 6, length.out = 5000), 100)))"


def setUpModule():
    global scratch
    for program, package in (("R", "r-base-core"), ("gcc", "gcc"), ("make", "make")):
        if shutil.which(program) is None:
            print(f"skipped: there is no {program}; package: {package}")
            sys.exit(77)
    found = subprocess.run(["Rscript", "-e", "library(data.table)"], capture_output=True)
    if found.returncode != 0:
        print("skipped: R has no data.table; package: r-cran-data.table")
        sys.exit(77)
    scratch = Path(tempfile.mkdtemp(prefix="libgomp-amp-r-"))
    unittest.addModuleCleanup(shutil.rmtree, scratch)


def output(*command, **variables):
    """What COMMAND, which has to succeed, prints."""
    done = subprocess.run(
        list(map(str, command)), env=environment.clean(LC_ALL="C", **variables),
        capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode != 0:
        raise AssertionError(f"{command}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def installed(name, compiler):
    """The library, in R's sense, with the package as COMPILER compiles it, by a home of its own."""
    home, library = scratch / f"{name}-home", scratch / name
    (home / ".R").mkdir(parents=True)
    (home / ".R/Makevars").write_text(f"CC = {compiler}\n")
    library.mkdir()
    copy = scratch / f"{name}-source"
    shutil.copytree(PACKAGE, copy)
    output("R", "CMD", "INSTALL", "--no-test-load", f"--library={library}", copy, HOME=home)
    return library


class Package(unittest.TestCase):
    def test_compiled_by_amp_gcc(self):
        plain, routed = installed("plain", "gcc"), installed("routed", BIN / "amp-gcc")
        for library, phrase, status in (
            (routed, "routed loops, schedule(nonmonotonic:runtime)", 0),
            (plain, "no routed loops", 1),
        ):
            command = [BIN / "amp-run", "--check", "--fold=0", library / "waves/libs/waves.so"]
            done = subprocess.run(command, env=environment.clean(), capture_output=True, text=True)
            self.assertEqual(done.returncode, status, done.stdout + done.stderr)
            self.assertIn(phrase, done.stdout + done.stderr)
        run = [BIN / "amp-run", "--", "Rscript", "-e", WAVES]
        expected = output("Rscript", "-e", WAVES, R_LIBS=plain)
        self.assertGreater(len(expected.split()), 4000)
        for library, more in (
            (routed, {"OMP_SCHEDULE": "aid_hybrid"}),
            (routed, {"GOMP_AMP_FOLD": "3"}),
            (plain, {"GOMP_AMP_FOLD": "3"}),
        ):
            self.assertEqual(output(*run, R_LIBS=library, **more), expected, (library, more))

    def test_the_system_s_libgomp_comes_first(self):
        library = installed("loaded", BIN / "amp-gcc")
        maps = "readLines('/proc/self/maps')"
        code = f"library(waves); writeLines(grep('libgomp', {maps}, value = TRUE))"
        self.assertNotIn(str(BIN.parent), output("Rscript", "-e", code, R_LIBS=library))
        self.assertIn(
            str(BIN.parent), output(BIN / "amp-run", "--", "Rscript", "-e", code, R_LIBS=library)
        )


class DataTable(unittest.TestCase):
    def test_its_number_of_threads(self):
        """Half of the CPUs unless it is told, and never more than CPUs, folded or not."""
        for fold in ({}, {"GOMP_AMP_FOLD": "auto"}):
            for told, threads in ((None, "4"), ("3", "3"), ("8", "8"), ("16", "8")):
                found = output(
                    *VIRTUAL, "Rscript", "-e", THREADS, R_DATATABLE_NUM_THREADS=told, **fold
                )
                self.assertEqual(found, threads, (fold, told))

    def test_results_are_the_same(self):
        report = scratch / "folds.json"
        expected = output("Rscript", "-e", TABLE, R_DATATABLE_NUM_THREADS="2")
        for more in ({}, {"GOMP_AMP_FOLD": "2"}):
            report.unlink(missing_ok=True)
            found = output(
                BIN / "amp-run", "--", "Rscript", "-e", TABLE,
                R_DATATABLE_NUM_THREADS="2", GOMP_AMP_FOLD_REPORT=report, **more,
            )  # fmt: skip
            self.assertEqual(found, expected, more)
            self.assertEqual(report.exists(), bool(more), more)

    def test_forked_processes(self):
        """parallel::mclapply: data.table takes one thread in a forked process, so none hangs."""
        code = (
            "library(data.table); rows <- data.table(a = 1e6:1); setorder(rows, a)\n"
            "ask <- function(n) { setorder(rows, -a); c(getDTthreads(), rows$a[n]) }\n"
            "cat(unlist(parallel::mclapply(1:2, ask, mc.cores = 2)))\n"
        )
        # It ends all processes of a group.
        found = output(
            "timeout", "--kill-after=5", 60, BIN / "amp-run", "--", "Rscript", "-e", code,
            R_DATATABLE_NUM_THREADS="2", GOMP_AMP_FOLD="2",
        )  # fmt: skip
        self.assertEqual(found, "1 1000000 1 999999")


if __name__ == "__main__":
    unittest.main()
