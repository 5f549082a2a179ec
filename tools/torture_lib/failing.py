"""tools/torture's kind fail: the n-th call of the system fails, or that and all that follow, for every n.

The preloaded library tests/support/failing_calls.cpp counts calls and lets them fail.
"""

import csv
import errno
import io
import json
import os
import random
import shutil

from . import scenes
from .harness import LIMIT_S, Finding, compare, tree
from .outsider import png_of

# How a call of each kind fails, (number, whether all that follow do, too); 0: a part is read or written.
WAYS = {
    "malloc": [(errno.ENOMEM, False), (errno.ENOMEM, True)],
    "read": [(errno.EIO, False), (errno.EINTR, False), (0, True)],
    "write": [(errno.ENOSPC, True), (errno.EIO, False), (errno.EINTR, False), (0, True)],
    "open": [(errno.EMFILE, True), (errno.EIO, False), (errno.EINTR, False)],
    "close": [(errno.EIO, False), (errno.EINTR, False)],
    "fsync": [(errno.EIO, False), (errno.EINTR, False)],
    "rename": [(errno.EIO, False), (errno.ENOSPC, True)],
    "unlink": [(errno.EIO, True)],
    "link": [(errno.EMLINK, True), (errno.EIO, False)],
    "mkdir": [(errno.ENOSPC, True), (errno.EIO, False)],
    "mmap": [(errno.ENOMEM, True), (errno.ENOMEM, False)],
    "readdir": [(errno.EIO, False)],
    "thread": [(errno.EAGAIN, False), (errno.EAGAIN, True)],
}
MOST_ALLOCATIONS = 300  # a command makes tens of thousands: so many of each way, spread over all

MATCH = ["--set", "matching_cost.num_disparities=16", "--threads", "1"]


def name_of(number):
    return errno.errorcode.get(number, "in parts")


class Job:
    """A command that is disturbed. {}: its folder; again: the words that go on with it or do it again."""

    def __init__(self, name, words, again, made=None, steady=()):
        """made: a folder that it begins with; steady: folders that it reads and must leave as they are."""
        self.name, self.words, self.again, self.made = name, words, again, made
        self.steady = [(folder, tree(folder)) for folder in steady]
        self.want, self.old = {}, {}

    def begin(self, folder):
        if self.made:
            shutil.copytree(self.made, folder)
        else:
            folder.mkdir()

    @staticmethod
    def at(words, folder):
        return [str(word).replace("{}", str(folder)) for word in words]


class Failing:
    def __init__(self, program, library, folder):
        self.program, self.library, self.must, self.folder = program, str(library), program.must, folder
        self.place = folder / "failing"
        self.jobs = {job.name: job for job in self.make_jobs()}
        for job in self.jobs.values():
            self.fresh(job)
            job.old = tree(self.place)
            self.must(*job.at(job.words, self.place))
            job.want = tree(self.place)

    def make_jobs(self):
        base = self.folder / "to_fail"
        scene, board, half, old = (base / name for name in ("scene", "board", "half", "old"))
        self.must("synth", "planes", "--width=64", "--height=48", "--frames=3", "--layout", "kitti2012", "--output", scene)
        scenes.make_board(board)
        for picture in board.glob("*/*.pgm"):  # other formats load libraries that end a program which is refused memory
            pixels = picture.read_bytes()[-160 * 120:]
            picture.with_suffix(".png").write_bytes(png_of(160, 120, pixels, 8, 0, False))
            picture.unlink()
        run = ["run", scene, *MATCH, "--write", "disparity,pfm,depth,cloud,color"]
        yield Job("run", [*run, "--output", "{}/out"], [*run, "--output", "{}/out", "--resume"], steady=[scene])
        self.must(*run, "--max-frames", "1", "--output", half / "out")
        resume = [*run, "--output", "{}/out", "--resume"]
        yield Job("resume", resume, resume, half, [scene])
        whole, other = base / "whole", base / "other"
        self.must(*run, "--output", whole)
        self.must(*run, "--set", "aggregation.p2=200", "--output", other)
        outputs = ["--csv", "{}/figures.csv", "--json", "{}/figures.json", "--report", "{}/report"]
        evaluate = ["eval", scene, "--estimates", whole / "pfm", *outputs]
        old.mkdir()
        self.must(*Job.at(["eval", scene, "--estimates", other / "pfm", *outputs[:4]], old))
        yield Job("eval", evaluate, evaluate, old, [scene, whole])
        shards = base / "shards"
        for i in range(2):
            self.must("run", scene, *MATCH, "--write", "disparity,pfm", "--shard", f"{i}/2", "--output", shards)
        merge = ["merge", shards, "--output", "{}/out"]
        yield Job("merge", merge, [*merge, "--overwrite"], steady=[shards])
        scores = base / "scores"
        for i in range(2):
            self.must("eval", scene, "--estimates", whole / "pfm", "--shard", f"{i}/2", "--scores", scores)
        merge = ["merge", scores, *outputs[:4]]
        yield Job("merge of scores", merge, merge, old, [scores])
        record = ["run", "synthetic:planes,frames=3,width=64,height=48", *MATCH, "--write", "pfm", "--output", "{}/out",
                  "--record", "{}/recorded.mcap", "--overwrite"]
        yield Job("record", record, record)
        calibrate = ["calibrate", board / "left", board / "right", "--board", "chessboard:5x4", "--square", "0.04",
                     "--output", "{}/out", "--overwrite"]
        yield Job("calibrate", calibrate, calibrate, steady=[board])

    def fresh(self, job):
        shutil.rmtree(self.place, ignore_errors=True)
        job.begin(self.place)

    def environment(self, **variables):
        return {**os.environ, "LD_PRELOAD": self.library, **variables}

    def plan(self, seed):
        """(job, kind, number, lasting, n) of every case, shuffled."""
        cases = []
        counts_file = self.folder / "counts"
        for job in self.jobs.values():
            self.fresh(job)
            code, _, err = self.program.run(*job.at(job.words, self.place), limit_s=2 * LIMIT_S,
                                            env=self.environment(PARALLAX_FAIL_COUNTS=str(counts_file)))
            if code != 0:
                raise SystemExit(f"torture: {job.name} fails under {self.library}: {err!r}")
            counts = dict(line.split() for line in counts_file.read_text().splitlines())
            for kind, ways in WAYS.items():
                count = int(counts[kind])
                rng = random.Random(f"{seed}/{job.name}/{kind}")
                stride = max(1, count // MOST_ALLOCATIONS) if kind == "malloc" else 1
                cases += [(job.name, kind, number, lasting, n) for number, lasting in ways
                          for n in range(1 + rng.randrange(stride), count + 1, stride)]
        random.Random(f"{seed}/plan").shuffle(cases)
        return cases

    def case(self, case, counts):
        name, kind, number, lasting, n = case
        job = self.jobs[name]
        words = f"{kind}:{n}:{number}{':on' if lasting else ''}"
        what = f"{name}, call {n} of {kind}{' and all that follow' if lasting else ''}: {name_of(number)} (PARALLAX_FAIL={words})"
        counts.add(f"fail: {kind}")
        counts.add(f"fail: cases of {name}")
        self.fresh(job)
        try:
            code, _, err = self.program.run(*job.at(job.words, self.place), limit_s=2 * LIMIT_S,
                                            env=self.environment(PARALLAX_FAIL=words))
            counts.add(f"fail: exit code {code}")
            self.check_lines(code, err)
            for folder, files in job.steady:
                compare(tree(folder), files, f"{folder.name}, which is only read,")
            self.check_left(job, code)
            if code == 0:
                return
            code, _, err = self.program.run(*job.at(job.again, self.place), limit_s=2 * LIMIT_S)
            if code != 0:
                raise Finding("loss", f"cannot be done again: {err[-300:]!r}")
            compare(self.without_abandoned(kind), job.want, "done again")
        except Finding as finding:
            raise Finding(finding.kind, f"{what}: {finding}") from None

    def without_abandoned(self, kind):
        """Where nothing could be removed, temporary files may stay."""
        files = tree(self.place)
        return {name: data for name, data in files.items() if kind != "unlink" or not name.endswith(".part")}

    @staticmethod
    def check_lines(code, err):
        lines = err.splitlines()
        if code not in (0, 1, 2):
            raise Finding("manners", f"exit code {code}: {err[-300:]!r}")
        if code == 0 and err:
            raise Finding("manners", f"prints on standard error and ends with 0: {err[-300:]!r}")
        if code != 0 and (not lines or not lines[-1].startswith(b"parallax: ")):
            raise Finding("manners", f"no line that says why, exit code {code}: {err[-300:]!r}")
        if any(not line.startswith((b"failed ", b"skipped ")) for line in lines[:-1]):
            raise Finding("manners", f"{len(lines)} lines on standard error: {err[-600:]!r}")

    def check_left(self, job, code):
        """Of the disturbed run: what it wrote is whole."""
        files = tree(self.place)
        if code == 0:
            compare({name: data for name, data in files.items() if not name.endswith(".part")}, job.want, "exit code 0")
            return
        for name, data in files.items():
            base = name.rpartition("/")[2]
            if data in (job.want.get(name), job.old.get(name)) or base.endswith(".part"):
                continue
            if base == "figures.csv":
                check_csv(data.decode(), job.want[name].decode())
            elif base in ("figures.json", "report.json"):
                self.check_json(name, data)
            elif base.endswith(".html"):
                if not data.rstrip().endswith(b"</html>"):
                    raise Finding("differs", f"{name} is torn")
            elif base.endswith(".mcap"):
                self.check_recording(job, self.place / name)
            else:
                raise Finding("differs", f"{name} is neither whole nor what was there before ({len(data)} bytes)")
        for summary in self.place.rglob("summary.json"):
            self.check_json(summary.name, summary.read_bytes())

    @staticmethod
    def check_json(name, data):
        try:
            json.loads(data)
        except ValueError as error:
            raise Finding("differs", f"{name} is torn: {error}") from error

    def check_recording(self, job, file):
        """Frames of it that are read are those of the recording that was not disturbed."""
        out, sound = self.folder / "of_torn", self.folder / "of_sound"
        for folder, recording in ((out, file), (sound, self.folder / "sound.mcap")):
            shutil.rmtree(folder, ignore_errors=True)
            if folder is sound:
                recording.write_bytes(job.want[file.name])
            code, _, err = self.program.run("run", recording, *MATCH, "--write", "pfm", "--output", folder)
            self.check_lines(code, err)
        want = tree(sound)
        for name, data in tree(out).items():
            if name.endswith(".pfm") and data != want.get(name):
                raise Finding("differs", f"a frame of a torn recording, {name}, is not as it was recorded")


def check_csv(text, want):
    """A row a frame that could be scored, as in the undisturbed table, and the total of them."""
    rows, sound = (list(csv.reader(io.StringIO(t))) for t in (text, want))
    frames = {row[0]: row for row in sound[1:-1]}
    if not text.endswith("\n") or len(rows) < 3 or rows[0] != sound[0] or rows[-1][0] != "total":
        raise Finding("differs", f"figures.csv is torn: {text[-200:]!r}")
    for row in rows[1:-1]:
        if row != frames.get(row[0]):
            raise Finding("differs", f"figures.csv has other figures of {row[0]!r}")


def built_library(program):
    """Its path in the folder of the program's build; None if the tests are not built."""
    place = os.path.join(os.path.dirname(program), "tests")
    found = [os.path.join(place, name) for name in ("libparallax_failing_calls.so",)]
    return next((name for name in found if os.path.exists(name)), None)
