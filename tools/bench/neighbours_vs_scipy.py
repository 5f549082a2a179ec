#!/usr/bin/env python3
"""k nearest neighbours of one million points: parallax beside scipy's cKDTree, both with 2 threads, building
included, one run after the other.

    tools/bench/neighbours_vs_scipy.py BUILD/tools/bench/parallax_cloud_bench [K [THREADS]]

The clouds: uniform in the unit cube, and the points of a rendered depth map of 1024 x 1024 pixels.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy
from scipy.spatial import cKDTree


def uniform_cloud() -> numpy.ndarray:
    return numpy.random.default_rng(1).random((1_000_000, 3), dtype=numpy.float32)


def depth_map_cloud() -> numpy.ndarray:
    """A floor, a far wall, and spheres in front, with noise that grows with the depth's square."""
    side = 1024
    u, v = numpy.meshgrid((numpy.arange(side) - side / 2) / 700, (numpy.arange(side) - side / 2) / 700)
    with numpy.errstate(divide="ignore"):
        z = numpy.minimum(numpy.where(v > 0, 1.6 / v, numpy.inf), 40.0)
    random = numpy.random.default_rng(2)
    for _ in range(12):
        centre = numpy.array([random.uniform(-6, 6), random.uniform(-3, 1), random.uniform(5, 25)])
        radius = random.uniform(0.4, 1.5)
        a = u * u + v * v + 1
        b = u * centre[0] + v * centre[1] + centre[2]
        disc = b * b - a * (centre @ centre - radius**2)
        hit = disc > 0
        z[hit] = numpy.minimum(z[hit], ((b - numpy.sqrt(numpy.maximum(disc, 0))) / a)[hit])
    z *= 1 + 1e-4 * z * random.standard_normal(z.shape)
    return numpy.stack([u * z, v * z, z], axis=-1).reshape(-1, 3).astype(numpy.float32)


def main() -> int:
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    program = sys.argv[1]
    k = int(sys.argv[2]) if len(sys.argv) > 2 else 8
    threads = int(sys.argv[3]) if len(sys.argv) > 3 else 2
    print(f"k = {k}, {threads} threads, ms")
    with tempfile.TemporaryDirectory() as folder:
        for name, cloud in [("uniform", uniform_cloud()), ("depth map", depth_map_cloud())]:
            path = Path(folder) / "points.f32"
            cloud.tofile(path)
            ours = subprocess.run([program, "neighbours", path, str(k), str(threads)], check=True, capture_output=True)
            start = time.perf_counter()
            tree = cKDTree(cloud)
            built = time.perf_counter()
            tree.query(cloud, k + 1, workers=threads)  # the point itself is the first
            done = time.perf_counter()
            print(
                f"{name:10} {len(cloud)} points: parallax {float(ours.stdout):.0f}, scipy {1000 * (done - start):.0f} "
                f"(building {1000 * (built - start):.0f}, queries {1000 * (done - built):.0f})"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
