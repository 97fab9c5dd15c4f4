#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the Python wheel has, with the library of the build tree and with small libraries in place
of packages."""

import ctypes
import os
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path.append(str(SOURCE / "tests/common"))
import environment  # noqa: E402

BUILD = Path(os.environ["AMP_TEST_BUILD"])
CMAKE = os.environ["AMP_TEST_CMAKE"]
WHEEL = SOURCE / "packaging/python"
LIBRARIES = (
    "lib/libgomp.so.1",
    "lib/libamp-watch.so",
    "lib/libamp-yield.so",
    "lib/virtual/libgomp.so.1",
)

USER = """
int GOMP_seen;
extern void GOMP_parallel (void (*) (void *), void *, unsigned, unsigned);
static void body (void *data) { __atomic_add_fetch ((int *) data, 1, __ATOMIC_RELAXED); }
int region (void) { int n = 0; GOMP_parallel (body, &n, 3, 0); return n; }
"""
# Takes some of the room for thread-local variables of libraries that are loaded later, as libgomp
# does.
LOCALS = """
static __thread char locals[128] __attribute__ ((tls_model ("initial-exec")));
char *first (void) { return locals; }
"""
# What a wheel bundles, as far as it matters: it runs a region in two threads, of which one counts.
COPY = "void GOMP_parallel (void (*f) (void *), void *data) { f (data); f (data); }"


def install_wheel():
    """What pip would leave in SITE: what CMake installs for the wheel, from an empty build
    directory that has what is built already, and the package."""
    work = Path(scratch.name) / "build"
    defines = [
        f"-D{word}" for word in shlex.split(os.environ["AMP_TEST_DEFINES"]) + ["AMP_PYTHON=ON"]
    ]
    for command in (
        [CMAKE, "-S", SOURCE, "-B", work, "-DBUILD_TESTING=OFF", *defines],
        [CMAKE, "--install", work, "--component", "python", "--prefix", site],
    ):
        done = subprocess.run(
            list(map(str, command)), env=environment.clean(), stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        if done.returncode != 0:
            raise AssertionError(done.stdout)
        for name in ("bin/amp-emu", "bin/amp-info", "bin/amp-run", *LIBRARIES):
            (work / name).parent.mkdir(exist_ok=True)
            shutil.copy(BUILD / name, work / name)
    shutil.copytree(
        WHEEL / "libgomp_amp", site / "libgomp_amp", ignore=lambda *_: ["__pycache__"],
        dirs_exist_ok=True,
    )  # fmt: skip


def setUpModule():
    """An installed wheel, and two packages: of a wheel that brings a copy, and one without."""
    global scratch, site
    scratch = tempfile.TemporaryDirectory(prefix="libgomp-amp-python-")
    site = Path(scratch.name) / "site"
    install_wheel()
    for name in (
        "bundling.libs",
        "bundling",
        "plain",
        "clang.libs",
        "clang",
        "prefix",
        "same_name",
    ):
        (site / name).mkdir()
    copy = site / "bundling.libs/libgomp-0123abcd.so.1.0.0"
    compile_library(copy, COPY, f"-Wl,-soname,{copy.name}")
    compile_library(site / "bundling/_code.so", USER, copy, "-Wl,-rpath,$ORIGIN/../bundling.libs")
    compile_library(site / "plain/_code.so", USER, copy, "-Wl,-rpath,$ORIGIN/../bundling.libs")
    # As conda's packages do, and PyTorch's wheel: the copy keeps its name.
    copy = site / "prefix/libgomp.so.1"
    compile_library(copy, COPY, "-Wl,-soname,libgomp.so.1")
    compile_library(site / "same_name/_code.so", USER, copy, "-Wl,-rpath,$ORIGIN/../prefix")
    compile_library(site / "locals.so", LOCALS)
    compile_library(site / "clang.libs/libomp.so", "void __kmpc_fork_call (void) { }" + COPY)
    compile_library(
        site / "clang/_code.so",
        "extern void __kmpc_fork_call (void); void region (void) { __kmpc_fork_call (); }",
        site / "clang.libs/libomp.so",
        "-Wl,-rpath,$ORIGIN/../clang.libs",
    )


def tearDownModule():
    scratch.cleanup()


def compile_library(file, code, *words):
    source = file.with_suffix(".c")
    source.write_text(code)
    command = [os.environ["AMP_TEST_CC"], "-O1", "-shared", "-fPIC", source, "-o", file, *words]
    subprocess.run(list(map(str, command)), check=True)
    source.unlink()


LOAD = """
import ctypes
def load(name, mode=0):
    return ctypes.CDLL(f"{site}/{name}/_code.so", mode=mode)
"""


def python(code, *options, **variables):
    """The finished Python program CODE, which has the installed wheel on its path."""
    return subprocess.run(
        [sys.executable, "-B", *options, "-c", f"site = {str(site)!r}\n" + LOAD + code],
        env=environment.clean(PYTHONPATH=str(site), **variables),
        capture_output=True,
        text=True,
        timeout=900,
    )


class Here(unittest.TestCase):
    def program(self, code, *options, **variables):
        """What CODE prints. It has to succeed."""
        done = python(code, *options, **variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.stderr = done.stderr
        return done.stdout


class Loading(Here):
    def test_import_loads_the_library_for_all(self):
        out = self.program(
            "import libgomp_amp\n"
            "print(ctypes.CDLL(None).ompx_amp_version())\n"
            "print(libgomp_amp.library(), libgomp_amp.version())\n"
        )
        number, where = out.splitlines()
        self.assertGreater(int(number), 0)
        self.assertIn(f"{site}/libgomp_amp/lib/libgomp-amp/libgomp.so.1 ", where)
        self.assertEqual(self.stderr, "")

    def test_another_one_that_is_there_serves(self):
        library = BUILD / "lib/libgomp.so.1"
        out = self.program(
            "import libgomp_amp; print(libgomp_amp.library())\n"
            "print(len(libgomp_amp.status().runtimes))",
            LD_PRELOAD=str(library),
        )
        self.assertEqual(out.splitlines(), [str(library.resolve()), "1"])

    def test_a_library_that_cannot_be_loaded_is_a_warning(self):
        library = site / "libgomp_amp/lib/libgomp-amp/libgomp.so.1"
        library.rename(library.with_name("away"))
        try:
            out = self.program("import libgomp_amp; print(libgomp_amp.library())")
        finally:
            library.with_name("away").rename(library)
        self.assertEqual(out, "None\n")
        self.assertIn(f"'{library}' cannot be loaded", self.stderr)

    def test_settings_of_the_program_count(self):
        out = self.program(
            "import os; os.environ['OMP_NUM_THREADS'] = '5'; import libgomp_amp\n"
            "print(ctypes.CDLL(None).omp_get_max_threads())"
        )
        self.assertEqual(out, "5\n")


class Contents(Here):
    def test_files(self):
        found = {
            str(path.relative_to(site / "libgomp_amp"))
            for directory in ("bin", "lib")
            for path in (site / "libgomp_amp" / directory).rglob("*")
            if path.is_file()
        }
        tools = ("emu", "info", "report", "run", "trace")
        self.assertEqual(
            found,
            {f"bin/amp-{name}" for name in tools}
            | {f"lib/libgomp-amp/{name.removeprefix('lib/')}" for name in LIBRARIES},
        )
        self.assertTrue((site / "libgomp-amp.pth").is_file())

    def test_commands(self):
        for word in ("run", "info", "emu", "report", "trace"):
            out = self.program(
                f"import sys; sys.argv = ['x', {word!r}, '--help']\n"
                "from libgomp_amp.command import main; main()",
                PATH="/nowhere",
            )
            self.assertIn(f"amp-{word}", out)

    def test_explanation(self):
        """amp-run finds amp-report."""
        code = f"import ctypes; ctypes.CDLL('{site}/plain/_code.so').region()"
        self.program(
            f"import sys\nsys.argv = ['x', 'run', '--explain', sys.executable, '-c', {code!r}]\n"
            "from libgomp_amp.command import main; main()"
        )
        self.assertIn("What it could reach:", self.stderr)


class Start(Here):
    CODE = "import sys; print('libgomp_amp' in sys.modules)"

    def start(self, **variables):
        """Python with the line of the .pth file, which site runs in a site directory only."""
        return self.program(f"import site as s; s.addsitedir(site)\n{self.CODE}", **variables)

    def test_the_hook_is_opt_in(self):
        self.assertEqual(self.start(), "False\n")
        self.assertEqual(self.start(LIBGOMP_AMP="0"), "False\n")
        self.assertEqual(self.start(LIBGOMP_AMP="1"), "True\n")
        self.assertEqual(self.stderr, "")

    def test_a_bad_value_is_reported(self):
        self.assertEqual(self.start(LIBGOMP_AMP="yes"), "False\n")
        self.assertEqual(
            self.stderr, "LIBGOMP_AMP: 'yes': expected 1 or 0; libgomp-amp is not loaded\n"
        )

    def test_children_of_multiprocessing(self):
        code = (
            "import multiprocessing as m, libgomp_amp\n"
            "most = ctypes.CDLL(None).omp_get_max_threads\n"
            "def region(): return load('bundling').region()\n"
            "def child(queue): queue.put((region(), most(), libgomp_amp.library()))\n"
            "ctypes.CDLL(None).omp_set_num_threads(5)\n"
            "queue = m.get_context('fork').Queue()\n"
            "for _ in range(2):\n"
            "    process = m.get_context('fork').Process(target=child, args=(queue,))\n"
            "    process.start()\n"
            "    try: print(*queue.get(timeout=900))\n"
            "    except Exception: print('hangs'); process.kill()\n"
            "    process.join()\n"
            "    print(region(), most())\n"
        )
        for variables in ({}, {"GOMP_AMP_FOLD": "3"}):
            lines = self.program(code, OMP_NUM_THREADS="2", **variables).splitlines()
            library = f"{site}/libgomp_amp/lib/libgomp-amp/libgomp.so.1"
            self.assertEqual(lines, [f"3 5 {library}", "3 5"] * 2)


class WhoRunsWhere(Here):
    """status, and the truth: a region has three threads on the library, and two on the copy."""

    def test_first(self):
        out = self.program(
            "import libgomp_amp; code = load('bundling')\n"
            "print(libgomp_amp.status()); print(code.region()); print(libgomp_amp.status())"
        )
        before, after = out.split("3\n")
        self.assertEqual(before, after)
        self.assertEqual(
            before.splitlines(),
            [
                f"{site}/libgomp_amp/lib/libgomp-amp/libgomp.so.1 (libgomp-amp)",
                "  bundling",
                f"{site}/bundling.libs/libgomp-0123abcd.so.1.0.0 (libgomp)",
                "  nothing is bound to it",
            ],
        )
        self.assertEqual(self.stderr, "")

    def test_not_bound_yet(self):
        out = self.program(
            "import libgomp_amp, os\n"
            "file = f'{site}/bundling/_code.so'.encode()\n"
            "ctypes.CDLL(None).dlopen(file, os.RTLD_LAZY); print(libgomp_amp.status())"
        )
        self.assertIn("(libgomp-amp)\n  bundling\n", out)

    def test_too_early(self):
        out = self.program(
            "code = load('bundling'); print(code.region())\n"
            "import libgomp_amp; load('plain'); print(libgomp_amp.status())"
        )
        self.assertTrue(out.startswith("2\n"), out)
        copy = f"{site}/bundling.libs/libgomp-0123abcd.so.1.0.0"
        self.assertIn(f"{copy} (libgomp)\n  bundling\n", out)
        self.assertIn("(libgomp-amp)\n  plain\n", out)
        warning = f"bundling was imported too early, and on {copy}; import libgomp_amp first"
        self.assertIn(f"warning: {warning}", out)
        self.assertIn(f"RuntimeWarning: libgomp_amp: {warning}", self.stderr)

    def test_deep_bound(self):
        out = self.program(
            "import libgomp_amp, os; code = load('bundling', os.RTLD_DEEPBIND)\n"
            "print(code.region()); print(libgomp_amp.status())"
        )
        self.assertTrue(out.startswith("2\n"), out)
        self.assertIn("bundling was on", out)
        self.assertIn("by RTLD_DEEPBIND", out)

    def test_a_copy_of_the_same_name(self):
        out = self.program(
            "import libgomp_amp; code = load('same_name')\n"
            "print(code.region()); print(libgomp_amp.status())"
        )
        self.assertEqual(
            out.splitlines(),
            ["3", f"{site}/libgomp_amp/lib/libgomp-amp/libgomp.so.1 (libgomp-amp)", "  same_name"],
        )

    def test_a_copy_of_the_same_name_that_comes_first(self):
        out = self.program(
            "code = load('same_name'); import libgomp_amp\n"
            "print(code.region(), load('bundling').region()); print(libgomp_amp.status())"
        )
        self.assertTrue(out.startswith("2 3\n"), out)
        self.assertIn(f"{site}/prefix/libgomp.so.1 (libgomp)\n  same_name\n", out)
        self.assertIn("(libgomp-amp)\n  bundling\n", out)
        self.assertIn("warning: same_name was imported too early", out)

    def test_code_for_another_runtime(self):
        out = self.program("import libgomp_amp; load('clang'); print(libgomp_amp.status())")
        self.assertIn(
            f"{site}/clang.libs/libomp.so (LLVM or Intel)\n  clang: compiled for libomp\n", out
        )
        self.assertNotIn("warning", out + self.stderr)

    def test_command(self):
        (site / "module.py").write_text(
            f"import ctypes; code = ctypes.CDLL('{site}/bundling/_code.so')\n"
        )
        out = self.program("import sys; sys.argv = ['x', 'status', 'module']\n"
                           "from libgomp_amp.command import main; sys.exit(main())")  # fmt: skip
        self.assertIn("(libgomp-amp)\n  bundling\n", out)


class BesideOtherThreads(Here):
    # CPython keeps the interpreter's lock while it loads an extension module.
    LOADING = (
        "import importlib.util, os, shutil, threading, libgomp_amp\n"
        "def copied(name):\n"
        "    os.makedirs(f'{site}/{name}', exist_ok=True)\n"
        "    return shutil.copy(f'{site}/plain/_code.so', f'{site}/{name}/_code.so')\n"
        "def load():\n"
        "    for number in range(40):\n"
        "        spec = importlib.util.spec_from_file_location('_code', copied(f'copy{number}'))\n"
        "        try: importlib.util.module_from_spec(spec)\n"
        "        except ImportError: pass\n"
    )
    RUNS = 20

    def test_status_while_modules_are_imported(self):
        code = (
            f"{self.LOADING}"
            "thread = threading.Thread(target=load, daemon=True)\n"
            "thread.start()\n"
            "while thread.is_alive(): libgomp_amp.status()\n"
            "print(libgomp_amp.status())\n"
        )
        for _ in range(self.RUNS):
            self.assertIn("  copy39\n", self.program(code))

    def test_status_while_libraries_are_unloaded(self):
        """What is read may be gone at any time."""
        code = (
            f"{self.LOADING}"
            "libc = ctypes.CDLL(None)\n"
            "libc.dlopen.restype, libc.dlclose.argtypes = ctypes.c_void_p, [ctypes.c_void_p]\n"
            "file = copied('gone').encode()\n"
            "def reload():\n"
            "    while True: libc.dlclose(libc.dlopen(file, os.RTLD_NOW))\n"
            "threading.Thread(target=reload, daemon=True).start()\n"
            "for _ in range(150): status = libgomp_amp.status()\n"
            "print(len(status.runtimes), flush=True); os._exit(0)\n"
        )
        self.assertEqual(self.program(code), "2\n")


class Room(Here):
    """Beside other copies."""

    def test_a_second_libgomp_after_a_region_sees_all_cpus(self):
        """It counts the CPUs of the thread that loads it."""
        system = subprocess.check_output(
            [os.environ["AMP_TEST_CC"], "-print-file-name=libgomp.so.1"], text=True
        ).strip()
        shutil.copy(system, site / "second.so")
        out = self.program(
            "import libgomp_amp; print(load('plain').region())\n"
            "print(ctypes.CDLL(f'{site}/second.so').omp_get_num_procs())",
            GOMP_AMP_FOLD="3",
        )
        self.assertEqual(out.split(), ["3", str(len(os.sched_getaffinity(0)))])

    # How many libraries find room for their thread-local variables.
    FILL = (
        "import itertools, shutil\n"
        "def fill():\n"
        "    for count in itertools.count():\n"
        "        copy = f'{site}/locals{count}.so'; shutil.copy(f'{site}/locals.so', copy)\n"
        "        try: ctypes.CDLL(copy)\n"
        "        except OSError: return count\n"
    )

    def test_it_leaves_room_for_thread_local_variables(self):
        alone, beside = (
            int(self.program(f"{self.FILL}{load}; print(fill())"))
            for load in ("pass", "import libgomp_amp")
        )
        self.assertLessEqual(alone - beside, 4)

    def test_no_room_for_thread_local_variables(self):
        code = f"{self.FILL}fill(); import libgomp_amp; print(libgomp_amp.library())"
        self.assertEqual(self.program(code), "None\n")
        self.assertIn("static TLS", self.stderr)
        self.assertIn("`libgomp-amp run python` may load it", self.stderr)
        library = BUILD / "lib/libgomp.so.1"
        self.assertEqual(self.program(code, LD_PRELOAD=str(library)), f"{library.resolve()}\n")


class Processes(Here):
    def test_run(self):
        out = self.program(
            "import libgomp_amp, sys\n"
            'code = \'import os; print(os.environ["LD_PRELOAD"], os.environ["GOMP_AMP_FOLD"])\'\n'
            "libgomp_amp.run([sys.executable, '-c', code], fold=3)"
        )
        preloaded, fold = out.split()
        self.assertIn("libgomp.so.1", preloaded)
        self.assertIn("libamp-yield.so", preloaded)
        self.assertEqual(fold, "3")

    def test_bad_schedule(self):
        out = self.program(
            "import libgomp_amp; print(libgomp_amp.run(['true'], schedule='aid_hybird').returncode)"
        )
        self.assertEqual(out, "2\n")
        self.assertIn("aid_hybird", self.stderr)

    def test_restart(self):
        script = site / "script.py"
        script.write_text(
            "import libgomp_amp, os, sys\n"
            "print('begun', flush=True); libgomp_amp.restart(fold=True, report='r')\n"
            "print(os.environ['GOMP_AMP_FOLD'], os.environ['GOMP_AMP_FOLD_REPORT'])\n"
            "print(*sys.argv[1:])\n"
        )
        done = subprocess.run(
            [sys.executable, "-B", script, "one", "two"], cwd=site, capture_output=True, text=True,
            env=environment.clean(PYTHONPATH=str(site)),
        )  # fmt: skip
        self.assertEqual(done.stdout, f"begun\nbegun\nauto {site}/r\none two\n", done.stderr)

    def test_no_restart_of_an_interactive_python(self):
        done = python(
            "import sys, libgomp_amp; sys.ps1 = '>>> '\nlibgomp_amp.restart(fold=2)", LD_PRELOAD=""
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn("set GOMP_AMP_FOLD in os.environ before", done.stderr)

    def test_unknown_command(self):
        done = python("import sys; sys.argv = ['x', 'walk']\n"
                      "from libgomp_amp.command import main; sys.exit(main())")  # fmt: skip
        self.assertEqual(done.returncode, 2)
        self.assertIn("'walk': expected run, info, emu, report, trace or status", done.stderr)


class Pure(unittest.TestCase):
    """What needs no library. The package itself is not imported, which would load one."""

    @classmethod
    def setUpClass(cls):
        import importlib.util

        sys.path.insert(0, str(WHEEL))
        # A package without its __init__.py.
        spec = importlib.util.spec_from_loader("libgomp_amp", None, is_package=True)
        package = importlib.util.module_from_spec(spec)
        package.__path__ = [str(WHEEL / "libgomp_amp")]
        sys.modules["libgomp_amp"] = package
        from libgomp_amp import _objects, _start, _status

        cls.objects, cls.start, cls.states = _objects, _start, _status

    def test_packages(self):
        of = self.states.package_of
        paths = ["", "/v/lib/site-packages", "/v/lib"]
        self.assertEqual(of("/v/lib/site-packages/sklearn/a/_b.so", paths), "sklearn")
        self.assertEqual(
            of("/v/lib/site-packages/scikit_learn.libs/lib-1.so", paths), "scikit_learn"
        )
        self.assertEqual(of("/v/lib/site-packages/total.cpython-311.so", paths), "total")
        self.assertEqual(of("/usr/lib/libopenblas.so.0", paths), "/usr/lib/libopenblas.so.0")

    def test_variables(self):
        of = self.start.variables
        self.assertEqual(of(), {})
        self.assertEqual(of(fold=True)["GOMP_AMP_FOLD"], "auto")
        self.assertEqual(of(fold=False)["GOMP_AMP_FOLD"], "0")
        self.assertEqual(of(fold=1)["GOMP_AMP_FOLD"], "1")
        self.assertEqual(of(schedule="aid_hybrid"), {"OMP_SCHEDULE": "aid_hybrid"})

    def test_warnings(self):
        runtime = self.states.Runtime
        ours = runtime("/ours", "libgomp-amp", ("a",))
        other, clang = (
            runtime("/copy", "libgomp", ("b", "c")),
            runtime("/omp", "LLVM or Intel", ("d",), ("d",)),
        )
        warnings = lambda *runtimes: self.states.Status(runtimes).warnings  # noqa: E731
        self.assertEqual(warnings(), ("libgomp-amp is not in this process",))
        self.assertEqual(warnings(ours), ())
        self.assertEqual(warnings(clang, ours), ())
        self.assertIn("b, c were imported too early", warnings(other, ours)[0])
        self.assertIn("RTLD_DEEPBIND", warnings(ours, other)[0])
        self.assertIn("more than once: /ours and /ours", warnings(ours, ours)[0])

    def test_imports(self):
        """An object in a memory of the test's own."""
        o = self.objects
        base, strings = 0x1000, b"\0GOMP_parallel\0omp_in_parallel\0own\0"
        place = {
            name: strings.index(name) for name in (b"GOMP_parallel", b"omp_in_parallel", b"own")
        }
        symbols = b"".join(
            struct.pack("<IBBHQQ", place.get(name, 0), 0, 0, section, 0, 0)
            for name, section in (
                (b"", 0),
                (b"GOMP_parallel", 0),
                (b"omp_in_parallel", 0),
                (b"own", 7),
            )
        )
        # Three imports, and one relocation that names no symbol.
        relocations = b"".join(
            struct.pack("<QQq", 0x400 + 8 * n, index << 32 | 7, 0)
            for n, index in enumerate((1, 2, 3, 0))
        )
        dynamic = b"".join(
            struct.pack("<qQ", tag, value)
            for tag, value in (
                (o.DT_STRTAB, base + 0x100), (o.DT_STRSZ, len(strings)),
                (o.DT_SYMTAB, base + 0x200),
                # As in the kernel's object, where it is no address yet.
                (o.DT_JMPREL, 0x300), (o.DT_PLTRELSZ, len(relocations)), (0, 0),
            )
        )  # fmt: skip
        image = bytearray(0x1000)
        for at, part in ((0, dynamic), (0x100, strings), (0x200, symbols), (0x300, relocations)):
            image[at : at + len(part)] = part
        image[0x400:0x408] = struct.pack("<Q", 0xABCDE)
        one = o.LoadedObject("x", base, ((base, base + 0x1000),), base)

        def memory(address, size):
            self.assertIn(address, one)
            return bytes(image[address - base : address - base + size])

        self.assertEqual(list(o.imports(one, memory)), [("GOMP_parallel", 0xABCDE)])

    def test_all_that_the_loader_has(self):
        """What dl_iterate_phdr says, which serves where there is one thread."""

        class Info(ctypes.Structure):
            _fields_ = [
                ("base", ctypes.c_size_t), ("name", ctypes.c_char_p), ("headers", ctypes.c_size_t),
                ("count", ctypes.c_uint16),
            ]  # fmt: skip

        expected = []

        @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Info), ctypes.c_size_t, ctypes.c_void_p)
        def add(info, _size, _data):
            one = info.contents
            path = os.path.realpath(os.fsdecode(one.name or b"") or "/proc/self/exe")
            headers = ctypes.string_at(one.headers, one.count * 56)
            expected.append(self.objects.described(path, one.base, headers))
            return 0

        ctypes.CDLL(None).dl_iterate_phdr(add, None)
        self.assertGreater(len(expected), 5)
        for memory in ctypes.string_at, None:
            found = (
                self.objects.loaded(memory) if memory else self.objects.look(self.objects.loaded)
            )
            self.assertEqual(found, expected)

    def test_segments(self):
        header = struct.pack("<IIQQQQQQ", 1, 5, 0, 0x40, 0, 0, 0x60, 0)
        header += struct.pack("<IIQQQQQQ", 2, 4, 0, 0x80, 0, 0, 0x10, 0)
        one = self.objects.described("x", 0x1000, header)
        self.assertEqual((one.segments, one.dynamic), (((0x1040, 0x10A0),), 0x1080))
        self.assertTrue(0x1040 in one and 0x109F in one)
        self.assertFalse(0x103F in one or 0x10A0 in one)


if __name__ == "__main__":
    unittest.main()
