#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of scripts/release, scripts/nightly and scripts/size, in a repository of their own, and of
the files that name the version. The argument is the source directory."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1)).resolve()
FILES = re.findall(r'^    "(\S+)": \d+,$', (ROOT / "scripts/release").read_text(), re.M)
HEADER = "libgomp/amp/base/version.h"
CHECK = """#!/bin/sh
echo "checked $*"
test ! -e fail || { echo "The following tests FAILED:"; echo "	 7 - life.none (Failed)"; exit 8; }
"""


class Case(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="amp-scripts-")
        self.addCleanup(directory.cleanup)
        self.dir = Path(directory.name)
        self.tree = self.dir / "tree"
        for name in (*FILES, "CHANGELOG.md", HEADER):
            target = self.tree / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, target)
        # After a release the next change begins the next section.
        changes = self.tree / "CHANGELOG.md"
        if "(unreleased)" not in changes.read_text():
            rest = changes.read_text().removeprefix("# Changes\n")
            changes.write_text(f"# Changes\n\n## 9.8.6 (unreleased)\n\n- A change.\n{rest}")
        scripts = self.tree / "scripts"
        scripts.mkdir()
        for name in ("release", "nightly", "size"):
            shutil.copy(ROOT / "scripts" / name, scripts)
        (scripts / "check").write_text(CHECK)
        (scripts / "check").chmod(0o755)
        self.git("init", "--quiet")
        self.commit()

    def run_it(self, *words, **env):
        who = {
            f"GIT_{role}_{what}": "test"
            for role in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        }
        home = {"HOME": str(self.dir), "XDG_STATE_HOME": str(self.dir / "state")}
        return subprocess.run(
            list(map(str, words)),
            cwd=self.tree,
            env=os.environ | who | home | env,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def git(self, *words):
        done = self.run_it("git", *words)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout.strip()

    def commit(self):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "all")


class Release(Case):
    def release(self, *words):
        return self.run_it("scripts/release", *words, "--date=2026-12-01")

    def test_every_file_gets_the_version(self):
        done = self.release("9.8.7")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("checked --full", done.stdout)
        self.assertEqual(self.git("describe"), "v9.8.7")
        self.assertEqual(self.git("log", "-1", "--format=%s"), "release: 9.8.7")
        self.assertEqual(self.git("status", "--porcelain"), "")
        for name in FILES:
            self.assertIn("9.8.7", (self.tree / name).read_text(), name)
        header = (self.tree / HEADER).read_text()
        self.assertEqual(re.findall(r"#define GOMP_AMP_[A-Z]+ (\d+)", header), ["9", "8", "7"])
        changes = (self.tree / "CHANGELOG.md").read_text()
        self.assertTrue(changes.startswith("# Changes\n\n## 9.8.7 (2026-12-01)\n"))
        citation = (self.tree / "CITATION.cff").read_text()
        self.assertIn("version: 9.8.7\ndate-released: 2026-12-01\n", citation)
        self.assertIn("unreleased section", self.release("9.8.8").stdout)

    def test_the_next_release(self):
        self.assertEqual(self.release("9.8.7", "--checked").returncode, 0)
        changes = self.tree / "CHANGELOG.md"
        text = changes.read_text().removeprefix("# Changes\n")
        changes.write_text(f"# Changes\n\n## 9.8.7 (unreleased)\n\n- A change.\n{text}")
        self.commit()
        done = self.release("9.9.0", "--checked")
        self.assertEqual(done.returncode, 0, done.stdout)
        versions = re.findall(r"^## (.*)$", changes.read_text(), re.M)
        self.assertEqual(versions[:2], ["9.9.0 (2026-12-01)", "9.8.7 (2026-12-01)"])
        citation = (self.tree / "CITATION.cff").read_text()
        self.assertEqual(citation.count("date-released: "), 1)

    def test_refusals(self):
        for words, why in ((["1.0"], "expected a version"), (["0.0.1"], "is less than")):
            done = self.release(*words)
            self.assertEqual(done.returncode, 1)
            self.assertIn(why, done.stdout)
        (self.tree / "fail").touch()
        self.assertIn("not committed", self.release("9.8.7").stdout)
        self.commit()
        self.assertIn("nothing is released", self.release("9.8.7").stdout)
        self.assertEqual(self.git("tag"), "")
        self.assertEqual(self.release("9.8.7", "--checked").returncode, 0)


class Nightly(Case):
    def test_log(self):
        done = self.run_it("scripts/nightly", "-R", "life")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        logs = self.dir / "state/libgomp-amp/nightly"
        (log,) = logs.glob("*.log")
        self.assertEqual(log.read_text(), "checked --full -R life\n")
        (self.tree / "fail").touch()
        done = self.run_it("scripts/nightly")
        self.assertEqual(done.returncode, 8)
        self.assertIn("life.none (Failed)", done.stdout)
        self.assertIn("passed\n", (logs / "summary").read_text())
        self.assertRegex((logs / "summary").read_text(), r"failed \(8\)\n$")
        for number in range(40):
            (logs / f"2000-01-{number}.log").touch()
        self.run_it("scripts/nightly")
        self.assertEqual(len(list(logs.glob("*.log"))), 30)
        self.assertTrue(log.exists())


class Size(Case):
    def test_lines_by_folder(self):
        if not shutil.which("cloc"):
            self.skipTest("there is no cloc")
        room = self.tree / "room"
        room.mkdir()
        # Twice the same lines are twice as many.
        for name in "one.c", "two.c", "same.inc":
            (room / name).write_text("/* Why.  */\n\nint one;\nint two; // two\n")
        (room / "page.md").write_text("One line.\n")
        self.commit()
        sizes = self.run_it("scripts/size", "HEAD~1", "HEAD").stdout.splitlines()
        columns = sizes[0].replace("all code", "all").split()
        (row,) = (line.split()[1:] for line in sizes if line.startswith("room"))
        found = dict(zip(columns, row))
        self.assertEqual((found["C"], found["all"], found["(pages)"]), ("6", "6", "1"))
        self.assertEqual((found["Python"], found["change"]), ("0", "+6"))
        self.assertEqual(sizes[-1].split()[-1], "+6")
        done = self.run_it("scripts/size", "none")
        self.assertEqual(done.returncode, 1)
        self.assertIn("size: 'none': cloc cannot count it", done.stdout)


class Files(unittest.TestCase):
    def test_version(self):
        version = re.search(
            r"project\(libgomp-amp VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()
        )[1]
        for name in FILES:
            self.assertIn(version, (ROOT / name).read_text(), name)

    def test_modulefile(self):
        tclsh = shutil.which("tclsh")
        if not tclsh:
            self.skipTest("there is no tclsh")
        with tempfile.TemporaryDirectory() as name:
            prefix = Path(name).resolve()
            file = prefix / "share/libgomp-amp/modulefile"
            file.parent.mkdir(parents=True)
            shutil.copy(ROOT / "packaging/modulefile", file)
            link = prefix / "link"
            link.symlink_to(file)
            script = (
                "proc module-whatis {text} {}\nproc conflict {name} {}\n"
                "proc prepend-path {name value} { puts $name=$value }\n"
                f"set ModulesCurrentModulefile {link}\nsource {link}\n"
            )
            done = subprocess.run([tclsh], input=script, text=True, capture_output=True)
            self.assertEqual(done.stderr, "")
            self.assertIn(f"PATH={prefix}/bin\n", done.stdout)
            self.assertIn(f"CPATH={prefix}/include\n", done.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
