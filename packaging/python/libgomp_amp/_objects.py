# SPDX-License-Identifier: GPL-3.0-or-later
"""The program and the libraries that the dynamic loader has loaded, and whose OpenMP functions each
of them calls. All of it is read from memory, where the loader has written what it bound.

64-bit little-endian machines only, as the wheel is."""

import ctypes
import os
import struct
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

# Of elf.h.
PT_LOAD, PT_DYNAMIC = 1, 2
DT_PLTRELSZ, DT_STRTAB, DT_SYMTAB, DT_RELA, DT_RELASZ, DT_STRSZ, DT_JMPREL = 2, 5, 6, 7, 8, 10, 23
AT_PHDR, AT_PHNUM = 3, 5
_FILE_HEADER = struct.Struct("<4s28xQ14xHH6x")
_HEADER = struct.Struct("<IIQQQQQQ")
_DYNAMIC = struct.Struct("<qQ")
_RELOCATION = struct.Struct("<QQq")
_SYMBOL = struct.Struct("<IBBHQQ")
_POINTER = struct.Struct("<Q")
# Of dlfcn.h and link.h.
_RTLD_DI_LINKMAP = 2
_LINK_MAP = struct.Struct("<QQQQ")

# What the code of GCC calls, and that of Clang and Intel's compilers. Not omp_*: libraries without
# OpenMP code ask by these whether there is a runtime, as OpenBLAS does.
OPENMP_NAMES = (b"GOMP_", b"__kmpc_")

# The memory of this process: a function of an address and a size. Tests have one of their own.
Memory = Callable[[int, int], bytes]
_Answer = TypeVar("_Answer")
_ATTEMPTS = 5


def look(question: Callable[[Memory], _Answer]) -> _Answer:
    """The answer of QUESTION, which reads this process's memory. The kernel reads it: what another
    thread has unloaded meanwhile is no crash then, and QUESTION is asked again. Without /proc
    memory is read as it is."""
    try:
        file = os.open("/proc/self/mem", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return question(ctypes.string_at)

    def memory(address, size):
        found = os.pread(file, size, address)
        if len(found) < size:
            raise OSError(f"no memory at {address + len(found):#x}")
        return found

    try:
        for _ in range(_ATTEMPTS - 1):
            with suppress(OSError):
                return question(memory)
        return question(memory)
    finally:
        os.close(file)


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


def described(path: str, base: int, headers: bytes) -> LoadedObject:
    """The object whose program headers are HEADERS."""
    segments, dynamic = [], 0
    for kind, _, _, address, _, _, size, _ in _HEADER.iter_unpack(headers):
        if kind == PT_LOAD:
            segments.append((base + address, base + address + size))
        elif kind == PT_DYNAMIC:
            dynamic = base + address
    return LoadedObject(path, base, tuple(segments), dynamic)


def _text(address: int, memory: Memory) -> bytes:
    """The string at ADDRESS. Never read beyond its page."""
    found = b""
    while b"\0" not in found:
        size = 64 - address % 64
        found += memory(address, size)
        address += size
    return found[: found.index(b"\0")]


def loaded(memory: Memory) -> list[LoadedObject]:
    """All of them, in the order in which they were loaded.

    From the loader's list, and not by dl_iterate_phdr: that holds a lock of the loader's while it
    calls Python code, which waits for the interpreter's lock, which a thread holds that imports an
    extension module and waits for the loader's."""
    libc = ctypes.CDLL(None)
    libc.getauxval.restype, libc.getauxval.argtypes = ctypes.c_ulong, [ctypes.c_ulong]
    at = ctypes.c_void_p()
    libc.dlinfo(ctypes.c_void_p(libc._handle), _RTLD_DI_LINKMAP, ctypes.byref(at))
    # The first one is the program, whose addresses need not begin at its base.
    headers, count = libc.getauxval(AT_PHDR), libc.getauxval(AT_PHNUM)
    found, following = [], at.value
    while following:
        base, name, _, following = _LINK_MAP.unpack(memory(following, _LINK_MAP.size))
        if found:
            magic, offset, _, count = _FILE_HEADER.unpack(memory(base, _FILE_HEADER.size))
            if magic != b"\x7fELF":
                continue
            headers = base + offset
        path = os.path.realpath(os.fsdecode(_text(name, memory)) or "/proc/self/exe")
        found.append(described(path, base, memory(headers, count * _HEADER.size)))
    return found


def containing(address: int, objects: list[LoadedObject]) -> LoadedObject | None:
    """Which of OBJECTS ADDRESS is in."""
    return next((one for one in objects if address in one), None)


def imports(one: LoadedObject, memory: Memory) -> Iterator[tuple[str, int]]:
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
