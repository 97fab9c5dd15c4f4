# SPDX-License-Identifier: GPL-3.0-or-later
"""Proves from what the board wrote down that every program of a run ran on the library meant."""

from dataclasses import dataclass, field


@dataclass
class Proof:
    """How many programs and processes ran, for how long, and what contradicts."""

    programs: int = 0
    without: int = 0  # of them, that need no libgomp
    processes: int = 0
    seconds: float = 0
    failures: list = field(default_factory=list)


def prove(path, library):
    """The proof of the file PATH, a line for each program, that all ran on LIBRARY alone."""
    proof = Proof()
    text = path.read_text(errors="surrogateescape") if path.exists() else ""
    wrong = {}
    for line in text.splitlines():
        program, _, milliseconds, *processes = line.split("\t")
        proof.programs += 1
        proof.seconds += int(milliseconds) / 1000
        ran = list(zip(processes[::2], processes[1::2]))
        proof.processes += len(ran)
        # The dynamic linker initialises all that a program is linked to before it starts that; what
        # calls nothing of libgomp is not linked to it.
        if ran == [(program, "")]:
            proof.without += 1
            continue
        if program not in (process for process, _ in ran):
            wrong.setdefault("the dynamic linker told nothing of", []).append(program)
        for process, libraries in ran:
            if libraries != str(library):
                wrong.setdefault(f"libgomp was '{libraries}' in", []).append(process)
    if proof.programs == proof.without:
        proof.failures.append(f"no program was run on {library}")
    for what, names in wrong.items():
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        proof.failures.append(f"not on {library}: {what} {', '.join(names[:3])}{more}")
    return proof
