# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests what amp-report shows.

amp_report_test.py <shapes> <amp-report>
"""

import copy
import json
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "tests/life"), str(ROOT / "tools/amp-watch")]
import driver  # noqa: E402
from amp_watch import advice, reports, sums  # noqa: E402

TOOL, PROGRAM = (pathlib.Path(sys.argv.pop()) for _ in range(2))


def ids_of(number, ids, ns, capacity_ns=400e6):
    """Of class NUMBER, IDS that each took as long, NS in all."""
    square = ns**2 / ids
    return {"class": number, "ids": ids, "ns": ns, "capacity_ns": capacity_ns, "square": square}


def region(**values):
    """A region of two places of different classes, of which the fast one waits."""
    run = {"ns": 40_000_000, "ids": []}
    for number, useful in enumerate((40_000_000, 20_000_000)):
        run["ids"].append(
            {"place": number, "class": number, "began": 0, "ended": useful, "useful": useful}
        )
    classes = [ids_of(number, 10, 10 * useful) for number, useful in enumerate((40e6, 20e6))]
    return {
        "site": "app+0x100",
        "module": None,
        "address": 256,
        "invocations": 10,
        "elapsed_ns": 400_000_000,
        "capacity_ns": 800_000_000,
        "useful_ns": 600_000_000,
        "imbalance_ns": 200_000_000,
        "scheduling_ns": 0,
        "elsewhere_ns": 0,
        "unfinished": 0,
        "nested": 0,
        "ids": [2, 2],
        "places": 2,
        "ran": {"threads": 10, "folded": 0},
        "why_not": None,
        "why_not_key": None,
        "folded_ns": 0,
        "even_ns": 0,
        "classes": classes,
        "longest": run,
        **values,
    }


def busy():
    """Of a region: its cores were busy."""
    classes = region()["classes"]
    for each in classes:
        each["ns"] = 395e6
    classes[1]["ids"] = 20
    return {"useful_ns": 790_000_000, "imbalance_ns": 10_000_000, "classes": classes}


def alike():
    """Classes that take as long for a thread, of which the second one waits."""
    return [region()["classes"][0], ids_of(1, 5, 200e6)]


def loop(way, ns):
    """A loop in the region of region (), which ran as WAY and took NS for each iteration."""
    first = {"invocations": 10, "trips": 2000, "least": 200, "most": 200}
    first["ran"] = [{"as": way, "invocations": 10, "why": []}]
    other = {"invocations": 0, "trips": 0, "least": 0, "most": 0, "ran": []}
    threads = []
    for number, thread in enumerate((first, other)):
        # One is twice as fast; NS is the mean.
        each = ns * 4 / 3 / (number + 1)
        part = {"class": number, "slices": 10, "iterations": 1000, "timed": 10}
        part |= {"ns": 1000 * each, "counted_ns": 1000 * each}
        threads.append(
            {**thread, "classes": [{**part, "value": 10 * each, "square": 10 * each**2}]}
        )
    return {"site": "app+0x100", "module": None, "address": 256, "by_thread": threads}


def report(*regions, **values):
    sums = {}
    for name in ("invocations", "elapsed_ns", "capacity_ns", "useful_ns", "imbalance_ns"):
        sums[name] = sum(each[name] for each in regions)
    return {
        "version": 3,
        "pid": 1,
        "program": "/bin/app",
        "wall_ns": 500_000_000,
        "classes_from": "cpu_capacity",
        "capacities": [512, 1024],
        "cpus": ["0", "1"],
        "environment": {},
        "places": 2,
        "lost": 0,
        "sums": {**sums, "scheduling_ns": 0, "elsewhere_ns": 0},
        "regions": list(regions),
        "loops": [],
        **values,
    }


class Report(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = pathlib.Path(scratch.name)

    def write(self, name, content):
        path = self.directory / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def tool(self, *arguments, status=0, python=sys.executable):
        done = driver.run([python, "-B", TOOL, *arguments])
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout if status == 0 else done.stderr

    def test_efficiencies(self):
        text = self.tool(self.write("a", report(region())))
        # 0.6 s useful, 0.1 s by the one thread outside, where another 0.1 s idles, and 0.2 s lost.
        self.assertIn(
            "parallel efficiency 0.70 = load balance 0.80 x scheduling 1.00 x serialization 0.88",
            text,
        )
        self.assertIn("0.100 s were outside of parallel regions", text)
        self.assertIn("lost 0.100 s of 0.400 s: app+0x100", text)
        self.assertIn("efficiency 0.75 = load balance 0.75 x scheduling 1.00", text)
        self.assertIn("class 1 is 2.00 +- 0.00 times as fast as class 0", text)
        self.assertIn("static and compiled in: amp-run --tune tries", text)

    def test_the_worst_ten_come_first(self):
        regions = [
            region(site=f"app+{number:#x}", imbalance_ns=number, useful_ns=800_000_000 - number)
            for number in range(1, 15)
        ]
        text = self.tool(self.write("a", report(*regions)))
        self.assertEqual(
            re.findall(r"^lost .*: (app\S+)$", text, re.MULTILINE),
            [f"app+{number:#x}" for number in range(14, 4, -1)],
        )

    def test_advice(self):
        one_class = [ids_of(0, 20, 600e6, 800e6)]
        folded = {"ran": {"threads": 0, "folded": 10}}
        kernel = {**folded, "why_not": "folded by the kernel: nice", "why_not_key": "kernel"}
        unfolded = {"why_not": "not folded: in words", "why_not_key": "unfolded"}
        for values, words in (
            (busy(), "Nothing to gain"),
            ({"invocations": 100_000}, "put more work into a region"),
            ({"elsewhere_ns": 190_000_000}, "GOMP_TASK_SCHEDULE=fifo"),
            ({"scheduling_ns": 200_000_000, "imbalance_ns": 0}, "All cores wait alike"),
            (kernel, "which takes long where they wait: rebuild it with amp-gcc"),
            ({**kernel, "why_not_key": "no-contexts"}, "rebuild it with amp-gcc"),
            ({**folded, "ids": [6, 6]}, "amp-run --fold=6."),
            (folded, "amp-run --fold=2."),
            ({**folded, "folded_ns": 400e6, "even_ns": 390e6}, "amp-run --fold=2."),
            ({**folded, "folded_ns": 400e6, "even_ns": 370e6}, "amp-run --fold=0."),
            ({**folded, "ids": [16, 16]}, "All cores wait alike"),
            (unfolded, "It cannot be folded"),
            ({"ids": [5, 5]}, "It has 5 threads on 2 cores"),
            ({"classes": alike()}, "Its threads have unequal work"),
            ({}, "amp-run --tune tries"),
        ):
            text = self.tool(self.write("a", report(region(**values))))
            self.assertIn(words, text.splitlines()[-1])
        one = report(region(classes=one_class), capacities=[1024], cpus=["0-1"])
        text = self.tool(self.write("a", one))
        self.assertIn("set GOMP_AMP_TOPOLOGY", text)
        self.assertIn("folding and AID do not", text)
        one["loops"] = [loop("static", 1e5)]
        self.assertIn("OMP_SCHEDULE=dynamic", self.tool(self.write("a", one)))

    def test_advice_about_loops(self):
        for way, ns, words in (
            ("static", 1e5, "try OMP_SCHEDULE=aid_hybrid"),
            ("dynamic", 300, "Iterations take 300 ns, less than it costs"),
            ("dynamic", 1e5, "a smaller chunk"),
            ("aid_hybrid", 300, "try aid_dynamic, or aid_hybrid,1,50"),
        ):
            text = self.tool(self.write("a", report(region(), loops=[loop(way, ns)])))
            self.assertIn(words, text.splitlines()[-1])
            # Its threads had what the library gave them.
            self.assertNotIn("\n    class 1 is 2.00 +- 0.00 times as fast", text)

    def test_a_fast_core_that_waits_counts_for_more(self):
        # One fast core of four waits for two thirds of the time: of 6 units of work 2 are missing.
        classes = [ids_of(0, 30, 1200e6, 1200e6), ids_of(1, 10, 400e6 / 3)]
        times = {"capacity_ns": 1600e6, "useful_ns": 1333e6, "imbalance_ns": 267e6}
        one = report(region(classes=classes, **times), cpus=["0-2", "3"])
        text = self.explain(one)
        self.assertIn("would take 0.367 s instead of 0.500 s", text)

    def explain(self, *reports, command=("./app", "a b"), options=()):
        paths = [self.write(f"r{number}", each) for number, each in enumerate(reports)]
        return self.tool("--explain", *paths, *options, "--command", *command)

    def test_explanation(self):
        text = self.explain(report(region()), options=["--unfolded=it waits"])
        for line in (
            "amp-run does not fold ./app unasked: it waits.",
            "/bin/app: 0.500 s",
            "It may use CPU 0 (class 0), CPU 1 (class 1); classes by cpu_capacity.",
            "Class 1 is said to be 2.00 times as fast as class 0, and was 2.00 times as fast in"
            " this program.",
            # Two equal parts take 1 at the slow one; both cores do three units in that time.
            "All of them could do a parallel region 1.50 times as fast as with equal parts, and"
            " 1.50 times as fast as class 1 alone.",
            "Of 10 executions of regions: 10 not folded.",
            "In 1 region: 0.400 s. Outside, where one core works: 0.100 s.",
            # A third of what both cores can do is missing.
            "If no core had to wait in a region it would take 0.367 s instead of 0.500 s.",
            "0.133 s, most of it in app+0x100: Its loops are static and compiled in: amp-run"
            " --tune tries how to run it, or rebuild it with amp-gcc.",
            "    amp-run --tune ./app 'a b'",
        ):
            self.assertIn(f"    {line}\n" if line[0] != "/" else f"{line}\n", text)

    def test_nothing_to_try(self):
        equal = report(region(**busy()), capacities=[1024], cpus=["0-1"])
        equal["regions"][0]["classes"] = alike()[:1]
        self.assertIn("Nothing: its cores are equally fast", self.explain(equal))
        self.assertIn("equal parts are the right ones", self.explain(equal))
        self.assertIn("Nothing: its cores were busy", self.explain(report(region(**busy()))))
        rare = report(region(), wall_ns=10**12)
        self.assertIn("outside of parallel regions, where one core works", self.explain(rare))

    def test_classes_that_were_alike(self):
        text = self.explain(report(region(classes=alike())))
        self.assertIn("equally fast in this program, so that equal parts are right", text)
        self.assertIn("said to be 2.00 times as fast as class 0, and was 1.00 times as fast", text)
        self.assertNotIn("--fold", text)
        folded = {"ran": {"threads": 0, "folded": 10}}
        self.assertNotIn("--fold", self.explain(report(region(classes=alike(), **folded))))

    def test_fast_cores_alone(self):
        # Equal parts on three slow cores and a fast one that is six times as fast: 4 x 6 units of
        # time for a slow one against 6 x 4 on the fast one alone would be the same with 4.
        classes = [ids_of(0, 30, 1200e6, 1200e6), ids_of(1, 10, 400e6 / 6)]
        times = {"capacity_ns": 1600e6, "useful_ns": 1267e6, "imbalance_ns": 333e6, "ids": [4, 4]}
        times["why_not_key"] = "unfolded"
        one = report(region(classes=classes, **times), cpus=["0-2", "3"])
        alone = "OMP_NUM_THREADS=1 taskset -c 3 amp-run --fold=0 ./app"
        self.assertIn(alone, self.explain(one))
        classes[1] = ids_of(1, 10, 400e6 / 3)
        one = report(region(classes=classes, **times), cpus=["0-2", "3"])
        self.assertNotIn("taskset", self.explain(one))

    def test_folding_that_costs(self):
        folded = {"ran": {"threads": 0, "folded": 10}}
        text = self.explain(report(region(**folded, folded_ns=400e6, even_ns=300e6)))
        self.assertIn("    amp-run --fold=0 ./app", text)
        text = self.explain(report(region(**folded, folded_ns=400e6, even_ns=600e6)))
        self.assertNotIn("--fold=0", text)

    def test_threads_that_the_kernel_folds_say_nothing_about_speeds(self):
        folded = {"ran": {"threads": 0, "folded": 10}}
        text = self.explain(report(region(**folded)))
        self.assertIn("Of 10 executions of regions: 10 folded.\n", text)
        self.assertIn("was 2.00 times as fast in this program.\n", text)
        text = self.explain(report(region(**folded, why_not_key="kernel")))
        self.assertIn("Of 10 executions of regions: 10 folded by the kernel.\n", text)
        self.assertIn("Class 1 is said to be 2.00 times as fast as class 0.\n", text)
        self.assertIn("would take 0.400 s instead of 0.500 s", text)

    def test_fewer_threads_than_cores(self):
        text = self.explain(report(region(), cpus=["0-1", "2-5"]))
        self.assertIn("up to 2 threads, and it may use 6 CPUs", text)
        self.assertIn("OMP_NUM_THREADS=6 amp-run ./app", text)

    def test_programs_and_ranks(self):
        short = report(region(), program="/bin/short")
        short["sums"]["elapsed_ns"] = 1
        mpi = {"environment": {"OMPI_COMM_WORLD_LOCAL_SIZE": "2"}}
        text = self.explain(short, report(region(), **mpi), report(region(), **mpi))
        self.assertIn("/bin/app, 2 processes (means of them): 0.500 s", text)
        self.assertLess(text.index("/bin/app"), text.index("/bin/short"))
        self.assertIn("Its 2 ranks have 2 threads each and share 2 CPUs: give each its own.", text)
        own = [report(region(), cpus=cpus, **mpi) for cpus in (["0", "2"], ["1", "3"])]
        text = self.explain(*own)
        self.assertIn("CPUs 0-1 (class 0), CPUs 2-3 (class 1)", text)
        self.assertNotIn("give each its own", text)
        narrow = [report(region(), cpus=["", cpu], **mpi) for cpu in "01"]
        self.assertNotIn("give each its own", self.explain(*narrow))
        self.write("one.json", short)
        self.assertIn("/bin/short: ", self.tool("--explain", self.directory))

    def test_processes_are_merged(self):
        first, second = report(region()), report(region(elapsed_ns=200_000_000))
        second["sums"]["elapsed_ns"] = 200_000_000
        paths = [self.write("a", first), self.write("b", second)]
        text = self.tool(*paths)
        self.assertIn("of 2 processes, of which 0.300 s in 20 executions of 1 regions", text)
        self.assertIn("20 executions, 20 not folded", text)

    def test_difference(self):
        later = report(region(elapsed_ns=300_000_000), region(site="app+0x200"))
        text = self.tool(
            "--diff", self.write("a", report(region())), self.write("b", later)
        ).splitlines()
        self.assertEqual(text[1].split(), ["0.500", "s", "0.500", "s", "1.000", "wall"])
        rows = {line.split()[-1]: line.split()[:-1] for line in text[2:4]}
        self.assertEqual(rows["app+0x100"], ["0.400", "s", "0.300", "s", "0.750"])
        self.assertEqual(rows["app+0x200"], ["0.000", "s", "0.400", "s", "new"])

    def test_page(self):
        # The second region has a thread that waits, beside another one of the same core.
        odd, waits = region(site="app+<0x100>"), region(site="app+0x200", useful_ns=700_000_000)
        waits["longest"]["ids"][1] |= {"place": 0, "useful": 15_000_000}
        page = self.directory / "page.html"
        self.tool(self.write("a", report(odd, waits)), "--html", page)
        text = page.read_text()
        self.assertEqual(text.count("<svg"), 4)
        self.assertIn("app+&lt;0x100&gt;", text)
        self.assertNotIn("<0x100>", text)
        self.assertEqual(re.findall(r"(?:src|href)=\"(?!#)[^\"]*", text), [])
        first, second = text.split("<h3>")[1:]
        self.assertEqual((first.count('opacity="0.3"'), second.count('opacity="0.3"')), (0, 1))
        cores = [set(re.findall(r">core (\d)<", part)) for part in (first, second)]
        self.assertEqual(cores, [{"0", "1"}, {"0"}])
        # Without anything to draw there is no picture, and no legend.
        self.tool(self.write("a", report()), "--html", page)
        self.assertNotRegex(page.read_text(), "<svg|class=.legend|<h2")

    def test_version(self):
        root = pathlib.Path(TOOL).parents[2]
        version = re.search(
            r"^project\(\S+ VERSION (\S+)", (root / "CMakeLists.txt").read_text(), re.M
        )
        for name in ("amp-report", "amp-trace"):
            tool = pathlib.Path(TOOL).with_name(name)
            done = driver.run([sys.executable, "-B", tool, "--version"])
            self.assertEqual(done.stdout, f"{name} {version[1]}\n", done.stderr)

    def test_names_of_a_program(self):
        path = self.directory / "report"
        done = driver.run(
            [PROGRAM, 1, 60],
            {"GOMP_AMP_REPORT": path, "OMP_NUM_THREADS": 2, "GOMP_AMP_THREAD_CLASSES": "0,1"},
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        if shutil.which("addr2line") is None:
            self.skipTest("there is no addr2line")
        text = self.tool(path)
        self.assertRegex(text, r"lost .*: .*\(anonymous namespace\)::\w+\(.*\), shapes\.cc:\d+")
        self.assertRegex(text, r"    loop shapes\.cc:\d+: \d+ times, of ")
        # All loops are in regions but those that are in none, and those of teams of one.
        rest = text.split("loops whose region is not known:")[-1]
        self.assertNotRegex(rest, r"runtime_up|guided\(")

    def test_keys_are_those_of_the_library(self):
        table = pathlib.Path(TOOL).parents[2] / "libgomp/amp/fold/fold-why.def"
        rows = re.findall(r'^GOMP_FOLD_WHY \(\w+, (\w+), "([\w-]+)"', table.read_text(), re.M)
        by_kernel = tuple(key for how, key in rows if how == "IS_APART")
        self.assertEqual(reports.BY_KERNEL, by_kernel)
        self.assertIn(("NOT_FOLDED", advice.UNFOLDED), rows)

    def test_loops_by_thread(self):
        text = self.tool(self.write("a", report(region(), loops=[loop("aid_hybrid", 1e5)])))
        self.assertIn("loop app+0x100: 10 times, of 200 iterations of 100000 ns; 10 as aid", text)
        self.assertIn("50 % of the iterations on class 0, 50 % of the iterations on cla", text)
        self.assertIn("class 1 is 2.00 +- 0.00 times as fast as class 0", text)
        # The slower thread has as many as with an even cut.
        self.assertIn("+0.000 s gained over an even cut", text)

    def test_loops_whose_iterations_no_thread_counts(self):
        none = dict.fromkeys(("iterations", "counted_ns", "timed", "value", "square"), 0)
        uncounted, counted = loop("dynamic", 300), loop("aid_hybrid", 1e5)
        for thread in uncounted["by_thread"]:
            thread["classes"][0] |= none
        path = self.write("a", report(region(), loops=[uncounted]))
        text = self.tool(path)
        self.assertIn("loop app+0x100: 10 times, of 200 iterations of 300 ns;", text)
        self.assertNotIn("% of the iterations", text)
        self.assertIn("Iterations take 300 ns, less than it costs", text)
        # In the other process it was an AID loop.
        both = self.write("b", report(region(), loops=[counted])), path
        self.assertIn("gained over an even cut", self.tool(both[0]))
        for paths in (both, both[::-1]):
            text = self.tool(*paths)
            self.assertIn("loop app+0x100: 20 times, of 200 iterations", text)
            self.assertNotIn("gained over an even cut", text)

    def test_another_library(self):
        one = report(region(), loops=[loop("loop", 1e5)], runtime="LLVM OMP version: 5.0")
        for key in ("classes_from", "capacities", "cpus"):
            del one[key]
        text = self.tool(self.write("a", one))
        self.assertIn("it ran on LLVM OMP version: 5.0, which knows no classes of cores", text)
        self.assertIn("Whether folding or AID do can be seen on libgomp-amp alone", text)
        self.assertNotIn("GOMP_AMP_TOPOLOGY", text)
        self.assertIn("can be seen on libgomp-amp alone", self.explain(one))

    def test_loops_of_regions_that_are_known_by_their_calls(self):
        def site(function, place, module="m"):
            return {"module": module, "function": function, "place": place, "site": "m+1"}

        regions = [
            site("f", "a.c:10"),
            site("f", "a.c:16"),
            site("g", "a.c:30"),
            site("h", "b.c:12"),
            site("f", "a.c:15", "other"),
            site("f", None),
        ]
        loops = [
            (site(".omp_outlined._debug__", "a.c:10"), 0),
            (site(".omp_outlined.", "a.c:15"), 0),
            (site(".omp_outlined._debug__.1", "a.c:18"), 1),
            # Clang 17 says of which function it was made, GCC always did.
            (site("f.omp_outlined", "a.c:40"), 1),
            (site("f._omp_fn.1", "a.c:12"), 0),
            (site(".omp_outlined.", "b.c:11"), None),
            (site("called", "a.c:18"), None),
            (site("f._omp_fn.0", None), None),
        ]
        one = {"region_address": "call", "regions": regions, "loops": [each for each, _ in loops]}
        for number, region in enumerate(regions):
            wanted = [loop for loop, expected in loops if expected == number]
            self.assertEqual(sums.loops_of(one, region), wanted)

    def test_the_error_of_a_factor(self):
        """Of two threads of 1 and 3 ms the mean's error is half, by the square root of two."""
        classes = [ids_of(0, 2, 4e6) | {"square": 1e12 + 9e12}, ids_of(1, 2, 2e6)]
        text = self.tool(self.write("a", report(region(classes=classes))))
        self.assertIn("class 1 is 2.00 +- 0.71 times as fast as class 0", text)

    def test_no_report(self):
        wrong = copy.deepcopy(report(region()))
        wrong["version"] = 2
        for content, words in (
            ("{", "expected a report, as GOMP_AMP_REPORT=FILE writes it"),
            ("[]", "expected a report, as GOMP_AMP_REPORT=FILE writes it"),
            (wrong, "version 2: expected 3"),
        ):
            self.assertIn(words, self.tool(self.write("a", content), status=1))
        said = self.tool(self.directory / "none", status=1)
        self.assertIn("none: No such file or directory; expected a file", said)
        said = self.tool("--diff", self.write("a", report(region())), status=2)
        self.assertIn("--diff: 1 files: expected two; nothing is compared", said)


if __name__ == "__main__":
    unittest.main()
