"""Data sets as they are, but with noise on one image of each pair."""

import os
import zlib
from pathlib import Path

import numpy as np

from .data_sets import DataSet
from .images import read_png, write_png


def with_noise(image: np.ndarray, sigma: float, seed: list[int]) -> np.ndarray:
    """Gaussian noise of sigma gray levels, rounded and clamped to 8 bits."""
    if image.dtype != np.uint8:
        raise SystemExit("--noise wants images of 8 bits")
    noise = np.random.default_rng(seed).normal(0, sigma, image.shape)
    return np.clip(np.rint(image + noise), 0, 255).astype(np.uint8)


def write_noisy_data(data: Path, sets: list[DataSet], sigma: float, side: str, seed: int, folder: Path) -> None:
    """Data below folder: noisy copies of the images of that side; everything else is linked."""
    for data_set in sets:
        # The noise of a frame depends on its name alone, not on the frames before it.
        noisy = {(frame.left if side == "left" else frame.right): zlib.crc32(frame.name.encode())
                 for frame in data_set.frames(data)}
        for parent, _, names in os.walk(data / data_set.folder):
            for path in (Path(parent) / name for name in names):
                copy = folder / path.relative_to(data)
                copy.parent.mkdir(parents=True, exist_ok=True)
                if path in noisy:
                    write_png(copy, with_noise(read_png(path), sigma, [seed, noisy[path]]))
                else:
                    copy.symlink_to(path)
