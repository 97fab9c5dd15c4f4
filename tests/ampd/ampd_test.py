#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What ampd and ampctl do beside sharing cores: start programs, survive crashes, refuse strangers.

ampd_test.py <ampd> <ampctl> <load> CLASS
"""

import json
import os
import pathlib
import random
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time
import types
import unittest

import daemon

ALL = tuple(daemon.CPUS)
# Two threads that compute; SIGUSR1 starts a process.
FORKS = """
import os, signal, threading
def compute():
    while True: pass
def start(*_):
    if os.fork() == 0: os.execvp("sleep", ["sleep", "100"])
signal.signal(signal.SIGUSR1, start)
threading.Thread(target=compute, daemon=True).start()
compute()
"""
SPIN = ("sh", "-c", "while :; do :; done")


def one_cpu_each(ampd, *programs):
    """Waits until ampd has given each of PROGRAMS masks of its own."""
    daemon.wait_for(
        "masks of their own",
        lambda: all(
            len(cpus) == 1 for program in programs for cpus in daemon.mask(program.pid).values()
        ),
    )


def all_cpus(*programs):
    """Waits until each of PROGRAMS has all CPUs."""
    daemon.wait_for(
        "all CPUs",
        lambda: all(
            cpus == ALL for program in programs for cpus in daemon.mask(program.pid).values()
        ),
    )


class Run(unittest.TestCase):
    """ampctl."""

    def test_status_of_the_program_is_passed_on(self):
        with daemon.Daemon(AMPD, AMPCTL) as ampd:
            self.assertEqual(ampd.run("sh", "-c", "exit 7").wait(), 7)
            self.assertEqual(ampd.run("sh", "-c", "kill -TERM $$").wait(), -signal.SIGTERM)
            self.assertEqual(ampd.run("sh", "-c", 'test "$0" = "a b"', "a b").wait(), 0)
            self.assertEqual(ampd.run("no-such-program").wait(), 127)
            self.assertEqual(ampd.run("/").wait(), 126)
            # It is the process that was started.
            program = ampd.run("sh", "-c", "echo $$")
            self.assertEqual(int(program.communicate()[0]), program.pid)
            daemon.wait_for("their ends", lambda: not ampd.status()["programs"])

    def test_nothing_is_set_about_waiting(self):
        with daemon.Daemon(AMPD, AMPCTL) as ampd:
            for user in ({}, {"GOMP_SPINCOUNT": "7"}, {"OMP_WAIT_POLICY": "active"}):
                ampd.environment |= user
                waits = ampd.run("sh", "-c", "echo $OMP_WAIT_POLICY $GOMP_SPINCOUNT")
                self.assertEqual(waits.communicate()[0].split(), list(user.values()))
                for name in user:
                    del ampd.environment[name]

    def test_without_a_daemon_the_program_runs(self):
        with daemon.Daemon(AMPD, AMPCTL) as ampd:
            ampd.keeper.terminate()
            self.assertEqual(ampd.keeper.wait(), 0)
            program = ampd.run("sh", "-c", "exit 7")
            self.assertEqual(program.wait(), 7)
            self.assertIn("ampd does not run", program.stderr.read())
            self.assertEqual(ampd.ctl("status", check=False).returncode, 125)

    def test_run_in_a_program_of_run(self):
        with daemon.Daemon(AMPD, AMPCTL, "equi") as ampd:
            inner = [AMPCTL, "run", "--name", "inner", "--", *LOAD2]
            program = ampd.run(*inner, options=["--name", "outer"])
            daemon.wait_for(
                "the inner one",
                lambda: [each["name"] for each in ampd.status()["programs"]] == ["inner"],
            )
            other = ampd.run(*LOAD2)
            one_cpu_each(ampd, program, other)

    def test_options_are_checked_before_anything_runs(self):
        with daemon.Daemon(AMPD, AMPCTL) as ampd:
            for options in (
                ["--factors", "1"],
                ["--factors", "1,x"],
                ["--factors", "1,1e9"],
                ["--weight", "-1"],
            ):
                program = ampd.run("echo", "ran", options=options)
                output, problem = program.communicate()
                self.assertEqual((program.returncode, output), (125, ""), options)
                self.assertIn("ampctl: ", problem)
            self.assertEqual(ampd.status()["programs"], [])

    def test_policy_adopt_release(self):
        with daemon.Daemon(AMPD, AMPCTL, "equi") as ampd:
            programs = [ampd.start(*LOAD2) for _ in range(2)]
            for program in programs:
                ampd.ctl("adopt", str(program.pid), "--factors", "1,2")
            one_cpu_each(ampd, *programs)
            ampd.ctl("policy", "hafs", "--set", "quantum_ms=30")
            self.assertEqual(ampd.status()["policy"], "hafs")
            for policy in ("x", "ipc"):
                self.assertIn("expected", ampd.ctl("policy", policy, check=False).stderr)
            listed = ampd.ctl("policy")
            self.assertRegex(listed, r"(?m)^\* hafs +needs nothing but CPU times$")
            self.assertRegex(listed, r"(?m)^  hass-s +needs factors, known of 2 of 2 programs$")
            self.assertRegex(listed, r"(?m)^  ipc +ampsim's alone; it goes by work$")
            text = ampd.ctl("status")
            self.assertIn("hafs", text)
            self.assertIn("the policy decided so", text)
            self.assertEqual(ampd.ctl("adopt", str(programs[0].pid), check=False).returncode, 125)
            ampd.ctl("release", str(programs[0].pid))
            all_cpus(programs[0])
            self.assertEqual(ampd.ctl("release", str(programs[0].pid), check=False).returncode, 125)

    def test_one_daemon_a_user(self):
        with daemon.Daemon(AMPD, AMPCTL) as ampd:
            other = subprocess.run([AMPD], env=ampd.environment, capture_output=True, text=True)
            self.assertEqual(other.returncode, 2)
            self.assertIn("another one runs", other.stderr)
            ampd.status()


class Alone(unittest.TestCase):
    """What is not to be touched."""

    def test_alone_and_bound(self):
        with daemon.Daemon(AMPD, AMPCTL, "equi") as ampd:
            alone = ampd.run(*LOAD2)
            daemon.wait_for("its start", lambda: ampd.reasons() == {alone.pid: "alone"})
            time.sleep(0.5)
            self.assertEqual(ampd.journal(), "")
            self.assertEqual(set(daemon.mask(alone.pid).values()), {ALL})
            # One that its user has bound.
            bound = ampd.start("taskset", "-c", str(ALL[0]), *SPIN)
            daemon.wait_for("taskset", lambda: set(daemon.mask(bound.pid).values()) == {ALL[:1]})
            ampd.ctl("adopt", str(bound.pid))
            one_cpu_each(ampd, alone)
            daemon.wait_for("its reason", lambda: ampd.reasons()[bound.pid] == "bound")
            self.assertNotIn(f"{bound.pid} ", ampd.journal())

    def test_what_others_change_is_theirs(self):
        with daemon.Daemon(AMPD, AMPCTL, "hafs", "--set", "quantum_ms=20") as ampd:
            programs = [ampd.run(*SPIN) for _ in range(2)]
            one_cpu_each(ampd, *programs)
            mine = programs[0].pid
            for _ in range(50):
                # Neither the original nor the one that ampd gave it.
                cpus = {ALL[1]} if daemon.mask(mine)[mine] == ALL[:1] else {ALL[0]}
                os.sched_setaffinity(mine, cpus)
                time.sleep(0.2)
                os.sched_setaffinity(mine, ALL)
                time.sleep(0.1)
                if ampd.reasons()[mine] == "foreign":
                    break
            self.assertEqual(ampd.reasons()[mine], "foreign")
            os.sched_setaffinity(mine, ALL[1:])
            time.sleep(0.3)
            self.assertEqual(daemon.mask(mine)[mine], ALL[1:])
            self.assertEqual(ampd.log.read_text().count("left alone"), 1)


class Width(unittest.TestCase):
    """What a program may need all CPUs for, and what it leaves to others."""

    def test_a_program_that_counts_cpus_late_sees_all(self):
        count = "import os, time\ntime.sleep(.7)\n"
        count += "while time.thread_time() < .5: pass\nprint(len(os.sched_getaffinity(0)))"
        with daemon.Daemon(AMPD, AMPCTL, "share") as ampd:
            other = ampd.run(*LOAD2)
            late = [ampd.run("python3", "-c", count), ampd.run("sh", "-c", f"python3 -c '{count}'")]
            for program in late:
                self.assertEqual(program.communicate(timeout=60)[0], f"{len(ALL)}\n")
            self.assertIsNone(other.poll())

    def test_sleepers_lend_their_cores(self):
        with daemon.Daemon(AMPD, AMPCTL, "equi") as ampd:
            sleeps, works = (ampd.run(*LOAD2) for _ in range(2))
            one_cpu_each(ampd, sleeps, works)
            had = daemon.mask(sleeps.pid)

            def used():
                return {cpu for cpus in daemon.mask(works.pid).values() for cpu in cpus}

            self.assertEqual(len(used()), 1)
            sleeps.send_signal(signal.SIGSTOP)
            daemon.wait_for("its cores", lambda: used() == set(ALL))
            self.assertEqual(ampd.reasons()[sleeps.pid], "sleeps")
            self.assertEqual(daemon.mask(sleeps.pid), had)
            sleeps.send_signal(signal.SIGCONT)
            daemon.wait_for("them back", lambda: len(used()) == 1)
            self.assertEqual(daemon.mask(sleeps.pid), had)

    def test_sleepers_keep_nobody_from_running(self):
        for policy in ("share", "equi"):
            with daemon.Daemon(AMPD, AMPCTL, policy) as ampd:
                for _ in range(3):
                    ampd.run("sleep", "100")
                works = ampd.run(*LOAD2)
                daemon.wait_for("its turn", lambda: ampd.reasons().get(works.pid) == "policy")
                daemon.wait_for(
                    "all CPUs",
                    lambda: (
                        {c for cpus in daemon.mask(works.pid).values() for c in cpus} == set(ALL)
                    ),
                )


def start_tree(ampd, run=True):
    """A shell that waits for a program of two threads; both."""
    start = ampd.run if run else ampd.start
    tree = start("sh", "-c", shlex.join(LOAD2) + " & wait")
    found = daemon.wait_for("a child", lambda: daemon.children(tree.pid))
    child = types.SimpleNamespace(pid=found[0])
    # Whatever becomes of the shell.
    ampd.strays.append(child.pid)
    daemon.wait_for("its threads", lambda: len(daemon.mask(child.pid)) == 2)
    return tree, child


class Trees(unittest.TestCase):
    """A program is a process, and what it starts."""

    def processes(self, ampd):
        return {each["pid"]: each["processes"] for each in ampd.status()["programs"]}

    def test_children_belong_to_it(self):
        with daemon.Daemon(AMPD, AMPCTL, "equi") as ampd:
            tree, child = start_tree(ampd)
            other = ampd.run(*LOAD2)
            one_cpu_each(ampd, child, other)
            self.assertEqual(set(ampd.reasons()), {tree.pid, other.pid})
            self.assertEqual(self.processes(ampd), {tree.pid: 2, other.pid: 1})
            self.assertNotEqual(
                set(daemon.mask(child.pid).values()), set(daemon.mask(other.pid).values())
            )
            ampd.ctl("restore")
            all_cpus(tree, child, other)

    def test_adopt_takes_all_of_them(self):
        with daemon.Daemon(AMPD, AMPCTL, "equi") as ampd:
            tree, child = start_tree(ampd, run=False)
            other = ampd.run(*LOAD2)
            # It has looked for processes before, and they are no news.
            daemon.wait_for("its arrival", ampd.reasons)
            before = ampd.status()["looked_s"]
            daemon.wait_for("a look", lambda: ampd.status()["looked_s"] > before + 0.1)
            ampd.ctl("adopt", str(tree.pid))
            self.assertEqual(self.processes(ampd), {tree.pid: 2, other.pid: 1})
            one_cpu_each(ampd, child, other)
            # A process that has come along becomes a program, if somebody says so.
            ampd.ctl("adopt", str(child.pid))
            self.assertEqual(set(ampd.reasons()), {tree.pid, child.pid, other.pid})
            self.assertEqual(ampd.ctl("adopt", str(child.pid), check=False).returncode, 125)
            ampd.ctl("release", str(tree.pid))
            ampd.ctl("release", str(child.pid))
            all_cpus(tree, child)

    def test_the_daemon_is_in_none(self):
        with daemon.Daemon(AMPD, AMPCTL, "equi") as ampd:
            for pid in (ampd.pid, ampd.keeper.pid):
                self.assertIn("ampd itself", ampd.ctl("adopt", str(pid), check=False).stderr)

    def test_they_stay_when_it_ends(self):
        with daemon.Daemon(AMPD, AMPCTL, "equi") as ampd:
            tree, child = start_tree(ampd)
            other = ampd.run(*LOAD2)
            one_cpu_each(ampd, child, other)
            tree.kill()
            tree.wait()
            daemon.wait_for("its end", lambda: set(ampd.reasons()) == {child.pid, other.pid})
            one_cpu_each(ampd, child, other)
            ampd.keeper.terminate()
            ampd.keeper.wait()
            all_cpus(child, other)

    def test_they_are_restored_after_a_crash(self):
        with daemon.Daemon(AMPD, AMPCTL, "equi") as ampd:
            # It ends and leaves a child that began with a mask that is ours.
            program = ampd.run("python3", "-c", FORKS)
            other = ampd.run(*LOAD2)
            one_cpu_each(ampd, program, other)
            os.kill(ampd.pid, signal.SIGSTOP)
            program.send_signal(signal.SIGUSR1)
            child = daemon.wait_for("a child", lambda: daemon.children(program.pid))[0]
            ampd.strays.append(child)
            self.assertTrue(all(len(cpus) == 1 for cpus in daemon.mask(child).values()))
            os.kill(ampd.pid, signal.SIGKILL)
            self.assertEqual(ampd.keeper.wait(), 1)
            all_cpus(program, other, types.SimpleNamespace(pid=child))


class Crash(unittest.TestCase):
    """Whatever ends, masks are as before."""

    def two(self, ampd):
        programs = [ampd.run(*LOAD2) for _ in range(2)]
        one_cpu_each(ampd, *programs)
        return programs

    def test_the_daemon_is_killed(self):
        with daemon.Daemon(AMPD, AMPCTL) as ampd:
            programs = self.two(ampd)
            os.kill(ampd.pid, signal.SIGKILL)
            self.assertEqual(ampd.keeper.wait(), 1)
            all_cpus(*programs)
            self.assertIn("4 threads", ampd.log.read_text())

    def test_nobody_reads_its_messages(self):
        with daemon.Daemon(AMPD, AMPCTL, piped=True) as ampd:
            programs = self.two(ampd)
            os.kill(ampd.pid, signal.SIGKILL)
            self.assertEqual(ampd.keeper.wait(), 1)
            all_cpus(*programs)

    def test_the_keeper_is_killed(self):
        with daemon.Daemon(AMPD, AMPCTL) as ampd:
            programs = self.two(ampd)
            ampd.keeper.kill()
            ampd.keeper.wait()
            all_cpus(*programs)

    def test_both_are_killed(self):
        for again in (False, True):
            with daemon.Daemon(AMPD, AMPCTL, "equi") as ampd:
                programs = self.two(ampd)
                ampd.crash()
                one_cpu_each(ampd, *programs)
                if again:
                    # Of a process that there is, and of one that there cannot be.
                    up = pathlib.Path(ampd.directory, "libgomp-amp/up")
                    files = [up / str(programs[0].pid), up / str(2**31 - 2)]
                    for file in files:
                        file.write_text("x")
                    ampd.begin()
                    self.assertFalse(files[1].exists())
                    self.assertTrue(files[0].exists())
                    self.assertIn("4 threads", ampd.log.read_text())
                else:
                    self.assertIn("4 threads", ampd.ctl("restore"))
                    all_cpus(*programs)
                    ampd.begin()
                    self.assertEqual(ampd.status()["programs"], [])

    def test_programs_come_back(self):
        with daemon.Daemon(AMPD, AMPCTL, "equi") as ampd:
            tree, child = start_tree(ampd)
            other = ampd.run(*LOAD2, options=["--name", "o", "--weight", "2", "--factors", "1,2"])
            one_cpu_each(ampd, child, other)
            # One that has ended, and one whose first process has.
            ended = ampd.run(*LOAD2)
            daemon.wait_for("three", lambda: len(ampd.reasons()) == 3)
            tree.kill()
            tree.wait()
            daemon.wait_for("its end", lambda: child.pid in ampd.reasons())
            time.sleep(0.3)
            ampd.crash()
            ended.kill()
            ended.wait()
            ampd.begin()
            before = {child.pid: ("sh", []), other.pid: ("o", [1, 2])}
            self.assertEqual(
                {e["pid"]: (e["name"], e["factors"]) for e in ampd.status()["programs"]}, before
            )
            one_cpu_each(ampd, child, other)
            # They are not, where it has ended by itself.
            ampd.keeper.terminate()
            ampd.keeper.wait()
            all_cpus(child, other)
            ampd.begin()
            self.assertEqual(ampd.status()["programs"], [])

    def test_it_is_asked_to_end(self):
        for how in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with daemon.Daemon(AMPD, AMPCTL) as ampd:
                programs = self.two(ampd)
                ampd.keeper.send_signal(how)
                self.assertEqual(ampd.keeper.wait(), 0)
                all_cpus(*programs)

    def test_restore(self):
        with daemon.Daemon(AMPD, AMPCTL) as ampd:
            programs = self.two(ampd)
            ampd.ctl("restore")
            all_cpus(*programs)
            self.assertEqual(ampd.status()["programs"], [])

    def test_a_stopped_daemon_stops_no_program(self):
        with daemon.Daemon(AMPD, AMPCTL) as ampd:
            os.kill(ampd.pid, signal.SIGSTOP)
            program = ampd.run("sh", "-c", "exit 7")
            self.assertEqual(program.wait(), 7)
            self.assertIn("does not answer", program.stderr.read())
            os.kill(ampd.pid, signal.SIGCONT)
            ampd.status()

    def test_a_program_that_came_meanwhile_is_as_any_other(self):
        with daemon.Daemon(AMPD, AMPCTL, "equi") as ampd:
            other = ampd.run(*LOAD2)
            daemon.wait_for("its arrival", lambda: other.pid in ampd.reasons())
            os.kill(ampd.pid, signal.SIGSTOP)
            program = ampd.run(*LOAD2)
            self.assertIn("does not answer", program.stderr.readline())
            os.kill(ampd.pid, signal.SIGCONT)
            one_cpu_each(ampd, other, program)

    def test_a_stopped_daemon_can_be_ended(self):
        with daemon.Daemon(AMPD, AMPCTL) as ampd:
            programs = self.two(ampd)
            os.kill(ampd.pid, signal.SIGSTOP)
            ampd.keeper.terminate()
            self.assertEqual(ampd.keeper.wait(timeout=60), 0)
            all_cpus(*programs)

    def test_a_stopped_client_stops_no_other(self):
        with daemon.Daemon(AMPD, AMPCTL) as ampd:
            programs = self.two(ampd)
            os.kill(programs[0].pid, signal.SIGSTOP)
            clients = []
            for _ in range(20):
                client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                self.addCleanup(client.close)
                client.connect(ampd.directory + "/ampd/socket")
                # It asks and never reads.
                client.setblocking(False)
                try:
                    for _ in range(1000):
                        client.send(b'{"do": "status"}')
                except (BlockingIOError, BrokenPipeError, ConnectionResetError):
                    pass
                clients.append(client)
            self.assertEqual(len(ampd.status()["programs"]), 2)
            os.kill(programs[0].pid, signal.SIGCONT)

    def test_exec_fork_and_short_threads(self):
        # Three lives of one process: it forks, makes threads that end at once, and becomes another.
        script = (
            "import os, threading, time\n"
            "if os.fork() == 0: os._exit(0)\n"
            "os.wait()\n"
            f"for _ in range({THREADS}):\n"
            "    t = threading.Thread(target=int); t.start(); t.join()\n"
            "os.execvp('sh', ['sh', '-c', 'while :; do :; done'])\n"
        )
        with daemon.Daemon(AMPD, AMPCTL) as ampd:
            programs = [ampd.run("python3", "-c", script), ampd.run(*SPIN)]
            daemon.wait_for(
                "exec",
                lambda: pathlib.Path(f"/proc/{programs[0].pid}/comm").read_text() == "sh\n",
                90,
            )
            one_cpu_each(ampd, *programs)
            ampd.ctl("restore")
            all_cpus(*programs)

    def test_cycles_of_adopt_and_release(self):
        with daemon.Daemon(AMPD, AMPCTL, "hafs", "--set", "quantum_ms=10") as ampd:
            programs = [ampd.start(*LOAD2) for _ in range(2)]
            client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            self.addCleanup(client.close)
            client.connect(ampd.directory + "/ampd/socket")

            def ask(**request):
                client.send(json.dumps(request).encode())
                self.assertEqual(json.loads(client.recv(1 << 16)), {"ok": True})

            for cycle in range(100):
                for program in programs:
                    ask(do="adopt", pid=program.pid, name="spin")
                if cycle % 10 == 0:
                    one_cpu_each(ampd, *programs)
                for program in programs:
                    ask(do="release", pid=program.pid)
                for program in programs:
                    self.assertEqual(set(daemon.mask(program.pid).values()), {ALL}, cycle)


class Hostile(unittest.TestCase):
    """Strangers and nonsense."""

    def nonsense(self, depth=0):
        """Whatever JSON can say, in words of the protocol and others."""
        words = "do run adopt release status policy name pid factors set".split()
        words += ["weight"]
        kind = random.randrange(4) if depth < 4 else 0
        if kind == 1:
            return [self.nonsense(depth + 1) for _ in range(random.randrange(4))]
        if kind >= 2:
            return {key: self.nonsense(depth + 1) for key in random.sample([*words, ""], 4)}
        return random.choice([*words, None, True, 1, -1, 1e308, 2**70, ""])

    def requests(self):
        """What is no JSON, what is no request, and what nobody may ask for."""
        requests = [b"", b"x", b"\xff" * 100, b"[" * 60000, b'{"do":' * 5000, b"{" + b" " * 70000]
        requests += [
            json.dumps(each).encode()
            for each in (
                {"do": "adopt", "name": "x", "pid": 1},
                {"do": "adopt", "name": "x", "pid": 2**40},
                {"do": "adopt", "name": "x", "pid": -1},
                {"do": "adopt", "name": "x", "pid": os.getpid(), "factors": [1, float("nan")]},
                {"do": "policy", "name": "hafs", "set": {"quantum_ms": 1e99}},
                {"do": "policy", "name": "../../etc"},
            )
        ]
        for _ in range(2000):
            request = self.nonsense()
            if isinstance(request, dict) and random.random() < 0.9:
                request["do"] = random.choice(["adopt", "release", "policy", "x"])
                if request["do"] == "adopt":
                    request["pid"] = random.choice([1, 2, -5, 2**31, "1", None])
            requests.append(json.dumps(request).encode())
        return requests

    def test_nonsense_requests(self):
        random.seed(1)
        with daemon.Daemon(AMPD, AMPCTL) as ampd:
            for request in self.requests():
                with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as client:
                    client.connect(ampd.directory + "/ampd/socket")
                    client.settimeout(20)
                    try:
                        client.send(request)
                        answer = client.recv(1 << 16)
                    except (BrokenPipeError, ConnectionResetError):
                        continue
                    if answer:
                        self.assertIn("error", json.loads(answer), request[:200])
            self.assertEqual(ampd.status()["programs"], [])
            self.assertEqual(ampd.status()["policy"], "hafs")

    def test_names_are_shown_without_control_characters(self):
        with daemon.Daemon(AMPD, AMPCTL) as ampd:
            program = ampd.run(*SPIN, options=["--name", "a\x1b[2J\n"])
            daemon.wait_for("its arrival", lambda: program.pid in ampd.reasons())
            self.assertNotIn("\x1b", ampd.ctl("status"))

    def test_other_users(self):
        if not daemon.was_root():
            self.skipTest("only root has other users")
        with daemon.Daemon(AMPD, AMPCTL) as ampd:
            self.assertEqual(os.stat(ampd.directory + "/ampd").st_mode & 0o777, 0o700)
            os.seteuid(0)
            try:
                # Root gets through the directory, and no further.
                client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                self.addCleanup(client.close)
                client.connect(ampd.directory + "/ampd/socket")
                client.settimeout(20)
                try:
                    client.send(b'{"do": "status"}')
                    self.assertEqual(client.recv(1 << 16), b"")
                except (BrokenPipeError, ConnectionResetError):
                    pass
                theirs = subprocess.Popen(["sleep", "100"])
            finally:
                os.seteuid(daemon.NOBODY)
            try:
                refused = ampd.ctl("adopt", str(theirs.pid), check=False)
                self.assertEqual(refused.returncode, 125)
                self.assertIn("another user's", refused.stderr)
            finally:
                os.seteuid(0)
                theirs.kill()
                theirs.wait()
                os.seteuid(daemon.NOBODY)
            ampd.status()

    def test_directories_that_others_can_enter(self):
        with tempfile.TemporaryDirectory() as directory:
            os.chmod(directory, 0o755)
            for tool in (AMPD, AMPCTL):
                done = subprocess.run(
                    [tool, *(["status"] if tool == AMPCTL else [])],
                    env=os.environ | {"XDG_RUNTIME_DIR": directory},
                    capture_output=True,
                    text=True,
                )
                self.assertIn("mode 700", done.stderr)
                self.assertNotEqual(done.returncode, 0)
            self.assertEqual(os.listdir(directory), [])

    def test_counter_files_of_any_kind(self):
        random.seed(2)
        with daemon.Daemon(AMPD, AMPCTL, "share") as ampd:
            programs = [ampd.run(*SPIN) for _ in range(2)]
            daemon.wait_for("both", lambda: len(ampd.reasons()) == 2)
            up = pathlib.Path(ampd.directory, "libgomp-amp/up")
            paths = [up / str(program.pid) for program in programs]
            for kind in range(16):
                for path in paths:
                    path.unlink(missing_ok=True)
                    if kind % 8 == 1:
                        os.mkfifo(path)
                    elif kind % 8 == 2:
                        path.symlink_to("/dev/zero")
                    elif kind % 8 == 3:
                        path.symlink_to(path)
                    else:
                        path.write_bytes(random.randbytes(random.choice([0, 7, 8, 152, 4096])))
                # Whatever it is, ampd looks at it.
                before = ampd.status()["looked_s"]
                daemon.wait_for("a look", lambda at=before: ampd.status()["looked_s"] > at)
            self.assertEqual(len(ampd.status()["programs"]), 2)
            path = paths[0]
            path.unlink(missing_ok=True)
            path.mkdir()
            time.sleep(0.2)
            ampd.status()


class Cost(unittest.TestCase):
    """What the daemon needs itself, in CPU time."""

    def test_idle_it_sleeps(self):
        with daemon.Daemon(AMPD, AMPCTL) as ampd:
            ampd.status()
            before = self.switches(ampd.pid)
            time.sleep(1)
            # It may not have gone to sleep after its answer when BEFORE was read. A tick would be
            # one of at least five.
            self.assertLessEqual(self.switches(ampd.pid), before + 1)

    def test_it_looks_as_often_as_the_policy_asks(self):
        with daemon.Daemon(AMPD, AMPCTL, "hafs") as ampd:
            for _ in range(2):
                ampd.run("sleep", "100")
            daemon.wait_for("both", lambda: len(ampd.reasons()) == 2)
            for _ in range(4):
                before = self.switches(ampd.pid)
                time.sleep(3)
                looks = self.switches(ampd.pid) - before
                # It asks for 300, and gets a few on a busy machine.
                if looks > 30:
                    break
            self.assertGreater(looks, 30)

    def switches(self, pid):
        for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("voluntary_ctxt_switches"):
                return int(line.split()[1])
        return None


if __name__ == "__main__":
    AMPD, AMPCTL, LOAD, part = sys.argv[1:]
    # Of two threads that compute.
    LOAD2 = (LOAD, "1,0", "2")
    THREADS = 3000
    daemon.become_nobody()
    unittest.main(argv=sys.argv[:1], defaultTest=part)
