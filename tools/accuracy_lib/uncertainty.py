"""Sigma of a disparity as pipeline/uncertainty has it, and the fit of its table to truth."""

from dataclasses import dataclass, field

import numpy as np

LEVEL = 0.6827  # share of the errors within one sigma
LARGEST_PX = 3  # errors beyond it are mismatches

CONFIDENCE_CLASS = 20
BEND_BOUNDS = np.float32([1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1])
GAP_BOUNDS = np.array([1, 3, 5, 10, 20, 40])
_REJECTED = 1 | 2 | 4 | 8 | 16 | 64

# The factors in the order in which they are multiplied, with the number of their classes.
FACTORS = {"confidence_px": 11, "bend": 7, "gaps": 7, "rejected": 2}


def _box_sum(values: np.ndarray, radius: int) -> np.ndarray:
    sums = np.pad(values.astype(np.int64), radius, mode="edge")
    for axis in (0, 1):
        size = sums.shape[axis] - 2 * radius
        sums = sum(np.take(sums, range(i, i + size), axis=axis) for i in range(2 * radius + 1))
    return sums


def _bend(disparity: np.ndarray) -> np.ndarray:
    """-1 where neither direction can be told."""
    bend = np.full(disparity.shape, np.float32(-1))
    twice = 2 * disparity
    for d, t, b in ((disparity, twice, bend), (disparity.T, twice.T, bend.T)):
        along = np.abs((d[:, :-4] + d[:, 4:]) - t[:, 2:-2])
        b[:, 2:-2] = np.fmax(b[:, 2:-2], along)
    return bend


def classes_of(disparity: np.ndarray, validity: np.ndarray, confidence: np.ndarray) -> dict[str, np.ndarray]:
    """The class of every pixel for each of FACTORS."""
    bend = _bend(disparity.astype(np.float32))
    rejected = (validity & _REJECTED) != 0
    return {
        "confidence_px": np.minimum(confidence // CONFIDENCE_CLASS, 10).astype(np.int8),
        "bend": np.where(bend < 0, 6, np.digitize(bend, BEND_BOUNDS)).astype(np.int8),
        "gaps": np.digitize(_box_sum(rejected, 3), GAP_BOUNDS).astype(np.int8),
        "rejected": rejected.astype(np.int8),
    }


@dataclass
class Samples:
    """Pixels with truth of one frame whose error is below LARGEST_PX."""

    error: np.ndarray
    classes: dict[str, np.ndarray]

    def drawn(self, number: int) -> "Samples":
        chosen = np.random.default_rng(1).integers(0, len(self.error), number)
        return Samples(self.error[chosen], {k: v[chosen] for k, v in self.classes.items()})


def samples_of(disparity, validity, confidence, truth) -> Samples:
    error = np.abs(disparity.astype(np.float64) - truth)
    counts = error < LARGEST_PX  # false without truth or value
    return Samples(error[counts], {k: v[counts] for k, v in classes_of(disparity, validity, confidence).items()})


def joined(samples: list[Samples]) -> Samples:
    return Samples(np.concatenate([s.error for s in samples]),
                   {k: np.concatenate([s.classes[k] for s in samples]) for k in FACTORS})


@dataclass
class Table:
    values: dict[str, np.ndarray] = field(default_factory=dict)

    def sigma(self, samples: Samples, rig_px: float = 0) -> np.ndarray:
        sigma = np.ones(len(samples.error))
        for name, values in self.values.items():
            sigma = sigma * values[samples.classes[name]]
        return np.hypot(sigma, rig_px)

    def yaml(self) -> str:
        def row(values):
            return "[" + ", ".join(f"{v:.3g}" for v in values) + "]"

        lines = [f"  {name}: {row(self.values[name])}" for name in ("confidence_px", "bend", "gaps")]
        return "uncertainty:\n" + "\n".join(lines) + f"\n  rejected: {self.values['rejected'][1]:.3g}\n"


def fit(samples: Samples, rounds: int = 8, prior: int = 300) -> Table:
    """Factor by factor, the one that leaves LEVEL of the errors of each of its classes within sigma, until that holds
    for all. Classes of few pixels are drawn towards 1, as if `prior` more pixels said so."""
    table = Table({name: np.ones(n) for name, n in FACTORS.items()})
    log_error = np.log(np.maximum(samples.error, 1e-4))
    base = np.quantile(log_error, LEVEL)
    log_error = log_error - base
    log_sigma = np.zeros(len(log_error))
    members = {name: [np.flatnonzero(samples.classes[name] == i) for i in range(n)] for name, n in FACTORS.items()}
    for _ in range(rounds):
        for name, values in table.values.items():
            for i, pixels in enumerate(members[name]):
                if len(pixels) == 0:
                    continue
                log_sigma[pixels] -= np.log(values[i])
                weight = len(pixels) / (len(pixels) + prior)
                values[i] = np.exp(weight * np.quantile(log_error[pixels] - log_sigma[pixels], LEVEL))
                log_sigma[pixels] += np.log(values[i])
    scale = np.exp(base + np.quantile(log_error - log_sigma, LEVEL))
    for name in ("bend", "gaps", "rejected"):  # their first class is 1
        scale *= table.values[name][0]
        table.values[name] = table.values[name] / table.values[name][0]
    table.values["confidence_px"] = table.values["confidence_px"] * scale
    return table


def coverage(sigma: np.ndarray, error: np.ndarray, times: float = 1) -> float:
    return float(np.mean(error <= times * sigma))


def pinball_loss(sigma: np.ndarray, error: np.ndarray) -> float:
    """What a forecast of this quantile is scored by: lower is better."""
    off = error - sigma
    return float(np.mean(np.where(off > 0, LEVEL * off, (LEVEL - 1) * off)))
