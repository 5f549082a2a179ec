#!/usr/bin/env python3
"""The cloud measures beside scipy's cKDTree, cdist, linear_sum_assignment and csgraph.dijkstra.

    tests/scipy/cloud_test.py CLOUD_ANSWERS [UNITTEST ARGUMENTS]      ends with 77 where scipy is missing
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import numpy
    from scipy.optimize import linear_sum_assignment
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import dijkstra
    from scipy.spatial import cKDTree
    from scipy.spatial.distance import cdist
except ImportError as missing:
    print(f"skipped: {missing} (Debian: python3-scipy)")
    sys.exit(77)

PROGRAM = ""


def clouds(n: int, seed: int) -> dict:
    """Float32 clouds of n points."""
    random = numpy.random.default_rng(seed)
    sphere = random.standard_normal((n, 3))
    clusters = random.integers(0, 6, (n, 1)) * 3 + random.standard_normal((n, 3)) * 0.05
    u = random.random((n, 2)) - 0.5
    depth = numpy.where(u[:, 0] > 0.1, 3.0, 8 + 4 * u[:, 1])
    return {
        "uniform": random.random((n, 3)).astype(numpy.float32),
        "sphere": (sphere / numpy.linalg.norm(sphere, axis=1)[:, None]).astype(numpy.float32),
        "clusters": clusters.astype(numpy.float32),
        "surface": numpy.column_stack([u * depth[:, None], depth]).astype(numpy.float32),
        "grid with duplicates": random.integers(0, 6, (n, 3)).astype(numpy.float32),
        "far away": (random.random((n, 3)) + [1e4, -1e4, 0]).astype(numpy.float32),
    }


class CloudTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def answer(self, job: str, *args) -> bytes:
        """What CLOUD_ANSWERS says; arrays among the arguments become files."""
        words = []
        for i, arg in enumerate(args):
            if isinstance(arg, numpy.ndarray):
                path = Path(self.folder.name) / f"in{i}"
                numpy.ascontiguousarray(arg, dtype=numpy.float32).tofile(path)
                arg = path
            words.append(str(arg))
        out = Path(self.folder.name) / "out"
        subprocess.run([PROGRAM, job, *words, str(out)], check=True)
        return out.read_bytes()

    def check_neighbours(self, answer: bytes, points, queries, k: int, expected):
        rows = len(queries)
        indices = numpy.frombuffer(answer, numpy.int32, rows * k).reshape(rows, k)
        distances = numpy.frombuffer(answer, numpy.float32, rows * k, rows * k * 4).reshape(rows, k)
        # Three roundings to float in a square, and one in the root.
        numpy.testing.assert_allclose(distances, expected, rtol=4e-7)
        self.assertTrue((numpy.diff(distances, axis=1) >= 0).all())
        self.assertTrue((numpy.diff(numpy.sort(indices, axis=1), axis=1) > 0).all(), "an index stands twice")
        true = numpy.linalg.norm(points[indices].astype(float) - queries[:, None].astype(float), axis=2)
        numpy.testing.assert_allclose(distances, true, rtol=4e-7)

    def test_neighbours_are_those_of_ckdtree(self):
        for name, points in clouds(20000, 1).items():
            for k in (1, 8, 33):
                with self.subTest(name, k=k):
                    # With the point itself, and without: then all but the first distance, which is 0.
                    with_self = cKDTree(points).query(points, k + 1)[0].reshape(len(points), -1)
                    answer = self.answer("neighbours", points, k, 0)
                    self.check_neighbours(answer, points, points, k, with_self[:, 1:])
                    answer = self.answer("neighbours", points, k, 1)
                    self.check_neighbours(answer, points, points, k, with_self[:, :k])

    def test_neighbours_of_another_cloud_are_those_of_ckdtree(self):
        points = clouds(20000, 2)["surface"]
        for name, queries in clouds(5000, 3).items():
            with self.subTest(name):
                expected = cKDTree(points).query(queries, 5)[0]
                self.check_neighbours(self.answer("queries", points, queries, 5), points, queries, 5, expected)

    def test_distances_are_those_of_cdist(self):
        random = numpy.random.default_rng(4)
        for dims in (1, 3, 16, 130):
            a = random.random((150, dims)).astype(numpy.float32)
            b = random.random((2111, dims)).astype(numpy.float32)
            expected = cdist(a, b)
            for method, unit in ((0, 2.0**-24 * (dims + 3)), (1, 2.0**-24 * (dims + 4)), (2, 2.0**-10)):
                with self.subTest(dims=dims, method=method):
                    answer = self.answer("distances", a, b, dims, method)
                    found = numpy.frombuffer(answer, numpy.float32).reshape(150, 2111)
                    if method == 0:
                        numpy.testing.assert_allclose(found, expected, rtol=unit)
                    else:  # absolute in the squares
                        size = (a.astype(float) ** 2).sum(1)[:, None] + (b.astype(float) ** 2).sum(1)
                        error = numpy.abs(found.astype(float) ** 2 - expected**2)
                        self.assertLess((error / size).max(), 4 * unit)

    def test_emd_holds_the_assignment(self):
        first, second = clouds(600, 5), clouds(600, 6)
        for name in first:
            a, b = first[name], second[name]
            cost = cdist(a, b)
            rows, columns = linear_sum_assignment(cost)
            optimum = cost[rows, columns].mean()
            for gap in (0.05, 0.005, 0):
                with self.subTest(name, gap=gap):
                    answer = self.answer("emd", a, b, gap)
                    lower, upper = numpy.frombuffer(answer, numpy.float64, 2)
                    match = numpy.frombuffer(answer, numpy.int32, 600, 16)
                    self.assertEqual(sorted(match), list(range(600)))
                    self.assertAlmostEqual(cost[range(600), match].mean() / upper, 1, delta=1e-6)
                    slack = 1e-6 * optimum
                    self.assertLessEqual(lower, optimum + slack)
                    self.assertGreaterEqual(upper, optimum - slack)
                    self.assertLessEqual(upper - lower, gap * upper + slack)

    def test_geodesics_are_dijkstras(self):
        sources = [0, 17, 1999]
        for name, points in clouds(4000, 7).items():
            if name == "grid with duplicates":
                continue  # scipy takes edges of length 0 for none
            with self.subTest(name):
                n = len(points)
                answer = self.answer("geodesics", points, 6, ",".join(map(str, sources)))
                edges = int(numpy.frombuffer(answer, numpy.int64, 1)[0])
                starts = numpy.frombuffer(answer, numpy.int64, n + 1, 8)
                at = 8 + 8 * (n + 1)
                targets = numpy.frombuffer(answer, numpy.int32, edges, at)
                lengths = numpy.frombuffer(answer, numpy.float32, edges, at + 4 * edges)
                at += 8 * edges
                distances = numpy.frombuffer(answer, numpy.float32, 3 * n, at).reshape(3, n)
                before = numpy.frombuffer(answer, numpy.int32, 3 * n, at + 12 * n).reshape(3, n)
                # The graph: both directions of cKDTree's neighbours.
                nearest = cKDTree(points).query(points, 7)[1]
                pairs = {(i, j) for i, row in enumerate(nearest.tolist()) for j in row if i != j}
                pairs |= {(j, i) for i, j in pairs}
                self.assertEqual(pairs, set(zip(numpy.repeat(range(n), numpy.diff(starts)).tolist(), targets.tolist())))
                graph = csr_matrix((lengths.astype(float), targets, starts), shape=(n, n))
                expected = dijkstra(graph, indices=sources)
                numpy.testing.assert_allclose(distances, expected, rtol=1e-5)  # of some hundred float additions
                for row, source in enumerate(sources):
                    reached = numpy.isfinite(expected[row])
                    reached[source] = False
                    self.assertTrue((before[row][~reached] == -1).all() or before[row][source] == source)
                    nodes = numpy.flatnonzero(reached)
                    steps = numpy.asarray(graph[before[row][nodes], nodes]).ravel().astype(numpy.float32)
                    numpy.testing.assert_array_equal(distances[row][before[row][nodes]] + steps, distances[row][nodes])


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
