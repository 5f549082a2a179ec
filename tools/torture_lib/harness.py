"""Runs the program for tools/torture, tells crashes, hangs and bad manners, and compares what it leaves."""

import mmap
import subprocess
import time
from pathlib import Path

LIMIT_S = 60  # nothing here takes a second on an idle machine
NOT_COMPARED = {"summary.json", "journal.tsv"}  # times and order


class Finding(Exception):
    """kind: one of FINDINGS."""

    def __init__(self, kind, text):
        super().__init__(text)
        self.kind = kind


FINDINGS = {"crash": "crashes", "hang": "hangs", "differs": "results that differ from an undisturbed run",
            "loss": "silent losses", "manners": "errors not reported as they should be"}


class Counts(dict):
    def add(self, key, number=1):
        self[key] = self.get(key, 0) + number


SLICE_S = 0.5


def threads_of(pid):
    """States of its threads, and the seconds of processor time that they had."""
    states, had_s = "", 0.0
    for thread in Path(f"/proc/{pid}/task").glob("*"):
        try:
            states += (thread / "stat").read_text().rpartition(")")[2].split()[0]
            had_s += int((thread / "schedstat").read_text().split()[0]) / 1e9
        except (OSError, IndexError):  # it ended meanwhile
            pass
    return states, had_s


def time_it_had(passed_s, states, had_s):
    """Of passed_s seconds, those in which the program could work: none where somebody stopped it (SIGSTOP, a debugger),
    and where a thread waits for a processor that others have, what its threads got. What waits for anything else could."""
    if states and not states.strip("Tt"):
        return 0.0
    return min(passed_s, had_s) if "R" in states else passed_s


def wait_for(child, wait, limit_s):
    """Calls wait(seconds) until it does not time out; what it gave, and how long that took. TimeoutExpired after limit_s
    in which the program could work (time_it_had), and in which this program ran as well."""
    waited_s, (_, before_s) = 0.0, threads_of(child.pid)
    while True:
        begin = time.monotonic()
        try:
            result = wait(SLICE_S)
            return result, waited_s + min(time.monotonic() - begin, SLICE_S)
        except subprocess.TimeoutExpired:
            states, after_s = threads_of(child.pid)
            waited_s += time_it_had(min(time.monotonic() - begin, 2 * SLICE_S), states, max(0.0, after_s - before_s))
            before_s = after_s
            if waited_s > limit_s:
                raise


class Program:
    def __init__(self, path):
        self.path = str(Path(path).resolve())
        # The address sanitizer begins by reserving terabytes of addresses, another one opens a pipe at a check, and the
        # thread sanitizer does not start behind a preloaded library.
        with open(self.path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as code:
            self.is_sanitized = any(code.find(name) >= 0 for name in (b"__asan_init", b"__tsan_init"))

    def run(self, *arguments, stdout=subprocess.PIPE, before=None, limit_s=LIMIT_S, env=None):
        """Exit code, standard output, standard error; Finding where it hangs or a signal ends it."""
        command = [self.path, *map(str, arguments)]
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE, preexec_fn=before,
                              env=env) as child:
            try:
                (out, err), _ = wait_for(child, lambda seconds: child.communicate(timeout=seconds), limit_s)
            except subprocess.TimeoutExpired as late:
                child.kill()
                raise Finding("hang", f"hangs: {' '.join(command)}") from late
        if child.returncode < 0:
            raise Finding("crash", f"ended by signal {-child.returncode}: {err[-300:]!r}: {' '.join(command)}")
        return child.returncode, out, err

    def must(self, *arguments):
        code, _, err = self.run(*arguments)
        if code != 0:
            raise SystemExit(f"torture: cannot make what it works with: {err.decode(errors='replace')}")

    def start(self, *arguments, env=None):
        return subprocess.Popen([self.path, *map(str, arguments)], stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=env)


def check_manners(code, err, what):
    """Exit code and standard error of a program that could or could not do its work."""
    if code not in (0, 1, 2):
        raise Finding("manners", f"exit code {code}: {what}: {err[-300:]!r}")
    if code == 0 and err:
        raise Finding("manners", f"prints on standard error and ends with 0: {what}: {err[-300:]!r}")
    lines = err.splitlines()
    if code != 0 and (not lines or not all(line.startswith(b"parallax: ") for line in lines[:1])):
        raise Finding("manners", f"no line that says why: {what}: {err[-300:]!r}")
    # Faults of a file of parameters are reported all at once, one per line.
    if code != 0 and len(lines) != 1 and b".yaml:" not in err:
        raise Finding("manners", f"{len(lines)} lines on standard error: {what}: {err[-300:]!r}")


def tree(folder):
    """Every file below with its bytes."""
    files = {}
    for path in sorted(Path(folder).rglob("*")):
        if path.is_file() and path.name not in NOT_COMPARED:
            files[str(path.relative_to(folder))] = path.read_bytes()
    return files


def compare(got, want, what):
    if got == want:
        return
    for name in sorted(set(got) | set(want)):
        if got.get(name) != want.get(name):
            state = "missing" if name not in got else "too many" if name not in want else "differs"
            raise Finding("loss" if state == "missing" else "differs", f"{what}: {name} {state}")
