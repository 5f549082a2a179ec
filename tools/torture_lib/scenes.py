"""Folders of raw cameras and pictures of a board, small, as tools/torture damages them."""

import math
import shutil

WIDTH, HEIGHT = 48, 24

# Two pinhole cameras of WIDTH x HEIGHT, in the words of three formats that `parallax rig convert` does not write.
KALIBR = """cam0:
  camera_model: pinhole
  distortion_coeffs: [-0.05, 0.01, 0.0002, 0.0001]
  distortion_model: radtan
  intrinsics: [46.0, 45.8, 24.1, 11.7]
  resolution: [48, 24]
cam1:
  T_cn_cnm1:
  - [1.0, 0.0, 0.0, -0.11]
  - [0.0, 1.0, 0.0, 0.001]
  - [0.0, 0.0, 1.0, 0.0]
  - [0.0, 0.0, 0.0, 1.0]
  camera_model: pinhole
  distortion_coeffs: [-0.04, 0.01, -0.0003, 0.0001]
  distortion_model: radtan
  intrinsics: [45.6, 45.9, 23.7, 12.2]
  resolution: [48, 24]
"""
KITTI_CAM_TO_CAM = """calib_time: 09-Jan-2012 13:57:47
S_00: 48 24
K_00: 46 0 24 0 45.8 11.7 0 0 1
D_00: -0.05 0.01 0.0002 0.0001 0
R_00: 1 0 0 0 1 0 0 0 1
T_00: 0 0 0
S_rect_00: 48 24
P_rect_00: 46 0 24 0 0 46 12 0 0 0 1 0
S_01: 48 24
K_01: 45.6 0 23.7 0 45.9 12.2 0 0 1
D_01: -0.04 0.01 -0.0003 0.0001 0
R_01: 1 0 0 0 1 0 0 0 1
T_01: -0.54 0.005 -0.012
S_rect_01: 48 24
P_rect_01: 46 0 24 -24.8 0 46 12 0 0 0 1 0
"""


def euroc_sensor(x_m):
    return ("%YAML:1.0\nsensor_type: camera\nT_BS:\n  cols: 4\n  rows: 4\n  data: [0.0, -1.0, 0.0, 0.0,\n"
            f"         1.0, 0.0, 0.0, {x_m},\n         0.0, 0.0, 1.0, 0.0,\n         0.0, 0.0, 0.0, 1.0]\n"
            "rate_hz: 20\nresolution: [48, 24]\ncamera_model: pinhole\nintrinsics: [46.0, 45.8, 24.1, 11.7]\n"
            "distortion_model: radial-tangential\ndistortion_coefficients: [-0.05, 0.01, 0.0002, 0.0001]\n")


def make_euroc(folder, pairs):
    """pairs: (left file, right file) of each frame."""
    for camera in range(2):
        place = folder / f"mav0/cam{camera}"
        (place / "data").mkdir(parents=True)
        (place / "sensor.yaml").write_text(euroc_sensor(0.11 * camera))
        times = [1403636579763555584 + 50_000_000 * i for i in range(len(pairs))]
        lines = [f"{time},{time}.png\n" for time in times]
        (place / "data.csv").write_text("#timestamp [ns],filename\n" + "".join(lines))
        for time, pair in zip(times, pairs):
            shutil.copy(pair[camera], place / f"data/{time}.png")


def make_kitti_raw(folder, pairs, kind):
    """kind: sync or extract."""
    (folder / "day").mkdir(parents=True)
    (folder / "day/calib_cam_to_cam.txt").write_text(KITTI_CAM_TO_CAM)
    for camera in range(2):
        place = folder / f"day/day_drive_0001_{kind}/image_0{camera}"
        (place / "data").mkdir(parents=True)
        (place / "timestamps.txt").write_text(
            "".join(f"2011-09-26 13:02:{25 + i:02d}.964389445\n" for i in range(len(pairs))))
        for i, pair in enumerate(pairs):
            shutil.copy(pair[camera], place / f"data/{i:010d}.png")


def turned(x, y):
    """The columns of a matrix that turns by x, then by y: what the board's axes are in the camera."""
    cx, sx, cy, sy = math.cos(x), math.sin(x), math.cos(y), math.sin(y)
    return (cy, 0, -sy), (sx * sy, cx, sx * cy), (cx * sy, -sx, cx * cy)


def wave(x, blur):
    """1 in squares of even number, -1 in odd ones, softly between."""
    nearest = round(x)
    soft = min(1.0, abs(x - nearest) / blur)
    return soft if math.floor(x) % 2 == 0 else -soft


def board_picture(pose, camera_x_m, width=160, height=120, focal=150):
    """A chessboard of 6x5 squares of 4 cm as PGM; pose: turns about x and y, place of its middle, m."""
    columns, (tx, ty, tz) = turned(*pose[:2]), pose[2:]
    origin = [sum(a * b for a, b in zip(column, (camera_x_m - tx, -ty, -tz))) for column in columns]
    (a0, b0, c0), (a1, b1, c1), (a2, b2, c2) = columns
    blur = tz / focal / 0.04 / 2
    pixels = bytearray()
    for v in range(height):
        ray_y = (v - height / 2) / focal
        for u in range(width):
            ray_x = (u - width / 2) / focal
            t = -origin[2] / (a2 * ray_x + b2 * ray_y + c2)
            x = (origin[0] + t * (a0 * ray_x + b0 * ray_y + c0)) / 0.04 + 3
            y = (origin[1] + t * (a1 * ray_x + b1 * ray_y + c1)) / 0.04 + 2.5
            inside = 0 <= x < 6 and 0 <= y < 5
            pixels.append(int(125 - 95 * wave(x, blur) * wave(y, blur)) if inside else 220)
    return b"P5 %d %d 255\n" % (width, height) + bytes(pixels)


POSES = [(0.0, 0.0, 0.0, 0.0, 0.35), (0.4, 0.1, 0.02, 0.0, 0.4), (-0.35, 0.2, -0.02, 0.01, 0.42),
         (0.1, 0.45, 0.0, -0.02, 0.4), (0.2, -0.4, 0.03, 0.01, 0.45), (-0.2, -0.3, -0.01, 0.0, 0.38)]


def make_board(folder):
    """left/ and right/ with a chessboard in POSES, for `calibrate --board chessboard:5x4 --square 0.04`."""
    for side, x_m in (("left", -0.02), ("right", 0.02)):
        (folder / side).mkdir(parents=True)
        for i, pose in enumerate(POSES):
            (folder / side / f"{i}.pgm").write_bytes(board_picture(pose, x_m))
