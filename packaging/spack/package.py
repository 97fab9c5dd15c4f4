# SPDX-License-Identifier: GPL-3.0-or-later
"""The recipe for Spack; to be put into a repository's packages/libgomp_amp."""

from spack.package import (
    CMakePackage,
    conflicts,
    depends_on,
    join_path,
    license,
    resource,
    variant,
    version,
)


class LibgompAmp(CMakePackage):
    """GCC's OpenMP runtime for asymmetric multicore processors."""

    homepage = "https://a-seed-488fde2e.example/libgomp-amp"
    git = "https://a-seed-488fde2e.example/libgomp-amp.git"

    license("GPL-3.0-or-later WITH GCC-exception-3.1", checked_by="libgomp-amp")

    version("main", branch="main")
    version("0.2.0", tag="v0.2.0")

    variant("tools", default=True, description="Build amp-run, amp-info and amp-emu")
    variant("plugin", default=False, description="Build amp-gcc and its plugin for this GCC")
    variant("coordinator", default=False, description="Build ampd, ampctl and ampsim")

    depends_on("c", type="build")
    for part in ("+tools", "+plugin", "+coordinator"):
        depends_on("cxx", type="build", when=part)
    depends_on("cmake@3.25:", type="build")
    depends_on("gmake", type="build")
    depends_on("patchutils", type="build")
    depends_on("xz", type="build")
    for part in ("+tools", "+coordinator"):
        depends_on("cli11", type="build", when=part)
        depends_on("nlohmann-json", type="build", when=part)
        depends_on("tomlplusplus", type="build", when=part)
        depends_on("pkgconfig", type="build", when=part)
    depends_on("eigen", type="build", when="+coordinator")
    depends_on("elfutils", when="+tools")
    depends_on("python@3.10:", type="run", when="+tools")
    depends_on("systemd", when="+coordinator")

    conflicts("%clang", msg="libgomp is compiled by GCC")

    resource(
        name="gcc",
        url="https://ftp.gnu.org/gnu/gcc/gcc-14.2.0/gcc-14.2.0.tar.xz",
        sha256="a7b39bc69cbf9e25826c5a60ab26477001f7c08d85cec04bc0e29cabed6f3cc9",
        placement="gcc",
    )

    def cmake_args(self):
        return [
            self.define("AMP_GCC_SOURCE", join_path(self.stage.source_path, "gcc")),
            self.define("BUILD_TESTING", False),
            self.define("AMP_DOCS", False),
            self.define("AMP_BENCH", False),
            self.define_from_variant("AMP_TOOLS", "tools"),
            self.define_from_variant("AMP_PLUGIN", "plugin"),
            self.define_from_variant("AMP_COORDINATOR", "coordinator"),
        ]
