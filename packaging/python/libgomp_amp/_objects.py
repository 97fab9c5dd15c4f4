# SPDX-License-Identifier: GPL-3.0-or-later
"""The program and the libraries that the dynamic loader has loaded, and whose OpenMP functions each
of them calls. All of it is read from memory, where the loader has written what it bound.

64-bit little-endian machines only, as the wheel is."""

import ctypes
import os
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass

# Of elf.h.
PT_LOAD, PT_DYNAMIC = 1, 2
DT_PLTRELSZ, DT_STRTAB, DT_SYMTAB, DT_RELA, DT_RELASZ, DT_STRSZ, DT_JMPREL = 2, 5, 6, 7, 8, 10, 23
_HEADER = struct.Struct("<IIQQQQQQ")
_DYNAMIC = struct.Struct("<qQ")
_RELOCATION = struct.Struct("<QQq")
_SYMBOL = struct.Struct("<IBBHQQ")
_POINTER = struct.Struct("<Q")

# What the code of GCC calls, and that of Clang and Intel's compilers. Not omp_*: libraries without
# OpenMP code ask by these whether there is a runtime, as OpenBLAS does.
OPENMP_NAMES = (b"GOMP_", b"__kmpc_")

# The memory of this process: a function of an address and a size. Tests have one of their own.
Memory = Callable[[int, int], bytes]


@dataclass(frozen=True)
class LoadedObject:
    """One of them. base is added to the addresses in its file; segments are those that its file has
    in memory, (first, after the last)."""

    path: str
    base: int
    segments: tuple[tuple[int, int], ...]
    dynamic: int = 0

    def __contains__(self, address: int) -> bool:
        return any(first <= address < end for first, end in self.segments)


class _Info(ctypes.Structure):
    _fields_ = [
        ("addr", ctypes.c_size_t),
        ("name", ctypes.c_char_p),
        ("headers", ctypes.c_size_t),
        ("count", ctypes.c_uint16),
    ]


def described(path: str, base: int, headers: bytes) -> LoadedObject:
    """The object whose program headers are HEADERS."""
    segments, dynamic = [], 0
    for kind, _, _, address, _, _, size, _ in _HEADER.iter_unpack(headers):
        if kind == PT_LOAD:
            segments.append((base + address, base + address + size))
        elif kind == PT_DYNAMIC:
            dynamic = base + address
    return LoadedObject(path, base, tuple(segments), dynamic)


def loaded() -> list[LoadedObject]:
    """All of them, in the order in which they were loaded."""
    found = []

    @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Info), ctypes.c_size_t, ctypes.c_void_p)
    def add(info, _size, _data):
        one = info.contents
        name = os.path.realpath(os.fsdecode(one.name or b"") or "/proc/self/exe")
        headers = ctypes.string_at(one.headers, one.count * _HEADER.size)
        found.append(described(name, one.addr, headers))
        return 0

    ctypes.CDLL(None).dl_iterate_phdr(add, None)
    return found


def containing(address: int, objects: list[LoadedObject]) -> LoadedObject | None:
    """Which of OBJECTS ADDRESS is in."""
    return next((one for one in objects if address in one), None)


def imports(one: LoadedObject, memory: Memory = ctypes.string_at) -> Iterator[tuple[str, int]]:
    """The OpenMP functions that ONE takes from others, and to what address each is bound now. That
    is one of ONE itself as long as it has not called the function."""
    if not one.dynamic:
        return
    tags = {}
    at = one.dynamic
    while (entry := _DYNAMIC.unpack(memory(at, _DYNAMIC.size)))[0] != 0:
        tags.setdefault(*entry)
        at += _DYNAMIC.size

    def address(tag):
        # The loader has made an address of it, but not in the object of the kernel's.
        value = tags[tag]
        return value if value >= one.base else one.base + value

    if not {DT_STRTAB, DT_STRSZ, DT_SYMTAB} <= tags.keys():
        return
    strings = memory(address(DT_STRTAB), tags[DT_STRSZ])
    if not any(name in strings for name in OPENMP_NAMES):
        return
    for table, size in ((DT_RELA, DT_RELASZ), (DT_JMPREL, DT_PLTRELSZ)):
        if table not in tags or not tags.get(size):
            continue
        for offset, info, _ in _RELOCATION.iter_unpack(memory(address(table), tags[size])):
            index = info >> 32
            if index == 0:
                continue
            symbol = memory(address(DT_SYMTAB) + index * _SYMBOL.size, _SYMBOL.size)
            begin, _, _, section, _, _ = _SYMBOL.unpack(symbol)
            if section != 0 or not strings.startswith(OPENMP_NAMES, begin):
                continue
            name = strings[begin : strings.index(b"\0", begin)].decode()
            yield name, _POINTER.unpack(memory(one.base + offset, _POINTER.size))[0]


def looked_up(path: str | None, name: str) -> int:
    """The address of NAME as the library PATH and those that it needs define it, or what all see if
    PATH is None; 0 = it is not defined there."""
    try:
        where = ctypes.CDLL(path, mode=os.RTLD_NOLOAD | os.RTLD_LAZY if path else os.RTLD_LAZY)
        return ctypes.cast(getattr(where, name), ctypes.c_void_p).value or 0
    except (OSError, AttributeError):
        return 0
