#!/usr/bin/python3
"""The arithmetic of tools/accuracy, by hand. Ends with 77 (skipped) where this Python has no numpy."""

import struct
import sys
import tempfile
import unittest
import zlib
from pathlib import Path

try:
    import numpy as np
except ImportError:
    print("skipped: this Python has no numpy")
    sys.exit(77)

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from accuracy_lib.images import read_pfm, read_png, write_pfm  # noqa: E402
from accuracy_lib.statistics import leave_one_site_out, paired_test, site_of  # noqa: E402


class Statistics(unittest.TestCase):
    def test_paired_test_counts_signs_exactly(self):
        # Differences -1, -2, -3: of the 8 signs only +++ and --- reach 6.
        test = paired_test(np.array([4, 4, 4]), np.array([3, 2, 1]))
        self.assertEqual((test.mean, test.better, test.worse, test.p), (-2, 3, 0, 0.25))
        self.assertAlmostEqual(test.standard_error, 1 / 3**0.5)

    def test_equal_figures_prove_nothing(self):
        self.assertEqual(paired_test(np.ones(3), np.ones(3)).p, 1)

    def test_paired_test_of_many_frames_draws(self):
        self.assertLess(paired_test(np.zeros(20), -np.ones(20)).p, 0.001)

    def test_a_frame_has_no_say_in_its_own_choice(self):
        # b is better in the mean by the last frame alone; without it a is: that frame gets a's 9.
        left_out = leave_one_site_out(np.array([[1, 1, 9], [2, 2, 0]]), ["1", "2", "3"])
        self.assertEqual(left_out.choices, [1, 2])
        self.assertAlmostEqual(left_out.mean, (2 + 2 + 9) / 3)

    def test_frames_of_one_site_have_no_say_in_their_choice(self):
        # On the playground b is better, in the garden a: both get the other's choice.
        sites = [site_of(name) for name in ("playground_1l", "playground_2s", "garden")]
        left_out = leave_one_site_out(np.array([[5, 5, 1], [1, 1, 2]]), sites)
        self.assertEqual(left_out.choices, [2, 1])
        self.assertAlmostEqual(left_out.mean, (5 + 5 + 2) / 3)
        self.assertTrue(np.isnan(leave_one_site_out(np.ones((2, 2)), sites[:2]).mean))


class Images(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_png_of_every_filter(self):
        rows = np.random.default_rng(0).integers(0, 256, (5, 4, 3)).astype(np.uint8)
        packed = b""
        for y in range(5):  # row y has filter y
            line, above = rows[y].reshape(-1).astype(int), rows[y - 1].reshape(-1).astype(int) * (y > 0)
            a, c = np.r_[0, 0, 0, line[:-3]], np.r_[0, 0, 0, above[:-3]]
            p = a + above - c
            by = np.stack([abs(p - a), abs(p - above), abs(p - c)])
            paeth = np.choose(np.argmin(by, axis=0), [a, above, c])
            guess = [np.zeros(12, int), a, above, (a + above) // 2, paeth][y]
            packed += bytes([y]) + ((line - guess) % 256).astype(np.uint8).tobytes()

        self.write_png(4, 5, 8, 2, packed)
        np.testing.assert_array_equal(read_png(self.folder / "a.png"), rows)

    def test_png_of_a_palette(self):
        # Five pixels of two bits: 0 1 2 3, 1.
        palette = np.array([[0, 0, 0], [9, 9, 9], [128, 128, 128], [255, 0, 1]], np.uint8)
        self.write_png(5, 1, 2, 3, bytes([0, 0b00011011, 0b01000000]), palette.tobytes())
        np.testing.assert_array_equal(read_png(self.folder / "a.png"), palette[[[0, 1, 2, 3, 1]]])

    def write_png(self, width, height, depth, color, rows, palette=b""):
        def chunk(kind, body):
            return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

        header = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, 0)
        (self.folder / "a.png").write_bytes(
            b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + (chunk(b"PLTE", palette) if palette else b"")
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))

    def test_pfm_there_and_back(self):
        values = np.array([[1.5, np.nan], [0, -2]], np.float32)
        write_pfm(self.folder / "a.pfm", values)
        np.testing.assert_array_equal(read_pfm(self.folder / "a.pfm"), values)


if __name__ == "__main__":
    unittest.main()
