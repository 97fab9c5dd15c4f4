#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is in the package, what it depends on, and what it does not tell the system."""

import gzip
import pathlib
import re
import shutil
import unittest

import support
from support import OPTIONS, output

FILES = """
usr/bin/amp-emu
usr/bin/amp-g++
usr/bin/amp-gcc
usr/bin/amp-gfortran
usr/bin/amp-info
usr/bin/amp-report
usr/bin/amp-run
usr/bin/amp-trace
usr/bin/ampctl
usr/bin/ampd
usr/bin/ampsim
usr/bin/ampsim-chart
usr/include/omp-tools.h
usr/include/ompx-amp-tools.h
usr/include/ompx_amp.f90
usr/include/ompx_amp.h
usr/lib/cmake/libgomp-amp/libgomp-amp-config-version.cmake
usr/lib/cmake/libgomp-amp/libgomp-amp-config.cmake
usr/lib/cmake/libgomp-amp/libgomp-amp-targets.cmake
usr/lib/libgomp-amp/amp-count.specs
usr/lib/libgomp-amp/amp-rpath.specs
usr/lib/libgomp-amp/amp-work.o
usr/lib/libgomp-amp/libamp-watch.so
usr/lib/libgomp-amp/libamp-yield.so
usr/lib/libgomp-amp/libgomp.so
usr/lib/libgomp-amp/libgomp.so.1
usr/lib/libgomp-amp/virtual/libgomp.so.1
usr/lib/pkgconfig/libgomp-amp.pc
usr/lib/systemd/user/ampd.service
usr/share/bash-completion/completions/amp-emu
usr/share/bash-completion/completions/amp-g++
usr/share/bash-completion/completions/amp-gcc
usr/share/bash-completion/completions/amp-gfortran
usr/share/bash-completion/completions/amp-info
usr/share/bash-completion/completions/amp-report
usr/share/bash-completion/completions/amp-run
usr/share/bash-completion/completions/amp-trace
usr/share/bash-completion/completions/ampctl
usr/share/bash-completion/completions/ampd
usr/share/bash-completion/completions/ampsim
usr/share/bash-completion/completions/ampsim-chart
usr/share/doc/libgomp-amp/README.md
usr/share/doc/libgomp-amp/changelog.Debian.gz
usr/share/doc/libgomp-amp/copyright
usr/share/libgomp-amp/modulefile
usr/share/libgomp-amp/programs.toml
usr/share/lintian/overrides/libgomp-amp
usr/share/man/man1/amp-emu.1.gz
usr/share/man/man1/amp-g++.1.gz
usr/share/man/man1/amp-gcc.1.gz
usr/share/man/man1/amp-gfortran.1.gz
usr/share/man/man1/amp-info.1.gz
usr/share/man/man1/amp-report.1.gz
usr/share/man/man1/amp-run.1.gz
usr/share/man/man1/amp-trace.1.gz
usr/share/man/man1/ampctl.1.gz
usr/share/man/man1/ampd.1.gz
usr/share/man/man1/ampsim-chart.1.gz
usr/share/man/man1/ampsim.1.gz
usr/share/man/man7/libgomp-amp.7.gz
""".split()

STRIPPED = re.compile(r"\.so(\.1)?$|bin/amp(-emu|-info|-run|ctl|d|sim)$")


WATCH = pathlib.Path(__file__).resolve().parents[2] / "tools/amp-watch"


def files():
    """FILES, the plugins, the pages, and the modules of amp-report and amp-trace."""
    plugins = (f"usr/lib/libgomp-amp/plugin/{m}/amproute.so" for m in OPTIONS.majors)
    modules = (
        path.relative_to(WATCH)
        for path in [*WATCH.glob("amp_watch/*.py"), WATCH / "amp_watch/words.def"]
    )
    docs = OPTIONS.source / "docs"
    pages = (
        f"usr/share/doc/libgomp-amp/{page.relative_to(docs)}"
        for room in ("guide", "design", "results")
        for page in (docs / room).glob("*.*")
        if page.suffix in (".md", ".svg")
    )
    modules = (f"usr/share/libgomp-amp/{each}" for each in modules)
    return sorted([*FILES, *plugins, *pages, *modules])


class Contents(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tree = OPTIONS.work / "tree"
        shutil.rmtree(cls.tree, ignore_errors=True)
        output("dpkg-deb", "--extract", support.package(), cls.tree)

    def field(self, name):
        return output("dpkg-deb", "--field", support.package(), name).strip()

    def test_files_are_these(self):
        found = [path for path in self.tree.rglob("*") if path.is_symlink() or not path.is_dir()]
        self.assertEqual(sorted(str(path.relative_to(self.tree)) for path in found), files())

    def test_owners_and_modes(self):
        for line in output("dpkg-deb", "--contents", support.package()).splitlines():
            mode, owner, *_, path = line.split()
            if mode[0] == "l":
                path = line.split()[-3]
            self.assertEqual(owner, "root/root", line)
            executable = mode[0] == "d" or "/usr/bin/" in path
            wanted = "rwxr-xr-x" if executable else "rw-r--r--"
            self.assertEqual(mode[1:], "rwxrwxrwx" if mode[0] == "l" else wanted, line)

    def test_dependencies(self):
        names = re.findall(r"(?:^|, )([\w.+-]+)", self.field("Depends"))
        self.assertIn("libc6", names)
        self.assertIn("python3", names)
        # Neither the system's libgomp nor ours is linked to anything in it.
        self.assertEqual([name for name in names if "gomp" in name], [])
        # Each plugin fits one build of GCC.
        recommended = re.findall(r"gcc-(\d+) \(= [^\s)]+\)", self.field("Recommends"))
        self.assertEqual(recommended, OPTIONS.majors)
        self.assertRegex(self.field("Recommends"), r"^gcc, (gcc-\S+ \(\S+ \S+\)( \| |$))+$")
        self.assertIn("libhwloc15", self.field("Suggests"))

    def test_the_system_is_not_told_of_the_library(self):
        """No ldconfig trigger, no shlibs, no script."""
        members = output("dpkg-deb", "--ctrl-tarfile", support.package(), encoding="latin-1")
        found = re.findall(r"^\./(\w+)\0", members, re.MULTILINE) + re.findall(
            r"\0\./(\w+)\0", members
        )
        self.assertEqual(sorted(set(found)), ["control", "md5sums"])

    def test_checksums_are_right(self):
        control = OPTIONS.work / "control"
        shutil.rmtree(control, ignore_errors=True)
        output("dpkg-deb", "--control", support.package(), control)
        output("md5sum", "--check", "--strict", control / "md5sums", cwd=self.tree)
        listed = [line.split("  ")[1] for line in (control / "md5sums").read_text().splitlines()]
        plain = [name for name in files() if not (self.tree / name).is_symlink()]
        self.assertEqual(sorted(listed), plain)

    def test_binaries_are_stripped(self):
        for name in filter(STRIPPED.search, files()):
            sections = output("readelf", "--section-headers", "--wide", self.tree / name)
            self.assertNotRegex(sections, r"\.(symtab|debug_\w+) ", name)

    def test_nothing_names_the_build(self):
        for name in files():
            data = (self.tree / name).read_bytes()
            if name.endswith(".gz"):
                data = gzip.decompress(data)
            for path in (OPTIONS.build, OPTIONS.source):
                self.assertFalse(str(path).encode() in data, f"{name} contains {path}")

    def test_changelog_has_all_changes_and_the_right_form(self):
        path = self.tree / "usr/share/doc/libgomp-amp/changelog.Debian.gz"
        text = gzip.decompress(path.read_bytes()).decode()
        version = self.field("Version")
        self.assertEqual(
            output("dpkg-parsechangelog", "-l", "-", "-S", "Version", input=text).strip(), version
        )
        warned = support.run("dpkg-parsechangelog", "-l", "-", "--all", input=text).stderr
        self.assertEqual(warned, "")
        ours = (OPTIONS.source / "CHANGELOG.md").read_text()
        # Of links there is the text: Debian's changelog has no Markdown, and lines of 80 columns.
        ours = re.sub(r"\[([^]]+)\]\([^)\s]+\)", r"\1", ours)
        words = re.sub(r"^#+.*$|^- ", "", ours, flags=re.MULTILINE).split()
        theirs = re.sub(r"^(\S| -- ).*$|^  \* ", "", text, flags=re.MULTILINE).split()
        self.assertEqual(theirs, words)

    def test_copyright_has_the_exception_as_in_LICENSE(self):
        text = (self.tree / "usr/share/doc/libgomp-amp/copyright").read_text()
        exception = (OPTIONS.source / "LICENSE").read_text().split("-" * 80)[1].split()
        indented = " ".join(
            line for line in text.splitlines() if line.startswith(" ") and line != " ."
        )
        self.assertIn(" ".join(exception), " ".join(indented.split()))


if __name__ == "__main__":
    support.main()
