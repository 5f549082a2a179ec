"""From pictures of a board to a rig and on to a cloud, and what is said of pairs that cannot be right."""

import os
import subprocess
import sys
import tempfile
import unittest
import warnings
from pathlib import Path

import numpy as np

import parallax
import rendered_boards
from rendered_boards import BASELINE_M, FOCAL_PX, SQUARE_M, board_pairs, wall_pair
from support import run_program, same_bits

PAIRS = list(board_pairs(8))
LEFT, RIGHT = ([pair[side] for pair in PAIRS] for side in (0, 1))
BOARD = {"board": "chessboard:9x6", "square_m": SQUARE_M}
EXAMPLE = Path(__file__).parents[2] / "examples" / "python" / "camera_to_cloud.py"


def write_images(folder, pairs=PAIRS):
    """left/0.pgm, right/0.pgm, ...; both lists of files."""
    files = ([], [])
    for i, pair in enumerate(pairs):
        for image, side, names in zip(pair, ("left", "right"), files):
            os.makedirs(os.path.join(folder, side), exist_ok=True)
            names.append(os.path.join(folder, side, f"{i}.pgm"))
            Path(names[-1]).write_bytes(b"P5\n320 240\n255\n" + image.tobytes())
    return files


class Calibrations(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.result = parallax.calibrate(LEFT, RIGHT, **BOARD)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_the_rig(self):
        result = self.result
        self.assertIn(result.verdict, ("good", "usable"), result)
        self.assertEqual(result.causes, [])
        self.assertEqual((result.width_px, result.height_px), (320, 240))
        self.assertAlmostEqual(result.baseline_m, BASELINE_M, delta=0.0005)
        for rms_px in (result.rms_left_px, result.rms_right_px, result.rms_px):
            self.assertTrue(0 < rms_px < 0.3, result)
        for side in ("left", "right"):
            focal = result.parameters[f"{side}_fx_px"]
            self.assertLess(abs(focal["value"] - FOCAL_PX), 5 * focal["sigma"])
        self.assertTrue(result.lens.startswith("plumb_bob"))
        self.assertTrue(all(trial["held_out_px"] > 0 for trial in result.lens_trials))
        self.assertEqual([board["name"] for board in result.boards], [str(i) for i in range(8)])
        self.assertEqual([error["distance_m"] for error in result.depth_errors], [1, 2, 5, 10])
        self.assertIn("8 boards", repr(result))

    def test_the_covariance(self):
        parameters, covariance = self.result.parameters, self.result.covariance
        self.assertEqual(covariance.shape, (len(parameters), len(parameters)))
        sigmas = [parameter["sigma"] for parameter in parameters.values()]
        np.testing.assert_allclose(np.sqrt(np.diag(covariance)), sigmas)

    def test_the_coverage(self):
        self.assertEqual((self.result.coverage_left.shape, self.result.coverage_left.dtype), ((10, 10), np.int32))
        self.assertEqual(self.result.coverage_left.sum(), 8 * 54)

    def test_the_rig_matches_at_once(self):
        left, right = wall_pair()
        result = parallax.Matcher(backend="cpu", matching_cost_num_disparities=64).compute(left, right, self.result.rig)
        self.assertAlmostEqual(float(np.nanmedian(result.depth())), 0.8, delta=0.01)
        self.result.save(Path(self.folder, "rig.yaml"))
        of_file = parallax.Rig.load(self.folder + "/rig.yaml").rectify(left, right)
        self.assertTrue(same_bits(of_file.left, self.result.rig.rectify(left, right).left))

    def test_every_way_in_gives_the_same(self):
        pairs = PAIRS[:5]
        left, right = write_images(self.folder, pairs)
        wanted = parallax.calibrate(pairs, lens="plumb_bob", **BOARD).covariance
        globs = [os.path.join(self.folder, side, "*.pgm") for side in ("left", "right")]
        for name, given in {"files": (left, list(map(Path, right))), "globs": globs, "a source": [parallax.open(*globs)],
                            "an iterator": [iter(pairs)], "frames": [list(parallax.open(*globs))],
                            "an array": (np.stack(LEFT[:5]), np.stack(RIGHT[:5]))}.items():
            with self.subTest(name):
                self.assertTrue(same_bits(parallax.calibrate(*given, lens="plumb_bob", **BOARD).covariance, wanted))

    def test_as_the_program(self):
        write_images(self.folder)
        globs = [os.path.join(self.folder, side, "*.pgm") for side in ("left", "right")]
        run_program("calibrate", *globs, "--board", "chessboard:9x6", "--square", SQUARE_M, "--output", self.folder + "/out")
        self.result.save(self.folder + "/rig.yaml")
        self.assertEqual(Path(self.folder, "rig.yaml").read_text(), Path(self.folder, "out", "rig.yaml").read_text())

    def test_boards_that_are_not_seen(self):
        blank = np.full_like(LEFT[0], 90)
        result = parallax.calibrate([*LEFT[:8], blank], [*RIGHT[:7], blank, blank], lens="plumb_bob", **BOARD)
        self.assertEqual(len(result.boards), 7)
        self.assertEqual([board["name"] for board in result.rejected], ["7", "8"])
        self.assertRegex(result.rejected[0]["reason"], "not found in the right image")

    def test_what_is_refused_gives_no_rig(self):
        result = parallax.calibrate(LEFT, RIGHT, baseline_m=0.3, lens="plumb_bob", **BOARD)
        self.assertEqual(result.verdict, "refused")
        self.assertRegex(result.causes[0], "wrong square size")
        self.assertRaisesRegex(parallax.Error, "refused: wrong square size", lambda: result.rig)
        self.assertRaisesRegex(parallax.Error, "refused", result.save, self.folder + "/rig.yaml")
        self.assertFalse(os.path.exists(self.folder + "/rig.yaml"))

    def test_example_from_a_video_to_a_cloud(self):
        self.assertLessEqual(len(EXAMPLE.read_text().splitlines()), 15)
        blank = [np.full_like(image, 90) for image in PAIRS[0]]
        rendered_boards.write_video(self.folder + "/boards.avi", [blank, *(pair for pair in PAIRS for _ in range(2))])
        rendered_boards.write_video(self.folder + "/scene.avi", [wall_pair()])
        done = subprocess.run([sys.executable, "-W", "error", EXAMPLE, self.folder + "/boards.avi",
                               self.folder + "/scene.avi", self.folder], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("8 boards", done.stdout)
        cloud = parallax.read_cloud(self.folder + "/cloud.ply")
        self.assertAlmostEqual(float(np.median(cloud.points[:, 2])), 0.8, delta=0.01)
        self.assertGreater(len(cloud), 30000)

    def test_misuse(self):
        def calibrate(*given, **keywords):
            return parallax.calibrate(*given, **{**BOARD, **keywords})

        for words, kind, given, keywords in (
                ("left is one image: give a list", ValueError, (LEFT[0], RIGHT[0]), {}),
                ("differ in number", ValueError, (LEFT[:2], RIGHT[:1]), {}),
                ("left is int: give a list", TypeError, (3,), {}),
                ("a pair is int: give frames, or", TypeError, ([3],), {}),
                ("no pairs", parallax.Error, ([],), {}),
                ("0 usable boards in 1 pairs", parallax.Error, ([[LEFT[0] * 0] * 2],), {}),
                ("earlier ones are 320x240", parallax.Error, (LEFT[:2], [RIGHT[0], RIGHT[1][:50]]), {}),
                ("left image is list", TypeError, ([LEFT[0].tolist()], [RIGHT[0]]), {}),
                ("board '9x6' is unknown: use chessboard", ValueError, (LEFT, RIGHT), {"board": "9x6"}),
                ("above 0, in metres", ValueError, (LEFT, RIGHT), {"square_m": 0.0}),
                ("m is unlikely", ValueError, (LEFT, RIGHT), {"square_m": 25.0}),
                ("unknown lens 'wide'", ValueError, (LEFT, RIGHT), {"lens": "wide"}),
                ("baseline_m is -1", ValueError, (LEFT, RIGHT), {"baseline_m": -1.0}),
                ("num_boards is 3: use at least 5", ValueError, (LEFT, RIGHT), {"num_boards": 3}),
                ("square_mm", TypeError, (LEFT, RIGHT), {"square_mm": 25}),
                ("/no/such", parallax.Error, ("/no/such",), {})):
            with self.subTest(words), self.assertRaisesRegex(kind, words) as caught:
                calibrate(*given, **keywords)
            self.assertNotIn("\n", str(caught.exception).strip())


class Loading(unittest.TestCase):
    """import parallax loads no OpenCV; without it all but calibrate() works."""

    def run_python(self, code):
        done = subprocess.run([sys.executable, "-c", "import numpy as np, parallax\n" + code], capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_import_loads_no_opencv(self):
        maps = "sorted({line.split('/')[-1] for line in open('/proc/self/maps') if 'libopencv' in line})"
        loaded = self.run_python(f"print({maps})\nimport parallax._calibrate\nprint({maps})").splitlines()
        self.assertEqual(loaded[0], "[]")
        self.assertIn("libopencv_calib3d", loaded[1])

    def test_without_opencv(self):
        hidden = "import sys; sys.modules['parallax._calibrate'] = None\n"
        told = self.run_python(hidden + "left = np.random.default_rng(1).integers(0, 255, (90, 200), np.uint8)\n"
                               "print(parallax.Matcher(backend='cpu').compute(left, left).disparity.shape)\n"
                               "try: parallax.calibrate([], [], board='chessboard:9x6', square_m=1)\n"
                               "except parallax.Error as error: print(error)")
        self.assertRegex(told, r"^\(90, 200\)\ncalibration needs OpenCV \(Debian: [^\n]*\n$")
        told = self.run_python(hidden + "try: parallax.Matcher(matching_cost_num_disparities='auto')\n"
                               "except parallax.Error as error: print(error)")
        self.assertRegex(told, r'^matching_cost_num_disparities="auto" needs OpenCV \(Debian: [^\n]*\n$')


class FirstPairs(unittest.TestCase):
    """What compute() warns of, and that it does so once."""

    @classmethod
    def setUpClass(cls):
        frame = next(parallax.synthetic("slanted", width=640, height=400, disparities=64))
        cls.frame, cls.left, cls.right, cls.rig = frame, frame.left, frame.right, frame.rig

    def told(self, *pairs, rig=None, **keywords):
        matcher = parallax.Matcher("realtime", backend="cpu", **keywords)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for pair in pairs:
                matcher.compute(*pair, rig=rig)
        for warning in caught:
            self.assertIs(warning.category, parallax.PairWarning)
            self.assertEqual(warning.filename, __file__)
        return [str(warning.message) for warning in caught]

    def test_right_pairs(self):
        self.assertEqual(self.told((self.left, self.right)), [])
        self.assertEqual(self.told((self.frame,)), [])

    def test_exchanged(self):
        exchanged = (self.right, self.left)
        told = self.told(exchanged, exchanged)
        self.assertEqual(len(told), 1)
        self.assertRegex(told[0], "^left and right look exchanged: .*; give the other image first$")
        self.assertEqual(self.told(exchanged, check=False), [])

    def test_the_first_pairs_alone(self):
        flat = (np.full_like(self.left, 90),) * 2
        self.assertEqual(len(self.told(flat, flat, (self.right, self.left))), 1)
        self.assertEqual(self.told(flat, flat, flat, (self.right, self.left)), [])
        self.assertEqual(self.told((self.left, self.right), (self.right, self.left)), [])

    def test_rows(self):
        told = self.told((self.left, np.roll(self.right, 4, axis=0)))
        self.assertRegex(told[0], r"^rows of left and right differ by .*calibrate the cameras \(parallax.calibrate\)")

    def test_the_range(self):
        told = self.told((self.left, self.right), matching_cost_num_disparities=16)
        self.assertRegex(told[0], r"beyond the 16 .*use Matcher\(matching_cost_num_disparities=\d+\)$")

    def test_the_range_of_the_first_pair(self):
        flat = np.full_like(self.left, 90)
        matcher = parallax.Matcher("realtime", backend="cpu", matching_cost_num_disparities="auto")
        self.assertEqual(matcher.compute(flat, flat).parameters["matching_cost.num_disparities"], 128)
        shift = int(np.nanmedian(self.frame.truth.disparity))
        shifted = np.roll(self.right, shift, axis=1)  # half of the disparities are below 0
        result = matcher.compute(self.left, shifted)
        chosen = {key: value for key, value in matcher.parameters.items() if key.endswith("_disparities")
                  or key.endswith("min_disparity")}
        self.assertEqual(result.parameters, matcher.parameters)
        self.assertEqual(chosen["matching_cost.min_disparity"] % 16, 0)
        lowest = float(np.nanmin(self.frame.truth.disparity)) - shift
        self.assertTrue(lowest - 24 < chosen["matching_cost.min_disparity"] < min(lowest, 0) + 8, (lowest, chosen))
        by_number = parallax.Matcher("realtime", backend="cpu", check=False,
                                     **{key.replace(".", "_"): value for key, value in chosen.items()})
        self.assertTrue(same_bits(result.disparity, by_number.compute(self.left, shifted).disparity))
        matcher.compute(self.left, self.right)  # the range stays
        self.assertEqual(matcher.parameters["matching_cost.min_disparity"], chosen["matching_cost.min_disparity"])
        stated = parallax.Matcher("realtime", backend="cpu", matching_cost_num_disparities="auto")
        self.assertEqual(stated.compute(self.frame).parameters["matching_cost.num_disparities"],
                         self.frame.num_disparities_hint)
        self.assertRaisesRegex(parallax.InvalidArgument, "is 'auto', which is chosen from the first frames",
                               parallax.PairQueue, matching_cost_num_disparities="auto")

    def test_a_rig_of_another_size(self):
        rig = parallax.StereoRig(2 * self.rig.fx_px, 2 * self.rig.cx_px, 2 * self.rig.cy_px, 0.5)
        self.assertRegex(self.told((self.left, self.right), rig=rig)[0], "or scale fx_px, cx_px and cy_px by 0.50?$")

    def test_as_an_error(self):
        matcher = parallax.Matcher("realtime", backend="cpu")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertRaises(parallax.PairWarning, matcher.compute, self.right, self.left)


if __name__ == "__main__":
    unittest.main()
