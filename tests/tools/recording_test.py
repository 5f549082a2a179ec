#!/usr/bin/env python3
"""Records a run and reads it with npm's MCAP and ROS 2 readers: every pixel, number and point has to be there.

    tests/tools/recording_test.py PROGRAM

Skipped (exit code 77) where node or the packages are not there. PARALLAX_NODE_MODULES names their folder:

    npm install --prefix DIR @mcap/core @foxglove/rosmsg @foxglove/rosmsg2-serialization fzstd
    PARALLAX_NODE_MODULES=DIR/node_modules
"""

import base64
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib
from array import array
from pathlib import Path

READER = Path(__file__).with_name("read_recording.mjs")
PACKAGES = ("@mcap/core", "@foxglove/rosmsg", "@foxglove/rosmsg2-serialization", "fzstd")
PROGRAM = ""
FX, CX, CY, BASELINE, DOFFS = 120.1, 30.3, 20.7, 0.12345, 1.25


def why_skipped():
    modules = os.environ.get("PARALLAX_NODE_MODULES", "")
    if shutil.which("node") is None:
        return "there is no node"
    if not modules or not all((Path(modules) / name).is_dir() for name in PACKAGES):
        return "PARALLAX_NODE_MODULES names no folder with " + ", ".join(PACKAGES)
    return ""


def write_png(path, width, height, color_type, bits, data):
    """Rows of unfiltered bytes as a PNG."""
    row_bytes = len(data) // height
    rows = b"".join(b"\0" + data[y * row_bytes:(y + 1) * row_bytes] for y in range(height))

    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">2I5B", width, height, bits, color_type, 0, 0, 0)) +
                     chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def read_pfm(path):
    """Floats, top row first."""
    head, size, scale, data = path.read_bytes().split(b"\n", 3)
    assert head == b"Pf" and float(scale) < 0
    width, height = map(int, size.split())
    rows = [data[4 * width * y:4 * width * (y + 1)] for y in range(height)]
    return array("f", b"".join(reversed(rows)))


class Recording(unittest.TestCase):
    WIDTH, HEIGHT = 61, 43

    def record(self, color_type, bits):
        """The pair's bytes, the messages by topic and the folder of results."""
        folder = Path(tempfile.mkdtemp(prefix="parallax_recording_"))
        self.addCleanup(shutil.rmtree, folder)
        pixel_bytes = (3 if color_type == 2 else 1) * bits // 8
        rng = random.Random(5)
        scene = [rng.randbytes((self.WIDTH + 4) * pixel_bytes) for _ in range(self.HEIGHT)]
        shown = [b"".join(row[x * pixel_bytes:(x + self.WIDTH) * pixel_bytes] for row in scene) for x in (0, 4)]
        for name, data in zip(("left", "right"), shown):
            write_png(folder / f"{name}.png", self.WIDTH, self.HEIGHT, color_type, bits, data)
        run = [PROGRAM, "run", folder / "left.png", folder / "right.png", "--output", folder / "out", "--rig",
               f"{FX},{CX},{CY},{BASELINE},{DOFFS}", "--set", "matching_cost.num_disparities=16", "--write",
               "pfm,depth,cloud", "--show-filled", "--record", folder / "a.mcap", "--record-write", "depth,depth-mm,disparity,cloud"]
        subprocess.run([str(word) for word in run], check=True, capture_output=True, timeout=120)
        read = subprocess.run(["node", str(READER), str(folder / "a.mcap")], check=True, capture_output=True, timeout=120)
        messages = {}
        for line in read.stdout.decode().splitlines():
            message = json.loads(line)
            messages.setdefault(message["topic"], []).append(message)
        return shown, messages, folder / "out"

    def check_pair(self, color_type, bits, encoding):
        shown, messages, _ = self.record(color_type, bits)
        for side, data in zip(("left", "right"), shown):
            (image,) = messages[f"/{side}/image_rect"]
            self.assertEqual((image["width"], image["height"], image["encoding"]), (self.WIDTH, self.HEIGHT, encoding))
            stored = base64.b64decode(image["data"])
            if bits == 16:  # PNG's first byte is the higher one
                self.assertEqual(image["is_bigendian"], 0)
                swapped = array("H", stored)
                swapped.byteswap()
                stored = swapped.tobytes()
            self.assertEqual(stored, data)
            self.assertEqual(image["step"], len(data) // self.HEIGHT)

    def test_gray(self):
        self.check_pair(0, 8, "mono8")

    def test_gray_of_16_bits(self):
        self.check_pair(0, 16, "mono16")

    def test_color(self):
        self.check_pair(2, 8, "rgb8")

    def test_calibration_and_results(self):
        _, messages, out = self.record(2, 8)
        (left,), (right,) = messages["/left/camera_info"], messages["/right/camera_info"]
        self.assertEqual(left["p"], [FX, 0, CX, 0, 0, FX, CY, 0, 0, 0, 1, 0])
        self.assertEqual(right["p"], [FX, 0, CX + DOFFS, -FX * BASELINE, 0, FX, CY, 0, 0, 0, 1, 0])
        self.assertEqual((left["distortion_model"], left["d"]), ("plumb_bob", [0] * 5))
        self.assertIn("name left\n", messages["/parallax/frame"][0]["data"])

        pfm = read_pfm(out / "pfm" / "left.pfm")
        (disparity,) = messages["/disparity"]
        values = array("f", base64.b64decode(disparity["image"]["data"]))
        none = disparity["min_disparity"] - 1
        num_matched = 0
        for stored, written in zip(values, pfm, strict=True):
            if written == float("inf"):
                self.assertEqual(stored, none)
            else:
                num_matched += 1
                self.assertAlmostEqual(stored, written + DOFFS, places=4)
        self.assertGreater(num_matched, self.WIDTH * self.HEIGHT / 2)
        self.assertAlmostEqual(disparity["t"], BASELINE, places=6)

        depth = array("f", base64.b64decode(messages["/depth/image_rect"][0]["data"]))
        mm = array("H", base64.b64decode(messages["/depth/image_rect_raw"][0]["data"]))
        for z, rounded, written in zip(depth, mm, pfm, strict=True):
            if z != z:
                self.assertEqual(rounded, 0)
                continue
            self.assertAlmostEqual(z, FX * BASELINE / (written + DOFFS), places=4)
            self.assertLessEqual(abs(rounded - z * 1000), 0.51)

        (cloud,) = messages["/points2"]
        ply = (out / "cloud" / "left.ply").read_bytes()
        body = ply[ply.index(b"end_header\n") + len(b"end_header\n"):]
        points = list(struct.iter_unpack("<3f4B", base64.b64decode(cloud["data"])))
        expected = list(struct.iter_unpack("<3f3B", body))
        self.assertEqual(len(points), cloud["width"])
        self.assertEqual([(x, y, z, r, g, b) for x, y, z, b, g, r, _ in points], expected)
        self.assertEqual([field["name"] for field in cloud["fields"]], ["x", "y", "z", "rgb"])


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    if reason := why_skipped():
        print(f"skipped: {reason}")
        sys.exit(77)
    unittest.main()
