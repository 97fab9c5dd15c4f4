# SPDX-License-Identifier: GPL-3.0-or-later
"""The start-up object: routed programs are static under a stock libgomp; no harm elsewhere."""

import os
import subprocess

import support
from support import Case


def mappings(output):
    """What the program mapping found: {"routed": "static", ...}."""
    return {line.split()[0]: line.split()[1] for line in output.splitlines()}


STATIC = {"routed": "static", "runtime": "static"}
OTHER = {"routed": "other", "runtime": "other"}


class StockLibrary(Case):
    def test_routed_program_is_static_when_unset(self):
        # A schedule(runtime) of the source can't be told apart, under a stock library.
        program = self.program("mapping.c", "--amp-no-rpath")
        self.assertEqual(mappings(self.ok(program)), STATIC)

    def test_environment_rules(self):
        program = self.program("mapping.c", "--amp-no-rpath")
        self.assertEqual(mappings(self.ok(program, OMP_SCHEDULE="dynamic,1")), OTHER)
        self.assertEqual(mappings(self.ok(program, OMP_SCHEDULE="static")), STATIC)

    def test_without_the_object_it_is_dynamic(self):
        source, program = support.SOURCES / "mapping.c", self.work / "bare"
        self.ok(*support.amp(), "-O2", "-fopenmp", "-c", source, "-o", "bare.o")
        self.ok("gcc-12", "-fopenmp", "bare.o", "-o", program)
        self.assertEqual(mappings(self.ok(program)), OTHER)

    def test_position_dependent(self):
        program = self.program("mapping.c", "--amp-no-rpath", "-no-pie", "-fno-pie")
        self.assertEqual(mappings(self.ok(program)), STATIC)

    def test_static_program(self):
        program = self.program("mapping.c", "-static")
        self.assertEqual(mappings(self.ok(program)), STATIC)

    def test_unrouted_program(self):
        program = self.program("mapping.c", "--amp-no-rpath", "--amp-route=none")
        self.assertEqual(mappings(self.ok(program))["routed"], "static")

    def test_library_that_is_ours_is_left_alone(self):
        fake = self.work / "fake.so"
        self.ok("gcc-12", "-shared", "-fPIC", support.SOURCES / "our_library.c", "-o", fake)
        for options in [], ["-no-pie", "-fno-pie"]:
            program = self.program("mapping.c", "--amp-no-rpath", *options)
            # A preload list can't name a path with blanks.
            done = subprocess.run(
                [program],
                cwd=self.work,
                capture_output=True,
                text=True,
                check=True,
                timeout=60,
                env={**os.environ, "OMP_NUM_THREADS": "4", "LD_PRELOAD": "./fake.so"},
            )
            self.assertEqual(mappings(done.stdout), OTHER)


class Objects(Case):
    def library(self, name="libmapping.so"):
        return self.program(
            "mapping.c", "--amp-no-rpath", "-shared", "-fPIC", "-DLIBRARY", output=name
        )

    def user(self):
        program = self.work / "user"
        self.ok("gcc-12", support.SOURCES / "uses_mapping.c", "-o", program)
        return program

    def test_shared_library_in_a_plain_program(self):
        output = self.ok(self.user(), self.library())
        self.assertEqual(output.splitlines()[0], "schedule 1 0")
        self.assertEqual(mappings(output)["routed"], "static")

    def test_schedule_set_by_the_program_stays(self):
        output = self.ok(self.user(), self.library(), "set")
        self.assertEqual(output.splitlines()[0], "schedule 3 5")

    def test_many_copies(self):
        libraries = [self.library(f"libmapping{i}.so") for i in range(2)]
        program = self.program(
            "mapping.c",
            "--amp-no-rpath",
            "-Wl,--no-as-needed",
            *libraries,
            f"-Wl,-rpath,{self.work}",
        )
        self.assertEqual(mappings(self.ok(program)), STATIC)

    def test_program_without_openmp(self):
        program = self.program("no_openmp.c")
        self.ok(program)
        self.assertNotIn("[libgomp.so", self.ok("readelf", "-d", program))

    def test_without_start_files(self):
        self.ok(
            *support.amp(),
            "-fopenmp",
            "-nostdlib",
            "-nostartfiles",
            "-shared",
            "-fPIC",
            "-DLIBRARY",
            support.SOURCES / "our_library.c",
            "-o",
            "bare.so",
        )
        self.assertNotIn("amp_start", self.ok("nm", "bare.so"))


if __name__ == "__main__":
    support.main()
