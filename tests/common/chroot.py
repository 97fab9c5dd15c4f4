# SPDX-License-Identifier: GPL-3.0-or-later
"""Debian systems of any release in which tests build, install and run.

mmdebstrap makes one, and it is kept below ~/.cache/libgomp-amp; a test gets it with changes of its
own, which are in memory only. A release that cannot be had is a skip.
"""

import hashlib
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import environment

INSIDE = "AMP_TEST_MOUNTS"  # set in the mount namespace in which tests mount
CACHE = pathlib.Path.home() / ".cache/libgomp-amp"
# Older ones are made again, so that compilers are those which apt installs today.
MOST_DAYS = 7
NATIVE = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine())
EMULATORS = {"arm64": "qemu-aarch64"}
# What mmdebstrap says if the release cannot be had. All else is the test's fault.
UNREACHABLE = re.compile(r"E: apt-get update .* failed|Failed to fetch|Could not resolve")


def enter_namespace():
    """Starts this program again where what it mounts, and what it starts, goes when it does."""
    if os.environ.get(INSIDE) or os.geteuid() != 0:
        return
    unshare = ["unshare", "--mount", "--propagation", "private"]
    unshare += ["--pid", "--fork", "--kill-child", "--mount-proc"]
    if subprocess.run([*unshare, "true"], capture_output=True).returncode == 0:
        os.environ[INSIDE] = "1"
        os.execvp(unshare[0], [*unshare, sys.executable, "-B", *sys.argv])


def need_mounts():
    """Skips the test unless this process may mount."""
    if os.geteuid() != 0:
        raise unittest.SkipTest("it takes root")
    if not os.environ.get(INSIDE):
        raise unittest.SkipTest("this root may not mount (unshare --mount fails)")


def need_emulator(architecture):
    """Skips the test unless this system runs programs of ARCHITECTURE."""
    if architecture == NATIVE:
        return
    emulator = EMULATORS[architecture]
    # The packages do so where systemd runs.
    done = _run("update-binfmts", "--enable", emulator) if shutil.which("update-binfmts") else None
    if done is None or done.returncode != 0:
        why = done.stderr.strip() if done else "update-binfmts is missing"
        raise unittest.SkipTest(
            f"no program of {architecture} runs here ({why}); "
            "Debian's packages: qemu-user-static binfmt-support"
        )


def _run(*command, **options):
    return subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, **options
    )


def _make(suite, architecture, packages):
    """The directory of a SUITE for ARCHITECTURE with PACKAGES, made if there is none of this week.

    A package with another architecture's name behind a colon is of that one.
    """
    foreign = {name.partition(":")[2] for name in packages} - {"", architecture}
    key = hashlib.sha256(" ".join(packages).encode()).hexdigest()[:12]
    kept = CACHE / f"{suite}-{architecture}-{key}"
    if kept.exists() and time.time() - kept.stat().st_mtime < MOST_DAYS * 86400:
        return kept
    if not shutil.which("mmdebstrap"):
        raise unittest.SkipTest("there is no mmdebstrap here; Debian's package: mmdebstrap")
    CACHE.mkdir(parents=True, exist_ok=True)
    new = pathlib.Path(tempfile.mkdtemp(prefix="new-", dir=CACHE))
    done = _run(
        "mmdebstrap", "--variant=apt", *(f"--include={name}" for name in packages),
        f"--architectures={','.join([architecture, *sorted(foreign)])}",
        # A mirror that lags is as good.
        '--aptopt=Acquire::Check-Valid-Until "false"',
        # Nobody needs it after a crash. Documents are part of what is tested.
        "--dpkgopt=force-unsafe-io", suite, new,
        timeout=2400,
    )  # fmt: skip
    if done.returncode == 0:
        shutil.rmtree(kept, ignore_errors=True)
        os.utime(new)
        return new.rename(kept)
    shutil.rmtree(new, ignore_errors=True)
    why = f"mmdebstrap made no {suite} ({architecture}): {done.stderr[-2000:]}"
    if not UNREACHABLE.search(done.stderr):
        raise AssertionError(why)
    if kept.exists():
        return kept
    raise unittest.SkipTest(why)


def main(arguments):
    """Runs the program's tests, with ARGUMENTS of unittest; exits with 77 if all were skipped."""
    result = unittest.main(argv=[sys.argv[0], *arguments], exit=False).result
    for _, reason in result.skipped:
        print("skipped:", reason)
    if not result.wasSuccessful():
        sys.exit(1)
    # A class that was skipped counts no test.
    sys.exit(77 if result.skipped and len(result.skipped) >= result.testsRun else 0)


class Chroot:
    """A Debian SUITE for ARCHITECTURE (default: this machine's) with PACKAGES.

    SHARED maps directories of it to those of this system that stand there.
    """

    def __init__(self, suite, packages=(), architecture=NATIVE, shared=None):
        need_mounts()
        need_emulator(architecture)
        lower = _make(suite, architecture, sorted(packages))
        self.memory = pathlib.Path(tempfile.mkdtemp(prefix="amp-chroot-"))
        self._mount("-t", "tmpfs", "none", self.memory)
        self.memory.chmod(0o755)
        self.root = self.memory / "root"
        self.upper = self.memory / "upper"
        for directory in (self.upper, self.memory / "work", self.root):
            directory.mkdir()
        layers = f"lowerdir={lower},upperdir={self.upper},workdir={self.memory / 'work'}"
        self._mount("-t", "overlay", "-o", layers, "none", self.root)
        for name in ("dev", "proc", "sys"):
            self._mount("--rbind", f"/{name}", self.root / name)
        for inner, outer in (shared or {}).items():
            place = self.path(inner)
            place.mkdir(parents=True, exist_ok=True)
            self._mount("--bind", outer, place)
        shutil.copy("/etc/resolv.conf", self.root / "etc/resolv.conf")

    @staticmethod
    def _mount(*words):
        done = _run("mount", *words)
        if done.returncode != 0:
            raise unittest.SkipTest(f"mount {' '.join(map(str, words))}: {done.stderr.strip()}")

    def path(self, path):
        """Where the PATH of the system is for this program."""
        return self.root / pathlib.Path(path).relative_to("/")

    def run(self, *command, cwd="/", timeout=600, **variables):
        """The finished COMMAND in directory CWD, with VARIABLES."""
        inside = ["chroot", self.root, "env", f"--chdir={cwd}", *command]
        env = {"DEBIAN_FRONTEND": "noninteractive", "HOME": "/root", "LC_ALL": "C.UTF-8"}
        env = environment.clean(**(env | variables))
        env["PATH"] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        return _run(*inside, env=env, timeout=timeout)

    def output(self, *command, **options):
        """What COMMAND, which has to succeed, prints to standard output."""
        done = self.run(*command, **options)
        if done.returncode != 0:
            words = " ".join(map(str, command))
            raise AssertionError(
                f"{words}: status {done.returncode}\n{done.stdout[-6000:]}{done.stderr[-6000:]}"
            )
        return done.stdout

    def changes(self):
        """The files that differ from the system as it was made, but for notes of dpkg and apt."""
        notes = ("var/lib/dpkg", "var/lib/apt", "var/cache", "var/log")
        found = (path.relative_to(self.upper) for path in self.upper.rglob("*"))
        return {
            str(p) for p in found if not (self.upper / p).is_dir() and not str(p).startswith(notes)
        }

    def close(self):
        """What is mounted inside goes with it; only its place is left."""
        _run("umount", "--lazy", self.memory)
        self.memory.rmdir()
