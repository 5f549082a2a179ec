#!/usr/bin/python3
"""What goes wrong in a first build: tools/setup and tools/common.sh end with one line that names the remedy. They run
as copies in a folder whose name has a space, and see only the commands that a test gives them."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[2] / "tools"
COMMANDS = "awk basename bash cat chmod df dirname env grep nproc sed tail".split()
NOBODY = [shutil.which("setpriv") or "setpriv", "--reuid", "65534", "--clear-groups"] if os.geteuid() == 0 else []
UNREACHABLE = "E: Failed to fetch http://deb.debian.org/x.deb  Temporary failure resolving 'deb.debian.org'"


class FirstBuild(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.project = self.root / "a b" / "parallax"
        (self.project / "tools").mkdir(parents=True)
        for name in ("setup", "common.sh", "packages.txt"):
            shutil.copy(TOOLS / name, self.project / "tools" / name)
        self.commands = self.root / "bin"
        self.commands.mkdir()
        for name in COMMANDS:
            (self.commands / name).symlink_to(shutil.which(name))
        self.add("dpkg-query", "echo installed g++-none")
        self.add("apt-cache", "exit 0")
        self.add("apt-get", f'[ "$2" != -s ] && echo "{UNREACHABLE}" && exit 100')
        self.root.chmod(0o755)

    def add(self, name, text):
        path = self.commands / name
        path.unlink(missing_ok=True)  # a link to the system's
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def run_bash(self, command, before=(), **environment):
        bash = shutil.which("bash")
        return subprocess.run([*before, bash, "-c", command], cwd=self.project, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=60,
                              env={"PATH": str(self.commands), "TMPDIR": str(self.root), **environment})

    def fails_with(self, last_line, command, *arguments, **environment):
        ended = self.run_bash(command, *arguments, **environment)
        self.assertEqual(ended.returncode, 1, ended.stdout)
        self.assertRegex(ended.stdout.splitlines()[-1], last_line)

    def test_without_a_network(self):
        self.add("sudo", 'exec "$@"')
        self.fails_with("^setup: apt-get install failed: .*resolving.*; no mirror answers: connect to the network",
                        "tools/setup")

    def test_without_root(self):
        request = "ask the administrator to run apt-get install --no-install-recommends build-essential .*libgtest-dev"
        self.fails_with(f"^setup: needs root: {request}", "tools/setup", NOBODY)
        self.add("sudo", 'echo "nobody is not in the sudoers file." >&2; exit 1')
        self.fails_with(f"^setup: needs root, which sudo does not give: {request}", "tools/setup", NOBODY)

    def test_the_administrator_is_asked_once_for_a_demo(self):
        for step in "--compiler", "--demo":
            self.fails_with("run apt-get install .*build-essential .*libhwy-dev .*libspdlog-dev$", f"tools/setup {step}", NOBODY)

    def test_without_apt(self):
        (self.commands / "apt-get").unlink()
        self.fails_with("^setup: needs apt .*tools/packages.txt", "tools/setup")

    def test_compilers(self):
        configure = "source tools/common.sh; configure release"
        self.fails_with("no C[+][+] compiler g[+][+]: run tools/setup$", configure)
        self.fails_with("no C[+][+] compiler g[+][+]-8: name one in CXX", configure, CXX="g++-8")
        self.add("g++", "echo 9.4.0")
        self.fails_with("g[+][+] 9.4.0 is too old for C[+][+]20: set CXX to GCC 11", configure)
        self.add("cmake", "exit 0")
        self.add("g++", "echo 11.1.0")
        self.assertEqual(self.run_bash(configure).returncode, 0)

    def test_jobs_go_by_memory(self):
        self.add("nproc", "echo 2")
        (self.project / "limit").write_text("max\n")
        for megabytes, limit, jobs in ((3600, "max", 2), (2500, "max", 1), (500, "max", 1), (9000, 2 * 2**30, 1),
                                       (9000, 4 * 2**30, 2)):
            (self.project / "meminfo").write_text(f"MemTotal: 99000000 kB\nMemAvailable: {megabytes * 1000} kB\n")
            (self.project / "limit").write_text(f"{limit}\n")
            ended = self.run_bash("source tools/common.sh; num_jobs meminfo limit")
            self.assertEqual(ended.stdout, f"{jobs}\n", (megabytes, limit))

    def test_a_build_says_what_ran_out(self):
        (self.project / "build" / "release").mkdir(parents=True)
        build = "source tools/common.sh; build release"
        for error, remedy in (("fatal error: x.o: No space left on device", "no space is left: free 3000 MB in .*/a b/"),
                              ("g++: fatal error: Killed signal terminated program cc1plus", "memory ran out: .* -j 1")):
            self.add("cmake", f'echo "@1/2 Building"; echo "{error}"; exit 1')
            ended = self.run_bash(build)
            self.assertEqual(ended.returncode, 1)
            *_, first, second, third = ended.stdout.splitlines()
            self.assertEqual(first, error)
            self.assertRegex(second, remedy)
            self.assertRegex(third, "the build of the preset 'release' failed$")
        self.add("cmake", 'echo "error: no such thing"; exit 1')
        self.assertRegex(self.run_bash(build).stdout, "(?s)no such thing\n[^\n]*the build of the preset 'release' failed\n$")
        self.add("cmake", "exit 0")
        self.assertEqual(self.run_bash(build).returncode, 0)

    def test_a_small_disk_is_named_first(self):
        (self.project / "build" / "release").mkdir(parents=True)
        self.add("cmake", "exit 0")
        self.add("df", "echo Avail; echo 12")
        self.assertRegex(self.run_bash("source tools/common.sh; build release").stdout,
                         "only 12 MB are free in .*/a b/parallax/build/release: a build with its tests takes 3000 MB")


if __name__ == "__main__":
    unittest.main()
