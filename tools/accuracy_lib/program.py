"""Drives the program: figures of `eval`, maps of `run`."""

import json
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .data_sets import DataSet


@dataclass
class Figures:
    """Of one data set: every frame's figure, the benchmark's total, and the median time of matching a frame."""

    names: list[str]
    frames: np.ndarray
    total: float
    weighted: float  # by the weights of Middlebury's table, NaN where other scenes were scored
    mean_px: float  # mean error, NaN where the data set has no such figure
    ms: float  # NaN where the program did not match
    below_median: float  # % of the errors that are at pixels less confident than the median, NaN: not known


class Program:
    def __init__(self, path: Path, data: Path, backend: str, threads: int, assignments: list[str]):
        if not path.is_file():
            raise SystemExit(f"{path}: there is no such program: build it, or name it with --program")
        self.path, self.data, self.backend, self.threads = path, data, backend, threads
        self.options = ["--backend", backend, "--threads", str(threads)]
        self.assignments = assignments

    def _run(self, command: str, *arguments: str) -> None:
        result = subprocess.run([self.path, command, *arguments], capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise SystemExit(f"parallax {command} {' '.join(arguments)}\n{result.stderr.strip()}")

    def _matching(self, config: str, assignments: list[str]) -> list[str]:
        chosen = [part for a in [*self.assignments, *assignments] for part in ("--set", a)]
        return ["--config", config, *chosen, *self.options]

    def _eval(self, data_set: DataSet, arguments: list[str]) -> Figures:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "eval.json"
            self._run("eval", str(self.data / data_set.folder), *arguments, "--json", str(file))
            result = json.loads(file.read_text())
        times = [f["time_ms"] for f in result["frames"] if f.get("time_ms") is not None]

        def total(key: str, of: str = "total") -> float:
            value = result.get(of, {}).get(key)
            return float("nan") if value is None else value

        return Figures([f["name"] for f in result["frames"]],
                       np.array([f[data_set.key] for f in result["frames"]], float),
                       result["total"][data_set.key], total(data_set.key, "weighted"), total(data_set.mean_key),
                       float(np.median(times)) if times else float("nan"), total("errors_below_median"))

    def match(self, data_set: DataSet, config: str, assignments: list[str] = []) -> Figures:
        return self._eval(data_set, self._matching(config, assignments))

    def score(self, data_set: DataSet, estimates: Path) -> Figures:
        return self._eval(data_set, ["--estimates", str(estimates)])

    def bench(self, data_set: DataSet, config: str, arguments: list[str]) -> list[dict]:
        """Rows of `parallax bench`, a frame each: matchers with their times."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "bench.json"
            chosen = [part for a in self.assignments for part in ("--set", a)]
            self._run("bench", str(self.data / data_set.folder), "--config", config, *chosen, "--backends",
                      self.backend, "--threads", str(self.threads), "--no-stages", *arguments, "--json", str(file))
            return json.loads(file.read_text())["rows"]

    def write_maps(self, data_set: DataSet, config: str, folder: Path) -> None:
        self._run("run", str(self.data / data_set.folder), *self._matching(config, []), "--write",
                  "pfm,validity,confidence", "--output", str(folder))


def data_folder(named: str | None, root: Path) -> Path:
    folder = Path(named or os.environ.get("PARALLAX_DATA") or root.parent / "shared" / "data")
    if not folder.is_dir():
        raise SystemExit(f"{folder}: there is no such folder: name the data with --data or PARALLAX_DATA")
    return folder.resolve()
