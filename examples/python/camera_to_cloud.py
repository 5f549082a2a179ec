#!/usr/bin/env python3
"""From two cameras to a cloud in metres: camera_to_cloud.py BOARDS SCENE FOLDER, such as camera:0,1 camera:0,1 out"""
import sys

import parallax

boards, scene, folder = sys.argv[1:]  # while BOARDS is read, move a board about before both cameras
calibration = parallax.calibrate(boards, board="chessboard:9x6", square_m=0.025)
print(calibration)
calibration.save(folder + "/rig.yaml")
frame = next(parallax.open(scene))
result = parallax.Matcher().compute(frame, rig=calibration.rig)
parallax.write_cloud(folder + "/cloud.ply", result.cloud())
print(f"{len(result.cloud())} points, the cameras are {calibration.baseline_m:.4f} m apart")
