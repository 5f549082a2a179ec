"""tools/torture's kind outsider: what others do with folders, files and clocks while the program works.

Planted links in the output folder, folders that change while they are read, interlaced PNG, images that say they are
rotated (pixels count as they are stored: a calibration is of the sensor), names that differ by case, a clock that goes
back, the journal of another version, names that ROS does not allow, no display for the window of a calibration, and signals while it is open.
"""

import os
import re
import shutil
import signal
import struct
import subprocess
import threading
import time
import zlib

from .harness import LIMIT_S, Finding, check_manners, compare, tree, wait_for

MATCH = ["--set", "matching_cost.num_disparities=16", "--threads", "1"]
ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png_of(width, height, pixels, bits, colour, interlaced, extra=b""):
    """pixels: rows of whole bytes, of 8 or 16 bits."""
    size = {0: 1, 2: 3, 6: 4}[colour] * bits // 8

    def rows(x0, y0, dx, dy):
        for y in range(y0, height, dy):
            row = b"".join(pixels[(y * width + x) * size:(y * width + x + 1) * size] for x in range(x0, width, dx))
            if row:
                yield b"\0" + row

    passes = ADAM7 if interlaced else ((0, 0, 1, 1),)
    data = b"".join(row for one in passes for row in rows(*one))
    header = struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, int(interlaced))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + extra + chunk(b"IDAT", zlib.compress(data))
            + chunk(b"IEND", b""))


def exif(orientation):
    """A block of EXIF that holds nothing else."""
    return b"MM\0*\0\0\0\x08\0\x01" + struct.pack(">HHIHH", 0x0112, 3, 1, orientation, 0) + b"\0\0\0\0"


def rotated(data, ending, orientation):
    """The same file, with the word that it is to be turned."""
    if ending == ".png":
        at = data.index(b"IDAT") - 4
        return data[:at] + chunk(b"eXIf", exif(orientation)) + data[at:]
    if ending == ".jpg":
        block = b"Exif\0\0" + exif(orientation)
        return data[:2] + b"\xff\xe1" + struct.pack(">H", len(block) + 2) + block + data[2:]
    at = struct.unpack("<I", data[4:8])[0]  # a TIFF: one field more in a new table
    number = struct.unpack("<H", data[at:at + 2])[0]
    fields = [data[at + 2 + 12 * i:at + 14 + 12 * i] for i in range(number)]
    fields.append(struct.pack("<HHII", 274, 3, 1, orientation))
    fields.sort(key=lambda field: struct.unpack("<H", field[:2]))
    table = struct.pack("<H", len(fields)) + b"".join(fields) + struct.pack("<I", 0)
    return data[:4] + struct.pack("<I", len(data)) + data[8:] + table


class Outsider:
    WAYS = ("planted_links", "changing_folder", "interlaced_png", "rotated_images", "names_by_case", "clock_back",
            "other_version", "calibration_window", "names_of_ros")

    def __init__(self, program, corpus, folder, library):
        self.program, self.corpus, self.folder, self.library = program, corpus, folder / "outsider", library
        self.folder.mkdir()
        self.server = None  # the X server of windows
        self.calibrated = None  # the files of a calibration without a window

    def close(self):
        if self.server:
            self.server.kill()
            self.server.wait()

    def case(self, rng, counts):
        way = rng.choice(self.WAYS)
        if way == "clock_back" and (self.library is None or self.program.is_sanitized):
            way = "names_by_case"
        counts.add(f"outsider: {way.replace('_', ' ')}")
        getattr(self, way)(rng)

    def new(self, name, make=True):
        path = self.folder / name
        shutil.rmtree(path, ignore_errors=True)
        if make:
            path.mkdir(parents=True)
        return path

    def disparity_of(self, left, right, name="one"):
        """The bytes of the disparity of two files."""
        out = self.new(name, make=False)
        self.program.must("run", left, right, *MATCH, "--write", "pfm", "--output", out)
        return next(iter((out / "pfm").glob("*.pfm"))).read_bytes()

    def run_scene(self, *words, **settings):
        out = self.folder / "out"
        command = ["run", self.corpus.scene, *self.corpus.match, "--write", "disparity,pfm", "--output", out, *words]
        code, _, err = self.program.run(*command, **settings)
        check_manners(code, err, "an outsider's run")
        return code, out

    def planted_links(self, rng):
        """Links under the names that temporary files may have, to a file elsewhere, which must stay as it is."""
        out, victim = self.new("out"), self.folder / "victim"
        victim.write_bytes(b"keep me")
        (out / "pfm").mkdir()
        runs = rng.randrange(2)
        names = (["parameters.yaml", "summary.json", "journal.tsv", *(f"pfm/{name}.pfm" for name in self.corpus.names)] if runs
                 else ["figures.csv", "figures.json"])

        def plant():
            for name in names:
                target = out / name
                for count in range(2 * len(names)):
                    os.symlink(victim, target.with_name(f".{target.name}.{os.getpid()}-{count}.part"))

        words = (["run", self.corpus.scene, *self.corpus.match, "--write", "pfm", "--output", out] if runs else
                 ["eval", self.corpus.scene, "--estimates", self.corpus.whole / "pfm", "--csv", out / names[0], "--json",
                  out / names[1]])
        code, _, err = self.program.run(*words, before=plant)
        check_manners(code, err, "planted links")
        if victim.read_bytes() != b"keep me":
            raise Finding("loss", f"planted links: {words[0]} writes into a file elsewhere")
        if code == 0 and any((out / name).is_symlink() for name in names):
            raise Finding("loss", f"planted links: {words[0]} leaves a link in the place of a result")

    def changing_folder(self, rng):
        """Images are replaced, cut, removed and added; what is read is one of the two images of a name, or told."""
        versions = [pair for pair in self.corpus.pairs[:2]]
        allowed = {self.disparity_of(versions[i][0], versions[j][1]) for i in range(2) for j in range(2)}
        place, names = self.new("changing"), [f"{i:03d}.png" for i in range(12)]
        sides = [place / side for side in ("left", "right")]
        for i, side in enumerate(sides):
            side.mkdir()
            for name in names:
                shutil.copy(versions[0][i], side / name)
        stop, seed = threading.Event(), rng.random()

        def change():
            own = type(rng)(seed)
            while not stop.is_set():
                i, name = own.randrange(2), own.choice(names)
                data, file = versions[own.randrange(2)][i].read_bytes(), sides[i] / name
                how = own.randrange(8)
                if how == 0:
                    file.unlink(missing_ok=True)
                elif how == 1:
                    file.write_bytes(data)
                else:
                    (place / "next").write_bytes(data)
                    os.replace(place / "next", file)

        changer = threading.Thread(target=change)
        changer.start()
        try:
            out = self.new("out", make=False)
            code, _, err = self.program.run("run", f"{sides[0]}/*.png", f"{sides[1]}/*.png", *MATCH, "--write", "pfm",
                                            "--output", out)
        finally:
            stop.set()
            changer.join()
        check_manners(code, err, "a folder that changes")
        for name, data in tree(out).items():
            if name.endswith(".pfm") and data not in allowed:
                raise Finding("differs", f"a folder that changes: {name} is of neither image")

    def interlaced_png(self, rng):
        width, height = rng.choice(((40, 24), (17, 9), (64, 33)))
        bits, colour = rng.choice(((8, 0), (16, 0), (8, 2), (16, 2), (8, 6)))
        pixels = rng.randbytes(width * height * {0: 1, 2: 3, 6: 4}[colour] * bits // 8)
        plain, interlaced = self.folder / "plain.png", self.folder / "interlaced.png"
        plain.write_bytes(png_of(width, height, pixels, bits, colour, False))
        interlaced.write_bytes(png_of(width, height, pixels, bits, colour, True))
        if self.disparity_of(plain, plain) != self.disparity_of(interlaced, plain):
            raise Finding("differs", f"an interlaced PNG of {width}x{height}, {bits} bits, colour {colour}: other pixels")

    def rotated_images(self, rng):
        label, data, ending, _ = rng.choice([image for image in self.corpus.images if image[2] in (".png", ".jpg", ".tif")])
        orientation = rng.randrange(2, 9)
        plain, turned = self.folder / f"plain{ending}", self.folder / f"turned{ending}"
        plain.write_bytes(data)
        turned.write_bytes(rotated(data, ending, orientation))
        if self.disparity_of(plain, plain) != self.disparity_of(turned, plain):
            raise Finding("differs", f"{label} of orientation {orientation}: pixels are not as they are stored")

    def names_by_case(self, rng):
        """A.png and a.png are two frames; in a folder to which they are one name, nothing may be lost without a word."""
        first, second = rng.sample(self.corpus.pairs[:4], 2)
        place, out = self.new("by_case"), self.new("out", make=False)
        for i, side in enumerate(("left", "right")):
            (place / side).mkdir()
            shutil.copy(first[i], place / side / "Frame.png")
            shutil.copy(second[i], place / side / "frame.png")
        code, _, err = self.program.run("run", f"{place}/left/*.png", f"{place}/right/*.png", *MATCH, "--write", "pfm",
                                        "--output", out)
        check_manners(code, err, "names that differ by case")
        for name, pair in (("Frame", first), ("frame", second)):
            file = out / f"pfm/{name}.pfm"
            if code == 0 and (not file.exists() or file.read_bytes() != self.disparity_of(*pair)):
                raise Finding("loss", f"names that differ by case: {name} is not there, or another's")

    def clock_back(self, rng):
        self.new("out", make=False)
        env = {**os.environ, "LD_PRELOAD": str(self.library), "PARALLAX_CLOCK_BACK": str(rng.choice((1, 60, 86400)))}
        for words in ([], ["--resume"], ["--overwrite"]):
            code, out = self.run_scene(*words, env=env)
            if code != 0:
                raise Finding("loss", f"a clock that goes back: {' '.join(words)} fails")
            compare(tree(out), tree(self.corpus.whole), "a clock that goes back")

    def other_version(self, rng):
        """Gone on with, or refused; the results stay as they are."""
        out = self.new("out", make=False)
        shutil.copytree(self.corpus.whole, out)
        journal = out / "journal.tsv"
        lines = journal.read_bytes().splitlines(keepends=True)
        version = rng.choice((b"parallax=99.0.0", b"parallax=0.0.1", b"parallax=", b"else=1"))
        for i, line in enumerate(lines):
            words = line.rstrip(b"\n").split(b"\t")
            if words[1] == b"run":
                rest = b"\t".join([words[1], version, *words[3:]])
                lines[i] = b"%08x\t%s\n" % (zlib.crc32(rest), rest)
        journal.write_bytes(b"".join(lines))
        self.run_scene("--resume")
        compare(tree(out), tree(self.corpus.whole), f"the journal of {version.decode()}")

    def names_of_ros(self, rng):
        """Topics, namespaces and domains that ROS does not allow: one line, and nothing is written."""
        good = "/" + "/".join(rng.choice(("a", "left_1", "x")) for _ in range(3))
        at = rng.randrange(1, len(good) + 1)
        bad = good[:at] + rng.choice((" ", "-", "//", "%", "\n", "\u00e9", "/1", "=")) + good[at:]
        out, env = self.new("out", make=False), dict(os.environ)
        words = rng.choice(([f"ros2:left={bad},right=/b"], [f"ros2:left=/a,right=/b,right_info={bad}"],
                            [f"ros2:left=/a,right=/b,{rng.choice(('domain=233', 'domain=x', 'reliable=2', 'x=1', 'left='))}"],
                            ["ros2:left=/a,right=/b"], [self.corpus.scene, "--ros2", bad]))
        if words[0] == "ros2:left=/a,right=/b":
            env["ROS_DOMAIN_ID"] = rng.choice(("x", "233", "-1", "1e1"))
        code, _, err = self.program.run("run", *words, *self.corpus.match, "--output", out, env=env)
        check_manners(code, err, f"names of ROS, {words}")
        if code == 0 or out.exists():
            raise Finding("loss", f"{words} ends with {code} and writes")

    def display(self):
        """The environment with a display of its own; None where there is no X server to be had."""
        if self.server is None and shutil.which("Xvfb"):
            reader, writer = os.pipe()
            self.server = subprocess.Popen(["Xvfb", "-displayfd", str(writer), "-screen", "0", "1600x1000x24", "-nolisten", "tcp"],
                                           pass_fds=[writer], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            os.close(writer)
            with os.fdopen(reader) as number:
                self.server.number = number.readline().strip()
        return {**os.environ, "DISPLAY": f":{self.server.number}"} if self.server else None

    def calibration_window(self, rng):
        """calibrate --show: without a display one line says so and nothing is written; with one, a signal leaves files that
        are whole, or none."""
        out, board = self.new("window", make=False), self.corpus.folder / "board"
        command = ["calibrate", board / "left", board / "right", "--board", "chessboard:5x4", "--square", "0.04", "--output", out]
        env = self.display() if rng.randrange(2) and not self.program.is_sanitized else None
        if env is None:
            env = {name: value for name, value in os.environ.items() if name != "DISPLAY"}
            code, _, err = self.program.run(*command, "--show", env=env)
            check_manners(code, err, "no display")
            if code != 1 or out.exists():
                raise Finding("loss", f"calibrate --show without a display ends with {code}: {err!r}")
            return
        if self.calibrated is None:
            self.program.must(*command)
            self.calibrated = tree(out)
            shutil.rmtree(out)
        child = self.program.start(*command, "--show", env=env)
        how = rng.choice((signal.SIGINT, signal.SIGTERM, signal.SIGKILL))
        end = time.monotonic() + (rng.uniform(0, 4) if rng.randrange(2) else LIMIT_S)
        while time.monotonic() < end and child.poll() is None and not (out / "rig.yaml").exists():
            time.sleep(0.02)
        child.send_signal(how)
        try:
            (_, err), _ = wait_for(child, lambda seconds: child.communicate(timeout=seconds), LIMIT_S)
        except subprocess.TimeoutExpired as late:
            child.kill()
            raise Finding("hang", f"calibrate --show does not end after {how.name}") from late
        if child.returncode != -how:
            check_manners(child.returncode, err, f"calibrate --show, {how.name}")
        files = {name: data for name, data in (tree(out) if out.exists() else {}).items() if not name.endswith(".part")}
        # A stop ends the collection and calibrates the boards that were read.
        whole, num_boards = self.calibrated, len(set(re.findall(rb"left/\S+", files.get("corners.vnl", b""))))
        if num_boards < len(set(re.findall(rb"left/\S+", whole["corners.vnl"]))) and num_boards > 0:
            fewer = self.new("fewer", make=False)
            self.program.run(*command[:-1], fewer, "--max-frames", num_boards)
            whole = tree(fewer)
        for name, data in files.items():
            if data != whole.get(name):
                raise Finding("differs", f"calibrate --show, {how.name}: {name} is not whole")
