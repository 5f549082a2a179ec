"""Matcher: the program's bits, views without a copy, parameters, threads, Ctrl-C, no leak."""

import ctypes
import gc
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest
from pathlib import Path

import numpy as np

import parallax
from support import HEIGHT, RAW_RIG, SANITIZER, SCENE, WIDTH, noise_pair, raw_pair, run_program, same_bits, scene

INTERRUPTED = """
import parallax, numpy as np
left = np.random.default_rng(1).integers(0, 255, ({height}, {width}), dtype=np.uint8)
matcher = parallax.Matcher(backend="cpu")
print("ready", flush=True)
while True:
    {work}
"""


class Bits(unittest.TestCase):
    """The arrays are those that `parallax run` writes."""

    def check(self, source, preset, **keywords):
        with tempfile.TemporaryDirectory() as folder:
            run_program("run", *source, "--config", preset, "--backend", "cpu", "--output", folder,
                        "--write", "pfm,validity,confidence,sigma", *keywords.pop("options", []))
            matcher = parallax.Matcher(preset, backend="cpu", **keywords)
            num_frames = 0
            for frame in parallax.open(*source):
                result = matcher.compute(frame)
                for kind, array in [("pfm", result.disparity), ("validity", result.validity),
                                    ("confidence", result.confidence), ("sigma", result.sigma())]:
                    file = next(Path(folder, kind).glob(frame.name + ".*"))
                    read = parallax.read_disparity if file.suffix == ".pfm" else parallax.read_image
                    self.assertTrue(same_bits(read(file), array), f"{preset}: {file}")
                    self.assertTrue(np.isfinite(result.disparity).any())
                num_frames += 1
            self.assertGreater(num_frames, 0)

    def test_every_preset(self):
        for preset in parallax.presets():
            self.check([SCENE + ",frames=3"], preset)

    def test_limits_by_the_frames_rig(self):
        self.check([SCENE + ",frames=2"], "live", live_far_m=4.0, live_decimation=2,
                   options=["--set", "live.far_m=4", "--set", "live.decimation=2"])

    def test_color_and_16_bit(self):
        self.check([SCENE + ",color=1"], "default")
        self.check([SCENE + ",bits=16"], "kitti")

    def test_parameters(self):
        self.check([SCENE], "kitti", matching_cost_num_disparities=40, filter_fill=False, **{"aggregation.p1": 9},
                   options=["--set", "matching_cost.num_disparities=40", "--set", "aggregation.p1=9",
                            "--set", "filter.fill=false"])

    def test_back_ends(self):
        frame = scene()
        bits = [parallax.Matcher(backend=backend).compute(frame).disparity.tobytes()
                for backend in ("cpu", "reference")]
        self.assertEqual(bits[0], bits[1])


class Views(unittest.TestCase):
    """What is given is borrowed, however its rows lie, and matched as a dense copy is."""

    def setUp(self):
        self.matcher = parallax.Matcher(backend="cpu", matching_cost_num_disparities=16)

    def check(self, make):
        for dtype in (np.uint8, np.uint16):
            left, right = noise_pair(dtype=dtype)
            wanted = self.matcher.compute(left, right).disparity
            self.assertTrue(same_bits(wanted, self.matcher.compute(make(left), make(right)).disparity))

    def test_wide_rows(self):
        def inside(image):
            room = np.zeros((image.shape[0] + 2, image.shape[1] + 10), image.dtype)
            room[1:-1, 5:-5] = image
            return room[1:-1, 5:-5]
        self.check(inside)

    def test_upside_down(self):
        self.check(lambda image: image[::-1].copy()[::-1])

    def test_mirrored(self):
        self.check(lambda image: image[:, ::-1].copy()[:, ::-1])

    def test_every_second_pixel(self):
        self.check(lambda image: np.repeat(image, 2, axis=1)[:, ::2])

    def test_fortran_order(self):
        self.check(np.asfortranarray)

    def test_read_only(self):
        def frozen(image):
            image = image.copy()
            image.flags.writeable = False
            return image
        self.check(frozen)

    def test_one_channel(self):
        self.check(lambda image: image[:, :, None])

    def test_other_byte_order(self):
        self.check(lambda image: image.astype(image.dtype.newbyteorder()))

    def test_unaligned(self):
        def shifted(image):
            room = np.zeros(image.nbytes + 1, np.uint8)
            view = room[1:].view(image.dtype).reshape(image.shape)
            view[:] = image
            return view
        self.check(shifted)

    def test_same_row_again(self):
        left, right = noise_pair()
        rows = [np.broadcast_to(image[0], image.shape) for image in (left, right)]
        wanted = self.matcher.compute(*[row.copy() for row in rows]).disparity
        self.assertTrue(same_bits(wanted, self.matcher.compute(*rows).disparity))

    def test_buffer_and_array_interface(self):
        left, right = noise_pair()
        class Offers:
            def __init__(self, image):
                self.__array_interface__ = image.__array_interface__
                self.image = image
        wanted = self.matcher.compute(left, right).disparity
        self.assertTrue(same_bits(wanted, self.matcher.compute(Offers(left), Offers(right)).disparity))
        self.assertTrue(same_bits(wanted, self.matcher.compute(memoryview(left), memoryview(right)).disparity))

    def test_results_keep_their_memory(self):
        left, right = noise_pair()
        disparity = self.matcher.compute(left, right).disparity
        before = disparity.copy()
        for _ in range(20):
            self.matcher.compute(right, left)
        np.testing.assert_array_equal(before, disparity)

    def test_sizes_change(self):
        for height, width in [(1, 1), (30, 20), (5, 300), (120, 7), (1, 1)]:
            left, right = noise_pair(height, width)
            result = self.matcher.compute(left, right)
            fresh = parallax.Matcher(backend="cpu", matching_cost_num_disparities=16).compute(left, right)
            self.assertTrue(same_bits(result.disparity, fresh.disparity))
            self.assertEqual(result.confidence.shape, (height, width))


class Results(unittest.TestCase):
    def test_fixed_point(self):
        frame = scene()
        for low in (0, -5):
            matcher = parallax.Matcher(filter_fill=False, refinement_planes=False, matching_cost_min_disparity=low)
            result = matcher.compute(frame)
            steps = result.x16
            self.assertEqual(steps.dtype, np.int16)
            missing = np.isnan(result.disparity)
            self.assertTrue(missing.any() and not missing.all())
            self.assertTrue((steps[missing] == (low - 1) * 16).all())
            np.testing.assert_array_equal(steps[~missing], np.rint(result.disparity[~missing] * 16))

    def test_validity_tells_why(self):
        result = parallax.Matcher(filter_fill=False).compute(scene())
        rejected = (result.validity & (parallax.OCCLUDED | parallax.MISMATCHED | parallax.OUT_OF_RANGE |
                                       parallax.NOT_UNIQUE | parallax.SPECKLE)) != 0
        filled = (result.validity & parallax.FILLED) != 0
        np.testing.assert_array_equal(rejected & ~filled, np.isnan(result.disparity))

    def test_depth_and_cloud(self):
        frame = scene()
        result = parallax.Matcher().compute(frame)
        depth = result.depth(frame.rig)
        with np.errstate(all="ignore"):
            wanted = frame.rig.fx_px * frame.rig.baseline_m / (result.disparity + frame.rig.doffs_px)
        seen = np.isfinite(depth)
        np.testing.assert_allclose(depth[seen], wanted[seen], rtol=1e-6)
        self.assertTrue(same_bits(depth, parallax.depth(result.disparity, frame.rig)))
        self.assertTrue(same_bits(depth, result.depth()))
        self.assertIsNone(result.rectified.left)
        self.assertEqual(repr(result.rectified.rig), repr(frame.rig))
        cloud = result.cloud(frame.rig, frame.left)
        self.assertEqual(len(cloud), seen.sum())
        np.testing.assert_array_equal(cloud.points[:, 2], depth[seen])
        np.testing.assert_array_equal(cloud.colors[:, 0], frame.left[seen])

    def test_parameters(self):
        matcher = parallax.Matcher(method="ad_census", backend="cpu", matching_cost_num_disparities=np.int64(32))
        self.assertEqual(matcher.parameters["method"], "ad_census")
        self.assertEqual(matcher.parameters["matching_cost.num_disparities"], 32)
        self.assertEqual(parallax.preset(), parallax.Matcher().parameters)
        self.assertNotEqual(parallax.preset("kitti"), parallax.preset())
        self.assertEqual(parallax.Matcher(**parallax.preset("kitti")).parameters, parallax.preset("kitti"))
        self.assertEqual(matcher.compute(*noise_pair()).parameters, matcher.parameters)


class Rigs(unittest.TestCase):
    """Raw pairs and a file of calibration: what `parallax run --rig` makes of them."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.images = raw_pair(self.folder.name)

    def test_raw_pairs(self):
        out = self.folder.name + "/out"
        run_program("run", *self.images, "--rig", RAW_RIG, "--output", out, "--write", "pfm,validity,sigma,cloud",
                    "--show-filled")
        left, right = map(parallax.read_image, self.images)
        result = parallax.Matcher(backend="cpu").compute(left, right, parallax.Rig.load(RAW_RIG))
        files = [next(Path(out, kind).glob("*.*")) for kind in ("pfm", "validity", "cloud")]
        self.assertTrue(same_bits(parallax.read_disparity(files[0]), result.disparity))
        self.assertTrue(same_bits(parallax.read_image(files[1]), result.validity))
        self.assertTrue(same_bits(parallax.read_cloud(files[2]).points, result.cloud().points))
        self.assertTrue(same_bits(parallax.read_cloud(files[2]).colors, result.cloud().colors))
        queue = parallax.PairQueue(backend="cpu")
        queue.submit(left, right, parallax.Rig.load(Path(RAW_RIG)))
        self.assertTrue(same_bits(queue.collect().disparity, result.disparity))

    def test_example(self):
        run_program("run", *self.images, "--rig", RAW_RIG, "--output", self.folder.name + "/out", "--write", "cloud",
                    "--show-filled")
        example = Path(__file__).parents[2] / "examples" / "python" / "raw_pair.py"
        self.assertLessEqual(len(example.read_text().splitlines()), 15)
        subprocess.run([sys.executable, example, *self.images, RAW_RIG, self.folder.name + "/mine.ply"], check=True)
        program = parallax.read_cloud(next(Path(self.folder.name, "out", "cloud").glob("*")))
        mine = parallax.read_cloud(self.folder.name + "/mine.ply")
        self.assertGreater(len(mine), 5000)
        self.assertTrue(same_bits(mine.points, program.points))

    def test_rectify(self):
        left, right = map(parallax.read_image, self.images)
        rig = parallax.Rig.load(RAW_RIG, zoom=0.5)
        self.assertTrue(rig.is_raw(160, 60))
        pair = rig.rectify(left, right)
        self.assertEqual((pair.left.shape, pair.right.dtype), ((60, 160), np.uint8))
        self.assertEqual(repr(pair.rig), repr(rig.rectified(160, 60)))
        self.assertLess(pair.rig.fx_px, parallax.Rig.load(RAW_RIG).rectified(160, 60).fx_px)
        raw = next(parallax.open(*self.images))
        self.assertTrue(same_bits(parallax.Matcher().compute(raw, rig=rig).rectified.left, pair.left))

    def test_of_a_rectified_pair(self):
        rig = parallax.Rig(parallax.StereoRig(100, 20, 6, 0.1))
        self.assertFalse(rig.is_raw(160, 60))
        self.assertEqual(rig.rectified(160, 60).baseline_m, 0.1)


class Queues(unittest.TestCase):
    def test_order_and_bits(self):
        pairs = [noise_pair(seed=seed, height=height) for seed in range(4) for height in (20, 12)]
        matcher = parallax.Matcher("live", backend="cpu")
        for in_flight in (0, 1, 3):
            queue = parallax.PairQueue("live", backend="cpu", num_in_flight=in_flight)
            for left, right in pairs:
                queue.submit(left.copy(), right.copy())
            self.assertEqual(queue.in_flight, len(pairs))
            matcher = parallax.Matcher("live", backend="cpu")  # the filters over time begin anew
            for left, right in pairs:
                self.assertTrue(same_bits(queue.collect().disparity, matcher.compute(left, right).disparity))
            self.assertFalse(queue.is_full())
            self.assertRaisesRegex(parallax.Error, "submit one first", queue.collect)


class Pictures(unittest.TestCase):
    def test_as_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            for switch, validity in ((["--show-filled"], False), (["--overwrite"], True)):
                run_program("run", SCENE, "--output", folder, "--write", "pfm,color,validity", *switch)
                disparity, wanted, bits = (read(next(Path(folder, place).glob("*"))) for read, place in (
                    (parallax.read_disparity, "pfm"), (parallax.read_image, "color"), (parallax.read_image, "validity")))
                self.assertTrue((bits & parallax.FILLED).any())
                given = {"validity": bits} if validity else {}
                self.assertTrue(same_bits(parallax.color_disparity(disparity, **given), wanted))
        self.assertRaisesRegex(parallax.InvalidArgument, "validity and disparity differ in size", parallax.color_disparity, disparity,
                               validity=bits[1:])

    def test_range(self):
        picture = parallax.color_disparity(np.float32([[0, 5, 10, 20, np.nan]]), 5, 10)
        self.assertEqual(picture.shape, (1, 5, 3))
        np.testing.assert_array_equal(picture[0, [0, 2, 4]], np.stack([picture[0, 1], picture[0, 3], [0, 0, 0]]))


class Threads(unittest.TestCase):
    def test_two_at_once(self):
        frames = [scene(seed=seed) for seed in range(4)]
        shared = parallax.Matcher(backend="cpu")
        wanted = [shared.compute(frame).disparity.tobytes() for frame in frames]
        wrong = []

        def work(matcher):
            for _ in range(5):
                for frame, bits in zip(frames, wanted):
                    if matcher.compute(frame).disparity.tobytes() != bits:
                        wrong.append(frame.name)

        matchers = [shared, shared, parallax.Matcher(backend="cpu", num_threads=1), parallax.Matcher(backend="cpu")]
        threads = [threading.Thread(target=work, args=(matcher,)) for matcher in matchers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_others_run_meanwhile(self):
        left, right = noise_pair(5 * HEIGHT // 2, 2 * WIDTH)
        matcher = parallax.Matcher(backend="reference")
        done = threading.Event()
        thread = threading.Thread(target=lambda: (matcher.compute(left, right), done.set()))
        thread.start()
        turns = 0
        while not done.is_set():
            turns += 1
            time.sleep(0.001)
        thread.join()
        self.assertGreater(turns, 10)

    def test_fork(self):
        matcher = parallax.Matcher(backend="cpu")
        left, right = noise_pair()
        matcher.compute(left, right)
        child = os.fork()
        if child == 0:
            try:
                matcher.compute(left, right)
            except parallax.Error as error:
                os._exit(7 if "fork" in str(error) else 1)
            os._exit(0)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 7)


FORKED = """
import os, sys, threading, multiprocessing
import numpy as np
import parallax
sys.path.insert(0, {here!r})
from support import noise_pair

LEFT, RIGHT = noise_pair()

def anew():
    return parallax.Matcher(backend="cpu", matching_cost_num_disparities=16, num_threads=threads)

def begin():
    global matcher
    matcher = anew()

def work(number):
    return matcher.compute(LEFT, RIGHT).disparity.tobytes() == expected

for threads in (0, 1, 2, 4):
    matcher = anew()
    expected = matcher.compute(LEFT, RIGHT).disparity.tobytes()
{work}
print("done")
"""
IN_A_CHILD = """
child = os.fork()
if child == 0:
    {child}
    sys.exit(0)
_, status = os.waitpid(child, 0)
assert os.waitstatus_to_exitcode(status) == {code}, (threads, status)
assert work(0)
"""


STARTS_THREADS = unittest.skipIf(SANITIZER == "tsan", "the thread sanitizer ends a forked child that starts threads")
MEETS_LOCKS = unittest.skipIf(SANITIZER, "GCC 12's sanitizers hold no lock of their allocator across a fork")


class Forks(unittest.TestCase):
    """What a forked child does to its parent's Matcher, whose threads it does not have."""

    def check(self, work):
        script = FORKED.format(here=os.path.dirname(os.path.abspath(__file__)), work=textwrap.indent(work, "    "))
        # Python 3.12 and newer warn of every fork of a process with threads.
        command = [sys.executable, "-W", "ignore:This process:DeprecationWarning", "-c", script]
        done = subprocess.run(command, capture_output=True, text=True, timeout=240)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "done\n", ""))

    def check_child(self, child, code=0):
        self.check(IN_A_CHILD.format(child=child, code=code))

    def test_that_lets_it_go(self):
        self.check_child("del matcher")

    @STARTS_THREADS
    def test_that_makes_another_in_its_place(self):
        self.check_child("matcher = anew(); assert work(0)")

    def test_that_ends(self):
        self.check_child("sys.exit(3)", 3)

    def test_that_forks_again(self):
        self.check_child("assert os.waitpid(os.fork() or sys.exit(0), 0)[1] == 0; del matcher")

    @STARTS_THREADS
    def test_of_a_pool(self):
        self.check("with multiprocessing.get_context('fork').Pool(2, begin) as pool:\n"
                   "    assert all(pool.map(work, range(6)))\n")

    @MEETS_LOCKS
    def test_while_a_thread_matches(self):
        self.check("stop = threading.Event()\n"
                   "def match():\n"
                   "    while not stop.is_set(): matcher.compute(LEFT, RIGHT)\n"
                   "thread = threading.Thread(target=match)\n"
                   "thread.start()\n" + IN_A_CHILD.format(child="begin(); assert work(0)", code=0) +
                   "stop.set()\n"
                   "thread.join()\n")


class Interrupts(unittest.TestCase):
    def check(self, work):
        script = INTERRUPTED.format(height=HEIGHT, width=2 * WIDTH, work=work)
        with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as child:
            self.assertEqual(child.stdout.readline(), "ready\n")
            time.sleep(0.5)
            child.send_signal(signal.SIGINT)
            errors = child.communicate(timeout=60)[1]
        self.assertIn("KeyboardInterrupt", errors)
        self.assertNotEqual(child.returncode, 0)

    def test_while_matching(self):
        self.check("matcher.compute(left, left)")

    def test_in_a_long_measure(self):
        self.check("a = np.random.default_rng(2).random((8192, 3)); parallax.emd(a, a[::-1] * 2, exact=True)")


class Heap(ctypes.Structure):
    """The struct that mallinfo2() returns (glibc 2.33 and newer)."""

    _fields_ = [(name, ctypes.c_size_t) for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks",
                                                     "uordblks", "fordblks", "keepcost")]


class Memory(unittest.TestCase):
    @unittest.skipIf(SANITIZER, "sanitizers have a heap of their own")
    def test_no_leak(self):
        heap = ctypes.CDLL(None).mallinfo2
        heap.restype = Heap
        left, right = noise_pair(4, 16)
        matcher = parallax.Matcher(backend="cpu", num_threads=1, matching_cost_num_disparities=8)
        rig = parallax.StereoRig(100, 8, 2, 0.1)

        def calls(count):
            for i in range(count):
                result = matcher.compute(left, right)
                result.disparity[0, 0], result.validity, result.confidence
                if i % 10 == 0:
                    result.x16, result.rectified.left
                    result.cloud(rig, left).points
                    parallax.knn(np.zeros((4, 3)), k=2, backend="cpu")
                    try:
                        matcher.compute(left, right[:2])
                    except ValueError:
                        pass

        def in_use():  # blocks of Python, bytes of malloc
            gc.collect()
            now = heap()
            return sys.getallocatedblocks(), now.uordblks + now.hblkhd

        grown = []
        for _ in range(4):
            before = in_use()
            calls(2000)
            grown.append([after - first for after, first in zip(in_use(), before)])
        # A leak grows every time; the first calls fill caches.
        self.assertLess(min(blocks for blocks, _ in grown), 100, grown)
        self.assertLess(min(size for _, size in grown), 16_000, grown)


if __name__ == "__main__":
    unittest.main()
