# SPDX-License-Identifier: GPL-3.0-or-later
"""cmake/queue: what its check refuses; what of a queue a port takes to another version of the
source, and what it lists."""

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

CONF = "package=gcc-{0}-source\ntarball=nowhere/gcc-{0}.tar\nversion={1}\nshared=../amp\n"
PORTED = "queue port: 2 patches, 1 shared ones; {} places left to do by hand\n"
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
@@ -10,3 +10,4 @@ second
 {
+  hook ();
   return 2;
 }
"""
)
# Of the shared queue, as it is on top of the others.
SHARED = (
    HEADER
    + """\
--- a/lib/code.c
+++ b/lib/code.c
@@ -12,2 +12,3 @@ second (void)
   return 2;
+  shared ();
 }
"""
)


class QueueTest(unittest.TestCase):
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
        (self.work / "amp").mkdir()
        self.shared = self.work / "amp/shared.patch"
        self.shared.write_text(SHARED)
        (self.work / "amp/series").write_text("shared.patch\n")

    def tree(self, name, version, code):
        """The directory NAME of GCC's VERSION, whose one file has CODE; None: it has none."""
        (self.work / name / "lib").mkdir(parents=True)
        (self.work / name / "gcc").mkdir()
        (self.work / name / "gcc/BASE-VER").write_text(version + "\n")
        if code is not None:
            (self.work / name / "lib/code.c").write_text(code)
        return self.work / name

    def run_queue(self, *words):
        return subprocess.run([QUEUE, *words], capture_output=True, text=True, timeout=900)


class Check(QueueTest):
    def check(self, code, status):
        """What the check of the queue on CODE says, which ends with STATUS."""
        done = self.run_queue("check", self.queue, self.tree("tree", "12.2.0", code))
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_exact(self):
        self.assertEqual(
            self.check(OLD, 0), "queue check: 2 patches apply exactly, 1 shared ones without fuzz\n"
        )

    def test_own_patches_have_no_offset(self):
        text = self.check("\n" + OLD, 1)
        self.assertIn("first.patch does not apply exactly", text)
        self.assertNotIn("shared.patch", text)

    def test_shared_patches_may_have_an_offset(self):
        self.shared.write_text(SHARED.replace("-12,2 +12,3", "-2,2 +2,3"))
        self.check(OLD, 0)

    def test_shared_patches_have_no_fuzz(self):
        self.shared.write_text(SHARED.replace("\n }\n", "\n other ();\n"))
        self.assertIn("shared.patch does not apply\n", self.check(OLD, 1))

    def test_shared_patches_are_in_the_function_that_they_name(self):
        """An offset may lead to a place that looks the same."""
        self.shared.write_text(SHARED.replace("return 2", "return 1"))
        text = self.check(OLD, 1)
        self.assertIn("shared.patch applies at other places than it names", text)
        self.assertIn("+@@ first (void)\n", text)

    def test_shared_patches_are_listed(self):
        (self.work / "amp/series").write_text("")
        self.assertIn("shared.patch is not in series", self.check(OLD, 1))

    def test_missing_patches(self):
        self.shared.unlink()
        self.assertIn("lists shared.patch, which is not there", self.check(OLD, 1))


class Port(QueueTest):
    def setUp(self):
        super().setUp()
        self.before = self.shared.read_text()

    def port(self, code):
        """Port the queue from OLD to CODE; the finished command, and CODE with the new queue."""
        new = self.tree("new", "13.3.0", code)
        done = self.run_queue("port", self.queue, self.new, self.tree("old", "12.2.0", OLD), new)
        if code is None:
            return done, None
        self.assertEqual(self.shared.read_text(), self.before)
        checked = self.run_queue("check", self.new, new)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        applied = self.run_queue("apply", self.new, new)
        self.assertEqual(applied.returncode, 0, applied.stderr)
        return done, (new / "lib/code.c").read_text()

    def test_hooks_follow_their_functions(self):
        done, code = self.port(NEW)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, PORTED.format(0))
        for number in 1, 2:
            self.assertIn(f"  hook ();\n  return {number};\n", code)
        self.assertIn("  return 2;\n  shared ();\n", code)
        self.assertEqual(code.replace("  hook ();\n", "").replace("  shared ();\n", ""), NEW)

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
        self.assertEqual(done.stdout, PORTED.format(1))
        rejected = (self.new / "first.patch.rej").read_text()
        self.assertIn("  return one;\n=======\n", rejected)
        self.assertIn("  hook ();\n", rejected)
        self.assertEqual(code.count("hook"), 1)
        self.assertIn("  hook ();\n  return 2;\n", code)

    def test_what_does_not_apply_of_shared_patches_is_listed(self):
        self.shared.write_text(self.before.replace("  return 2;\n+", "  return two;\n+"))
        new = self.tree("new", "13.3.0", NEW)
        done = self.run_queue("port", self.queue, self.new, self.tree("old", "12.2.0", OLD), new)
        self.assertEqual(done.returncode, 1)
        self.assertIn("shared.patch: Hunk #1 FAILED", done.stderr)
        self.assertIn("1 shared ones; 1 places left", done.stdout)
        self.assertIn("+  shared ();\n", (self.new / "shared.patch.rej").read_text())

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
