"""What the tests of the Python module share."""

import os
import subprocess

import numpy as np

import parallax

PROGRAM = os.environ["PARALLAX_PROGRAM"]
# Small, so that every test is quick.
SCENE = "synthetic:slanted,width=200,height=120,disparities=48"


def scene(**keys):
    return next(parallax.synthetic("slanted", **{"width": 200, "height": 120, "disparities": 48, **keys}))


def run_program(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def same_bits(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and np.ascontiguousarray(a).tobytes() == np.ascontiguousarray(b).tobytes()


def noise_pair(height=12, width=40, shift=3, dtype=np.uint8, seed=1):
    random = np.random.default_rng(seed)
    left = random.integers(0, np.iinfo(dtype).max, (height, width + shift), dtype=dtype)
    return left[:, :width].copy(), left[:, shift:].copy()
