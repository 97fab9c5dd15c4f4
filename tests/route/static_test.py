# SPDX-License-Identifier: GPL-3.0-or-later
"""--amp-route=static leaves right what is right: programs that rely on what OpenMP promises of
schedule(static), under every schedule of the library."""

import support
from support import Case, run

SCHEDULES = [
    None,
    "static",
    "dynamic,1",
    "dynamic,7",
    "guided",
    "aid_static",
    "aid_hybrid",
    "aid_dynamic",
]
PROGRAMS = [("amp-gcc", "sorts.c"), ("amp-gcc", "static.c"), ("amp-g++", "static.cc")]


class Static(Case):
    def test_right_under_every_schedule(self):
        for wrapper, source in PROGRAMS:
            program = self.program(source, "--amp-route=static", wrapper=wrapper)
            for schedule in SCHEDULES:
                for classes in {}, {"GOMP_AMP_THREAD_CLASSES": "0,1"}:
                    with self.subTest(source=source, schedule=schedule, **classes):
                        env = {"OMP_SCHEDULE": schedule} if schedule else {}
                        done = run(program, OMP_WAIT_POLICY="passive", **env, **classes)
                        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_something_is_routed(self):
        """The programs are right although loops of theirs are not static."""
        source = support.SOURCES / "sorts.c"
        done = run(*support.amp(), "--amp-route=static", "--amp-explain", "-fopenmp", "-c", source,
                   "-o", self.work / "x.o")  # fmt: skip
        self.assertEqual(done.stderr.count("note: routed"), 2, done.stderr)
        self.assertEqual(done.stderr.count("note: not routed"), 4, done.stderr)


if __name__ == "__main__":
    support.main()
