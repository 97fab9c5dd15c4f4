# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of the command-line tools share: running a tool, compiling a program, skipping."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "common"))
import environment  # noqa: E402

SKIPPED = 77
REFUSED, NOT_EXECUTABLE, NOT_FOUND = 125, 126, 127  # exit statuses, those of env(1)


class ToolCase(unittest.TestCase):
    """A test with a directory of its own; it needs AMP_TEST_BIN, where the tools are."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="amp-tools-")
        self.addCleanup(directory.cleanup)
        self.dir = pathlib.Path(directory.name)
        self.dir.chmod(0o755)  # for tests that change the user
        self.bin = pathlib.Path(os.environ["AMP_TEST_BIN"])

    def run_tool(self, tool, *words, env=None, before=(), **options):
        """Runs TOOL with WORDS behind the words BEFORE; ENV's None values unset a variable. What a
        user told amp-run of programs does not count."""
        own = {"XDG_CONFIG_HOME": str(self.dir / "none"), "XDG_CACHE_HOME": str(self.dir / "none")}
        return subprocess.run(
            [*before, self.bin / tool, *words],
            env=environment.clean(**own | (env or {})),
            capture_output=True,
            text=True,
            **options,
        )

    def compile(self, name, source, *flags):
        """Compiles the C text SOURCE to the file NAME; FLAGS come after it."""
        path = self.dir / name
        compiler = os.environ.get("AMP_TEST_CC", "cc")
        command = [compiler, "-O1", "-x", "c", "-", "-x", "none", "-o", path, *flags]
        done = subprocess.run(command, input=source, text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return path

    def script(self, name, text):
        path = self.dir / name
        path.write_text(text)
        path.chmod(0o755)
        return path

    def assert_refused(self, done, *parts, status=REFUSED):
        """DONE ended with STATUS, ran nothing and printed one message that contains PARTS."""
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for part in parts:
            self.assertIn(str(part), done.stderr)

    def need_root(self):
        if os.geteuid() != 0:
            self.skipTest("needs root, to give files away or to change the user")


def main():
    """Runs the tests that the command line names, by class or Class.method; --list prints all
    names."""
    tests = [
        test
        for suite in unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
        for test in suite
    ]
    names = {test.id().removeprefix("__main__."): test for test in tests}
    if sys.argv[1:] == ["--list"]:
        print("\n".join(names))
        return 0
    chosen = [
        test
        for name, test in names.items()
        if not sys.argv[1:] or {name, name.partition(".")[0]} & set(sys.argv[1:])
    ]
    result = unittest.TextTestRunner(verbosity=2).run(unittest.TestSuite(chosen))
    for _, reason in result.skipped:
        print("skipped:", reason)
    if not result.wasSuccessful():
        return 1
    return SKIPPED if result.skipped and len(result.skipped) == result.testsRun else 0
