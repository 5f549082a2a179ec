"""Where the errors are: by place and by what became of the pixel's match."""

import numpy as np

PLACES = ["left strip", "saturated", "depth edge", "low texture", "smooth"]
FATES = ["kept", "occluded", "mismatched", "speckle", "not unique"]

_NOT_UNIQUE, _OCCLUDED, _MISMATCHED, _OUT_OF_RANGE, _SPECKLE = 1, 2, 4, 8, 16


def _box(values: np.ndarray, radius: int, reduce) -> np.ndarray:
    """reduce over windows of 2 radius + 1, first along x, then along y; clamped at borders."""
    for axis in (1, 0):
        padded = np.pad(values, [(radius, radius) if a == axis else (0, 0) for a in (0, 1)], mode="edge")
        shifts = [np.take(padded, range(s, s + values.shape[axis]), axis=axis) for s in range(2 * radius + 1)]
        values = reduce(np.stack(shifts), axis=0)
    return values


def places_of(left: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """The index into PLACES of every pixel; the first that applies counts.

    left strip: the first 128 columns. saturated: a pixel of 250 or more within 5x5. depth edge: known truth within
    9x9 spans more than 5 px. low texture: the absolute differences to the pixel above and to the left, the mean of
    their sum over 9x9, is below 4 gray levels. smooth: the rest.
    """
    gray = left.astype(np.float32)
    texture = np.zeros_like(gray)
    texture[1:] += np.abs(gray[1:] - gray[:-1])
    texture[:, 1:] += np.abs(gray[:, 1:] - gray[:, :-1])
    highest = _box(np.where(np.isnan(truth), -np.inf, truth), 4, np.max)
    lowest = _box(np.where(np.isnan(truth), np.inf, truth), 4, np.min)
    place = np.full(left.shape, PLACES.index("smooth"))
    place[_box(texture, 4, np.mean) < 4] = PLACES.index("low texture")
    place[highest - lowest > 5] = PLACES.index("depth edge")
    place[_box(gray, 2, np.max) >= 250] = PLACES.index("saturated")
    place[:, :128] = PLACES.index("left strip")
    return place


def fates_of(validity: np.ndarray) -> np.ndarray:
    """The index into FATES of every pixel; out of range counts as occluded."""
    fate = np.full(validity.shape, FATES.index("kept"))
    fate[validity & _NOT_UNIQUE > 0] = FATES.index("not unique")
    fate[validity & _SPECKLE > 0] = FATES.index("speckle")
    fate[validity & _MISMATCHED > 0] = FATES.index("mismatched")
    fate[validity & (_OCCLUDED | _OUT_OF_RANGE) > 0] = FATES.index("occluded")
    return fate


class RegionCounts:
    """Shares of the evaluated pixels, the mean of the frames: wrong ones and all, in %."""

    def __init__(self):
        self._frames = []

    def add(self, left, truth, estimate, validity, threshold_px, relative):
        known = ~np.isnan(truth)
        error = np.abs(np.where(np.isnan(estimate), np.inf, estimate) - truth)
        wrong = known & (error > threshold_px)
        if relative > 0:
            wrong &= error > relative * truth
        cells = places_of(left, truth) * len(FATES) + fates_of(validity)
        size = len(PLACES) * len(FATES)
        counts = [np.bincount(cells[which], minlength=size).reshape(len(PLACES), len(FATES))
                  for which in (known, wrong)]
        self._frames.append(100 * np.array(counts) / max(int(known.sum()), 1))

    def shares(self) -> tuple[np.ndarray, np.ndarray]:
        """(all, wrong), each places x fates."""
        mean = np.mean(self._frames, axis=0)
        return mean[0], mean[1]
