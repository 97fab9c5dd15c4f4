# SPDX-License-Identifier: GPL-3.0-or-later
"""Which OpenMP runtimes are in this process, and which packages run on each."""

import os
import sys
from dataclasses import dataclass

from libgomp_amp import _objects
from libgomp_amp._objects import LoadedObject, Memory

OURS, GNU, LLVM = "libgomp-amp", "libgomp", "LLVM or Intel"
# The function that shows the kind of a runtime: the first that it defines. The runtimes of LLVM and
# Intel define libgomp's functions too.
_KINDS = (("__kmpc_fork_call", LLVM), ("ompx_amp_version", OURS), ("GOMP_parallel", GNU))


@dataclass(frozen=True)
class Runtime:
    """An OpenMP runtime in this process. packages are those with code that is bound to it, by name;
    clang those of them that Clang or an Intel compiler compiled, which libgomp cannot serve."""

    file: str
    kind: str
    packages: tuple[str, ...] = ()
    clang: tuple[str, ...] = ()


@dataclass(frozen=True)
class Status:
    """The runtimes in the order in which they were loaded."""

    runtimes: tuple[Runtime, ...]

    @property
    def warnings(self) -> tuple[str, ...]:
        """What does not run on libgomp-amp, why, and what helps; a text each."""
        ours = [place for place, one in enumerate(self.runtimes) if one.kind == OURS]
        if not ours:
            return ("libgomp-amp is not in this process",)
        texts = []
        for place, one in enumerate(self.runtimes):
            lost = [name for name in one.packages if name not in one.clang]
            if one.kind == OURS:
                continue
            if lost and place < ours[0]:
                texts.append(
                    f"{_listed(lost)} imported too early, and on {one.file}; import libgomp_amp "
                    "first, or start Python by `libgomp-amp run python`"
                )
            elif lost:
                texts.append(
                    f"{_listed(lost)} on {one.file}, although libgomp-amp was loaded first: by "
                    "RTLD_DEEPBIND, or a linker's -Bsymbolic"
                )
        if len(ours) > 1:
            files = " and ".join(self.runtimes[place].file for place in ours)
            texts.append(f"libgomp-amp is in this process more than once: {files}")
        return tuple(texts)

    def __str__(self) -> str:
        lines = []
        for one in self.runtimes:
            lines.append(f"{one.file} ({one.kind})")
            for name in one.packages:
                lines.append(f"  {name}{': compiled for libomp' if name in one.clang else ''}")
            if not one.packages:
                lines.append("  nothing is bound to it")
        lines += [f"warning: {text}" for text in self.warnings]
        return "\n".join(lines)


def _listed(names: list[str]) -> str:
    return f"{', '.join(names)} {'was' if len(names) == 1 else 'were'}"


def package_of(path: str, directories: list[str]) -> str:
    """The name for users of the file PATH: what DIRECTORIES, those of sys.path, have it in. Wheels
    keep libraries in a directory NAME.libs."""
    path = os.path.realpath(path)
    inside = [one for one in map(os.path.realpath, directories) if path.startswith(one + "/")]
    if not inside:
        return path
    name = path[len(max(inside, key=len)) + 1 :].split("/")[0]
    return (
        name.removesuffix(".libs")
        if "/" in path[len(max(inside, key=len)) + 1 :]
        else name.split(".")[0]
    )


def _kind(one: LoadedObject) -> str | None:
    for name, kind in _KINDS:
        if _objects.looked_up(one.path, name) in one:
            return kind
    return None


def _bound_to(
    one: LoadedObject, imports: dict[str, int], runtimes: list[LoadedObject]
) -> LoadedObject | None:
    """The runtime that ONE runs on. If it has called none yet, the one that it will be bound to."""
    for address in imports.values():
        found = _objects.containing(address, runtimes)
        if found is not None:
            return found
    for path in (None, one.path):
        for name in imports:
            found = _objects.containing(_objects.looked_up(path, name), runtimes)
            if found is not None:
                return found
    return None


def status() -> Status:
    """The OpenMP runtimes in this process, and the packages that are bound to each."""
    return _objects.look(_status)


def _status(memory: Memory) -> Status:
    objects = _objects.loaded(memory)
    kinds = {one: kind for one in objects if (kind := _kind(one)) is not None}
    users: dict[LoadedObject, set[str]] = {one: set() for one in kinds}
    clang: dict[LoadedObject, set[str]] = {one: set() for one in kinds}
    for one in objects:
        if one in kinds:
            continue
        imports = dict(_objects.imports(one, memory))
        runtime = _bound_to(one, imports, list(kinds)) if imports else None
        if runtime is not None:
            name = package_of(one.path, sys.path)
            users[runtime].add(name)
            if any(function.startswith("__kmpc_") for function in imports):
                clang[runtime].add(name)
    return Status(
        tuple(
            Runtime(one.path, kind, tuple(sorted(users[one])), tuple(sorted(clang[one])))
            for one, kind in kinds.items()
        )
    )
