# SPDX-License-Identifier: GPL-3.0-or-later
"""What routing changes in the code of loops: which are vectorised, and how many instructions they
take, of the programs that the matrix routing-tiny measures."""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from .markdown import aligned
from .machines import own_cpus
from .runs import Run, RunError, execute, program
from .runtimes import OURS, find

INLINE, ROUTED = "routecost-inline", "routecost"
# The loops of bench/programs/micro/routecost-loops.inc that tell something.
LOOPS = tuple("saxpy sum fill_int fill_unsigned fill_size gather plane constant".split())
LEVELS = {"-O2": "-O2", "-O3": ""}
BUILDS = {"inline": INLINE, "routed": ROUTED}
# Of each loop, the instructions between two long runs are those of its iterations alone.
LONG, LONGER = 100_000, 1_000_000
MANY_SAMPLES = 50

_FUNCTION = re.compile(r"^;; Function (\S+) \(", re.MULTILINE)
_LOOP = re.compile(
    r"(?P<loop>.+?)(_(?P<count>\d+))?_(?P<form>for|nowait|parallel)(\._omp_fn\.\d+)?"
)
_VECTORISED = re.compile(r"optimized: loop vectorized using (\d+) byte vectors")

# A loop, its form, and its number of iterations if that is a constant.
Key = tuple[str, str, int | None]


def program_name(build: str, level: str) -> str:
    """The program compiled like this at this level of optimisation."""
    base = LEVELS[level]
    return ROUTED + base + BUILDS[build].removeprefix(ROUTED)


def key_of(function: str) -> Key | None:
    """The loop that is in a function of that name, or in one outlined from it."""
    match = _LOOP.fullmatch(function)
    if match is None:
        return None
    return match["loop"], match["form"], int(match["count"]) if match["count"] else None


def vectorised(dump: str) -> dict[Key, int]:
    """The bytes of a vector by loop in a dump of GCC's vectoriser; 0: not vectorised."""
    found: dict[Key, int] = {}
    starts = [*_FUNCTION.finditer(dump)]
    ends = [*(start.start() for start in starts[1:]), len(dump)]
    for start, end in zip(starts, ends):
        key = key_of(start[1])
        if key is None:
            continue
        # The first vector is that of the loop itself; smaller ones are those of what it leaves.
        vector = _VECTORISED.search(dump, start.end(), end)
        found[key] = max(found.get(key, 0), int(vector[1]) if vector else 0)
    return found


def dump_of(build: Path, name: str) -> str:
    """The dump that was written when the program of that name was compiled."""
    dumps = sorted(
        (build / "bench" / "objects").glob(f"{name}-routecost-loops.c.*.vect"),
        key=lambda path: path.stat().st_mtime,
    )
    if not dumps:
        raise RunError(f"{name}: no dump of its vectorisation: build it with the target bench")
    return dumps[-1].read_text()


def routed_functions(build: Path, name: str) -> dict[Key, bool]:
    """Whether the run-time library schedules a loop, by the calls of the program's functions."""
    text = subprocess.run(
        ["objdump", "-d", "--no-show-raw-insn", str(program(build, name))],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    found: dict[Key, bool] = {}
    for part in re.split(r"^[0-9a-f]+ <", text, flags=re.MULTILINE)[1:]:
        symbol, _, body = part.partition(">:")
        key = key_of(symbol)
        if key is None:
            continue
        found[key] = found.get(key, False) or bool(re.search(r"<GOMP_\w*loop\w*_runtime", body))
    return found


def check_routes(build: Path) -> None:
    """RunError unless each loop is inline or routed as its program's name says."""
    for level in LEVELS:
        for word, base in BUILDS.items():
            name = program_name(word, level)
            functions = routed_functions(build, name)
            if not functions:
                raise RunError(f"{name}: has no functions of loops that could be told")
            for key, routed in functions.items():
                if routed != (base == ROUTED):
                    raise RunError(f"{name}: its loop {title(key)} is not {word}")


def spaced(number: int) -> str:
    return f"{number:,}".replace(",", " ")


def title(key: Key) -> str:
    loop, form, count = key
    return f"{loop}{'' if count is None else f' of {spaced(count)}'}, {form}"


def _listed(keys: Iterable[Key], at: int) -> str:
    values = dict.fromkeys(key[at] for key in keys)
    return ", ".join(spaced(value) if isinstance(value, int) else str(value) for value in values)


def vectorisation(build: Path) -> str:
    """The table of which loops are vectorised, those alike in one row."""
    columns = [f"{level} {word}" for level in LEVELS for word in BUILDS]
    found = [
        vectorised(dump_of(build, program_name(word, level))) for level in LEVELS for word in BUILDS
    ]
    alike: dict[tuple, list[Key]] = {}
    for key in sorted(found[0].keys() & found[1].keys(), key=str):
        alike.setdefault((key[0], *(one.get(key, 0) for one in found)), []).append(key)
    rows = []
    for (loop, *widths), keys in alike.items():
        if keys[0][2] is not None:
            counts = _listed(sorted(keys, key=lambda key: key[2]), 2)
            loop = f"{loop} of {counts}"
        changed = {widths[i] == widths[i + 1] for i in range(0, len(widths), 2)} != {True}
        words = [f"{width} bytes" if width else "no" for width in widths]
        rows.append([loop, _listed(keys, 1), *words, "differs" if changed else ""])
    lines = aligned([["loop", "forms", *columns, ""], *rows], len(columns) + 3)
    heading = "## routing-code: vectorised, by GCC's own account, with vectors of so many bytes"
    return "\n".join([heading, "", *lines, ""])


class Counter:
    """Counts the instructions of loops, under valgrind, by one thread of a team that is running."""

    def __init__(self, build: Path, scratch: Path):
        self.build = build
        self.output = scratch / "callgrind.out"
        self.runtime = find(build, scratch)[OURS]

    def total(self, name: str, loop: str, iterations: int, samples: int = 1) -> tuple[int, int]:
        """Instructions of all runs of a loop, with what the library does for it; and the runs."""
        field = f"{loop}_for_{iterations}"
        function = f"{loop}_{iterations}_for" if loop == "constant" else f"{loop}_for"
        options = f"--loop={loop} --form=for --iterations={iterations} --samples={samples} --work=0"
        command = ("valgrind", "--tool=callgrind", f"--callgrind-out-file={self.output}")
        command += (
            f"--toggle-collect={function}",
            str(program(self.build, name)),
            *options.split(),
        )
        run = Run(command, self.runtime, own_cpus()[:1], "static")
        calls = int(execute(run).fields[f"calls_{field}"])
        total = re.search(r"^totals: (\d+)", self.output.read_text(), re.MULTILINE)
        return int(total[1]), calls

    def of_loop(self, name: str, loop: str) -> float:
        """Instructions of a loop of one iteration, without what only its first run does."""
        few, few_calls = self.total(name, loop, 1)
        many, many_calls = self.total(name, loop, 1, MANY_SAMPLES)
        return (many - few) / (many_calls - few_calls)

    def of_iteration(self, name: str, loop: str) -> float:
        """Instructions of an iteration of a long loop."""
        long, calls = self.total(name, loop, LONG)
        longer, _ = self.total(name, loop, LONGER)
        return (longer - long) / calls / (LONGER - LONG)

    def row(self, loop: str) -> list[str]:
        """Instructions a loop and an iteration, at each level, inline and routed."""
        row = [loop]
        for level in LEVELS:
            starts, iterations = [], []
            for word in BUILDS:
                name = program_name(word, level)
                starts.append(self.of_loop(name, loop))
                iterations.append(self.of_iteration(name, loop))
            row += [f"{value:.0f}" for value in starts]
            row += [f"{value:.2f}" for value in iterations]
        return row


def report(build: Path, loops: list[str], note: Callable[[str], None]) -> str:
    """What routing changes in the code of all loops, and what instructions these or all take."""
    for loop in loops:
        if loop not in LOOPS:
            raise RunError(f"no loop is called {loop}: there are {', '.join(LOOPS)}")
    check_routes(build)
    return "\n".join((vectorisation(build), counted(build, loops or LOOPS, note)))


def counted(build: Path, loops: Iterable[str], note: Callable[[str], None]) -> str:
    """The table of instructions."""
    if shutil.which("valgrind") is None:
        return "Instructions were not counted: valgrind is not installed here.\n"
    columns = ["loop"]
    for level in LEVELS:
        for what in ("one iteration", "a further one"):
            columns += [f"{level} {what}: {word}" for word in BUILDS]
    rows = []
    with tempfile.TemporaryDirectory(prefix="amp-figures-") as scratch:
        counter = Counter(build, Path(scratch))
        for loop in loops:
            note(f"instructions of {loop}")
            rows.append(counter.row(loop))
    heading = (
        "## routing-code: instructions of a loop of one iteration, with its barrier, and of every "
        "further iteration"
    )
    facts = "One thread of a running team, OMP_SCHEDULE=static, our library; by callgrind."
    lines = aligned([columns, *rows], len(columns))
    return "\n".join([heading, "", facts, "", *lines, ""])
