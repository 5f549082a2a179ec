"""PNG and PFM with numpy alone."""

import re
import struct
import zlib
from pathlib import Path

import numpy as np


def read_png(path: Path) -> np.ndarray:
    """Gray or RGB of 8 or 16 bits, or a palette; not interlaced: (height, width) or (height, width, 3)."""
    data = path.read_bytes()
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise ValueError(f"{path}: this is no PNG")
    width, height, depth, color, _, _, interlaced = struct.unpack(">IIBBBBB", data[16:29])
    channels = {0: 1, 2: 3, 3: 1}.get(color)
    if channels is None or (color != 3 and depth not in (8, 16)) or interlaced:
        raise ValueError(f"{path}: only plain gray and RGB of 8 or 16 bits and palettes are read")
    packed, palette, at = [], None, 8
    while at < len(data):
        (length,) = struct.unpack(">I", data[at:at + 4])
        if data[at + 4:at + 8] == b"IDAT":
            packed.append(data[at + 8:at + 8 + length])
        if data[at + 4:at + 8] == b"PLTE":
            palette = np.frombuffer(data, np.uint8, length, at + 8).reshape(-1, 3)
        at += 12 + length
    step, row_bytes = max(channels * depth // 8, 1), (width * channels * depth + 7) // 8
    rows = np.frombuffer(zlib.decompress(b"".join(packed)), np.uint8).reshape(height, 1 + row_bytes)
    pixels = np.empty((height, row_bytes), np.uint8)
    above = np.zeros(row_bytes, np.uint8)
    for y in range(height):
        above = pixels[y] = _unfiltered(int(rows[y, 0]), rows[y, 1:], above, step)
    if color == 3:
        if palette is None:
            raise ValueError(f"{path}: its palette is missing")
        bits = np.unpackbits(pixels, axis=1).reshape(height, -1, depth)[:, :width]
        return palette[np.packbits(bits, axis=2).reshape(height, width) >> (8 - depth)]
    if depth == 16:
        pixels = pixels.view(">u2").astype(np.uint16)
    return pixels.reshape(height, width) if channels == 1 else pixels.reshape(height, width, channels)


def _unfiltered(kind: int, row: np.ndarray, above: np.ndarray, step: int) -> np.ndarray:
    if kind == 0:
        return row
    if kind == 1:
        return np.add.accumulate(row.reshape(-1, step), axis=0, dtype=np.uint8).reshape(-1)
    if kind == 2:
        return row + above
    out = row.tolist()
    up = above.tolist()
    for i, value in enumerate(out):
        a = out[i - step] if i >= step else 0
        b = up[i]
        if kind == 3:
            guess = (a + b) >> 1
        else:
            c = up[i - step] if i >= step else 0
            pa, pb, pc = abs(b - c), abs(a - c), abs(a + b - 2 * c)
            guess = a if pa <= pb and pa <= pc else b if pb <= pc else c
        out[i] = (value + guess) & 255
    return np.array(out, np.uint8)


def read_gray(path: Path) -> np.ndarray:
    """As the matcher sees it: colour by (77 R + 150 G + 29 B + 128) >> 8."""
    image = read_png(path)
    if image.ndim == 3:
        weighted = image.astype(np.int64) @ np.array([77, 150, 29])
        return ((weighted + 128) >> 8).astype(np.uint8)
    return image if image.dtype == np.uint8 else (image >> 8).astype(np.uint8)


def read_pfm(path: Path) -> np.ndarray:
    """One channel, top row first; what is not finite becomes NaN."""
    data = path.read_bytes()
    header = re.match(rb"Pf\s+(\d+)\s+(\d+)\s+(\S+)\s", data)
    if header is None:
        raise ValueError(f"{path}: this is no PFM of one channel")
    width, height = int(header[1]), int(header[2])
    values = np.frombuffer(data, "<f4" if float(header[3]) < 0 else ">f4", width * height, header.end())
    values = values.reshape(height, width)[::-1].astype(np.float32)
    return np.where(np.isfinite(values), values, np.nan)


def write_pfm(path: Path, disparity: np.ndarray) -> None:
    """NaN is written as +inf."""
    height, width = disparity.shape
    values = np.where(np.isnan(disparity), np.inf, disparity).astype("<f4")
    path.write_bytes(f"Pf\n{width} {height}\n-1\n".encode() + values[::-1].tobytes())


def read_truth(path: Path, scale: float) -> np.ndarray:
    """px, NaN = unknown."""
    if scale == 0:
        return read_pfm(path)
    values = read_png(path).astype(np.float32)
    return np.where(values == 0, np.nan, values / scale)
