# SPDX-License-Identifier: GPL-3.0-or-later
"""The code of routed loops: what GCC vectorises otherwise it vectorises in them."""

import re

import support
from support import Case, run

# GCC 13 vectorises loops that start at 0 in an unsigned type if they are static, and not if they
# are schedule(nonmonotonic:runtime), routed or written so. GCC 12 and 14 vectorise what is routed.
LOST = {("13", "counters.c"): {"28", "36"}}
SOURCES = [("amp-gcc", "counters.c"), ("amp-gcc", "loops.c"), ("amp-gfortran", "fortran.f90")]


class Code(Case):
    def vectorised(self, wrapper, source, route):
        """The lines of SOURCE whose loops GCC vectorises, with ROUTE."""
        done = run(
            *support.amp(wrapper),
            *[f"--amp-route={route}", "-O3", "-fopenmp", "-fopt-info-vec-optimized"],
            *["-c", support.SOURCES / source, "-o", "x.o"],
            cwd=self.work,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return set(re.findall(r":(\d+):\d+: optimized: loop vectorized", done.stderr))

    def test_vectorised_as_before(self):
        for wrapper, source in SOURCES:
            with self.subTest(source=source):
                before = self.vectorised(wrapper, source, "none")
                self.assertGreater(len(before), 1)
                lost = before - self.vectorised(wrapper, source, "default")
                self.assertEqual(lost, LOST.get((support.MAJOR, source), set()))

    def test_right_next_to_the_limits(self):
        program = self.program("counters.c", "-O3")
        for schedule in "static", "static,3", "dynamic", "guided,2", "aid_hybrid":
            self.assertEqual(self.ok(program, OMP_SCHEDULE=schedule), "")


if __name__ == "__main__":
    support.main()
