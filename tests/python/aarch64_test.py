#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The wheel for 64-bit ARM, imported by Debian's Python for ARM under emulation."""

import shutil
import zipfile

import wheels
from wheels import WORK, output

PROGRAM = """
import ctypes, platform
import libgomp_amp
print(platform.machine(), libgomp_amp.library())
seen = []
body = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda data: seen.append(data))
ctypes.CDLL(None).GOMP_parallel(body, None, 3, 0)
print(len(seen))
ctypes.CDLL(f"{libgomp_amp.__path__[0]}/lib/libgomp-amp/virtual/libgomp.so.1")
"""


def main():
    for program, package in (("qemu-aarch64", "qemu-user"), ("mmdebstrap", "mmdebstrap")):
        if shutil.which(program) is None:
            wheels.skip(f"there is no {program}; packages: {package}")
    if not wheels.reaches_pypi():
        wheels.skip("PyPI cannot be reached")
    wheel = wheels.build("aarch64")
    assert wheel.name.endswith("_aarch64.whl"), wheel.name
    root, site = WORK / "arm64", WORK / "site-aarch64"
    if not root.exists():
        partial = WORK / "arm64.partial"
        shutil.rmtree(partial, ignore_errors=True)
        # Extracted, not installed: that would be run by the emulator.
        output(
            "mmdebstrap", "--quiet", "--variant=extract", "--architectures=arm64",
            "--include=python3", "bookworm", partial,
        )  # fmt: skip
        partial.rename(root)
    shutil.rmtree(site, ignore_errors=True)
    zipfile.ZipFile(wheel).extractall(site)
    out = output(
        "qemu-aarch64",
        "-L",
        root,
        root / "usr/bin/python3.11",
        "-B",
        "-c",
        PROGRAM,
        PYTHONPATH=site,
    )
    expected = f"aarch64 {site}/libgomp_amp/lib/libgomp-amp/libgomp.so.1\n3\n"
    assert out == expected, f"expected {expected!r}, is {out!r}"


if __name__ == "__main__":
    main()
