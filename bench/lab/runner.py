# SPDX-License-Identifier: GPL-3.0-or-later
"""Running one case of a matrix once on a machine that is ready for it."""

import json
import shutil
import threading
import time
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from pathlib import Path

from . import runs
from .disturbance import NOTHING, Finding, undisturbed
from .runs import Run, RunError
from .runtimes import OUR_LIBRARIES, OURS, STOCK, VIRTUAL, Runtime, version

from . import factors, ranks, record
from .foreign import Shelf, fold_counts
from .instruments import Instruments
from .machines import Machine
from .matrix import SECONDS, Matrix, Program
from .specs import UNBOUND, ScheduleSpec

_NS = 1e-9
# Where programs are that count their work.
COUNTED = "counted"
BENCH = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Case:
    """A program under one value of a schedule and one runtime; of a machine that it does not
    name. version: the arguments that select its version with loops, or with tasks."""

    program: Program
    schedule: ScheduleSpec
    value: str
    runtime: str
    version: tuple[str, ...] = ()

    @property
    def executable(self) -> str:
        return self.schedule.executable(self.program.name)

    @property
    def foreign(self) -> bool:
        return self.program.foreign

    @property
    def of_class(self) -> bool:
        """Whether it makes sense only where there are several classes of cores."""
        return self.schedule.fast_only or bool(self.schedule.each or self.schedule.alone)

    @property
    def text(self) -> str:
        return f"{self.executable} {self.value} {self.runtime}"


def bound(makespan: float, work_bound: float, seconds: float, serial_slowness: float) -> float:
    """The least time for a program's timed part, from the makespan and the capacity bound of its
    parallel regions: those spread over all cores, and what is serial on a fast one. What lies in
    parallel regions outside of the timed part is taken to be balanced as the rest is."""
    parallel = min(makespan, seconds)
    balanced = parallel * work_bound / makespan if makespan > 0 else 0.0
    return (seconds - parallel) / serial_slowness + balanced


class Runner:
    """Runs cases on one machine, and makes the rows of the record."""

    def __init__(
        self,
        build: Path,
        runtimes: dict[str, Runtime],
        machine: Machine,
        instruments: Instruments,
        scratch: Path,
        matrix: Matrix,
    ):
        self._build = build
        self._runtimes = runtimes
        self._machine = machine
        self._instruments = instruments
        self._scratch = scratch
        self._host = record.host() | {"matrix": matrix.name}
        self._measure = matrix.measure
        self._first = matrix.schedules[0]
        self._first_runtime = (
            VIRTUAL if machine.spec.virtual else (self._first.runtimes or (STOCK,))[0]
        )
        self._ids: int | None = None
        self._hashes: dict[Path, str] = {}
        self._saved: dict[Program, Path] = {}
        self._shelf = Shelf(build)
        # The CPU of each of this process's threads, in virtual time.
        self._of_thread = threading.local()
        self._sampling = threading.Lock()

    def _hash(self, path: Path) -> str:
        if path not in self._hashes:
            self._hashes[path] = record.short_hash(path)
        return self._hashes[path]

    def _binding(self, schedule: ScheduleSpec) -> str:
        return self._machine.spec.binding or schedule.binding

    def _threads(self, schedule: ScheduleSpec) -> int:
        """OMP_NUM_THREADS; a folded team has more threads."""
        if schedule.alone is not None:
            return 1
        if schedule.each:
            return len(self._machine.ordered(self._binding(schedule), schedule))
        return self._machine.fast_threads if schedule.fast_only else self._machine.threads

    def _settings(self, case: Case) -> str:
        """All that is special about a case, as part of its key."""
        spec = self._machine.spec
        words = [
            f"{name}={value}" for name, value in (*spec.environment, *case.schedule.environment)
        ]
        words.append(f"threads={self._threads(case.schedule)}")
        if case.schedule.fold:
            words.append(f"fold={case.schedule.fold}")
        if spec.virtual:
            words.append(f"removal_ns={spec.removal_ns}")
        if spec.spread:
            words.append("spread={:g}-{:g}".format(*spec.spread))
        if factor := self._factor(case):
            words.append(f"factor={factor:g}")
        if spec.bandwidth:
            words.append(f"bandwidth={spec.bandwidth} demand={spec.demand:g}")
        if case.schedule.offline_sf:
            words.append("offline_sf")
        if spec.ranks:
            split, part = case.schedule.split, case.schedule.by_capacity
            words.append(f"ranks={spec.ranks} split={split or 'amp-run'} by_capacity={part:d}")
        words += (*spec.arguments, *case.version)
        return " ".join(words)

    def identity(self, case: Case, round_number: int) -> record.Row:
        """The columns that are known before the run: the key, and what it is run with."""
        spec, runtime = self._machine.spec, self._runtimes[case.runtime]
        program = (
            Path(shutil.which(case.program.command[0]) or "") if case.program.command else Path()
        )
        if not case.foreign:
            program = self._file(case)
        binding = self._binding(case.schedule)
        cpus = self._machine.ordered(binding, case.schedule)
        pinning = ",".join(f"{{{cpu}}}" for cpu in cpus)
        if binding == UNBOUND:
            pinning = f"{{{','.join(map(str, cpus))}}}"
        if spec.virtual:
            pinning = "in turn on one CPU"
        return self._host | {
            "machine": spec.name,
            "emulation": spec.text,
            "program": case.program.name,
            "arguments": " ".join(case.program.arguments),
            "program_sha256": self._hash(program) if program.is_file() else "",
            "label": case.schedule.label,
            "schedule": case.value,
            "runtime": case.runtime,
            "library": version(runtime.name, runtime.library),
            "library_sha256": self._hash(runtime.library),
            "settings": self._settings(case),
            "round": str(round_number),
            "threads": str(self._threads(case.schedule)),
            "binding": binding,
            "pinning": pinning,
            "classes": self._machine.classes,
            "reached": self._machine.reached,
        }

    def run(self, case: Case, round_number: int, repeat: int = 0) -> dict[str, object]:
        """Run it, and if it was disturbed up to repeat times more; the row of the least disturbed
        run, of status failed and without a number if anything about it is wrong."""
        row, _ = undisturbed(
            lambda: self._run_once(case, round_number), lambda found: found[1], repeat
        )
        return row

    def run_counted(self, case: Case, cpu: int) -> dict[str, object]:
        """The row of a case whose work is counted, run on that CPU. Other threads may run others
        meanwhile."""
        self._of_thread.cpu = cpu
        row, _ = self._run_once(case, 1, counted=True)
        return row | {"counters": record.COUNTED_WORK}

    def _execute(self, case: Case, row: dict[str, object], counted: bool) -> runs.Result:
        """Run the case once. What is counted is not watched: nothing disturbs it."""
        if counted:
            with self._sampling:
                run = self._described(case)
            return runs.execute(run, watched=False)
        if case.program.package:
            self._prepare(case)
        reading = self._instruments.reading()
        run = self._described(case)
        run = replace(run, command=(*reading.command, *run.command))
        return runs.execute(run, reading.begin, lambda: row.update(reading.end()))

    def _run_once(
        self, case: Case, round_number: int, counted: bool = False
    ) -> tuple[dict[str, object], Finding]:
        """One row, and what disturbed the run, which is in the row too."""
        disturbed = NOTHING
        row: dict[str, object] = dict(self.identity(case, round_number))
        begun = time.monotonic()
        try:
            result = self._execute(case, row, counted)
            if self._machine.spec.ranks:
                ranks.check(result, self._machine.spec.ranks, case.schedule)
            disturbed = result.disturbed
            row["disturbed"] = str(disturbed)
            if case.program.package:
                result = self._put_out(case, result)
            row |= self._measured(result.fields)
            seconds = result.fields[SECONDS]
            if "energy_j" in row:
                row["edp_js"] = row["energy_j"] * seconds
            if self._machine.spec.virtual and not (case.foreign or self._machine.spec.ranks):
                row |= self._emulated(seconds, self._binding(case.schedule))
            row["status"] = record.OK
        except RunError as error:
            row |= {
                "status": record.FAILED,
                "seconds": "",
                "value": "",
                "error": " ".join(str(error).split()),
            }
        row["wall_seconds"] = f"{time.monotonic() - begun:.3f}"
        return row, disturbed

    def _measured(self, fields: dict[str, float]) -> dict[str, object]:
        """The columns of what the program printed."""
        value = next((fields[name] for name in fields if fnmatch(name, self._measure)), None)
        if value is None:
            raise RunError(f"its result line has no {self._measure}")
        others = (f"{name}={number:g}" for name, number in fields.items() if name != SECONDS)
        return {
            "seconds": fields[SECONDS],
            "measure": self._measure,
            "value": value,
            "fields": " ".join(others),
        }

    @property
    def _report(self) -> Path:
        return self._scratch / f"report-{threading.get_ident()}.json"

    def _described(self, case: Case) -> Run:
        """The run of a case, with what the library is to be told in its environment."""
        spec, schedule = self._machine.spec, case.schedule
        environment = dict((*spec.environment, *schedule.environment))
        if spec.ranks:
            environment |= dict(ranks.ENVIRONMENT)
        if package := case.program.package:
            told = self._shelf.environment(package, self._work)
            if schedule.fold:
                told |= self._shelf.folded(self._work)
            environment = told | environment
        binding = self._binding(schedule)
        environment |= self._topology()
        if spec.virtual and binding == "SB":
            environment["GOMP_AMP_AFFINITY"] = "SB"
        options: tuple[str, ...] = ()
        if spec.spread:
            options = ("--sf-file", str(self._spread_file(case)))
        if factor := self._factor(case):
            options = ("--sf-file", self._file_of_all("factor", f"1:{factor:g}"))
        if spec.bandwidth:
            demand = self._file_of_all("demand", f"{spec.demand:g}")
            options += ("--bandwidth", spec.bandwidth, "--demand", demand)
        if schedule.offline_sf and case.runtime in OUR_LIBRARIES:
            sampled = self._sampled(case, options)
            # On cores of one class nothing is sampled, and no factors are missed.
            if sampled.exists():
                environment["GOMP_AID_SF_FILE"] = str(sampled)
        return self._run_with(case, environment, options)

    def _file(self, case: Case) -> Path:
        within = f"{COUNTED}/" if self._machine.spec.virtual else ""
        return runs.program(self._build, within + case.executable)

    def _filled(self, words: tuple[str, ...], case: Case) -> tuple[str, ...]:
        """Words with what they name in braces."""
        cpus = self._machine.all_cpus
        values = {
            "build": self._build,
            "bench": BENCH,
            "threads": self._threads(case.schedule),
            "cpus": ",".join(map(str, cpus)),
            "last": cpus[-1],
        }
        try:
            return tuple(word.format(**values) for word in words)
        except (KeyError, IndexError, ValueError) as error:
            text = f"'{' '.join(words)}': there are {{{'}, {'.join(values)}}}, and no {error}"
            raise RunError(text) from error

    def _command(self, case: Case) -> tuple[str, ...]:
        """The program's own words, after those of what runs it."""
        words = (*self._machine.spec.arguments, *case.version)
        if not case.foreign:
            words = self._filled((*case.program.arguments, *words), case)
            words = (str(self._file(case)), *words)
            if self._machine.spec.ranks:
                return ranks.command(words, self._machine, case.schedule, self._build)
            return words
        if case.program.package:
            command = self._shelf.command(case.program.package, self._told(case))
        else:
            command = self._filled((*case.program.command, *words), case)
        if case.runtime != OURS:
            return command
        # What is linked to another library gets ours so.
        fold = ("--fold",) if case.schedule.fold else ()
        return (self._tool("amp-run"), *fold, "--", *command)

    def _run_with(self, case: Case, environment: dict[str, str], options: tuple[str, ...]) -> Run:
        command = self._command(case)
        spec = self._machine.spec
        if spec.virtual and not spec.ranks:
            self._report.unlink(missing_ok=True)
            cost = ("--removal-ns", str(spec.removal_ns))
            report = ("--json", str(self._report))
            command = (*self._emulator(*cost, *report, *options), *command)
        binding = self._binding(case.schedule)
        cpu = getattr(self._of_thread, "cpu", None)
        return Run(
            command,
            self._runtimes[case.runtime],
            self._machine.ordered(binding, case.schedule) if cpu is None else (cpu,),
            # The loops that a version with tasks still has, beside them.
            "static" if case.schedule.tasks else case.value,
            threads=self._threads(case.schedule) if spec.virtual or binding == UNBOUND else None,
            environment=tuple(environment.items()),
            tasks=case.schedule.tasks,
            fold=case.schedule.fold,
            foreign=case.foreign or spec.ranks > 0,
            seconds=case.program.seconds,
            rate=case.program.rate,
            directory=self._work if case.program.package else None,
        )

    @property
    def _work(self) -> Path:
        return self._scratch / "work"

    def _emulator(self, *options: str) -> tuple[str, ...]:
        if not self._machine.spec.virtual:
            return ()
        machine = (VIRTUAL, self._machine.spec.text.split()[1], "--quiet")
        return (self._tool("amp-emu"), *machine, *options, "--")

    def _tool(self, name: str) -> str:
        return str(self._build / "bin" / name)

    def _topology(self) -> dict[str, str]:
        found = self._machine.topology
        return {"GOMP_AMP_TOPOLOGY": found} if found else {}

    def _told(self, case: Case) -> int:
        """How many threads a package's program is told to use: those of a folded team."""
        threads = self._threads(case.schedule)
        if not case.schedule.fold or case.program.package.few_threads:
            return threads
        if self._ids is None:
            run = () if self._machine.spec.virtual else (self._tool("amp-run"), "--")
            told = self._topology() | {"OMP_NUM_THREADS": str(threads)}
            self._ids = self._shelf.ids((*self._emulator(), *run), told)
        return self._ids

    def _prepare(self, case: Case) -> None:
        """Have a package, a directory for its run, and what it puts out in the first way."""
        package = case.program.package
        self._shelf.prepare(package)
        self._clean()
        if not self._shelf.has_reference(package) and case.schedule != self._first:
            first = replace(case, schedule=self._first, runtime=self._first_runtime)
            result = runs.execute(self._described(first), watched=False)
            self._shelf.alike(package, self._work, result.printed)
            self._clean()

    def _clean(self) -> None:
        shutil.rmtree(self._work, ignore_errors=True)
        self._work.mkdir()
        Path(f"{self._work}.folds").unlink(missing_ok=True)

    def _put_out(self, case: Case, result: runs.Result) -> runs.Result:
        """The result of a package's program with whether it put out the same, and what folding
        did."""
        package = case.program.package
        fields = dict(result.fields)
        if self._machine.spec.virtual and not package.own_clock:
            processes = json.loads(self._report.read_text())["processes"]
            fields[SECONDS] = _NS * max(one["makespan_ns"] for one in processes)
        fields["same"] = int(self._shelf.alike(package, self._work, result.printed))
        return replace(result, fields=fields | fold_counts(Path(f"{self._work}.folds")))

    def _sampled(self, of: Case, options: tuple[str, ...] = ()) -> Path:
        """The factors that aid_static samples in a run of their own, once for each program, of the
        loops of a case."""
        if (saved := self._saved.get(of.program)) is None:
            saved = self._scratch / f"{len(self._saved)}.sampled"
            self._saved[of.program] = saved
            sampling = ScheduleSpec("sampling", ("aid_static",))
            runtime = VIRTUAL if self._machine.spec.virtual else OUR_LIBRARIES[0]
            case = replace(of, schedule=sampling, value="aid_static", runtime=runtime)
            environment = dict(self._machine.spec.environment) | self._topology()
            environment["GOMP_AID_SF_SAVE"] = str(saved)
            runs.execute(self._run_with(case, environment, options))
        return saved

    def _file_of_all(self, name: str, value: str) -> str:
        """A file for amp-emu that says something of all code of a program."""
        target = self._scratch / f"{name} {value}"
        if not target.exists():
            target.write_text(f"program {value}\n")
        return str(target)

    def _factor(self, case: Case) -> float | None:
        """The factor of the case's program, if the machine has factors of programs."""
        factors = dict(self._machine.spec.factors)
        if not factors:
            return None
        if case.program.name not in factors:
            raise RunError(f"the machine has no factor for {case.program.name}")
        return factors[case.program.name]

    def _spread_file(self, case: Case) -> Path:
        target = self._scratch / f"{case.program.name.replace('/', '-')}.spread"
        if not target.exists():
            saved = self._sampled(case)
            factors.write_spread(saved, target, *self._machine.spec.spread)
            # Those sampled without the factors are not the ones to be given to schedules.
            del self._saved[case.program]
        return target

    def _emulated(self, seconds: float, binding: str) -> dict[str, object]:
        """The columns that amp-emu's report fills."""
        processes = json.loads(self._report.read_text())["processes"]
        if len(processes) != 1:
            raise RunError(f"{len(processes)} processes ran in virtual time instead of one")
        (process,) = processes
        if process["work"] != COUNTED:
            raise RunError("its work was not counted: build it again")
        parallel = process["parallel"]
        classes = self._machine.spec.classes
        slowness = classes[0][1] / classes[-1][1] if binding == "SB" else 1.0
        least = bound(_NS * parallel["makespan_ns"], _NS * parallel["bound_ns"], seconds, slowness)
        # The bound is that of the cores' speeds, which caps on the memory keep them from.
        known = not self._machine.spec.bandwidth
        # What is serial is mostly outside of what the program times.
        joules = parallel["energy"]["joules"]
        return {
            "energy_j": joules,
            "edp_js": joules * seconds,
            "makespan": _NS * process["makespan_ns"],
            "work": _NS * process["work_ns"],
            "bound": least if known else "",
            "share": least / seconds if known and seconds > 0 else "",
            "handovers": process["handovers"],
        }
