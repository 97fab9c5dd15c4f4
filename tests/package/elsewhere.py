# SPDX-License-Identifier: GPL-3.0-or-later
"""Circumstances that must not be seen in the package, and the comparison of two packages."""

import contextlib
import os
import pathlib
import shutil
import tempfile

import support
from support import OPTIONS


@contextlib.contextmanager
def circumstances():
    """Sets another umask, and yields the variables of another clock, time zone and language."""
    with tempfile.TemporaryDirectory(prefix="amp-elsewhere-") as name:
        clock = pathlib.Path(name) / "next-year.so"
        source = pathlib.Path(__file__).with_name("next-year.c")
        support.output(OPTIONS.compiler, "-O1", "-shared", "-fPIC", source, "-o", clock)
        variables = {"LD_PRELOAD": clock, "TZ": "ELSE-11", "LC_ALL": "C"}
        # Estonian sorts z before t, and capitals among the others. Its source may not be installed.
        locale = pathlib.Path(name) / "et_EE.UTF-8"
        if support.run("localedef", "-i", "et_EE", "-f", "UTF-8", locale).returncode == 0:
            variables |= {"LC_ALL": locale.name, "LOCPATH": name}
        before = support.output("date", "+%Y")
        after = support.output("date", "+%Y", env=variables)
        if not int(before) < int(after):
            raise AssertionError(f"the year is {after}, and was {before}")
        umask = os.umask(0o077)
        try:
            yield variables
        finally:
            os.umask(umask)


def compare(case, first, second):
    """Fails CASE, with the names of the files that differ, unless both packages are the same."""
    case.assertEqual(first.name, second.name)
    if first.read_bytes() == second.read_bytes():
        return
    trees = [OPTIONS.work / f"differs-{number}" for number in (1, 2)]
    for package, tree in zip((first, second), trees, strict=True):
        shutil.rmtree(tree, ignore_errors=True)
        support.output("dpkg-deb", "--raw-extract", package, tree)
    found = support.run("diff", "--brief", "--recursive", "--no-dereference", *trees).stdout
    if not found:
        found = "modes, owners, dates or the order of files, or the compression"
    case.fail(f"the packages differ:\n{found}")
