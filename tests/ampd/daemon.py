# SPDX-License-Identifier: GPL-3.0-or-later
"""A daemon and programs under it, for the tests of this directory.

Everything runs as an unprivileged user: a test that root starts becomes nobody first.
"""

import atexit
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
import environment  # noqa: E402

NOBODY = 65534
CPUS = sorted(os.sched_getaffinity(0))[:2]


def become_nobody():
    """Gives up root, but for a test that wants another user: see as_root."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, 0)
        os.setresuid(NOBODY, NOBODY, 0)


def was_root():
    """Whether this process can become root again."""
    return 0 in os.getresuid()


def wait_for(what, condition, seconds=30):
    """Waits until CONDITION () is true, and returns its value."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"{what}: not within {seconds} s")
        time.sleep(0.01)
    return value


def mask(pid):
    """The CPUs of each thread of PID."""
    masks = {}
    for tid in os.listdir(f"/proc/{pid}/task"):
        try:
            masks[int(tid)] = tuple(sorted(os.sched_getaffinity(int(tid))))
        except ProcessLookupError:
            pass
    return masks


def children(pid):
    """The processes that PID has started and that are there."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            found.append(int(entry.parent.name))
    return found


class Daemon:
    """ampd on two CPUs that are declared unequal, in a directory of its own."""

    def __init__(self, ampd, ampctl, policy="hafs", *options, machine=None, piped=False):
        self.ampctl = ampctl
        self.piped = piped  # its messages go to a pipe that nobody reads
        self.directory = tempfile.mkdtemp(prefix="ampd-test-")
        atexit.register(shutil.rmtree, self.directory, True)
        self.environment = environment.clean(
            XDG_RUNTIME_DIR=self.directory,
            # Not the home of the user who started the test.
            PATH="/usr/bin:/bin",
        )
        self.log = pathlib.Path(self.directory, "log")
        machine = machine or f"{CPUS[0]}=1024,{CPUS[1]}=512"
        self.programs = []
        self.strays = []  # processes whose ends nobody waits for
        self.command = [ampd, "--policy", policy, "--machine", machine, *options]
        self.log.write_text("")
        self.begin()

    def begin(self):
        """Starts the daemon, also again."""
        with self.log.open("a") as log:
            self.keeper = subprocess.Popen(
                self.command,
                env=self.environment,
                stderr=subprocess.PIPE if self.piped else log,
                preexec_fn=lambda: os.sched_setaffinity(0, CPUS),
            )
        if self.piped:
            self.keeper.stderr.close()
        self.pid = wait_for("the socket", self._daemon)

    def crash(self):
        """Kills the daemon and its keeper, so that neither undoes anything."""
        os.kill(self.pid, signal.SIGSTOP)  # so that it cannot act on the keeper's end
        self.keeper.kill()
        self.keeper.wait()
        os.kill(self.pid, signal.SIGKILL)
        wait_for("its end", lambda: not pathlib.Path(f"/proc/{self.pid}").exists())

    def _daemon(self):
        if self.keeper.poll() is not None:
            raise AssertionError("ampd ended: " + self.log.read_text())
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as probe:
            if probe.connect_ex(self.directory + "/ampd/socket"):
                return None
        return next(iter(children(self.keeper.pid)), None)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for pid in self.strays:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        for program in self.programs:
            if program.poll() is None:
                program.kill()
            program.wait()
            for stream in (program.stdout, program.stderr):
                if stream:
                    stream.close()
        if self.keeper.poll() is None:
            self.keeper.terminate()
            self.keeper.wait()

    def ctl(self, *arguments, check=True):
        """The output of ampctl ARGUMENTS."""
        done = subprocess.run(
            [self.ampctl, *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=900,
        )
        if check and done.returncode:
            raise AssertionError(f"ampctl {arguments}: {done.returncode}: {done.stderr}")
        return done if not check else done.stdout

    def run(self, *command, options=()):
        """Starts COMMAND by ampctl run."""
        program = subprocess.Popen(
            [self.ampctl, "run", *options, "--", *command],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: os.sched_setaffinity(0, CPUS),
        )
        self.programs.append(program)
        return program

    def start(self, *command):
        """Starts COMMAND without ampctl."""
        program = subprocess.Popen(
            command,
            env=self.environment,
            stdout=subprocess.PIPE,
            preexec_fn=lambda: os.sched_setaffinity(0, CPUS),
        )
        self.programs.append(program)
        return program

    def status(self):
        return json.loads(self.ctl("status", "--json"))

    def reasons(self):
        return {each["pid"]: each["reason"] for each in self.status()["programs"]}

    def journal(self):
        return pathlib.Path(self.directory, "ampd/journal").read_text()


def end(program):
    """Ends PROGRAM, a load, and returns what it counted."""
    program.send_signal(signal.SIGTERM)
    output, problem = program.communicate()
    try:
        return json.loads(output)
    except json.JSONDecodeError:
        raise AssertionError(f"{output!r} {problem!r} {program.returncode}") from None
