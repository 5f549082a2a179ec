"""What is no good is refused in one line that says why, as an exception of a kind that Python knows."""

import os
import tempfile
import unittest

import numpy as np

import parallax
from support import noise_pair, run_program

LEFT, RIGHT = noise_pair()
POINTS = np.random.default_rng(3).random((20, 3), dtype=np.float32)
MAP = np.ones((12, 40), np.float32)
GIANT = np.broadcast_to(np.uint8(7), (70000, 70000))  # without memory of its own
GIANT_MAP = np.broadcast_to(np.float32(7), (70000, 70000))
RIG = parallax.StereoRig(100, 20, 6, 0.1)


def matcher(**keywords):
    return parallax.Matcher(**{"backend": "cpu", "matching_cost_num_disparities": 16, **keywords})


def compute(left, right, **keywords):
    return matcher().compute(left, right, **keywords)


# What is done, the exception, and words of its text.
MISUSES = {
    "none": (lambda: compute(None, RIGHT), TypeError, "left image is NoneType"),
    "one image": (lambda: compute(LEFT, None), TypeError, "right image is NoneType"),
    "a list": (lambda: compute(LEFT.tolist(), RIGHT.tolist()), TypeError, "give a numpy array"),
    "a text": (lambda: compute("left.png", "right.png"), TypeError, "left image is str"),
    "bytes": (lambda: compute(b"abc", b"abc"), TypeError, "bytes"),
    "a class": (lambda: compute(np.ndarray, RIGHT), TypeError, "left image is type"),
    "floats": (lambda: compute(LEFT.astype(float), RIGHT), ValueError, "dtype float64: give uint8 or uint16"),
    "signed": (lambda: compute(LEFT.astype(np.int16), RIGHT), ValueError, "has dtype int16"),
    "bool": (lambda: compute(LEFT > 9, RIGHT > 9), ValueError, "has dtype bool"),
    "objects": (lambda: compute(LEFT.astype(object), RIGHT), ValueError, "has dtype object"),
    "uint32": (lambda: compute(LEFT.astype(np.uint32), RIGHT), ValueError, "has dtype uint32"),
    "complex": (lambda: compute(LEFT.astype(complex), RIGHT), ValueError, "has dtype complex128"),
    "a giant that repeats one pixel": (lambda: compute(GIANT, GIANT), ValueError, "70000 x 70000: give at most"),
    "a giant map": (lambda: parallax.kitti2012(GIANT_MAP, GIANT_MAP),
                    ValueError, "70000 x 70000"),
    "giant points": (lambda: parallax.knn(np.broadcast_to(np.float32(1), (10**10, 3))), ValueError, "give at most"),
    "giant indices": (lambda: parallax.geodesic(POINTS, np.broadcast_to(np.int64(1), 10**10)), ValueError,
                      "give at most"),
    "a null character": (lambda: parallax.open("\0"), ValueError, "null character"),
    "a preset of a null character": (lambda: matcher(preset="\0"), ValueError, "null character"),
    "other sizes": (lambda: compute(LEFT, RIGHT[:-1]), ValueError, "left image is 40x12, right image is 40x11"),
    "other types": (lambda: compute(LEFT, RIGHT.astype(np.uint16)), ValueError, "differ in pixel type"),
    "gray and colour": (lambda: compute(LEFT, np.dstack([RIGHT] * 3)), ValueError, "differ in pixel type"),
    "four channels": (lambda: compute(np.dstack([LEFT] * 4), RIGHT), ValueError, r"image\[..., :3\]"),
    "two channels": (lambda: compute(np.dstack([LEFT] * 2), RIGHT), ValueError, "12 x 40 x 2"),
    "16-bit colour": (lambda: compute(np.dstack([LEFT.astype(np.uint16)] * 3), RIGHT), ValueError, "uint16"),
    "one axis": (lambda: compute(LEFT[0], RIGHT[0]), ValueError, "is 40: give"),
    "a number": (lambda: compute(np.uint8(3), np.uint8(3)), (TypeError, ValueError), "left image"),
    "no rows": (lambda: compute(LEFT[:0], RIGHT[:0]), ValueError, "at least 1x1"),
    "no columns": (lambda: compute(LEFT[:, :0], RIGHT[:, :0]), ValueError, "at least 1x1"),
    "stream on the host": (lambda: compute(LEFT, RIGHT, stream=0), ValueError, "arrays on a GPU"),
    "unknown parameter": (lambda: matcher(num_disparitys=3), ValueError, "did you mean matching_cost_num_disparities"),
    "the last word of a parameter": (lambda: matcher(p1=3), ValueError, "'p1': did you mean aggregation_p1"),
    "a parameter of long ago": (lambda: matcher(threads=3), ValueError, "did you mean num_threads"),
    "nothing like it": (lambda: matcher(xyz=3), ValueError, r"parallax.preset\(\) has them all"),
    "unknown keyword of a method": (lambda: matcher().compute(LEFT, RIGHT, rigg=RIG), TypeError,
                                    "unexpected keyword argument 'rigg'; it takes .*rig"),
    "unknown keyword of a function": (lambda: parallax.knn(POINTS, kk=3), TypeError,
                                      "knn.*unexpected keyword argument 'kk'; it takes .*k,"),
    "unknown keyword of a class": (lambda: parallax.StereoRig(1, 2, 3, baseline=4), TypeError, "missing a required argument: 'baseline_m'"),
    "a rig of a text": (lambda: matcher().compute(LEFT, RIGHT, "rig.yaml"), TypeError, "wrong type: .*rig is str"),
    "too few": (lambda: parallax.kitti2012(MAP), TypeError, "missing a required argument: 'truth'"),
    "no number": (lambda: matcher(aggregation_p1="ten"), ValueError, "aggregation.p1 is 'ten'"),
    "a float for an int": (lambda: matcher(aggregation_p1=1.5), ValueError, "aggregation.p1 is '1.5'"),
    "a list for an int": (lambda: matcher(aggregation_p1=[1]), TypeError, "aggregation.p1 has type list"),
    "none for an int": (lambda: matcher(aggregation_p1=None), TypeError, "aggregation.p1 has type NoneType"),
    "out of range": (lambda: matcher(matching_cost_num_disparities=0), ValueError, "num_disparities"),
    "a bad combination": (lambda: matcher(aggregation_p1=90, aggregation_p2=80), ValueError, "aggregation.p2"),
    "a dict of a stage": (lambda: matcher(aggregation={"p1": 3}), ValueError, "unknown parameter 'aggregation'"),
    "unknown preset": (lambda: matcher(preset="kiti"), ValueError, "did you mean kitti"),
    "unknown method": (lambda: matcher(method="magic"), ValueError, "method is 'magic'"),
    "unknown back end": (lambda: matcher(backend="gpu"), ValueError, "unknown back end 'gpu'"),
    "threads below 0": (lambda: matcher(num_threads=-1), ValueError, "num_threads is -1"),
    "limit of another": (lambda: matcher(backend="reference", memory_limit_bytes=5), ValueError, "memory_limit_bytes"),
    "no such rig": (lambda: parallax.Rig.load("none.yaml"), parallax.Error, "none.yaml"),
    "raw images without cameras": (lambda: parallax.Rig(RIG).rectify(LEFT, RIGHT), ValueError, "raw cameras"),
    "depth without a rig": (lambda: compute(LEFT, RIGHT).depth(), ValueError, "focal length"),
    "cloud without an image": (lambda: compute(LEFT, RIGHT).cloud(RIG), ValueError, "give the left image"),
    "limits without a rig": (lambda: matcher(live_far_m=5).compute(LEFT, RIGHT), parallax.Error, "rig"),
    "no such source": (lambda: parallax.open("/no/such/place"), parallax.Error, "/no/such/place"),
    "no source": (lambda: parallax.open(), ValueError, "no source"),
    "unknown scene": (lambda: parallax.synthetic("moon"), ValueError, "moon"),
    "unknown key": (lambda: parallax.synthetic("drive", hight=3), ValueError, "hight"),
    "length of a camera": (lambda: len(parallax.open("camera:97")), (TypeError, parallax.Error), ""),
    "no such image": (lambda: parallax.read_image("/no/image.png"), parallax.Error, "/no/image.png"),
    "no image": (lambda: parallax.read_image(__file__), parallax.Error, "misuse_test.py"),
    "other ending": (lambda: parallax.write_disparity("/tmp/x.tif", MAP), ValueError, "neither .pfm nor .png"),
    "rig without focal length": (lambda: parallax.StereoRig(0, 1, 1, 0.5), ValueError, "fx_px is 0"),
    "rig without baseline": (lambda: parallax.StereoRig(9, 1, 1, float("nan")), ValueError, "baseline_m is nan"),
    "whole disparities": (lambda: parallax.depth(LEFT, RIG), ValueError, "divided by 256"),
    "image of another size": (lambda: compute(LEFT, RIGHT).cloud(RIG, LEFT[:5]), ValueError, "differ in size"),
    "points in a plane": (lambda: parallax.knn(POINTS[:, :2]), ValueError, "N x 3"),
    "whole points": (lambda: parallax.knn(LEFT), ValueError, "floating-point"),
    "no k": (lambda: parallax.knn(POINTS, k=0), ValueError, "0"),
    "k of a giant": (lambda: parallax.knn(POINTS, k=1000), ValueError, "1000"),
    "kind of density": (lambda: parallax.density(POINTS, kind="line"), ValueError, "surface"),
    "clouds of two sizes": (lambda: parallax.emd(POINTS, POINTS[:3]), ValueError, "20 and 3 points"),
    "empty clouds": (lambda: parallax.compare(POINTS[:0], POINTS), ValueError, "points"),
    "source outside": (lambda: parallax.geodesic(POINTS, [99]), ValueError, "99"),
    "source below 0": (lambda: parallax.geodesic(POINTS, -1), ValueError, "start at 0"),
    "source of a float": (lambda: parallax.geodesic(POINTS, [0.5]), ValueError, "whole numbers"),
    "colours of others": (lambda: parallax.Cloud(POINTS, LEFT), ValueError, "N x 3, RGB"),
    "truth of another size": (lambda: parallax.kitti2012(MAP, MAP[:5]), ValueError, "size"),
    "mask of floats": (lambda: parallax.kitti2012(MAP, MAP, MAP), ValueError, "uint8 or bool"),
    "truth of a text": (lambda: parallax.eth3d(MAP, "truth.pfm"), TypeError, "truth is str"),
}


class Misuse(unittest.TestCase):
    def test_each(self):
        self.assertGreaterEqual(len(MISUSES), 30)
        for name, (do, kind, words) in MISUSES.items():
            with self.subTest(name):
                with self.assertRaisesRegex(kind, words) as caught:
                    do()
                self.assertNotIn("\n", str(caught.exception).strip())

    def test_no_class_is_made_without_its_constructor(self):
        classes = [value for value in vars(parallax._native).values() if isinstance(value, type)
                   and not issubclass(value, Exception)]
        self.assertGreaterEqual(len(classes), 9)
        for made in classes:
            for new in (made.__new__, made.__base__.__new__, object.__new__):
                with self.subTest(made=made, new=new), self.assertRaises(TypeError):
                    new(made)

        class Own(parallax.Matcher):
            pass
        self.assertEqual(Own(backend="cpu").backend, "cpu")
        self.assertRaises(TypeError, Own.__new__, Own)

    def test_kinds(self):
        self.assertTrue(issubclass(parallax.InvalidArgument, parallax.Error))
        self.assertTrue(issubclass(parallax.InvalidArgument, ValueError))
        self.assertTrue(issubclass(parallax.Error, RuntimeError))

    def test_a_damaged_frame_is_passed(self):
        with tempfile.TemporaryDirectory() as folder:
            run_program("synth", "slanted", "--output", folder + "/set", "--frames", 3,
                        "--width", 80, "--height", 40)
            images = sorted(os.path.join(at, name) for at, _, names in os.walk(folder + "/set")
                            for name in names if "image_2" in at or "image_0" in at)
            self.assertEqual(len(images), 3)
            with open(images[1], "wb") as file:
                file.write(b"no image")
            source = parallax.open(folder + "/set")
            self.assertEqual(len(source), 3)
            first = next(source)
            with self.assertRaises(parallax.Error):
                next(source)
            last = next(source)
            self.assertNotEqual(first.name, last.name)
            self.assertRaises(StopIteration, next, source)


if __name__ == "__main__":
    unittest.main()
