# SPDX-License-Identifier: GPL-3.0-or-later
"""cmake/queue port: what of a queue reaches another version of the source, and what it lists."""

import pathlib
import subprocess
import tempfile
import unittest

QUEUE = pathlib.Path(__file__).resolve().parents[2] / "cmake" / "queue"

OLD = """\
int
first (void)
{
  return 1;
}

int
second (void)
{
  return 2;
}
"""
# The place of each hook is another one like it in the new version, further down than the old one.
NEW = OLD.replace("int\nfirst", "int\nnew (void)\n{\n  return 0;\n}\n\nint\nfirst")

CONF = "package=gcc-{0}-source\ntarball=nowhere/gcc-{0}.tar\nversion={1}\n"
HEADER = "Description: A hook\nAuthor: nobody\nForwarded: not-needed\n\n"
FIRST = (
    HEADER
    + """\
--- a/lib/code.c
+++ b/lib/code.c
@@ -3,2 +3,3 @@ first
 {
+  hook ();
   return 1;
"""
)
SECOND = (
    HEADER
    + """\
--- a/lib/code.c
+++ b/lib/code.c
@@ -9,3 +10,4 @@ second
 {
+  hook ();
   return 2;
 }
"""
)


class Port(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.work = pathlib.Path(directory.name)
        self.queue = self.work / "gcc-12"
        self.new = self.work / "gcc-13"
        self.queue.mkdir()
        (self.queue / "series").write_text("first.patch\nsecond.patch\n")
        (self.queue / "first.patch").write_text(FIRST)
        (self.queue / "second.patch").write_text(SECOND)
        (self.queue / "source.conf").write_text(CONF.format(12, "12.2.0"))

    def tree(self, name, version, code):
        """The directory NAME of GCC's VERSION, whose one file has CODE; None: it has none."""
        (self.work / name / "lib").mkdir(parents=True)
        (self.work / name / "gcc").mkdir()
        (self.work / name / "gcc/BASE-VER").write_text(version + "\n")
        if code is not None:
            (self.work / name / "lib/code.c").write_text(code)
        return self.work / name

    def run_queue(self, *words):
        return subprocess.run([QUEUE, *words], capture_output=True, text=True, timeout=60)

    def port(self, code):
        """Port the queue from OLD to CODE; the finished command, and CODE with the new queue."""
        new = self.tree("new", "13.3.0", code)
        done = self.run_queue("port", self.queue, self.new, self.tree("old", "12.2.0", OLD), new)
        if code is None:
            return done, None
        checked = self.run_queue("check", self.new, new)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        applied = self.run_queue("apply", self.new, new)
        self.assertEqual(applied.returncode, 0, applied.stderr)
        return done, (new / "lib/code.c").read_text()

    def test_hooks_follow_their_functions(self):
        done, code = self.port(NEW)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, "queue port: 2 patches; 0 places left to do by hand\n")
        for number in 1, 2:
            self.assertIn(f"  hook ();\n  return {number};\n", code)
        self.assertEqual(code.replace("  hook ();\n", ""), NEW)

    def test_header_and_source_are_the_new_ones(self):
        self.port(NEW)
        self.assertTrue((self.new / "first.patch").read_text().startswith(HEADER))
        self.assertEqual((self.new / "source.conf").read_text(), CONF.format(13, "13.3.0"))

    def test_what_does_not_apply_is_listed_and_left_out(self):
        done, code = self.port(NEW.replace("  return 1;", "  return one;"))
        self.assertEqual(done.returncode, 1)
        self.assertEqual(
            done.stderr.splitlines(),
            [
                "first.patch: lib/code.c:10 does not apply",
                "queue port: first.patch: nothing of it applies; it is left out",
            ],
        )
        self.assertEqual(done.stdout, "queue port: 2 patches; 1 places left to do by hand\n")
        rejected = (self.new / "first.patch.rej").read_text()
        self.assertIn("  return one;\n=======\n", rejected)
        self.assertIn("  hook ();\n", rejected)
        self.assertEqual(code.count("hook"), 1)
        self.assertIn("  hook ();\n  return 2;\n", code)

    def test_a_file_that_is_gone_is_listed(self):
        done, _ = self.port(None)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count("lib/code.c is not there"), 2)

    def test_a_source_that_is_missing_is_named(self):
        done = self.run_queue("port", self.queue, self.new)
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no nowhere/gcc-12.tar below", done.stderr)
        self.assertIn("install the package gcc-12-source,", done.stderr)
        self.assertFalse(self.new.exists())

    def test_an_existing_queue_is_kept(self):
        self.new.mkdir()
        done, _ = self.port(None)
        self.assertEqual(done.returncode, 2)
        self.assertIn("exists already", done.stderr)
        self.assertEqual(list(self.new.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
