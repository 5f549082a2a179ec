#!/usr/bin/env python3
"""The exact earth mover's distance of two clouds: parallax beside scipy's linear_sum_assignment, the distances
included in both, one run after the other; and the auction at gaps of 0.5 % and 0.1 %.

    tools/bench/emd_vs_scipy.py BUILD/tools/bench/parallax_cloud_bench [POINTS]

The clouds: uniform in the unit cube, and on the unit sphere.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist


def main() -> int:
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    n = int(sys.argv[2]) if len(sys.argv) > 2 else 4096
    random = numpy.random.default_rng(1)
    print(f"n = {n}, ms")
    with tempfile.TemporaryDirectory() as folder:
        for name in ["uniform", "sphere"]:
            clouds = [random.random((n, 3)) if name == "uniform" else random.standard_normal((n, 3)) for _ in range(2)]
            if name == "sphere":
                clouds = [cloud / numpy.linalg.norm(cloud, axis=1, keepdims=True) for cloud in clouds]
            clouds = [cloud.astype(numpy.float32) for cloud in clouds]
            paths = [Path(folder) / file for file in ("a.f32", "b.f32")]
            for cloud, path in zip(clouds, paths):
                cloud.tofile(path)

            def ours(gap: str) -> list[float]:
                run = subprocess.run([sys.argv[1], "emd", *paths, gap], check=True, capture_output=True)
                return [float(word) for word in run.stdout.split()]

            exact, half, tenth = ours("exact"), ours("0.005"), ours("0.001")
            start = time.perf_counter()
            costs = cdist(*clouds)
            row, column = linear_sum_assignment(costs)
            scipy_ms = 1000 * (time.perf_counter() - start)
            mean = costs[row, column].mean()
            print(
                f"{name:8} scipy {scipy_ms:.0f} (mean {mean:.10g}); parallax exact {exact[0]:.0f} (mean {exact[2]:.10g}), "
                f"0.5 % {half[0]:.0f}, 0.1 % {tenth[0]:.0f}"
            )
            assert abs(exact[2] - mean) <= 1e-9 * mean
    return 0


if __name__ == "__main__":
    sys.exit(main())
