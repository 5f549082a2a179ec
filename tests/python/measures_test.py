"""Sources, clouds, measures and metrics, beside the program and beside numpy; the stubs beside the module."""

import ast
import inspect
import json
import tempfile
import unittest
from pathlib import Path

import numpy as np

import parallax
from support import HEIGHT, SCENE, run_program, same_bits, scene


class Sources(unittest.TestCase):
    def test_synthetic(self):
        source = parallax.synthetic("drive", width=160, height=48, frames=3, color=True)
        self.assertEqual((len(source), source.kind), (3, "synthetic"))
        frames = list(source)
        self.assertEqual([frame.name for frame in frames], ["000000_10", "000001_10", "000002_10"])
        self.assertEqual(frames[0].left.shape, (48, 160, 3))
        self.assertEqual(frames[0].truth.nonoccluded.dtype, np.uint8)
        self.assertGreater(frames[1].timestamp, frames[0].timestamp)
        self.assertIsNone(next(parallax.synthetic("drive", width=160, height=48, truth=False)).truth)

    def test_arrays_keep_the_frame(self):
        left = scene().left
        truth = scene().truth.disparity
        self.assertTrue(same_bits(left, scene().left))
        self.assertTrue(same_bits(truth, scene().truth.disparity))

    def test_files(self):
        frame = scene()
        disparity = frame.truth.disparity
        with tempfile.TemporaryDirectory() as folder:
            for name in ("a.pfm", "a.png"):
                path = Path(folder, name)
                parallax.write_disparity(path, disparity)
                read = parallax.read_disparity(path)
                np.testing.assert_allclose(read, disparity, atol=0 if name == "a.pfm" else 1 / 256)
            run_program("run", SCENE, "--output", folder, "--write", "cloud,pfm")
            cloud = parallax.read_cloud(next(Path(folder, "cloud").glob("*.ply")))
            result = parallax.Matcher().compute(frame)
            # The program leaves out what was filled.
            measured = np.where(result.validity & parallax.FILLED, np.float32(np.nan), result.depth(frame.rig))
            self.assertLess(np.isfinite(measured).sum(), len(result.cloud(frame.rig, frame.left)))
            mine = parallax.cloud(measured, frame.rig, frame.left)
            self.assertTrue(same_bits(cloud.points, mine.points))
            self.assertTrue(same_bits(cloud.colors, mine.colors))
            parallax.write_cloud(Path(folder, "b.pcd"), mine, ascii=True)
            self.assertEqual(len(parallax.read_cloud(Path(folder, "b.pcd"))), len(mine))


class Clouds(unittest.TestCase):
    def setUp(self):
        random = np.random.default_rng(5)
        self.points = random.random((300, 3), dtype=np.float32)
        self.others = random.random((300, 3), dtype=np.float32)
        self.between = np.linalg.norm(self.points[:, None] - self.points[None], axis=2)

    def test_knn(self):
        indices, distances = parallax.knn(self.points, k=5)
        np.fill_diagonal(self.between, np.inf)
        np.testing.assert_allclose(distances, np.sort(self.between, axis=1)[:, :5], rtol=1e-5)
        np.testing.assert_array_equal(indices, np.argsort(self.between, axis=1)[:, :5])
        own, zero = parallax.knn(self.points, k=1, include_self=True)
        np.testing.assert_array_equal(own[:, 0], np.arange(300))
        self.assertFalse(zero.any())
        found, _ = parallax.knn(self.points, 1, self.points[::-1])
        np.testing.assert_array_equal(found[:, 0], np.arange(300)[::-1])

    def test_types_and_strides(self):
        wanted = parallax.knn(self.points)
        wide = np.zeros((300, 4), np.float32)
        wide[:, :3] = self.points
        for points in (self.points.astype(np.float64), wide[:, :3], np.asfortranarray(self.points),
                       parallax.Cloud(self.points)):
            np.testing.assert_array_equal(parallax.knn(points)[0], wanted[0])

    def test_density(self):
        _, distances = parallax.knn(self.points, k=4)
        np.testing.assert_allclose(parallax.density(self.points, 4), 4 / (np.pi * distances[:, 3] ** 2), rtol=1e-5)

    def test_cleaning(self):
        far = np.vstack([self.points, [[50, 50, 50]]]).astype(np.float32)
        for kept in (parallax.statistical_inliers(far), parallax.radius_inliers(far, 0.5)):
            self.assertNotIn(300, kept)
            self.assertGreater(len(kept), 250)
        self.assertEqual(len(parallax.voxel_inliers(far, 100.0)), 1)
        cloud = parallax.Cloud(far).select(parallax.statistical_inliers(far))
        self.assertLess(cloud.points.max(), 2)

    def test_compare_as_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, points in (("a.ply", self.points), ("b.ply", self.others)):
                parallax.write_cloud(Path(folder, name), parallax.Cloud(points))
            a, b = Path(folder, "a.ply"), Path(folder, "b.ply")
            run_program("cloud", "compare", a, b, "--json", Path(folder, "c.json"))
            run_program("cloud", "emd", a, b, "--json", Path(folder, "e.json"))
            compared = json.loads(Path(folder, "c.json").read_text())
            moved = json.loads(Path(folder, "e.json").read_text())
        mine = parallax.compare(self.points, self.others)
        self.assertIn(repr(mine["hausdorff_m"])[:8], json.dumps(compared))
        distances, _ = parallax.knn(self.others, 1, self.points)[1], None
        np.testing.assert_array_equal(mine["estimate_to_truth_m"], distances[:, 0])
        result = parallax.emd(self.points, self.others)
        self.assertAlmostEqual(result["upper_m"], moved["upper_m"], places=9)
        self.assertAlmostEqual(result["lower_m"], moved["lower_m"], places=9)

    def test_emd(self):
        result = parallax.emd(self.points, self.others)
        exact = parallax.emd(self.points, self.others, exact=True)
        self.assertLessEqual(result["lower_m"], exact["upper_m"] + 1e-9)
        self.assertGreaterEqual(result["upper_m"], exact["lower_m"] - 1e-9)
        self.assertEqual(sorted(result["match"]), list(range(300)))
        self.assertEqual((exact["stop"], result["stop"]), ("exact", "gap"))

    def test_geodesic(self):
        line = np.zeros((50, 3))
        line[:, 0] = np.arange(50)
        distances, before = parallax.geodesic(line, [0, 49], k=2, predecessors=True)
        np.testing.assert_allclose(distances[0], np.arange(50))
        np.testing.assert_array_equal(parallax.path(before[1], 49, 45), [49, 48, 47, 46, 45])
        self.assertEqual(parallax.geodesic(line, 0, targets=[9], k=2).tolist(), [[9.0]])

    def test_geodesic_depth(self):
        depth = np.full((4, 6), 10, np.float32)
        rig = parallax.StereoRig(100, 0, 0, 0.1)
        distances = parallax.geodesic_depth(depth, rig, 0, targets=[5])
        np.testing.assert_allclose(distances, [[0.5]], rtol=1e-5)

    def test_not_finite(self):
        points = np.vstack([self.points, np.full((1, 3), np.nan, np.float32)])
        indices, distances = parallax.knn(points, k=3)
        self.assertEqual(indices[-1].tolist(), [-1, -1, -1])
        self.assertTrue(np.isinf(distances[-1]).all())

    def test_empty(self):
        cloud = parallax.Cloud(np.zeros((0, 3)))
        self.assertEqual((len(cloud), cloud.points.shape, cloud.colors), (0, (0, 3), None))
        self.assertEqual(parallax.knn(cloud, k=3)[0].shape, (0, 3))


class Metrics(unittest.TestCase):
    def test_as_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "scores.json")
            run_program("eval", SCENE, "--json", path)
            scores = path.read_text()
        frame = scene()
        estimate = parallax.Matcher().compute(frame).disparity
        mine = parallax.kitti2015(estimate, frame.truth.disparity, frame.truth.objects)
        self.assertIn(f"{100 * mine['d1_all']:.6g}"[:6], scores)

    def test_perfect_and_wrong(self):
        truth = scene().truth.disparity
        perfect = [parallax.kitti2012(truth, truth)["outliers"][2], parallax.kitti2015(truth, truth)["d1_all"],
                   parallax.middlebury(truth, truth)["totbad"][0], parallax.eth3d(truth, truth)["bad"][0]]
        self.assertEqual(perfect, [0, 0, 0, 0])
        off = truth + np.float32(40)
        wrong = [parallax.kitti2012(off, truth)["outliers"][4], parallax.kitti2015(off, truth)["d1_all"],
                 parallax.middlebury(off, truth)["bad"][3], parallax.eth3d(off, truth)["bad"][3]]
        self.assertEqual(wrong, [1, 1, 1, 1])

    def test_masks(self):
        frame = scene()
        truth, estimate = frame.truth.disparity, frame.truth.disparity.copy()
        estimate[: HEIGHT // 2] += 10
        mask = np.zeros(truth.shape, bool)
        mask[HEIGHT // 2 :] = True
        self.assertEqual(parallax.middlebury(estimate, truth, mask)["bad"][0], 0)
        self.assertEqual(parallax.middlebury(estimate, truth, mask.astype(np.uint8) * 255)["bad"][0], 0)
        self.assertEqual(parallax.kitti2012(estimate, truth, ~mask)["outliers"][0], 1)
        self.assertEqual(parallax.middlebury(estimate, truth, thresholds=[20])["bad"], [0])


class Interface(unittest.TestCase):
    """The stubs name what there is, and everything has its words."""

    def test_stubs(self):
        stubs = Path(parallax.__file__).with_suffix(".pyi")
        named, members = set(), {}
        for node in ast.parse(stubs.read_text()).body:
            if isinstance(node, ast.FunctionDef):
                named.add(node.name)
            elif isinstance(node, ast.ClassDef):
                named.add(node.name)
                members[node.name] = {inner.name for inner in node.body if isinstance(inner, ast.FunctionDef)}
            elif isinstance(node, ast.AnnAssign):
                named.add(node.target.id)
        named.discard("__version__")
        self.assertEqual(named, set(parallax.__all__))
        for name, inner in members.items():
            there = {member for member in vars(getattr(parallax, name)) if not member.startswith("_")}
            self.assertEqual({member for member in inner if not member.startswith("_")}, there, name)

    def test_words(self):
        for name in parallax.__all__:
            value = getattr(parallax, name)
            if isinstance(value, int):
                continue
            self.assertTrue(inspect.getdoc(value), name)
            for member, inner in vars(value).items() if inspect.isclass(value) else ():
                if not member.startswith("_"):
                    self.assertTrue(inspect.getdoc(inner), f"{name}.{member}")
                    if callable(inner):
                        self.assertTrue(inspect.signature(inner), f"{name}.{member}")

    def test_defaults(self):
        """Those of the stub are those of the module."""
        for name in parallax.__all__:
            value = getattr(parallax, name)
            if inspect.isfunction(value):
                wanted = inspect.signature(value).parameters.values()
                native = getattr(parallax._native, name).__doc__.split("\n")[0]
                for parameter in wanted:
                    if parameter.default in (inspect.Parameter.empty, ...):
                        continue
                    self.assertIn(f"{parameter.name}: ", native)
                    told = native.split(f"{parameter.name}: ")[1].split(" = ")[1]
                    if isinstance(parameter.default, (str, bool, int, type(None))):
                        self.assertTrue(told.startswith(repr(parameter.default)), f"{name}: {parameter}")

    def test_backends(self):
        names = [entry["name"] for entry in parallax.backends()]
        self.assertEqual(names, ["cuda", "cpu", "reference"])
        self.assertIn("kitti", parallax.presets())


if __name__ == "__main__":
    unittest.main()
