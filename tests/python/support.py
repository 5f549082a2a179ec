"""What the tests of the Python module share."""

import os
import subprocess

import numpy as np

import parallax

PROGRAM = os.environ["PARALLAX_PROGRAM"]
# "asan", "tsan" or "": the sanitizer whose library is loaded first.
SANITIZER = next((name for name in ("asan", "tsan") if f"/lib{name}.so" in os.environ.get("LD_PRELOAD", "")), "")
# Small, so that every test is quick; smaller under the thread sanitizer, where a frame of 200 x 120 takes seconds.
WIDTH, HEIGHT, DISPARITIES = (80, 48, 16) if SANITIZER == "tsan" else (200, 120, 48)
RAW_RIG = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "install", "consumer", "raw_rig.yaml")
SCENE = f"synthetic:slanted,width={WIDTH},height={HEIGHT},disparities={DISPARITIES},samples=1"


def scene(**keys):
    return next(parallax.synthetic("slanted", **{"width": WIDTH, "height": HEIGHT, "disparities": DISPARITIES, "samples": 1, **keys}))


def run_program(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def same_bits(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and np.ascontiguousarray(a).tobytes() == np.ascontiguousarray(b).tobytes()


def raw_pair(folder):
    """Files of a pair of the size of RAW_RIG's cameras."""
    files = [os.path.join(folder, name) for name in ("left.pgm", "right.pgm")]
    for file, image in zip(files, noise_pair(60, 160, 7)):
        with open(file, "wb") as out:
            out.write(b"P5\n160 60\n255\n" + image.tobytes())
    return files


def noise_pair(height=12, width=40, shift=3, dtype=np.uint8, seed=1):
    random = np.random.default_rng(seed)
    left = random.integers(0, np.iinfo(dtype).max, (height, width + shift), dtype=dtype)
    return left[:, :width].copy(), left[:, shift:].copy()
