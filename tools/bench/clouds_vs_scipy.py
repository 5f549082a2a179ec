#!/usr/bin/env python3
"""Neighbours and the exact earth mover's distance: parallax and scipy one after the other, two threads.

    PYTHONPATH=BUILD/python tools/bench/clouds_vs_scipy.py

Prints milliseconds; building the trees and the matrix of distances is included.
"""

import time

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

import parallax

ON_CPU = {"backend": "cpu", "threads": 2}


def timed(work):
    start = time.perf_counter()
    result = work()
    return 1000 * (time.perf_counter() - start), result


def sphere(random, count):
    points = random.standard_normal((count, 3))
    return points / np.linalg.norm(points, axis=1, keepdims=True)


def main() -> None:
    random = np.random.default_rng(1)
    for name, draw in (("cube", lambda n: random.random((n, 3))), ("sphere", lambda n: sphere(random, n))):
        cloud = draw(1_000_000).astype(np.float32)
        own_ms, _ = timed(lambda: parallax.knn(cloud, 8, **ON_CPU))
        scipy_ms, _ = timed(lambda: cKDTree(cloud).query(cloud, 9, workers=2))  # the first is the point itself
        print(f"8 neighbours of 1000000 points, {name}: parallax {own_ms:.0f}, scipy {scipy_ms:.0f}")
        a, b = draw(4096).astype(np.float32), draw(4096).astype(np.float32)
        costs_ms, costs = timed(lambda: cdist(a, b))
        scipy_ms, (rows, columns) = timed(lambda: linear_sum_assignment(costs))
        own = [timed(lambda: parallax.emd(a, b, **kind, **ON_CPU))[0]
               for kind in ({"exact": True}, {"gap": 0.005}, {"gap": 0.001})]
        print(f"EMD of 4096 points, {name}: parallax exact {own[0]:.0f}, 0.5 % {own[1]:.0f}, 0.1 % {own[2]:.0f}, "
              f"scipy {costs_ms + scipy_ms:.0f}")


if __name__ == "__main__":
    main()
