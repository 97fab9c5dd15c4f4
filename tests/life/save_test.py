#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What processes that save factors to one file, or die while they do, leave behind.

save_test.py same-pid <program>     two at a time, with the same number in two PID namespaces
save_test.py killed <program>       one that is killed leaves its own file, which is in no way
save_test.py permissions <program>  those of any new file
"""

import pathlib
import signal
import stat
import subprocess
import sys
import tempfile

from driver import check, environment, run, skip

MODE, PROGRAM = sys.argv[1:]


class Place:
    """A directory with the file that is saved."""

    def __init__(self, scratch):
        self.directory = pathlib.Path(scratch, "place")
        self.directory.mkdir()
        self.saved = self.directory / "saved"
        self.values = {"GOMP_AMP_THREAD_CLASSES": "0,1", "GOMP_AID_SF_SAVE": self.saved}

    def names(self):
        return sorted(path.name for path in self.directory.iterdir())

    def start(self, *arguments, under=()):
        return subprocess.Popen(
            [*under, PROGRAM, *map(str, arguments)],
            env=environment(**self.values),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def ends_well(self, process):
        """Waits for the end of PROCESS, which has to have saved its factors; returns its output."""
        output, errors = process.communicate(timeout=900)
        check(process.returncode == 0 and errors == "", f"{process.returncode}: {errors}")
        lines = self.saved.read_text().splitlines()
        check(lines[0].startswith("# libgomp-amp speedup") and len(lines) == 3, f"saved: {lines}")
        return output


def same_pid(scratch):
    place = Place(scratch)
    # Both have a file open to write to before either writes.
    meeting = pathlib.Path(scratch, "meeting")
    meeting.mkdir()
    alone = ["unshare", "--pid", "--fork", "--kill-child"]
    may = subprocess.run([*alone, "true"], capture_output=True, text=True, check=False)
    if may.returncode != 0:
        skip(f"no PID namespace can be made: {may.stderr.strip()}")
    both = [place.start("fdopen", meeting, under=alone) for _ in range(2)]
    outputs = [place.ends_well(process) for process in both]
    check(outputs[0] == outputs[1], f"they are {outputs}")
    check(place.names() == ["saved"], f"there are {place.names()}")


def killed(scratch):
    place = Place(scratch)
    dead = place.start("fdopen", "kill")
    dead.communicate(timeout=900)
    check(dead.returncode == -signal.SIGKILL, f"the one to be killed ended with {dead.returncode}")
    left = place.names()
    check(len(left) == 1 and left[0].startswith("saved.libgomp-amp-"), f"it leaves {left}")
    place.ends_well(place.start())
    check(place.names() == sorted(["saved", *left]), f"there are {place.names()}")


def permissions(scratch):
    place = Place(scratch)
    for mask in 0o022, 0o027, 0o002:
        for before in None, 0o600, 0o666:
            place.saved.unlink(missing_ok=True)
            if before is not None:
                place.saved.touch()
                place.saved.chmod(before)
            done = run([PROGRAM], place.values, umask=mask)
            check(done.returncode == 0 and done.stderr == "", f"{done.returncode}: {done.stderr}")
            mode = stat.S_IMODE(place.saved.stat().st_mode)
            check(mode == 0o666 & ~mask, f"with umask {mask:o}, {before} before: {mode:o}")


MODES = {"same-pid": same_pid, "killed": killed, "permissions": permissions}
with tempfile.TemporaryDirectory() as name:
    MODES[MODE](name)
