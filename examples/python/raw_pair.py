#!/usr/bin/env python3
"""From the raw images of two cameras to a cloud in metres: raw_pair.py LEFT RIGHT RIG CLOUD.ply"""

import sys

import parallax

left, right, rig, file = sys.argv[1:]
matcher = parallax.Matcher("default")
result = matcher.compute(parallax.read_image(left), parallax.read_image(right), parallax.Rig.load(rig))
cloud = result.cloud()
parallax.write_cloud(file, cloud)
print(f"{len(cloud)} points, {cloud.points[:, 2].min():.2f} to {cloud.points[:, 2].max():.2f} m away")
