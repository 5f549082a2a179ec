#!/usr/bin/env python3
"""`parallax run` over frames of changing sizes and over frames of one size, in turns (docs/benchmarks.md).

    tools/bench/mixed_sizes.py PROGRAM FOLDER [--frames 100] [--rounds 3] [-- OPTION...]

FOLDER: image_0 and image_1 of KITTI 2012, whose frames have several sizes. The frames are repeated by links until
there are enough, all of them and only those of the commonest size; results go to a temporary folder, in memory
where there is /dev/shm. OPTION: further ones of run, as --config kitti. Prints frames/s (of the run's summary) of
frames of one size, of mixed sizes, and of both with --in-flight 1, a line a round, then the medians.
"""

import argparse
import collections
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path


def size_of(png):
    header = png.read_bytes()[16:24]
    return int.from_bytes(header[:4], "big"), int.from_bytes(header[4:], "big")


def make_frames(folder, source, names, count):
    for side, images in (("left", "image_0"), ("right", "image_1")):
        (folder / side).mkdir(parents=True)
        for i in range(count):
            (folder / side / f"{i:06d}.png").symlink_to(source / images / names[i % len(names)])


def frames_per_second(program, frames, out, options):
    source = [f"{frames}/left/*.png", f"{frames}/right/*.png"]
    command = [program, "run", *source, "--write", "disparity", "--output", str(out), *options]
    subprocess.run(command, check=True, capture_output=True)
    return json.loads((out / "summary.json").read_text())["frames_per_s"]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program")
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--frames", type=int, default=100)
    arguments.add_argument("--rounds", type=int, default=3)
    words = sys.argv[1:]
    end = words.index("--") if "--" in words else len(words)
    asked, options = arguments.parse_args(words[:end]), words[end + 1 :]
    source = asked.folder.resolve()
    sizes = {png.name: size_of(png) for png in sorted((source / "image_0").glob("*_10.png"))}
    if not sizes:
        sys.exit(f"mixed_sizes: {source}/image_0 holds no *_10.png: give the folder of KITTI 2012's images")
    commonest = collections.Counter(sizes.values()).most_common(1)[0][0]
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as temporary:
        work = Path(temporary)
        make_frames(work / "one", source, [name for name in sizes if sizes[name] == commonest], asked.frames)
        make_frames(work / "mixed", source, list(sizes), asked.frames)
        print(f"frames/s, {asked.frames} frames of {len(set(sizes.values()))} sizes")
        print(f"{'':8}{'one size':>12}{'mixed':>12}{'one, 1':>12}{'mixed, 1':>12}")
        rounds = []
        for number in range(asked.rounds):
            row = []
            for in_flight in ([], ["--in-flight", "1"]):
                for kind in ("one", "mixed"):
                    out = work / f"out_{number}_{kind}_{len(in_flight)}"
                    row.append(frames_per_second(asked.program, work / kind, out, [*options, *in_flight]))
            rounds.append(row)
            print(f"{number + 1:<8}" + "".join(f"{value:12.1f}" for value in row), flush=True)
        print(f"{'median':<8}" + "".join(f"{statistics.median(column):12.1f}" for column in zip(*rounds)))


if __name__ == "__main__":
    main()
