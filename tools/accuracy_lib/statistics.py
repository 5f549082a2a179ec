"""What a change is worth on frames that had no say in it."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Paired:
    """Differences of the same frames, other minus base: below 0 is better."""

    mean: float
    standard_error: float
    better: int
    worse: int
    p: float  # of a mean at least that far from 0 if the signs were chance


def paired_test(base: np.ndarray, other: np.ndarray, num_draws: int = 20000) -> Paired:
    """The exact test of all signs up to 14 frames, draws of a fixed seed beyond."""
    d = np.asarray(other, float) - np.asarray(base, float)
    n = len(d)
    if n <= 14:
        signs = ((np.arange(2**n)[:, None] >> np.arange(n)) & 1) * 2.0 - 1
    else:
        signs = np.random.default_rng(1).integers(0, 2, (num_draws, n)) * 2.0 - 1
    extreme = np.abs(signs @ d) >= abs(d.sum()) - 1e-12
    p = float(extreme.mean()) if n <= 14 else float((extreme.sum() + 1) / (num_draws + 1))
    error = float(d.std(ddof=1) / np.sqrt(n)) if n > 1 else float("nan")
    return Paired(float(d.mean()), error, int((d < 0).sum()), int((d > 0).sum()), p)


@dataclass(frozen=True)
class LeftOut:
    """Each frame is scored with the choice that is best on the frames of the other sites."""

    mean: float
    choices: list[int]  # how often each candidate was chosen


def site_of(name: str) -> str:
    """ETH3D's playground_1l and playground_2s show one site. Every frame of the other data sets is a site of its own."""
    return name.split("_")[0]


def leave_one_site_out(figures: np.ndarray, sites: list[str]) -> LeftOut:
    """figures: candidates x frames, lower is better; sites: of the frames. The first of equals is chosen."""
    figures = np.asarray(figures, float)
    num_candidates, num_frames = figures.shape
    if len(set(sites)) < 2:
        return LeftOut(float("nan"), [0] * num_candidates)
    elsewhere = np.array([[a != b for a in sites] for b in sites])  # row: a frame; column: who chooses for it
    chosen = np.argmin(figures @ elsewhere.T, axis=0)
    return LeftOut(float(figures[chosen, np.arange(num_frames)].mean()),
                   np.bincount(chosen, minlength=num_candidates).tolist())
