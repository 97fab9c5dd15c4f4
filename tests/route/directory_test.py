# SPDX-License-Identifier: GPL-3.0-or-later
"""The patched compiler by a plain driver's -B: what is routed, and what is linked."""

import shlex

import support
from support import GCC, GFORTRAN, GXX, Case, run

DRIVERS = [GCC, GXX, GFORTRAN]


class Directory(Case):
    def setUp(self):
        super().setUp()
        if reason := support.missing("patched", support.BIN):
            self.skipTest(reason)
        self.directory = f"-B{support.LIB}/gcc/"

    def check_static(self, *command):
        """Build mapping.c by COMMAND; OMP_SCHEDULE rules it; without, what is routed is static."""
        source = support.SOURCES / "mapping.c"
        self.ok(*command, "-O2", "-fopenmp", source, "-o", "mapping")
        self.check_mapping()

    def check_mapping(self):
        self.assertIn("nonmonotonic_runtime", self.ok("nm", "mapping"))
        for schedule, *expected in (
            (None, "static", "other"),
            ("dynamic,1", "other", "other"),
            ("static", "static", "static"),
        ):
            environment = {"OMP_SCHEDULE": schedule} if schedule else {}
            lines = self.ok("./mapping", **environment).splitlines()
            self.assertEqual([line.split()[1] for line in lines], expected)

    def test_ways_to_name_it(self):
        (self.work / "sub").mkdir()
        (self.work / "sub/gcc").symlink_to(support.LIB / "gcc")
        (self.work / "with blanks").symlink_to(support.LIB / "gcc")
        for name in (
            f"{support.LIB}/gcc/",
            f"{support.LIB}/gcc",
            "sub/gcc",
            "./sub/gcc/",
            "with blanks",
        ):
            for words in [f"-B{name}"], ["-B", name]:
                with self.subTest(words=words):
                    self.check_static(GCC, *words)

    def test_kinds_of_programs(self):
        for options in (
            ["-static"],
            ["-static-pie"],
            ["-no-pie", "-fno-pie"],
            ["-static-libgcc"],
            ["-pie"],
        ):
            with self.subTest(options=options):
                self.check_static(GCC, self.directory, *options)

    def test_partial_link(self):
        source = support.SOURCES / "mapping.c"
        self.ok(GCC, self.directory, "-fopenmp", "-O2", "-r", source, "-o", "part.o")
        self.ok(GCC, self.directory, "-fopenmp", "part.o", "-o", "mapping")
        self.check_mapping()

    def test_shared_library(self):
        source = support.SOURCES / "mapping.c"
        options = ["-O2", "-fopenmp", "-shared", "-fPIC", "-DLIBRARY", "-Dmapping=guarded"]
        self.ok(GCC, self.directory, *options, source, "-o", "libmapping.so")
        self.ok(GCC, support.SOURCES / "loads.c", "-o", "loads")
        said = self.ok("./loads", "./libmapping.so").splitlines()
        self.assertTrue(said[0].startswith("routed static"))

    def link(self, driver, *options):
        """The words of the linker's command when DRIVER links with OPTIONS, in their order."""
        done = run(driver, *options, "-fopenmp", "x.o", "-o", "x", "-###", cwd=self.work)
        self.assertEqual(done.returncode, 0, done.stderr)
        command = next(line for line in done.stderr.splitlines() if "collect2" in line)
        return [
            word for word in shlex.split(command) if not word.startswith("-plugin-opt=-fresolution")
        ]

    def test_links_as_without_it(self):
        """Nothing but the directory comes to the command that links, and nothing goes."""
        more = f"-L{support.LIB}/gcc"
        (self.work / "x.o").touch()
        for driver in DRIVERS:
            for options in (
                [],
                ["-shared"],
                ["-no-pie"],
                ["-static"],
                ["-static-pie"],
                ["-r"],
                ["-flto"],
                ["-pg"],
                ["-nostartfiles"],
                ["-m32"],
            ):
                with self.subTest(driver=driver, options=options):
                    plain = self.link(driver, *options)
                    ours = self.link(driver, self.directory, *options)
                    self.assertIn(more, ours)
                    self.assertEqual([word for word in ours if word != more], plain)

    def test_exceptions(self):
        """A program in C++ that throws needs what the driver's own specs say of linking."""
        source = support.SOURCES / "chains.cc"
        for options in [], ["-static"]:
            self.ok(GXX, self.directory, "-O2", "-fopenmp", *options, source, "-o", "program")
            self.ok("./program")

    def test_the_rest_is_the_systems(self):
        for driver in DRIVERS:
            for question in (
                "-print-file-name=libgomp.so",
                "-print-file-name=include",
                "-print-file-name=finclude",
                "-print-file-name=crtbegin.o",
                "-print-libgcc-file-name",
                "-print-prog-name=as",
                "-print-prog-name=ld",
                "-print-prog-name=lto1",
                "-print-prog-name=lto-wrapper",
                "-print-multi-lib",
                "-dumpmachine",
            ):
                self.assertEqual(
                    self.ok(driver, self.directory, question), self.ok(driver, question)
                )


if __name__ == "__main__":
    support.main()
