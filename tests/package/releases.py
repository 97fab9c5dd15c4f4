# SPDX-License-Identifier: GPL-3.0-or-later
"""The Debian releases that packages are made for and tested in, each in a system of its own."""

import pathlib
import re
import shutil
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "common"))
import chroot  # noqa: E402

# The compilers of each release; the first is its cc. Those of sid come and go.
MAJORS = {"bookworm": [12], "trixie": [14, 13, 12], "sid": [16, 15]}

# What building the library, the tools and the documents takes, and what the tests of routing run.
BUILD = """
    build-essential ca-certificates cmake dpkg-dev gfortran git libcli11-dev libeigen3-dev
    libgtest-dev libsystemd-dev libtomlplusplus-dev libxxhash-dev lintian ninja-build
    nlohmann-json3-dev patch patchutils pkgconf python3 xz-utils
""".split()
# All that is installed, by the names of Ninja; not the benchmarks, which take minutes.
INSTALLED = [
    f"{room}/all"
    for room in (
        "libgomp",
        "gcc-patch",
        "tools",
        "coordinator/ampd",
        "coordinator/ampsim",
        "docs",
    )
]


# What bookworm builds the same with for 64-bit ARM. libmpc-dev is for the headers of plugins.
BUILD_ARM64 = """
    ca-certificates cmake dpkg-dev g++-12-aarch64-linux-gnu gcc-12-base:arm64
    gfortran-12-aarch64-linux-gnu git libcli11-dev libeigen3-dev libmpc-dev:arm64
    libstdc++6:arm64 libsystemd-dev:arm64 libtomlplusplus-dev:arm64 lintian make
    ninja-build nlohmann-json3-dev patch
    patchutils pkgconf python3 xz-utils
""".split()


def _compilers(release):
    return [
        package.format(major)
        for major in MAJORS[release]
        for package in ("gcc-{}-plugin-dev", "g++-{}", "gfortran-{}")
    ]


def system(release, source, build, packages=None):
    """A system of RELEASE in which SOURCE can be built, in BUILD: there are /source and /build.

    GCC's source is the one that this system has. PACKAGES: all that is installed; default: what a
    build for this machine takes, with each compiler of RELEASE.
    """
    build.mkdir(parents=True, exist_ok=True)
    shared = {"/source": source, "/build": build}
    for name in ("/usr/src", "/usr/local/src"):
        if pathlib.Path(name).exists():
            shared[name] = name
    return chroot.Chroot(release, packages or [*BUILD, *_compilers(release)], shared=shared)


def build(root, *options, targets=INSTALLED, **variables):
    """Builds TARGETS, configured with OPTIONS and VARIABLES, in ROOT, a system."""
    root.output(
        "cmake", "-G", "Ninja", "-S", "/source", "-B", "/build",
        "-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DCMAKE_INSTALL_PREFIX=/usr", *options,
        **variables,
    )  # fmt: skip
    root.output("cmake", "--build", "/build", "--target", *targets, timeout=3000)


def test(root, tests, *options):
    """Runs the TESTS, a regular expression, of what was built in ROOT; what ctest prints."""
    return root.output(
        "ctest", "--test-dir", "/build", "--parallel", "2", "--tests-regex", tests,
        "--no-tests=error", "--output-on-failure", *options, timeout=3000,
    )  # fmt: skip


def pack(root):
    """The package that cpack makes of what was built in ROOT, by its path there."""
    directory = "/build/packed"
    root.output("rm", "-rf", directory)
    root.output(
        "cpack", "--config", "/build/CPackConfig.cmake", "-B", directory,
        "-D", "CPACK_CMAKE_GENERATOR=Ninja",
    )  # fmt: skip
    (package,) = root.path(directory).glob("*.deb")
    return f"{directory}/{package.name}"


def install(root, package):
    """Has apt install PACKAGE, a file of this system, in ROOT."""
    shutil.copy(package, root.path("/tmp/package.deb"))
    root.output("apt-get", "update")
    root.output("apt-get", "install", "-y", "/tmp/package.deb", timeout=1800)


def installed(root):
    """The files of the package that ROOT has."""
    names = (name for name in root.changes() if not name.startswith(("source/", "tmp/")))
    return [name for name in names if re.search(r"gomp-amp|/amp", name)]
