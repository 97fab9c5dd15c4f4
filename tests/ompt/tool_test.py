# SPDX-License-Identifier: GPL-3.0-or-later
"""Tools (OMPT): how one is found and started, and that it sees as many events as there are."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "common"))
import environment

CONSTRUCTS, CHECKER, BOLD = sys.argv[1:4]
LIBRARY = os.environ.get("LD_LIBRARY_PATH")
THREADS = 4
TIMES = 3

# How teams run: each thread for itself, folded.
WAYS = {
    "plain": {},
    "folded": {"GOMP_AMP_FOLD": "2", "GOMP_AMP_TOPOLOGY": "off"},
    "fifo": {"GOMP_TASK_SCHEDULE": "fifo", "GOMP_TASK_QUEUE_NS": "0"},
}


def run(kind, threads=THREADS, tool=CHECKER, **variables):
    variables = {
        "LD_LIBRARY_PATH": LIBRARY,
        "OMP_TOOL_LIBRARIES": tool,
        "OMP_CANCELLATION": "true",
        "OMP_WAIT_POLICY": "passive",
    } | variables
    return subprocess.run(
        [CONSTRUCTS, kind, str(threads)],
        env=environment.clean(**variables),
        capture_output=True,
        text=True,
        timeout=900,
    )


class Start(unittest.TestCase):
    """What the variables of OpenMP do."""

    def test_the_library_that_is_named(self):
        result = run("regions", OMP_TOOL_VERBOSE_INIT="stderr")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("does not define ompt_start_tool", result.stderr)
        self.assertIn(f"ompt_start_tool of {CHECKER} has a tool", result.stderr)
        self.assertIn("it has been initialized", result.stderr)

    def test_a_tool_in_the_process(self):
        with tempfile.TemporaryDirectory() as directory:
            log = pathlib.Path(directory) / "log"
            result = run("regions", tool=None, LD_PRELOAD=CHECKER, OMP_TOOL_VERBOSE_INIT=str(log))
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertIn("ompt_start_tool of the process has a tool", log.read_text())

    def test_libraries_that_have_none(self):
        result = run(
            "regions", tool=f"/no/such/tool.so::libm.so.6:{CHECKER}", OMP_TOOL_VERBOSE_INIT="stdout"
        )
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stderr, "OMP_TOOL_LIBRARIES: '/no/such/tool.so': .*; ignoring it")
        self.assertRegex(
            result.stderr,
            "'libm.so.6': expected a library that defines ompt_start_tool; ignoring it",
        )
        self.assertIn(f"ompt_start_tool of {CHECKER} has a tool", result.stdout)

    def test_a_pipe_is_not_waited_for(self):
        with tempfile.TemporaryDirectory() as directory:
            pipe = pathlib.Path(directory) / "pipe"
            os.mkfifo(pipe)
            result = run("regions", tool=str(pipe))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(f"OMP_TOOL_LIBRARIES: '{pipe}': expected a library, not", result.stderr)

    def test_disabled(self):
        result = run("control", OMP_TOOL="disabled", OMP_TOOL_VERBOSE_INIT="stderr")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(result.stdout.split(), ["-2", "-2", "-2"])

    def test_our_own(self):
        """Another tool comes first, and the variable for tools counts for ours."""
        with tempfile.TemporaryDirectory() as directory:
            report = pathlib.Path(directory) / "report"
            for values, words in (
                ({}, "A tool watches the program, and so GOMP_AMP_REPORT and"),
                ({"tool": None, "OMP_TOOL": "disabled"}, "OMP_TOOL is disabled, and so are"),
            ):
                result = run("regions", GOMP_AMP_REPORT=str(report), **values)
                self.assertEqual(result.returncode, 0)
                self.assertIn(words, result.stderr)
                self.assertFalse(report.exists())
            result = run("regions", tool="/no/such/tool.so", GOMP_AMP_REPORT=str(report))
            self.assertEqual(result.returncode, 0)
            self.assertTrue(report.exists())
            report.unlink()
            own = pathlib.Path(LIBRARY.split(":")[0]) / "libamp-watch.so"
            result = run("regions", tool=str(own), GOMP_AMP_REPORT=str(report))
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertTrue(report.exists())

    def test_our_own_is_not_beside_the_library(self):
        with tempfile.TemporaryDirectory() as directory:
            for library in pathlib.Path(LIBRARY).glob("libgomp.so.1"):
                shutil.copy(library, directory)
            result = run("regions", tool=None, LD_LIBRARY_PATH=directory, GOMP_AMP_TRACE="trace")
            self.assertEqual(result.returncode, 0)
            self.assertIn(f"{directory}/libamp-watch.so: cannot open", result.stderr)

    def test_a_wrong_value(self):
        result = run("regions", OMP_TOOL="maybe", OMP_TOOL_VERBOSE_INIT="stdout")
        self.assertEqual(result.returncode, 0)
        self.assertIn(
            "OMP_TOOL: 'maybe': expected enabled or disabled; using enabled", result.stderr
        )
        self.assertIn("it has been initialized", result.stdout)

    def test_a_tool_that_does_not_want_to_run(self):
        for variable, text in (
            ("OMPT_NO_TOOL", "has no tool for this runtime"),
            ("OMPT_REFUSE", "it does not want to run"),
        ):
            result = run("control", OMP_TOOL_VERBOSE_INIT="stderr", **{variable: "1"})
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn(text, result.stderr)
            self.assertEqual(result.stdout.split(), ["-2", "-2", "-2"])

    def test_display(self):
        result = run("regions", OMP_DISPLAY_ENV="verbose")
        self.assertIn(f"[host] OMP_TOOL_LIBRARIES = '{CHECKER}'", result.stderr)
        self.assertIn("[host] OMP_TOOL = 'ENABLED'", result.stderr)
        self.assertIn("[host] OMP_TOOL_VERBOSE_INIT = 'DISABLED'", result.stderr)
        result = run("regions", tool=None, OMP_TOOL="disabled", OMP_DISPLAY_ENV="verbose")
        self.assertIn("[host] OMP_TOOL = 'DISABLED'", result.stderr)

    def test_control(self):
        result = run("control")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        # The second call ends the tool.
        self.assertEqual(result.stdout.split(), ["12", "40", "-2"])


class Bold(unittest.TestCase):
    """A tool that uses OpenMP itself, or ends itself."""

    def run_it(self, kind, does=""):
        result = run(kind, tool=BOLD, OMPT_DOES=does)
        self.assertEqual((result.returncode, result.stderr), (0, "ended\n"))
        return result.stdout

    def test_no_event_after_the_end(self):
        self.run_it("quits")

    def test_that_its_end_takes_time_where_all_threads_exit(self):
        for _ in range(20):
            self.run_it("together", does="slow end")

    def test_that_it_is_slow_where_a_task_is_detached(self):
        self.run_it("detached", does="detach")

    def test_regions_while_it_starts(self):
        # Each of four threads counts, makes a task and has a region of one thread.
        self.assertEqual(self.run_it("regions", does="start"), "12\n")

    def test_that_it_ends_itself_at_the_end_of_the_initial_task(self):
        self.run_it("regions", does="end")


class Events(unittest.TestCase):
    """As many as there are constructs."""

    def counts(self, kind, way, threads=THREADS, **variables):
        with tempfile.TemporaryDirectory() as directory:
            file = pathlib.Path(directory) / "counts"
            result = run(kind, threads, OMPT_COUNTS=str(file), **WAYS[way], **variables)
            self.assertEqual((result.returncode, result.stderr), (0, ""), f"{kind} {way}")
            rows = [line.split() for line in file.read_text().splitlines()]
        return {row[0]: [int(field) for field in row[1:]] for row in rows}

    def each(self, kind, **expected):
        """EXPECTED: by event, the numbers of its parts, of which the last may be left out."""
        for way in WAYS:
            for threads in (1, THREADS):
                with self.subTest(way=way, threads=threads):
                    found = self.counts(kind, way, threads)
                    for event, number in expected.items():
                        numbers = number(threads)
                        self.assertEqual(found[event][: len(numbers)], numbers, event)

    def test_regions(self):
        self.each(
            "regions",
            parallel_begin=lambda n: [TIMES],
            parallel_end=lambda n: [TIMES],
            # And the initial one.
            implicit_task=lambda n: [0, TIMES * n + 1, TIMES * n + 1],
            sync_region=lambda n: [0, TIMES * n, TIMES * n],
            sync_region_wait=lambda n: [0, TIMES * n, TIMES * n],
        )

    def test_return_addresses(self):
        for kind in ("regions", "loops", "singles", "mutexes", "undeferred"):
            for way in WAYS:
                self.counts(kind, way, OMPT_ADDRESSES="1")

    def test_threads(self):
        for way in ("plain", "fifo"):
            found = self.counts("regions", way)
            self.assertEqual(found["thread_begin"][:2], [1, THREADS - 1])
            self.assertEqual(found["thread_end"][0], THREADS)
            found = self.counts("others", way)
            self.assertEqual(found["thread_begin"][:2], [TIMES, TIMES * (THREADS - 1)])
            self.assertEqual(found["thread_end"][0], TIMES * THREADS)

    def test_barriers(self):
        self.each(
            "barriers",
            sync_region=lambda n: [0, 3 * TIMES * n, 3 * TIMES * n],
            sync_region_wait=lambda n: [0, 3 * TIMES * n, 3 * TIMES * n],
        )

    def test_loops(self):
        self.each(
            "loops",
            work=lambda n: [0, (3 * TIMES + 2) * n, (3 * TIMES + 2) * n],
            # Two loops with a barrier, and the ends of three regions.
            sync_region=lambda n: [0, (2 * TIMES + 3) * n, (2 * TIMES + 3) * n],
            mutex_acquired=lambda n: [10 * TIMES],
            mutex_released=lambda n: [10 * TIMES],
        )

    def test_sections(self):
        self.each(
            "sections",
            work=lambda n: [0, (TIMES + 1) * n, (TIMES + 1) * n],
            dispatch=lambda n: [3 * TIMES + 2],
        )

    def test_singles(self):
        self.each(
            "singles",
            work=lambda n: [0, 3 * TIMES * n, 3 * TIMES * n],
            # One with copyprivate has a barrier in it and one at its end.
            sync_region=lambda n: [0, (3 * TIMES + 1) * n, (3 * TIMES + 1) * n],
        )

    def test_what_later_compilers_call(self):
        self.each(
            "later",
            work=lambda n: [0, 2 * TIMES * n, 2 * TIMES * n],
            dispatch=lambda n: [2 * TIMES * n],
            masked=lambda n: [0, TIMES, TIMES],
        )

    def test_mutexes(self):
        self.each(
            "mutexes",
            # Two critical constructs, three locks; the wide atomic one.
            mutex_acquired=lambda n: [6 * TIMES * n],
            mutex_released=lambda n: [6 * TIMES * n],
            nest_lock=lambda n: [0, TIMES * n, TIMES * n],
            lock_init=lambda n: [2],
            lock_destroy=lambda n: [2],
        )

    def test_tasks(self):
        tasks = 10 + 10 + 10 + 1 + 1 + 8 + 4
        self.each(
            "tasks",
            # A taskwait with dependences has a task of its own.
            task_create=lambda n: [tasks + 1],
            task_schedule=lambda n: [tasks, tasks, 0, 1],
            dependences=lambda n: [11],
            # The single construct of each thread, and two taskloops.
            work=lambda n: [0, n + 2, n + 2],
            # The region's end, that of single, 12 taskwaits, 2 taskgroups.
            sync_region=lambda n: [0, 2 * n + 14, 2 * n + 14],
            sync_region_wait=lambda n: [0, 2 * n + 14, 2 * n + 14],
        )

    def test_undeferred(self):
        self.each(
            "undeferred",
            task_create=lambda n: [8],
            task_schedule=lambda n: [8, 8, 0, 0],
            work=lambda n: [0, n + 1, n + 1],
        )

    def test_nested(self):
        self.each(
            "nested",
            parallel_begin=lambda n: [n + 1],
            parallel_end=lambda n: [n + 1],
            implicit_task=lambda n: [0, 3 * n + 1, 3 * n + 1],
            task_create=lambda n: [n],
        )

    def test_a_region_inside_a_loop(self):
        self.each(
            "inside",
            parallel_begin=lambda n: [10 * TIMES + 1],
            work=lambda n: [0, n, n],
        )

    def test_taskgroups_outside_of_regions(self):
        self.each("orphans", sync_region=lambda n: [0, 4, 4])

    def test_cancelled(self):
        for way in WAYS:
            found = self.counts("cancelled", way)
            created = found["task_create"][0]
            switched, completed, cancelled, _ = found["task_schedule"]
            self.assertEqual(switched, created, way)
            self.assertEqual(completed + cancelled, created, way)
            self.assertGreater(found["cancel"][0], 2, way)

    def test_detached(self):
        for way in WAYS:
            for threads in (1, THREADS):
                found = self.counts("detached", way, threads)
                self.assertEqual(found["task_create"][0], 9, way)
                switched, completed, cancelled, other = found["task_schedule"]
                self.assertEqual((switched, cancelled), (9, 0), way)
                # Four are fulfilled early, and four by another thread, which is late.
                self.assertEqual((completed, other), (5, 12), way)

    def test_the_end_within_a_region(self):
        for way in WAYS:
            self.counts("ends", way, OMPT_UNFINISHED="1")

    def test_a_fork(self):
        for way in ("plain", "fifo"):
            self.counts("forks", way)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
