# SPDX-License-Identifier: GPL-3.0-or-later
"""The guard: routed loops are static under a libgomp that is not ours, however a program is linked;
the author's own schedule(runtime) loops stay as they are; under our library it costs nothing."""

import os
import pathlib
import re
import stat

import support
from support import GCC, Case, run

ROUTED = ["combined", "inner", "unsigned", "tasks", "unsigned-tasks"]
STATIC = {kind: "static" for kind in ROUTED} | {"runtime": "other"}
OTHER = {kind: "other" for kind in STATIC}
NOTICE = re.compile(
    r"^libgomp-amp: (\S+) runs on another libgomp \((.*)\): the loops that amp-gcc routed run "
    r"static; (?:amp-run brings libgomp-amp, )?GOMP_AMP_NOTICE=off hides this\n",
    re.M,
)
ASYMMETRIC = {"GOMP_AMP_TOPOLOGY": "0=512,1=1024", "GOMP_AMP_THREAD_CLASSES": "0,1"}


class GuardCase(Case):
    def loops(self, *command, notices=1, **env):
        """What each kind of loop ran as, the same for both threads; and how often it is told."""
        done = run(*command, cwd=self.work, **env)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(len(NOTICE.findall(done.stderr)), notices, done.stderr)
        found = dict(line.split() for line in done.stdout.splitlines())
        of_thread = {kind[7:]: how for kind, how in found.items() if kind.startswith("thread-")}
        found = {kind: how for kind, how in found.items() if not kind.startswith("thread-")}
        self.assertEqual(found, of_thread)
        return found

    def bare(self, *options, link=(GCC,), name="program"):
        """The program whose object amp-gcc compiled, linked by LINK, which knows nothing of it."""
        source = support.SOURCES / "guarded.c"
        self.ok(*support.amp(), "-O2", "-fopenmp", *options, "-c", source, "-o", "guarded.o")
        self.ok(*link, "-fopenmp", *options, "guarded.o", "-o", name)
        return self.work / name


class StockLibrary(GuardCase):
    def test_schedules(self):
        program = self.bare()
        for schedule, expected, notices in (
            (None, STATIC, 1),
            ("aid_hybrid", STATIC, 1),
            ("dynamic,0x", STATIC, 1),
            ("dynamic", OTHER, 0),
            ("static", STATIC | {"runtime": "static"}, 0),
        ):
            with self.subTest(schedule=schedule):
                env = {"OMP_SCHEDULE": schedule} if schedule else {}
                self.assertEqual(self.loops(program, notices=notices, **env), expected)

    def test_schedule_for_routed_loops_alone(self):
        both = {"OMP_SCHEDULE": "dynamic", "GOMP_AMP_SCHEDULE": "aid_hybrid"}
        self.assertEqual(self.loops(self.bare(), **both), STATIC)

    def test_accepts_what_libgomp_accepts(self):
        """The guard and libgomp read OMP_SCHEDULE alike: what one refuses the other does."""
        source = support.SOURCES / "own_names.c"
        self.ok(*support.amp(), "-O2", "-fopenmp", source, "--amp-no-rpath", "-o", "program")
        values = [
            *["static", "STATIC,4", " dynamic , 7 ", "guided,+3", "auto", "auto,2", "Guided"],
            *["monotonic:dynamic", "nonmonotonic : guided,5", "monotonic :static", "dynamic,0"],
            *["dynamic,2147483647", "dynamic,2147483648", "dynamic,99999999999999999999"],
            *["", " ", "dynamics", "dynamic,", "dynamic,x", "dynamic,3x", "dynamic 3", "dynamic;3"],
            *["monotonic", "monotonic dynamic", "monotonic:", "nonmonotonic:aid_static", "runtime"],
            *["aid_static", "aid_hybrid,4", "\tstatic\n", "static,\v3\f", "static,3,4"],
        ]
        for value in values:
            with self.subTest(value=value):
                done = run("./program", cwd=self.work, OMP_SCHEDULE=value)
                refused = "environment variable OMP_SCHEDULE" in done.stderr
                self.assertEqual(bool(NOTICE.search(done.stderr)), refused, done.stderr)

    def test_kinds_of_code(self):
        for options in (
            ["-no-pie", "-fno-pie"],
            ["-fPIC"],
            ["-O0", "-g3"],
            ["-O3", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"],
            ["-fcf-protection=full"],
            ["-masm=intel"],
            ["-flto"],
            ["-flto", "-ffat-lto-objects", "-fno-use-linker-plugin"],
            ["-flto", "-masm=intel"],
            ["-pg"],
            ["-mcmodel=large"],
            ["-Wl,-z,now,-z,relro"],
        ):
            with self.subTest(options=options):
                self.assertEqual(self.loops(self.bare(*options)), STATIC)

    def test_static_programs(self):
        for options in ["-static"], ["-static-pie", "-fPIE"]:
            with self.subTest(options=options):
                self.assertEqual(self.loops(self.bare(*options)), STATIC)

    def test_32_bits(self):
        probe = run(GCC, "-m32", "-fopenmp", support.SOURCES / "own_names.c", "-o",
                    self.work / "probe")  # fmt: skip
        if probe.returncode:
            self.skipTest(f"there are no libraries for -m32 ({GCC}-multilib)")
        for options in ["-m32"], ["-m32", "-fPIC"], ["-m32", "-fno-pie", "-no-pie"]:
            with self.subTest(options=options):
                self.assertEqual(self.loops(self.bare(*options)), STATIC)

    def test_partial_and_archive(self):
        self.bare()
        self.ok("ld", "-r", "guarded.o", "-o", "part.o")
        self.ok("ar", "rc", "libpart.a", "part.o")
        self.ok(GCC, "-fopenmp", "-L.", "-Wl,--whole-archive", "-lpart",
                "-Wl,--no-whole-archive", "-o", "whole")  # fmt: skip
        self.assertEqual(self.loops("./whole"), STATIC)

    def test_assembled_by_hand(self):
        source = support.SOURCES / "guarded.c"
        self.ok(*support.amp(), "-O2", "-fopenmp", "-S", source, "-o", "guarded.s")
        self.ok(GCC, "-fopenmp", "guarded.s", "-o", "program")
        self.assertEqual(self.loops("./program"), STATIC)

    def test_several_objects(self):
        """One copy remains in a program, whether each object has one or all have theirs in one."""
        sources = [support.SOURCES / name for name in ("c_sum.c", "mapping.c")]
        for flags in [], ["-flto"]:
            objects = []
            for i, source in enumerate(sources):
                objects.append(f"{i}.o")
                words = ["-O2", "-fopenmp", "-c", source, "-o", objects[-1]]
                self.ok(*support.amp(), *flags, *words)
            self.ok(GCC, *flags, "-fopenmp", *objects, "-o", "program")
            symbols = self.ok("nm", "program")
            self.assertEqual(symbols.count(" __amp_enter\n"), 1)
            self.assertEqual(self.ok("./program").split()[1], "static")

    def test_unit_without_routed_loops_has_none(self):
        for option in "--amp-route=none", "-fno-openmp":
            words = ["-O2", "-fopenmp", option, "-c", support.SOURCES / "c_sum.c", "-o", "x.o"]
            self.ok(*support.amp(), *words)
            self.assertNotIn("__amp", self.ok("nm", "x.o"))

    def test_names_of_the_unit_are_its_own(self):
        source = support.SOURCES / "own_names.c"
        self.ok(*support.amp(), "-O2", "-fopenmp", "-c", source, "-o", "own.o")
        self.assertRegex(self.ok("nm", "own.o"), r"(?m)^\s+U getenv$")
        for options in [], ["-static"]:
            self.ok(GCC, "-fopenmp", *options, "own.o", "-o", "own")
            done = run("./own", cwd=self.work)
            self.assertEqual((done.returncode, done.stdout), (0, ""))
            self.assertEqual(len(NOTICE.findall(done.stderr)), 1)


class Libraries(GuardCase):
    def library(self, name, *options, link=(GCC,), source="guarded.c"):
        """The shared library NAME made of SOURCE, linked by LINK."""
        words = ["-O2", "-fopenmp", "-fPIC", *options]
        path = support.SOURCES / source
        self.ok(*support.amp(), *words, "-DLIBRARY", "-c", path, "-o", f"{name}.o")
        self.ok(*link, "-shared", "-Wl,--no-undefined", *words, f"{name}.o", "-o", f"lib{name}.so")
        return f"./lib{name}.so"

    def loader(self):
        self.ok(GCC, support.SOURCES / "loads.c", "-o", "loads")
        return "./loads"

    def ours(self):
        """The words that link to our library as amp-gcc does."""
        if not (support.LIB / "libgomp.so.1").exists():
            self.skipTest(f"{support.LIB}/libgomp.so.1 is not built")
        return support.amp()

    def test_plain_program_that_loads_one(self):
        self.assertEqual(self.loops(self.loader(), self.library("one")), STATIC)

    def test_told_once_for_all(self):
        names = [self.library("one"), self.library("two"), self.library("three")]
        self.assertEqual(self.loops(self.loader(), *names), STATIC)

    def test_our_library_loaded_with_one_of_them(self):
        """What comes first brings the libgomp of both: they name the same file."""
        amp, bare = self.library("amp", link=self.ours()), self.library("bare")
        hybrid = {**ASYMMETRIC, "OMP_SCHEDULE": "aid_hybrid"}
        self.assertEqual(self.loops(self.loader(), amp, bare, notices=0, **hybrid), OTHER)
        self.assertEqual(self.loops(self.loader(), bare, amp, **hybrid), STATIC)

    def test_two_copies(self):
        """A library that brings a libgomp of its own by another name, as Python's wheels do."""
        self.ours()
        stock = self.ok(GCC, "-print-file-name=libgomp.so.1").strip()
        if "/" not in stock:
            stock = re.search(r"libgomp\.so\.1 => (\S+)", self.ok("ldd", self.bare())).group(1)
        data = pathlib.Path(stock).read_bytes()
        (self.work / "libgomp.xx.1").write_bytes(data.replace(b"libgomp.so.1\0", b"libgomp.xx.1\0"))
        source = support.SOURCES / "guarded.c"
        self.ok(*support.amp(), "-O2", "-fopenmp", "-fPIC", "-DLIBRARY", "-c", source, "-o", "b.o")
        self.ok(GCC, "-shared", "b.o", "libgomp.xx.1", "-Wl,-rpath,$ORIGIN", "-o",
                "libbundled.so")  # fmt: skip
        amp = self.library("amp", link=self.ours())
        hybrid = {**ASYMMETRIC, "OMP_SCHEDULE": "aid_hybrid"}
        for first, second in ((amp, "./libbundled.so"), ("./libbundled.so", amp)):
            with self.subTest(first=first):
                done = run(self.loader(), first, second, cwd=self.work, **hybrid)
                self.assertEqual(done.returncode, 0, done.stderr)
                lines = done.stdout.splitlines()
                half = len(lines) // 2
                for of, part in ((first, lines[:half]), (second, lines[half:])):
                    found = dict(line.split() for line in part)
                    expected = OTHER if of == amp else STATIC
                    self.assertEqual({k: found[k] for k in expected}, expected, of)
                self.assertEqual(
                    [os.path.normpath(match[1]) for match in NOTICE.findall(done.stderr)],
                    [f"{self.work}/libgomp.xx.1"],
                )

    def test_loop_in_a_constructor(self):
        """A thread that asks while another waits for it in dlopen waits for no lock of that."""
        for link in (GCC,), self.ours():
            library = self.library("constructed", link=link, source="constructed.c")
            done = run("timeout", "60", self.loader(), library, cwd=self.work)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_llvms_runtime(self):
        """It stands in for libgomp; where nothing else is asked for it is static by itself."""
        found = sorted(pathlib.Path("/usr/lib").glob("llvm-*/lib/libomp.so.5"))
        if not found:
            self.skipTest("LLVM's libomp is not installed")
        program = self.bare()
        (self.work / "libgomp.so.1").symlink_to(found[-1])
        # LLVM's static is libgomp's: equal blocks.
        done = run(program, cwd=self.work, LD_LIBRARY_PATH=str(self.work))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("other", done.stdout)
        self.assertIn("libgomp.so.1", NOTICE.search(done.stderr).group(2))
        asked = {"LD_LIBRARY_PATH": str(self.work), "OMP_SCHEDULE": "dynamic"}
        self.assertNotIn("static", run(program, cwd=self.work, **asked).stdout)


class Notice(GuardCase):
    def test_words(self):
        done = run(self.bare())
        program, library = NOTICE.search(done.stderr).groups()
        self.assertEqual(program, "program")
        self.assertRegex(library, r"^/.*/libgomp\.so\.1$")
        self.assertIn("amp-run brings", done.stderr)
        done = run(self.bare("-static"))
        self.assertEqual(NOTICE.search(done.stderr).group(2), "one that was linked into it")
        self.assertNotIn("amp-run brings", done.stderr)

    def test_can_be_hidden(self):
        program = self.bare()
        for value, notices in ("off", 0), ("OFF", 0), ("on", 1), ("", 1), ("offset", 1):
            self.assertEqual(self.loops(program, notices=notices, GOMP_AMP_NOTICE=value), STATIC)

    def test_long_names(self):
        name = "p" * 250
        done = run(self.bare(name=name))
        self.assertTrue(done.stderr.startswith(f"libgomp-amp: {'p' * 200}"), done.stderr)
        self.assertTrue(done.stderr.endswith("hides this\n"), done.stderr)

    def test_set_user_id_programs_say_nothing(self):
        if os.geteuid() != 0:
            self.skipTest("to run a set-user-ID program as another user takes root")
        self.work.chmod(0o755)
        program = self.bare()
        program.chmod(program.stat().st_mode | stat.S_ISUID)
        user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        done = run(*user, program, cwd="/")
        if done.returncode and "setpriv" in done.stderr:
            self.skipTest(done.stderr.strip())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("combined static", done.stdout)
        self.assertEqual(done.stderr, "")


class Code(GuardCase):
    def functions(self, file):
        """The instructions of each function of FILE, as objdump writes them."""
        listing = self.ok("objdump", "-d", "--no-show-raw-insn", file)
        parts = re.split(r"(?m)^[0-9a-f]+ <(.*)>:$", listing)[1:]
        return {
            name: [line.split("\t")[1] for line in body.splitlines() if "\t" in line]
            for name, body in zip(parts[::2], parts[1::2])
        }

    def test_thunks_only_jump(self):
        """What is jumped to is entered with the loop's return address, the library's key."""
        for options in [], ["-O0"], ["-fcf-protection=full"], ["-flto"]:
            code = self.functions(self.bare(*options))
            thunks = [name[:-6] for name in code if name.endswith("_first")]
            self.assertEqual(len(thunks), 5)
            for thunk in thunks:
                [only, *padding] = code[thunk]
                self.assertRegex(only, rf"^(notrack )?jmp\s+\*.*<{thunk}_slot>")
                self.assertFalse([i for i in padding if not re.match("nop|xchg|data16|cs nop", i)])
                self.assertRegex("\n".join(code[f"{thunk}_first"]), r"(?m)^(notrack )?jmp\s+\*%")

    def test_library_tells_loops_apart(self):
        if not (support.LIB / "libgomp.so.1").exists():
            self.skipTest(f"{support.LIB}/libgomp.so.1 is not built")
        (self.work / "two.c").write_text(
            "#include <unistd.h>\n"
            "int main (void) {\n"
            "#pragma omp parallel\n"
            "{\n"
            "#pragma omp for\n"
            "for (int i = 0; i < 400; i++) usleep (50);\n"
            "#pragma omp for\n"
            "for (int i = 0; i < 400; i++) usleep (50);\n"
            "}}\n"
        )
        self.ok(*support.amp(), "-O2", "-fopenmp", "two.c", "-o", "two")
        saved = self.work / "saved"
        self.ok("./two", **ASYMMETRIC, OMP_SCHEDULE="aid_static", GOMP_AID_SF_SAVE=str(saved))
        sites = [line for line in saved.read_text().splitlines() if line.startswith("two+0x")]
        self.assertEqual(len(sites), 2, saved.read_text())
        code = self.ok("objdump", "-d", "--no-show-raw-insn", "two")
        for site in sites:
            address = int(re.match(r"two\+(0x[0-9a-f]+)", site).group(1), 16)
            call = re.search(rf"call .*<(.*)>\n\s+{address:x}:", code)
            self.assertEqual(call.group(1), "__amp_loop_nonmonotonic_runtime_start", site)


if __name__ == "__main__":
    support.main()
