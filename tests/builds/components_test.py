#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that the library is configured, and with --build built, by a C compiler and make alone, and
that the components can be left out one by one."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "common"))
import environment  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMPONENTS = re.findall(
    r"^(?:cmake_dependent_)?option\((AMP_(?!PYTHON)\w+)",
    (ROOT / "CMakeLists.txt").read_text(),
    re.M,
)
# What the library does not take.
HIDDEN = re.compile(r"\+\+|fortran|f77|f95|clang|^python|ninja|ccache")
PROGRAM = """
#include <stdio.h>
#include <omp.h>
int main(void) {
  int threads = 0;
  #pragma omp parallel num_threads(3) reduction(+:threads)
  threads++;
  return threads != 3;
}
"""


class Components(unittest.TestCase):
    build_too = False

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="amp-components-")
        self.addCleanup(directory.cleanup)
        self.dir = pathlib.Path(directory.name)

    def run_in(self, path, *command, **env):
        """What COMMAND prints, which has to end well; PATH is where it finds programs."""
        hidden = {"CMAKE_C_COMPILER_LAUNCHER": None, "CMAKE_CXX_COMPILER_LAUNCHER": None}
        done = subprocess.run(
            list(map(str, command)),
            env=environment.clean(PATH=str(path), **hidden, **env),
            cwd=ROOT,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def few_programs(self):
        """A directory of links to the programs of this system without those in HIDDEN."""
        few = self.dir / "bin"
        few.mkdir()
        for directory in ("/usr/local/bin", "/usr/bin", "/bin"):
            for name in os.listdir(directory):
                if not HIDDEN.search(name) and not (few / name).is_symlink():
                    (few / name).symlink_to(f"{directory}/{name}")
        return few

    def test_library_alone(self):
        few, build = self.few_programs(), self.dir / "build"
        self.run_in(few, "cmake", "--preset", "library", "-B", build)
        cache = (build / "CMakeCache.txt").read_text()
        self.assertIn("CMAKE_GENERATOR:INTERNAL=Unix Makefiles", cache)
        self.assertNotRegex(cache, "CMAKE_(CXX|Fortran)_COMPILER:")
        if not self.build_too:
            return
        self.run_in(few, "make", "-C", build)
        self.run_in(few, "make", "-C", build, "install", DESTDIR=str(self.dir / "root"))
        library = self.dir / "root/opt/libgomp-amp/lib/libgomp-amp"
        self.assertEqual(
            sorted(file.name for file in library.iterdir()), ["libgomp.so", "libgomp.so.1"]
        )
        program = self.dir / "program"
        (self.dir / "program.c").write_text(PROGRAM)
        self.run_in(few, "gcc", "-fopenmp", f"{program}.c", "-o", program)
        env = {"LD_LIBRARY_PATH": str(library), "OMP_DISPLAY_ENV": "verbose"}
        self.assertIn("LIBGOMP_AMP_VERSION", self.run_in(few, program, **env))

    def test_each_component_left_out(self):
        if not self.build_too:
            self.skipTest("takes --build")
        for component in COMPONENTS:
            with self.subTest(component):
                build = self.dir / component
                self.run_in(
                    os.environ["PATH"], "cmake", "-S", ".", "-B", build, f"-D{component}=OFF"
                )


if __name__ == "__main__":
    Components.build_too = "--build" in sys.argv
    unittest.main(argv=[word for word in sys.argv if word != "--build"], verbosity=2)
