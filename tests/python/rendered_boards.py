"""Pictures of a chessboard and of a wall by two cameras that are known exactly, and a video of them."""

import struct

import numpy as np

WIDTH, HEIGHT = 320, 240
FOCAL_PX, BASELINE_M, SQUARE_M = 300.0, 0.08, 0.025
COLUMNS, ROWS = 9, 6  # inner corners
SAMPLES = 3  # of a pixel, squared


def turn(x, y, z):
    """A rotation about the axes in turn, radians."""
    (cx, cy, cz), (sx, sy, sz) = np.cos([x, y, z]), np.sin([x, y, z])
    about_x, about_y = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]]), np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    return about_x @ about_y @ np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])


RIGHT_FROM_LEFT = turn(0.01, -0.015, 0.006)


def chessboard(x, y):
    square_x, square_y = np.floor(x / SQUARE_M) + 1, np.floor(y / SQUARE_M) + 1
    outside = np.maximum(np.maximum(-square_x, square_x - COLUMNS), np.maximum(-square_y, square_y - ROWS))
    gray = np.where((square_x + square_y) % 2 == 0, 35, 215)
    return np.where(outside > 1, 120, np.where(outside > 0, 215, gray))


def wall(x, y):
    """Blots of 12 mm, each of one gray."""
    column, row = np.floor(x / 0.012).astype(np.int64), np.floor(y / 0.012).astype(np.int64)
    return np.random.default_rng(5).integers(20, 235, (512, 512))[row % 512, column % 512]


def picture(rotation, translation, gray, seed):
    """What a pinhole camera sees of a plane: gray(x, y) in metres. uint8 (H x W)."""
    steps = (np.arange(SAMPLES) + 0.5) / SAMPLES - 0.5
    u = (np.arange(WIDTH)[:, None] + steps).ravel() - (WIDTH - 1) / 2
    v = (np.arange(HEIGHT)[:, None] + steps).ravel() - (HEIGHT - 1) / 2
    rays = np.stack([*np.meshgrid(u, v), np.full((v.size, u.size), FOCAL_PX)], axis=-1) @ rotation
    centre = -rotation.T @ translation
    along = -centre[2] / rays[..., 2]
    fine = gray(centre[0] + along * rays[..., 0], centre[1] + along * rays[..., 1])
    image = fine.reshape(HEIGHT, SAMPLES, WIDTH, SAMPLES).mean(axis=(1, 3))
    return np.clip(np.random.default_rng(seed).normal(image, 1.5) + 0.5, 0, 255).astype(np.uint8)


def pair(rotation, translation, gray, seed):
    left = picture(rotation, translation, gray, 2 * seed)
    translation = RIGHT_FROM_LEFT @ translation + [-BASELINE_M, 0, 0]
    return left, picture(RIGHT_FROM_LEFT @ rotation, translation, gray, 2 * seed + 1)


def board_pairs(count):
    """The board all over the image, tilted to all sides."""
    middle = np.array([(COLUMNS - 1) * SQUARE_M / 2, (ROWS - 1) * SQUARE_M / 2, 0])
    for i in range(count):
        angle, tilt, far = 2.4 * i, 0 if i == 0 else 0.25 + 0.07 * (i * 7 % 5), 0.45 * (1 + 0.12 * (i % 5))
        rotation = turn(tilt * np.cos(angle), tilt * np.sin(angle), 0.15 * np.sin(3 * i))
        side = (i + 4) / 13 * np.array([0.22 * np.cos(1.9 * i), 0.2 * np.sin(1.9 * i), 0])
        place = far * (side + [0, 0, 1]) + [BASELINE_M / 2, 0, 0]
        yield pair(rotation, place - rotation @ middle, chessboard, i)


def wall_pair(distance_m=0.8):
    return pair(turn(0, 0, 0), np.array([0, 0, distance_m]), wall, 99)


def write_video(file, pairs):
    """Pairs side by side in an uncompressed AVI."""
    def chunk(name, content):
        return name + struct.pack("<I", len(content)) + content

    pictures = [np.repeat(np.hstack(pair)[::-1, :, None], 3, axis=2).tobytes() for pair in pairs]
    size, width = len(pictures[0]), 2 * WIDTH
    main = struct.pack("<14I", 100000, 0, 0, 0x10, len(pictures), 0, 1, 0, width, HEIGHT, 0, 0, 0, 0)
    stream = b"vids" + struct.pack("<13I", 0, 0, 0, 0, 1, 10, 0, len(pictures), size, 0, 0, 0, HEIGHT << 16 | width)
    form = struct.pack("<10I", 40, width, HEIGHT, 24 << 16 | 1, 0, size, 0, 0, 0, 0)
    stream = chunk(b"LIST", b"strl" + chunk(b"strh", stream) + chunk(b"strf", form))
    movie = b"movi" + b"".join(chunk(b"00db", picture) for picture in pictures)
    with open(file, "wb") as out:
        out.write(chunk(b"RIFF", b"AVI " + chunk(b"LIST", b"hdrl" + chunk(b"avih", main) + stream)
                        + chunk(b"LIST", movie)))
