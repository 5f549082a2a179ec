#!/usr/bin/env python3
"""A walk through the Python module: render, match, score, look, measure.

drive.py [FOLDER]      writes drive.ply, drive.pfm and disparity.npy there (here, when it is left out)

Run it cell by cell in an editor that knows "# %%", or whole. docs/python.md explains.
"""

# %% A street with exact truth; parallax.open("KITTI/training", truth=True) is the same with real frames.
import sys
from pathlib import Path

import numpy as np

import parallax

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
folder.mkdir(parents=True, exist_ok=True)
frames = list(parallax.synthetic("drive", width=621, height=188, frames=3))
print(frames[0], frames[0].left.shape, frames[0].rig)

# %% Matching: parallax.presets() has the names, parallax.backends() where it may run.
matcher = parallax.Matcher("kitti")
for frame in frames:
    result = matcher.compute(frame)
    score = parallax.kitti2015(result.disparity, frame.truth.disparity, frame.truth.objects)
    print(f"{frame.name}: {100 * score['d1_all']:.2f} % of the pixels are wrong")

# %% What the matcher is unsure of is what is wrong.
error = np.abs(result.disparity - frame.truth.disparity)
known = np.isfinite(error)
sure = result.confidence > np.median(result.confidence)
print(f"mean error {error[known & sure].mean():.3f} px where it is surer, {error[known & ~sure].mean():.3f} px elsewhere")
filled = (result.validity & parallax.FILLED) != 0
print(f"{100 * filled.mean():.1f} % of the pixels were filled from around them")

# %% Metres and points; a cloud in numpy is cloud.points (N x 3) and cloud.colors.
cloud = result.cloud(frame.rig, frame.left)
cloud = cloud.select(parallax.statistical_inliers(cloud))
truth = parallax.cloud(parallax.depth(frame.truth.disparity, frame.rig), frame.rig)
compared = parallax.compare(cloud, truth, thresholds=[0.1, 0.5])
print(f"{len(cloud)} points, median {compared['accuracy']['quantiles_m'][0.5]:.3f} m from the truth")
for row in compared["thresholds"]:
    print(f"within {row['threshold_m']} m: F-score {row['f_score']:.3f}")

# %% To disk, for other programs.
parallax.write_cloud(folder / "drive.ply", cloud)
parallax.write_disparity(folder / "drive.pfm", result.disparity)
np.save(folder / "disparity.npy", result.disparity)
