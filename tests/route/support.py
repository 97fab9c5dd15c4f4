# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of routing share: where things are, how to run them, and exit code 77."""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "common"))
import environment  # noqa: E402
from compilers import GCC, GFORTRAN, GXX, MAJOR, WRAPPED  # noqa: E402, F401

SOURCES = pathlib.Path(__file__).parent / "src"
BIN = pathlib.Path()  # of the wrappers
LIB = pathlib.Path()  # of the plugins and of libgomp
WRAPPERS = ["amp-gcc", "amp-g++", "amp-gfortran"]
FORMS = ["plugin", "patched"]
FORM = FORMS[0]  # which of them compiles


def run(*command, cwd=None, **env):
    """The finished COMMAND, with its output as text; 4 threads, the wrappers on the GCC under test,
    and ENV."""
    return subprocess.run(
        [str(c) for c in command],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=900,
        env=environment.clean(
            **{
                "OMP_NUM_THREADS": "4",
                "OMP_DYNAMIC": "false",
                "LC_ALL": "C",
                **WRAPPED,
                **env,
            }
        ),
    )


def plugin():
    """The plugin for the GCC under test."""
    return LIB / f"plugin/{MAJOR}/amproute.so"


def amp(wrapper="amp-gcc"):
    """The words of a command that runs WRAPPER with the form under test."""
    return [BIN / wrapper, f"--amp-compiler={FORM}"]


def patched(driver):
    """The words of a command that runs the patched compiler by DRIVER, without a wrapper.

    The specs let a driver, which does not know -fopenmp-loop-route=, pass it on.
    """
    return [driver, f"-B{LIB}/gcc/", "-specs=loop-route.specs"]


def missing(form, bin_dir):
    """Why FORM can't be tested with the wrappers in BIN_DIR, if it can't."""
    for compiler in GCC, GXX, GFORTRAN:
        if not shutil.which(compiler):
            return f"there is no {compiler} here; Debian's package: {compiler}"
    done = run(bin_dir / "amp-gcc", f"--amp-compiler={form}", "--amp-version")
    if done.returncode == 0:
        return None
    assert form == "patched", done.stderr
    assert re.search(r" is not there; |: expected a GCC \d+ to run it", done.stderr), done.stderr
    return done.stderr.strip()


class Case(unittest.TestCase):
    """A test with a directory of its own, in which to compile and run."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="amp route ")
        self.addCleanup(directory.cleanup)
        self.work = pathlib.Path(directory.name)

    def ok(self, *command, **env):
        """Run COMMAND, which must succeed; its standard output."""
        done = run(*command, cwd=self.work, **env)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}{done.stderr}")
        return done.stdout

    def program(self, name, *options, wrapper="amp-gcc", output=None):
        """The program compiled by WRAPPER from source file NAME with OPTIONS."""
        target = self.work / (output or "program")
        self.ok(*amp(wrapper), "-O2", "-fopenmp", SOURCES / name, "-o", target, *options)
        return target

    def moved_tree(self, with_gcc):
        """A copy of the wrappers and of what they need, WITH_GCC the patched compiler too."""
        tree = self.work / "moved tree"
        (tree / "lib/libgomp-amp").mkdir(parents=True)
        (tree / "bin").mkdir()
        for wrapper in WRAPPERS:
            shutil.copy(BIN / wrapper, tree / "bin")
        shutil.copytree(LIB / "plugin", tree / "lib/libgomp-amp/plugin")
        shutil.copy(LIB / "amp-rpath.specs", tree / "lib/libgomp-amp")
        if with_gcc:
            (tree / "lib/libgomp-amp/gcc").mkdir()
            for file in (LIB / "gcc").iterdir():
                (tree / "lib/libgomp-amp/gcc" / file.name).symlink_to(file.resolve())
        return tree


def main():
    """Run the calling module's tests; argv: the directories of the wrappers and of the library, and
    which form of routing to test.

    The exit code is 77 if every test was skipped, and the first reason is told.
    """
    global BIN, LIB, FORM
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__)
    parser.add_argument("bin", type=pathlib.Path, help="directory of the wrappers")
    parser.add_argument("lib", type=pathlib.Path, help="directory of the plugins and of libgomp")
    parser.add_argument("--compiler", choices=FORMS, default=FORM, help="what routes")
    arguments, rest = parser.parse_known_args()
    BIN, LIB, FORM = arguments.bin.resolve(), arguments.lib.resolve(), arguments.compiler
    if reason := missing(FORM, BIN):
        print(reason)
        sys.exit(77)
    result = unittest.main(argv=[sys.argv[0], *rest], module="__main__", exit=False).result
    if result.wasSuccessful() and result.skipped and len(result.skipped) == result.testsRun:
        print(result.skipped[0][1])
        sys.exit(77)
    sys.exit(not result.wasSuccessful())
