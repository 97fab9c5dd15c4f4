# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of the package share: where things are, how to run them, and exit code 77."""

import argparse
import pathlib
import shutil
import subprocess
import sys
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "common"))
import environment  # noqa: E402

SKIPPED = 77
OPTIONS = argparse.Namespace()


def run(*command, **options):
    """The finished COMMAND, with its output as text, in a clean environment."""
    return subprocess.run(
        [str(word) for word in command],
        env=environment.clean(**{"LC_ALL": "C.UTF-8", **options.pop("env", {})}),
        capture_output=True,
        text=True,
        timeout=options.pop("timeout", 120),
        **options,
    )


def output(*command, **options):
    """What COMMAND, which has to succeed, prints to standard output."""
    done = run(*command, **options)
    if done.returncode != 0:
        words = " ".join(map(str, command))
        raise AssertionError(f"{words}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def need(*programs):
    """Skips the test unless there are the PROGRAMS, each in a package of its name."""
    for program in programs:
        if shutil.which(program) is None:
            raise unittest.SkipTest(f"there is no {program} here; Debian's package: {program}")


def pack(name, *definitions, build=None, **variables):
    """The package that cpack makes of BUILD in the directory NAME, by DEFINITIONS and VARIABLES.

    BUILD is by default the one that is tested.
    """
    directory = OPTIONS.work / name
    shutil.rmtree(directory, ignore_errors=True)
    # Under Makefiles cpack first builds all, which is built; under Ninja it does not.
    words = [
        word for each in ("CPACK_CMAKE_GENERATOR=Ninja", *definitions) for word in ("-D", each)
    ]
    output(
        OPTIONS.cpack, "--config", (build or OPTIONS.build) / "CPackConfig.cmake", "-B", directory,
        *words, env=variables, timeout=1000,
    )  # fmt: skip
    shutil.rmtree(directory / "_CPack_Packages")
    (found,) = directory.iterdir()
    return found


def package():
    """The package that build_test.py made."""
    (found,) = (OPTIONS.work / "first").glob("*.deb")
    return found


def main(*more):
    """Runs the calling module's tests; 77 if all were skipped, with the reason. MORE arguments are
    taken from the command line."""
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__)
    for name in ("build", "source", "work", "cpack", "compiler"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    for name in more:
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--majors", type=lambda text: text.split(";"), required=True,
                        help="of GCC that have a plugin")  # fmt: skip
    _, rest = parser.parse_known_args(namespace=OPTIONS)
    result = unittest.main(argv=[sys.argv[0], *rest], module="__main__", exit=False).result
    for _, reason in result.skipped:
        print("skipped:", reason)
    if not result.wasSuccessful():
        sys.exit(1)
    # A class that was skipped counts no test.
    sys.exit(SKIPPED if result.skipped and len(result.skipped) >= result.testsRun else 0)
