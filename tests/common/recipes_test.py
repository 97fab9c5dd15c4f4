#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that the packages which the recipes for Spack and conda-forge name are enough to configure
what they build: all others are hidden from CMake. The argument is the source directory."""

import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
from pathlib import Path

try:
    import yaml
except ImportError:
    yaml = None
try:
    import rattler_build
except ImportError:
    rattler_build = None

sys.path.append(str(Path(__file__).resolve().parent))
import environment  # noqa: E402

ROOT = Path(sys.argv.pop(1)).resolve()
# What CMake does not find where a recipe has not the package.
FOUND_BY = {
    "cli11": "CLI11",
    "eigen": "Eigen3",
    "nlohmann-json": "nlohmann_json",
    "pkgconfig": "PkgConfig",
}
NAMES = {"nlohmann_json": "nlohmann-json", "pkg-config": "pkgconfig"}
OPTIONS = re.findall(r"option\((AMP_\w+)", (ROOT / "CMakeLists.txt").read_text())


def spack():
    """The class of Spack's recipe, with the dependencies and variants that it declares."""
    made = types.ModuleType("spack.package")
    depends, variants = [], []
    made.CMakePackage = object
    made.depends_on = lambda name, type=None, when="": depends.append((name.split("@")[0], when))
    made.variant = lambda name, default, description: variants.append(name)
    made.join_path = os.path.join
    for name in ("conflicts", "license", "resource", "version"):
        setattr(made, name, lambda *words, **options: None)
    sys.modules |= {"spack": types.ModuleType("spack"), "spack.package": made}
    names = {}
    exec((ROOT / "packaging/spack/package.py").read_text(), names)
    return names["LibgompAmp"], depends, variants


CONDA = ROOT / "packaging/conda-forge/recipe.yaml"


class Recipes(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="amp-recipes-")
        self.addCleanup(directory.cleanup)
        self.dir = Path(directory.name)
        # Nothing is built of it.
        (self.dir / "gcc/libgomp").mkdir(parents=True)

    def configure(self, words, packages):
        """CMake with the arguments WORDS succeeds with these PACKAGES alone."""
        for option in re.findall(r"-D(AMP_\w+)", " ".join(words)):
            self.assertIn(option, [*OPTIONS, "AMP_GCC_SOURCE"])
        hidden = [
            f"-DCMAKE_DISABLE_FIND_PACKAGE_{found}=ON"
            for name, found in FOUND_BY.items()
            if name not in packages
        ]
        hidden.append(f"-DCMAKE_DISABLE_FIND_PACKAGE_Python3={'python' not in packages}")
        if "cxx" not in packages:
            hidden.append("-DCMAKE_CXX_COMPILER=/none")
        env = {} if "elfutils" in packages else {"PKG_CONFIG_LIBDIR": "/none"}
        shutil.rmtree(self.dir / "build", ignore_errors=True)
        done = subprocess.run(
            ["cmake", "-S", ROOT, "-B", self.dir / "build", *words, *hidden],
            env=environment.clean(**env),
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        self.assertEqual(done.returncode, 0, done.stdout)

    def spack_arguments(self, recipe, chosen):
        package = recipe()
        package.stage = types.SimpleNamespace(source_path=str(self.dir))
        package.define = lambda name, value: f"-D{name}={value}"
        package.define_from_variant = lambda name, variant: f"-D{name}={variant in chosen}"
        return package.cmake_args()

    def test_spack(self):
        recipe, depends, variants = spack()
        self.assertEqual(variants, ["tools", "plugin", "coordinator"])
        for chosen in ((), *itertools.combinations(variants, 1)):
            with self.subTest(variants=chosen):
                packages = {name for name, when in depends if not when or when[1:] in chosen}
                self.configure(self.spack_arguments(recipe, chosen), packages)

    @unittest.skipUnless(yaml, "there is no yaml for Python")
    def test_conda(self):
        recipe = yaml.safe_load(CONDA.read_text())
        needed = recipe["requirements"]
        text = " ".join(needed["build"] + needed["host"])
        packages = {NAMES.get(word, word) for word in re.findall(r"[\w-]+", text)}
        self.assertIn("compiler", packages)
        configure, *_ = recipe["build"]["script"]
        words = configure.replace("$SRC_DIR", str(self.dir)).replace("$PREFIX", "/none")
        self.assertTrue(words.startswith("cmake -S . -B build -G Ninja $CMAKE_ARGS "), words)
        self.configure(words.split()[8:], packages)

    @unittest.skipUnless(rattler_build, "there is no py-rattler-build for Python")
    def test_conda_as_its_tool_reads_it(self):
        compilers = {"c_compiler": ["gcc"], "cxx_compiler": ["gxx"], "c_stdlib": ["sysroot"]}
        recipe = rattler_build.Stage0Recipe.from_file(CONDA)
        (rendered,) = recipe.render(rattler_build.VariantConfig(compilers))
        made = rendered.recipe.to_dict()
        version = re.search(r"-amp VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
        self.assertEqual(made["package"], {"name": "libgomp-amp", "version": version})
        self.assertTrue(made["requirements"]["build"][0].startswith("gcc_linux-"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
