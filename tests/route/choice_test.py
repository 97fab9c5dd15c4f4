# SPDX-License-Identifier: GPL-3.0-or-later
"""Which form of routing the wrappers choose, in trees with and without the patched compiler."""

import support
from support import Case, run


class Choice(Case):
    def compiled_by(self, tree, *options, wrapper="amp-gcc"):
        """Which form WRAPPER of TREE compiles with, by what the driver runs."""
        said = []
        for words in (
            ["-v", "-c", support.SOURCES / "mapping.c", "-o", "mapping.o"],
            ["--amp-version"],
        ):
            done = run(tree / "bin" / wrapper, *options, "-fopenmp", *words, cwd=self.work)
            self.assertEqual(done.returncode, 0, done.stderr)
            said.append(done.stdout + done.stderr)
        program = "cc1plus" if wrapper == "amp-g++" else "cc1"
        patched = f"{tree}/lib/libgomp-amp/gcc/{program} " in said[0]
        plugin = f" -fplugin={tree}/lib/libgomp-amp/plugin/{support.MAJOR}/amproute.so" in said[0]
        self.assertNotEqual(patched, plugin)
        self.assertIn("by the " + ("patched compiler." if patched else "plugin."), said[1])
        return "patched" if patched else "plugin"

    def check_without(self, tree, file):
        """TREE has no patched compiler, because its FILE is missing."""
        for wrapper in support.WRAPPERS[:2]:
            self.assertEqual(self.compiled_by(tree, wrapper=wrapper), "plugin")
        self.assertEqual(self.compiled_by(tree, "--amp-compiler=plugin"), "plugin")
        done = run(tree / "bin/amp-gcc", "--amp-compiler=patched", "-c", "x.c", cwd=self.work)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for text in f"{tree}/lib/libgomp-amp/gcc/{file} is not there", "nothing is compiled":
            self.assertIn(text, done.stderr)

    def test_without_the_patched_compiler(self):
        self.check_without(self.moved_tree(with_gcc=False).resolve(), "cc1")

    def test_with_the_patched_compiler(self):
        if reason := support.missing("patched", support.BIN):
            self.skipTest(reason)
        tree = self.moved_tree(with_gcc=True).resolve()
        for wrapper in support.WRAPPERS[:2]:
            self.assertEqual(self.compiled_by(tree, wrapper=wrapper), "patched")
            for form in support.FORMS:
                choice = f"--amp-compiler={form}"
                self.assertEqual(self.compiled_by(tree, choice, wrapper=wrapper), form)
        # A build may have stopped halfway.
        for file in list((tree / "lib/libgomp-amp/gcc").iterdir()):
            aside = file.rename(self.work / "aside")
            self.check_without(tree, file.name)
            aside.rename(file)

    def test_objective_c_is_the_plugins(self):
        """There is no patched compiler for it."""
        if reason := support.missing("patched", support.BIN):
            self.skipTest(reason)
        (self.work / "x.m").touch()
        (self.work / "x.c").touch()
        for words, plugin in (
            (["x.m"], True),
            (["-x", "objective-c++", "x.c"], True),
            (["x.c"], False),
        ):
            said = run(support.BIN / "amp-gcc", "-###", "-fopenmp", "-c", *words, cwd=self.work)
            self.assertEqual("-fplugin=" in said.stderr, plugin, said.stderr)

    def test_last_choice_counts(self):
        tree = self.moved_tree(with_gcc=False).resolve()
        choice = ["--amp-compiler=patched", "--amp-compiler=plugin"]
        self.assertEqual(self.compiled_by(tree, *choice), "plugin")


if __name__ == "__main__":
    support.main()
