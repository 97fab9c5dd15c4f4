# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of amp-info: that it says what the library does, on this machine and on others."""

import ctypes
import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import tool_case
from tool_case import REFUSED, ToolCase, environment

SOURCES = pathlib.Path(__file__).resolve().parent / "amp-info"
INCLUDE = SOURCES.parents[2] / "libgomp/include"
CPUS = sorted(os.sched_getaffinity(0))


def cpus_of(text):
    """The numbers of a list such as 0-3,8."""
    numbers = []
    for item in filter(None, text.split(",")):
        first, _, last = item.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    return numbers


class Case(ToolCase):
    def info(self, *words, cpus=None, error="", env=None, **options):
        """What amp-info --json prints, on CPUS; stderr has to be ERROR."""
        before = ["taskset", "-c", ",".join(map(str, cpus))] if cpus else []
        env = {"LD_PRELOAD": None, "LD_LIBRARY_PATH": None, **(env or {})}
        done = self.run_tool("amp-info", "--json", *words, env=env, before=before, **options)
        self.assertEqual((done.returncode, done.stderr), (0, error))
        return json.loads(done.stdout)

    def text(self, *words, cpus=None, **env):
        before = ["taskset", "-c", ",".join(map(str, cpus))] if cpus else []
        env = {"LD_PRELOAD": None, **env}
        done = self.run_tool("amp-info", *words, env=env, before=before)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    @property
    def lib(self):
        return self.bin.parent / "lib/libgomp-amp"

    @property
    def library(self):
        return self.lib / "libgomp.so.1"

    @functools.cached_property
    def stock(self):
        compiler = os.environ.get("AMP_TEST_CC", "cc")
        done = subprocess.run(
            [compiler, "-print-file-name=libgomp.so.1"], capture_output=True, text=True, check=True
        )
        if "/" not in done.stdout:
            self.skipTest("the system has no libgomp.so.1")
        return done.stdout.strip()

    def need_two_cpus(self):
        if len(CPUS) < 2:
            self.skipTest("needs two CPUs")
        return CPUS[:2]


class AmpInfoHere(Case):
    """This machine, whatever it is."""

    def test_members(self):
        info = self.info()
        self.assertEqual(
            list(info),
            [
                "format",
                "version",
                "library",
                "machine",
                "source",
                "classes",
                "cpus",
                "cores",
                "binding",
                "folding",
                "schedule",
                "options",
            ],
        )
        self.assertEqual(info["format"], 2)
        self.assertRegex(info["version"], r"^\d+\.\d+\.\d+$")
        self.assertRegex(info["machine"], r"^[0-9a-f]{16}$")
        self.assertTrue(self.library.samefile(info["library"]))
        self.assertEqual(list(info["cpus"]), ["usable", "excluded", "offline"])
        self.assertEqual(list(info["binding"]), ["by", "proc_bind", "threads"])
        self.assertEqual(list(info["folding"]), ["now", "auto"])
        for plan in info["folding"].values():
            self.assertEqual(list(plan), ["threads", "workers", "on", "why"])
        self.assertEqual(list(info["schedule"]), ["kind", "chunk", "monotonic", "from", "routed"])
        for cls in info["classes"]:
            self.assertEqual(list(cls), ["class", "cpus", "cores", "capacity"])
        numbers = [cls["class"] for cls in info["classes"]]
        self.assertEqual(numbers, list(range(len(numbers)))[::-1])

    def test_members_are_in_the_help(self):
        help_text = self.run_tool("amp-info", "--help").stdout
        described = help_text[help_text.index("--json prints") :]

        def names(value):
            if isinstance(value, dict):
                for name, member in value.items():
                    yield name
                    yield from names(member)
            for member in value if isinstance(value, list) else []:
                yield from names(member)

        for name in set(names(self.info())):
            self.assertRegex(described, rf"\b{name}\b")

    def test_all_at_default(self):
        info = self.info()
        self.assertEqual(cpus_of(info["cpus"]["usable"]), CPUS)
        self.assertEqual(info["options"], {})
        self.assertEqual(info["binding"]["by"], None)
        self.assertEqual(info["binding"]["proc_bind"], "false")
        self.assertEqual(info["binding"]["threads"], [{"cpus": None, "class": None}] * len(CPUS))
        self.assertEqual(info["schedule"]["from"], "default")

    def test_mask(self):
        first, second = self.need_two_cpus()
        for cpu, other in ((first, second), (second, first)):
            info = self.info(cpus=[cpu])
            self.assertEqual([cls["cpus"] for cls in info["classes"]], [str(cpu)])
            self.assertEqual(info["cpus"]["usable"], str(cpu))
            self.assertIn(other, cpus_of(info["cpus"]["excluded"]))
            self.assertEqual(len(info["binding"]["threads"]), 1)

    def test_mask_does_not_renumber_classes(self):
        small, big = self.need_two_cpus()
        words = [f"--topology={small}=512,{big}=1024"]
        for cpu, cpus in ((small, ["", str(small)]), (big, [str(big), ""])):
            info = self.info(*words, cpus=[cpu])
            self.assertEqual(
                [(c["class"], c["cpus"], c["cores"], c["capacity"]) for c in info["classes"]],
                [(1, cpus[0], int(cpu == big), 1024), (0, cpus[1], int(cpu == small), 512)],
            )
            self.assertIn(" none ", self.text(*words, cpus=[cpu]))
            self.assertEqual(info["machine"], self.info(*words, cpus=[small, big])["machine"])
            other = self.info(f"--topology={small}=511,{big}=1024", cpus=[cpu])
            self.assertNotEqual(info["machine"], other["machine"])

    def test_topology_and_affinity(self):
        small, big = self.need_two_cpus()
        words = [f"--topology={small}=512,{big}=1024"]
        for order, cpus in (("BS", [big, small]), ("true", [big, small]), ("SB", [small, big])):
            info = self.info(*words, f"--affinity={order}", cpus=[small, big])
            self.assertEqual(info["source"], "GOMP_AMP_TOPOLOGY")
            self.assertEqual(
                [(c["class"], c["cpus"], c["capacity"]) for c in info["classes"]],
                [(1, str(big), 1024), (0, str(small), 512)],
            )
            self.assertEqual(
                info["binding"]["threads"],
                [{"cpus": str(cpu), "class": int(cpu == big)} for cpu in cpus],
            )
            value = "BS" if order == "true" else order
            self.assertEqual(info["binding"]["by"], f"GOMP_AMP_AFFINITY={value}")
            self.assertEqual(info["options"]["GOMP_AMP_AFFINITY"], value)
            self.assertEqual(
                info["schedule"]["routed"],
                {"kind": "aid_hybrid", "chunk": 0, "arg": 80, "from": "default"},
            )
        info = self.info(*words, "--affinity=false", cpus=[small, big])
        self.assertEqual(info["binding"]["threads"], [{"cpus": None, "class": None}] * 2)

    def test_folding(self):
        small, big = self.need_two_cpus()
        words = [f"--topology={small}=512,{big}=1024"]

        def plan(*rows):
            """Each of ROWS is a CPU and the threads on it."""
            return {
                "threads": sum(threads for _, threads in rows),
                "workers": len(rows),
                "on": [
                    {"cpus": str(cpu), "class": int(cpu == big), "each": threads}
                    for cpu, threads in rows
                ],
                "why": None,
            }

        def none(why):
            return {"threads": 0, "workers": 0, "on": [], "why": why}

        auto = plan((big, 2), (small, 1))
        for fold, now in (("0", none("off")), ("2", plan((big, 3), (small, 1))), ("auto", auto)):
            with self.subTest(fold):
                env = {"GOMP_AMP_FOLD": fold}
                info = self.info(*words, cpus=[small, big], env=env)
                self.assertEqual(info["folding"], {"now": now, "auto": auto})
                folded = now["threads"] > 0
                self.assertEqual(len(info["binding"]["threads"]), now["threads"] or 2)
                by = f"GOMP_AMP_FOLD={fold}" if folded else None
                self.assertEqual(info["binding"]["by"], by)
                if folded:
                    # Those of each round are on different CPUs, the fast one first.
                    order = [big, small, *[big] * (now["threads"] - 2)]
                    self.assertEqual(
                        info["binding"]["threads"],
                        [{"cpus": str(cpu), "class": int(cpu == big)} for cpu in order],
                    )
                text = self.text(*words, cpus=[small, big], **env)
                row = rf"^  {big} +1 +{(now['on'] or auto['on'])[0]['each']}$"
                self.assertRegex(text, re.compile(row, re.MULTILINE))
        info = self.info("--topology=off", "--affinity=SB", env={"GOMP_AMP_FOLD": "auto"})
        alike = none("the cores are equally fast")
        self.assertEqual(info["folding"], {"now": alike, "auto": alike})
        self.assertEqual(info["binding"]["by"], "GOMP_AMP_AFFINITY=SB")
        self.assertIn(
            "Folding: off; GOMP_AMP_FOLD=auto: none, the cores are equally fast\n",
            self.text("--topology=off"),
        )
        info = self.info(*words, "--affinity=SB", cpus=[small, big], env={"GOMP_AMP_FOLD": "auto"})
        self.assertEqual(info["folding"]["now"], plan((small, 1), (big, 2)))
        by = "GOMP_AMP_AFFINITY=SB GOMP_AMP_FOLD=AUTO"
        self.assertEqual(info["binding"]["by"].upper(), by)

    def test_openmp_binding_rules(self):
        first, second = self.need_two_cpus()
        pair = f"{first},{second}"
        env = {
            "OMP_PLACES": f"{{{pair}}},{{{second}}}",
            "OMP_PROC_BIND": "spread",
            "OMP_NUM_THREADS": "3",
            "GOMP_AMP_AFFINITY": "SB",
        }
        info = self.info(
            env=env,
            error="\nlibgomp: GOMP_AMP_AFFINITY is ignored: OMP_PROC_BIND, "
            "OMP_PLACES or GOMP_CPU_AFFINITY is set and takes precedence\n",
        )
        binding = info["binding"]
        self.assertEqual(binding["by"], f"OMP_PROC_BIND=spread OMP_PLACES={env['OMP_PLACES']}")
        self.assertEqual(binding["proc_bind"], "spread")
        places = [cpus_of(thread["cpus"]) for thread in binding["threads"]]
        self.assertEqual(sorted(places), sorted([[first, second], [first, second], [second]]))

    def test_place_of_two_classes(self):
        small, big = self.need_two_cpus()
        info = self.info(
            f"--topology={small}=512,{big}=1024",
            cpus=[small, big],
            env={"OMP_PLACES": f"{{{small},{big}}},{{{big}}}"},
        )
        self.assertEqual([thread["class"] for thread in info["binding"]["threads"]], [None, 1])

    def test_classes_given_to_threads(self):
        info = self.info(
            "--topology=off", env={"GOMP_AMP_THREAD_CLASSES": "0,2", "OMP_NUM_THREADS": "3"}
        )
        self.assertEqual([thread["class"] for thread in info["binding"]["threads"]], [0, 2, 0])
        self.assertEqual(
            [(cls["class"], cls["cpus"]) for cls in info["classes"]],
            [(2, ""), (1, ""), (0, info["cpus"]["usable"])],
        )
        self.assertEqual([cls["capacity"] for cls in info["classes"]], [None] * 3)

    def test_schedules(self):
        alike, unlike = "0", "0,1"
        cases = [
            # OMP_SCHEDULE, threads' classes, kind, chunk, monotonic, routed
            (None, alike, "dynamic", 1, False, ("static", 0, 0)),
            (None, unlike, "dynamic", 1, False, ("aid_hybrid", 0, 80)),
            ("dynamic", unlike, "dynamic", 1, False, ("dynamic", 1, 0)),
            ("static,5", unlike, "static", 5, True, ("static", 5, 0)),
            ("guided", alike, "guided", 1, False, ("guided", 1, 0)),
            ("aid_static", unlike, "aid_static", 0, False, ("aid_static", 0, 0)),
            ("monotonic:aid_hybrid,4,60", unlike, "aid_hybrid", 4, True, ("aid_hybrid", 4, 60)),
            ("aid_hybrid,4,60", alike, "aid_hybrid", 4, False, ("static", 0, 0)),
            ("aid_dynamic", unlike, "aid_dynamic", 0, False, ("aid_dynamic", 0, 0)),
            ("aid_dynamic", alike, "aid_dynamic", 0, False, ("aid_dynamic", 0, 0)),
            ("aid_dynamic,3", unlike, "aid_dynamic", 3, False, ("aid_dynamic", 3, 5)),
            ("aid_dynamic,3,9", alike, "aid_dynamic", 3, False, ("dynamic", 3, 0)),
        ]
        for value, classes, kind, chunk, monotonic, routed in cases:
            with self.subTest(value, classes=classes):
                schedule = self.info(
                    env={
                        "OMP_SCHEDULE": value,
                        "OMP_NUM_THREADS": "2",
                        "GOMP_AMP_THREAD_CLASSES": classes,
                    }
                )["schedule"]
                self.assertEqual(
                    schedule,
                    {
                        "kind": kind,
                        "chunk": chunk,
                        "monotonic": monotonic,
                        "from": "OMP_SCHEDULE" if value else "default",
                        "routed": {
                            **dict(zip(("kind", "chunk", "arg"), routed)),
                            "from": "OMP_SCHEDULE" if value else "default",
                        },
                    },
                )

    def test_schedule_of_routed_loops(self):
        for own in (None, "static,7", "dynamic", "aid_hybrid,,30"):
            for value, kind, chunk, arg in (
                ("static", "static", 0, 0),
                ("dynamic", "dynamic", 1, 0),
                ("guided,4", "guided", 4, 0),
                ("aid_hybrid,,60", "aid_hybrid", 0, 60),
            ):
                with self.subTest(own=own, value=value):
                    info = self.info(
                        env={
                            "OMP_SCHEDULE": own,
                            "GOMP_AMP_SCHEDULE": value,
                            "OMP_NUM_THREADS": "2",
                            "GOMP_AMP_THREAD_CLASSES": "0,1",
                        }
                    )
                    schedule = info["schedule"]
                    self.assertEqual(schedule["kind"], (own or "dynamic").split(",")[0])
                    self.assertEqual(schedule["from"], "OMP_SCHEDULE" if own else "default")
                    self.assertEqual(
                        schedule["routed"],
                        {"kind": kind, "chunk": chunk, "arg": arg, "from": "GOMP_AMP_SCHEDULE"},
                    )
                    self.assertEqual(info["options"]["GOMP_AMP_SCHEDULE"], value.upper())

    def test_options_away_from_their_default(self):
        info = self.info(
            env={
                "GOMP_AID_SAMPLE_NS": "2000",
                "GOMP_AMP_TEST_SF_MAX": "33",
                "GOMP_AID_SF": "1:2.5",
                "OMP_DYNAMIC": "true",
            }
        )
        self.assertEqual(info["options"], {"GOMP_AMP_TEST_SF_MAX": "33", "GOMP_AID_SF": "1:2.5"})
        done = self.run_tool("amp-info", "--json", env={"GOMP_AMP_TEST_SF_MAX": "x"})
        self.assertEqual(done.stderr.count("GOMP_AMP_TEST_SF_MAX"), 1, done.stderr)
        self.assertEqual(json.loads(done.stdout)["options"], {})

    def test_text_says_the_same(self):
        words = [
            f"--topology={','.join(f'{cpu}={1000 + 1000 * i}' for i, cpu in enumerate(CPUS))}",
            "--affinity=BS",
        ]
        env = {"OMP_SCHEDULE": "aid_static,3", "GOMP_AID_SAMPLE_NS": "7"}
        info, text = self.info(*words, env=env), self.text(*words, **env)
        self.assertTrue(text.startswith(f"libgomp-amp {info['version']}, {info['library']}\n"))
        self.assertIn(f"source: {info['source']}\n", text)
        for cls in info["classes"]:
            row = rf"^  {cls['class']} +{cls['cpus']} +[\d?]+ +{cls['capacity']}$"
            self.assertRegex(text, re.compile(row, re.MULTILINE))
        self.assertIn(f"bound ({info['binding']['by']})\n", text)
        self.assertIn("loops  aid_static,3\n", text)
        for name, value in info["options"].items():
            self.assertIn(f"  {name}={value}\n", text)


class AmpInfoLibrary(Case):
    """Which library answers, and which is refused."""

    def test_preloaded_library_answers_under_the_options(self):
        small, big = self.need_two_cpus()
        words = [f"--topology={small}=512,{big}=1024", "--affinity=SB"]
        info = self.info(*words, cpus=[small, big], env={"LD_PRELOAD": str(self.library)})
        self.assertEqual(info["source"], "GOMP_AMP_TOPOLOGY")
        self.assertEqual(
            [thread["cpus"] for thread in info["binding"]["threads"]], [str(small), str(big)]
        )

    def test_library_by_name(self):
        copy = self.dir / "libgomp.so.1"
        copy.write_bytes(self.library.read_bytes())
        self.assertEqual(self.info("--library", str(copy))["library"], str(copy))
        info = self.info("--library", copy.name, cwd=self.dir)
        self.assertEqual(info["library"], str(copy))
        info = self.info("--library", str(self.library), env={"LD_PRELOAD": str(self.library)})
        self.assertTrue(self.library.samefile(info["library"]))
        done = self.run_tool("amp-info", "--library", copy, env={"LD_PRELOAD": str(self.library)})
        self.assert_refused(done, "amp-info: ", copy, self.library.resolve(), "LD_PRELOAD")

    def test_stock_library(self):
        real = pathlib.Path(self.stock).resolve()
        done = self.run_tool("amp-info", "--library", self.stock)
        self.assert_refused(done, "amp-info: ", real, "not libgomp-amp's", "--library")
        done = self.run_tool("amp-info", env={"LD_PRELOAD": self.stock})
        self.assert_refused(done, "amp-info: ", real, "not libgomp-amp's", "LD_PRELOAD")

    def test_stock_library_in_the_path_does_not_matter(self):
        info = self.info(env={"LD_LIBRARY_PATH": str(pathlib.Path(self.stock).parent)})
        self.assertTrue(self.library.samefile(info["library"]))

    def test_other_files(self):
        other = self.compile("other.so", "int x;", "-shared")
        self.assert_refused(self.run_tool("amp-info", "--library", other), other, "OpenMP")
        self.assert_refused(self.run_tool("amp-info", "--library", __file__), __file__)
        missing = self.dir / "missing"
        self.assert_refused(self.run_tool("amp-info", "--library", missing), missing)

    def test_virtual_machine(self):
        virtual = self.lib / "virtual/libgomp.so.1"
        info = self.info(env={"LD_PRELOAD": str(virtual), "GOMP_AMP_VIRTUAL": "4x3.0+2x1.0"})
        self.assertEqual(
            [(cls["cpus"], cls["capacity"]) for cls in info["classes"]],
            [("0-3", 1024), ("4-5", 341)],
        )
        self.assertEqual(info["options"], {"GOMP_AMP_VIRTUAL": "4x3.0+2x1.0"})
        self.assertEqual(
            info["binding"]["threads"], [{"cpus": None, "class": int(i < 4)} for i in range(6)]
        )
        self.assertEqual(info["schedule"]["routed"]["kind"], "aid_hybrid")


class AmpInfoOptions(Case):
    def test_bad_ones(self):
        for words in (
            ["--bogus"],
            ["--json", "true"],
            ["--ranks=1", "true"],
            ["--affinity=XX"],
            ["--topology="],
            ["--library="],
            ["--topology"],
            ["--json=x"],
        ):
            with self.subTest(words):
                self.assert_refused(self.run_tool("amp-info", *words), "amp-info: ")

    def test_help_and_version(self):
        done = self.run_tool("amp-info", "--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for word in ("--json", "--library", "--topology", "--affinity", str(REFUSED)):
            self.assertIn(word, done.stdout)
        self.assertRegex(
            self.run_tool("amp-info", "--version").stdout, r"^amp-info \d+\.\d+\.\d+\n$"
        )

    def test_entry_of_a_program(self):
        config = self.dir / "config/libgomp-amp/programs.toml"
        config.parent.mkdir(parents=True)
        program = self.script("app", "#!/bin/sh\n")
        env = {"XDG_CONFIG_HOME": str(self.dir / "config"), "LD_PRELOAD": None}
        done = self.run_tool("amp-info", program, env=env)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("core class", done.stdout)
        self.assertTrue(done.stdout.endswith(f"\nno entry decides for '{program}'\n"))
        config.write_text(f'[[program]]\nname = "{program}"\nway = "fast"\n')
        done = self.run_tool("amp-info", "--", "nice", program, env=env)
        self.assertIn(f"\n{config}:1 decides: '{program}' is run fast\n", done.stdout)
        done = self.run_tool("amp-info", "no-such-program", env=env)
        self.assertEqual(done.returncode, 127)
        self.assertIn("no-such-program", done.stderr)

    def test_full_disk(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run([self.bin / "amp-info"], stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, REFUSED)


class AmpInfoMachines(Case):
    """Other machines, as trees that stand for /sys."""

    # Compiled once for all the tests of a process.
    directory = tempfile.TemporaryDirectory(prefix="amp-info-")
    shim = pathlib.Path(directory.name) / "machine.so"

    def on(self, topology, mask, *words, cpus=256, **env):
        """What amp-info says on the machine TOPOLOGY of CPUS CPUs, with the affinity MASK."""
        if not self.shim.exists():
            self.compile(self.shim, (SOURCES / "machine.c").read_text(), "-shared", "-fPIC")
        env = {
            "LD_PRELOAD": str(self.shim),
            "AMP_TEST_MASK": mask,
            "AMP_TEST_CPUS": str(cpus),
            **env,
        }
        return self.info(f"--topology={topology}", *words, env=env)

    def lines(self, what):
        """The lines that begin with WHAT in each machine's file of what is expected."""
        trees = pathlib.Path(os.environ["AMP_TEST_TOPOLOGIES"])
        count = 0
        for file in sorted(trees.glob("*/expected")):
            for line in file.read_text().splitlines():
                words = line.split()
                if words[0] == what:
                    yield file.parent, words[1], words[2:]
                    count += 1
        self.assertGreater(count, 5)

    def check_classes(self, words, topology, mask, **env):
        """WORDS are the source and the classes, slowest first, that are expected."""
        classes = [word for word in words if re.fullmatch(r"([\d,-]+|none)=(\d+|\?)", word)]
        info = self.on(topology, mask, OMP_NUM_THREADS="1", **env)
        self.assertEqual(info["source"], " ".join(words[: len(words) - len(classes)]))
        seen = [f"{cls['cpus'] or 'none'}={cls['capacity'] or '?'}" for cls in info["classes"]]
        self.assertEqual(seen[::-1], classes)

    def test_classes(self):
        for root, mask, words in self.lines("expect"):
            with self.subTest(root.name, mask=mask):
                self.check_classes(words, root, mask)

    def test_classes_by_hwloc(self):
        try:
            ctypes.CDLL("libhwloc.so.15")
        except OSError as error:
            self.skipTest(f"needs hwloc 2: {error}")
        for root, mask, words in self.lines("hwloc"):
            if words[0] == "none":
                continue  # refused with a message, which the library's tests hold
            with self.subTest(root.name, mask=mask):
                self.check_classes(words, "hwloc", mask, HWLOC_XMLFILE=str(root / "hwloc.xml"))

    def test_binding(self):
        for root, mask, (way, *cpus) in self.lines("order"):
            with self.subTest(root.name, mask=mask, way=way):
                threads = self.on(root, mask, f"--affinity={way}")["binding"]["threads"]
                self.assertEqual([thread["cpus"] for thread in threads], cpus)

    def tree(self, **files):
        """A directory like /sys with FILES, __ standing for / in their names."""
        for name, text in files.items():
            path = self.dir / "devices/system/cpu" / name.replace("__", "/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{text}\n")
        return self.dir

    def test_cpus_that_are_left_out(self):
        # 0, 1: may be used; 2: may not; 3: nor can it be switched off; 4: is; 5: there is none.
        root = self.tree(
            cpu0__cpu_capacity=512,
            cpu1__cpu_capacity=1024,
            cpu2__online=1,
            cpu3__cpu_capacity=512,
            cpu4__online=0,
        )
        info = self.on(root, "0-1", cpus=6)
        self.assertEqual(info["cpus"], {"usable": "0-1", "excluded": "2-3", "offline": "4"})

    def test_cores(self):
        root = self.tree(
            cpu0__topology__core_cpus_list="0,4",
            cpu4__topology__core_cpus_list="0,4",
            cpu1__topology__thread_siblings_list="1,5",
            cpu5__topology__thread_siblings_list="1,5",
            cpu3__topology__core_cpus_list="2-3",
        )
        info = self.on(root, "0,1,3-5")
        self.assertEqual(info["cores"], ["0,4", "1,5", "3"])
        self.assertEqual([cls["cores"] for cls in info["classes"]], [3])
        info = self.on(root, "0-5")  # CPU 2 does not tell
        self.assertEqual(info["cores"], None)
        self.assertEqual([cls["cores"] for cls in info["classes"]], [None])


class AmpInfoApi(Case):
    """The functions that amp-info asks, as C and Fortran programs call them."""

    def answers(self, compiler, *sources, **env):
        """The lines that the program made of SOURCES prints on two CPUs, 0 and 1 of its world."""
        program = self.dir / "api"
        command = [compiler, "-fopenmp", f"-I{INCLUDE}", *sources, self.library, "-o", program]
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        env = {
            "LD_LIBRARY_PATH": str(self.lib),
            "OMP_NUM_THREADS": "2",
            "GOMP_AMP_AFFINITY": "BS",
            **env,
        }
        cpus = ",".join(map(str, self.need_two_cpus()))
        done = subprocess.run(
            ["taskset", "-c", cpus, program],
            env=environment.clean(**env),
            capture_output=True,
            text=True,
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()

    def expected(self, info):
        """The lines about classes and CPUs, as amp-info's answer INFO has them."""
        capacity = {cls["class"]: cls["capacity"] or 0 for cls in info["classes"]}
        class_of = {cpu: cls["class"] for cls in info["classes"] for cpu in cpus_of(cls["cpus"])}
        core_of = {cpu: min(cpus_of(core)) for core in info["cores"] or [] for cpu in cpus_of(core)}
        yield "class -1 -1"
        yield from (f"class {cls} {capacity[cls]}" for cls in sorted(capacity))
        yield f"class {len(capacity)} -1"
        yield "cpu -1 -1 -1 -1 -1"
        yield from (f"cpu {cpu} {class_of[cpu]} 1 1 {core_of.get(cpu, -1)}" for cpu in class_of)

    def test_c(self):
        small, big = self.need_two_cpus()
        env = {"GOMP_AMP_TOPOLOGY": f"{small}=512,{big}=1024"}
        compiler = os.environ.get("AMP_TEST_CC", "cc")
        lines = self.answers(compiler, SOURCES / "api.c", **env)
        for line in self.expected(self.info(env=env, cpus=[small, big])):
            self.assertIn(line, lines)
        self.assertIn("source GOMP_AMP_TOPOLOGY", lines)
        self.assertIn("alone 1 0 0", lines)
        self.assertEqual(
            lines[-2:],
            ["thread 0 1 1.33 40000002 0 80 0 -1", "thread 1 0 0.67 40000002 0 80 0 -1"],
        )
        self.assertRegex(lines[-4], r"^cpu \d+ -1 -1 -1 -1$")

    def test_share(self):
        small, big = self.need_two_cpus()
        compiler = os.environ.get("AMP_TEST_CC", "cc")
        for shares, env in (
            (["1.33", "0.67"], {}),
            (["0.67", "1.33"], {"GOMP_AMP_AFFINITY": "SB"}),
            (["0.67", "1.33"], {"OMP_PROC_BIND": "spread", "GOMP_AMP_AFFINITY": None}),
            (["1.00", "1.00"], {"GOMP_AMP_AFFINITY": None}),  # the kernel moves them
            (["1.00"] * 3, {"OMP_NUM_THREADS": "3"}),  # more than places
            (["1.00"] * 3, {"GOMP_AMP_FOLD": "auto", "GOMP_AMP_AFFINITY": None}),
            (["1.00", "1.00"], {"GOMP_AMP_TOPOLOGY": "off"}),
        ):
            with self.subTest(env):
                env = {"GOMP_AMP_TOPOLOGY": f"{small}=512,{big}=1024", **env}
                lines = self.answers(compiler, SOURCES / "api.c", **env)
                self.assertEqual(self.shares_in(lines), shares)
        if not (self.bin / "amp-emu").exists():
            self.skipTest("there is no lab for a machine with more CPUs")
        for shares, binding in (
            (["1.20", "1.20", "0.60"], "close"),
            (["1.50", "0.75", "0.75"], "spread"),
        ):
            env = {"OMP_NUM_THREADS": "3", "OMP_PROC_BIND": binding}
            machine = ("virtual", "2x2.0+4x1.0", "--quiet")
            done = self.run_tool("amp-emu", *machine, "--", self.dir / "api", env=env)
            self.assertEqual(self.shares_in(done.stdout.splitlines()), shares, done.stderr)

    def shares_in(self, lines):
        return [line.split()[3] for line in lines if line.startswith("thread")]

    def test_fortran(self):
        small, big = self.need_two_cpus()
        compiler = os.environ.get("AMP_TEST_FC", "gfortran")
        env = {"GOMP_AMP_TOPOLOGY": f"{small}=512,{big}=1024"}
        lines = self.answers(
            compiler,
            INCLUDE / "ompx_amp.f90",
            SOURCES / "api.f90",
            OMP_SCHEDULE="aid_dynamic,2,6",
            **env,
        )
        info = self.info(env=env, cpus=[small, big])
        for line in self.expected(info):
            self.assertIn(line, lines)
        major, minor, patch = map(int, info["version"].split("."))
        self.assertIn(f"version {10000 * major + 100 * minor + patch}", lines)
        self.assertEqual(
            sorted(lines[-2:]),
            ["thread 0 1 1.33 40000003 2 6 0 -1", "thread 1 0 0.67 40000003 2 6 0 -1"],
        )

    def test_folded(self):
        small, big = self.need_two_cpus()
        compiler = os.environ.get("AMP_TEST_CC", "cc")
        env = {"GOMP_AMP_TOPOLOGY": f"{small}=512,{big}=1024", "OMP_MAX_ACTIVE_LEVELS": "2"}
        for order, cpus in (("BS", [big, small, big]), ("SB", [small, big, big])):
            workers = [int(cpu != cpus[0]) for cpu in cpus]
            env |= {"GOMP_AMP_FOLD": "auto", "GOMP_AMP_AFFINITY": order}
            for _ in range(20):
                answers = self.answers(compiler, SOURCES / "workers.c", **env)
                # On a busy machine a worker that gets no CPU has no threads for a second.
                if any("worker 0 of 2" in line for line in answers) and any(
                    "worker 1 of 2" in line for line in answers
                ):
                    break
            self.assertEqual(
                answers,
                [
                    f"alone: worker -1 of 0, CPUs {small},{big}",
                    *(
                        f"team of 3: {i}: worker {workers[i]} of 2"
                        + (f", CPUs {cpus[i]}" if workers[i] else "")
                        for i in range(3)
                    ),
                    "inner: worker -1 of 0",
                    "team of 1: worker -1 of 0",
                    f"alone: worker -1 of 0, CPUs {small},{big}",
                ],
            )


if __name__ == "__main__":
    sys.exit(tool_case.main())
