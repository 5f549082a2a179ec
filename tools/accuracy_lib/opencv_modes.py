"""OpenCV's StereoSGBM in its four modes, tuned for every pixel filled (Debian: python3-opencv)."""

import time
from pathlib import Path

import numpy as np

from .data_sets import Frame
from .images import read_gray, write_pfm

# What pays when every pixel is filled: a large P2, no uniqueness, a large speckle size, and D columns of padding on the
# left, without which OpenCV leaves them empty.
MODES = {"opencv:hh4": ("MODE_HH4", 2400), "opencv:hh": ("MODE_HH", 2400),
         "opencv:sgbm": ("MODE_SGBM", 2400), "opencv:3way": ("MODE_SGBM_3WAY", 2400)}


def available() -> bool:
    try:
        import cv2  # noqa: F401
    except ImportError:
        return False
    return True


def match(mode: str, frames: list[Frame], folder: Path, threads: int) -> float:
    """Writes folder/NAME.pfm of every frame; the median ms of a frame, padding included."""
    import cv2

    cv2.setNumThreads(threads if threads > 0 else -1)
    constant, p2 = MODES[mode]
    times = []
    for frame in frames:
        left, right = read_gray(frame.left), read_gray(frame.right)
        d = (frame.num_disparities + 15) // 16 * 16
        matcher = cv2.StereoSGBM_create(minDisparity=0, numDisparities=d, blockSize=5, P1=200, P2=p2, disp12MaxDiff=1,
                                        preFilterCap=63, uniquenessRatio=0, speckleWindowSize=200, speckleRange=2,
                                        mode=getattr(cv2, "StereoSGBM_" + constant))
        start = time.perf_counter()
        padded = [cv2.copyMakeBorder(i, 0, 0, d, 0, cv2.BORDER_REPLICATE) for i in (left, right)]
        found = matcher.compute(*padded)[:, d:]
        times.append(1e3 * (time.perf_counter() - start))
        write_pfm(folder / (frame.name + ".pfm"), np.where(found < 0, np.nan, found / np.float32(16)))
    return float(np.median(times))
