#!/usr/bin/env python3
"""`parallax run`, PNG in and 16-bit PNG out, beside matching alone and PNG coding alone, by turns.

    tools/bench/end_to_end.py BUILD FRAME... [--frames 300] [--rounds 8] [--rows FILE]

BUILD: a build folder of PARALLAX_BENCHMARKS=ON. FRAME: LEFT,RIGHT, PNG files of one size, which are copied to
/dev/shm and repeated by links until there are enough. Results go there too. Prints a line a round, milliseconds
a frame, and the medians: of `parallax bench` (one frame at a time on all threads), of matching a frame for each
thread at a time, of reading and writing on one thread, of `parallax run` (from its summary), and what it reaches
of the rate that the slower of matching (each way) and coding, spread over all cores, allows. `others` is what
else used the cores meanwhile; rounds with more than a tenth of a core are left out of the medians. --rows keeps
the rounds and goes on from there.
"""

import argparse
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

DISPARITIES = 128
MOST_OTHERS = 0.1  # cores
COLUMNS = ["bench", "in flight", "read", "write", "run", "others"]


def busy_seconds():
    """Of all cores since the machine was started: user to steal, without idle and waiting for disks."""
    fields = [int(f) for f in Path("/proc/stat").read_text().split("\n")[0].split()[1:9]]
    return (sum(fields) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")


def output_of(command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def make_frames(folder, pairs, count):
    for side in ("left", "right"):
        (folder / side).mkdir(parents=True)
    for i in range(count):
        for side, file in zip(("left", "right"), pairs[i % len(pairs)]):
            (folder / side / f"{i:06d}.png").symlink_to(file)


def measure(build, frames, few, out, count):
    start, busy = time.monotonic(), busy_seconds()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    source = lambda folder: [f"{folder}/left/*.png", f"{folder}/right/*.png"]
    common = ["--set", f"matching_cost.num_disparities={DISPARITIES}", "--backend", "cpu"]
    output_of([f"{build}/parallax", "bench", *source(few), "--disparities", str(DISPARITIES), "--backends", "cpu",
               "--frames", "3", "--repeat", str(count), "--no-opencv", "--json", f"{out}/bench.json"])
    rows = json.loads(Path(out, "bench.json").read_text())["rows"]
    row = {"bench": next(r["median_ms"] for r in rows if r["stage"] == "frame")}
    output_of([f"{build}/parallax", "run", *source(frames), *common, "--write", "disparity", "--output", f"{out}/run", "--overwrite"])
    row["run"] = 1000 / json.loads(Path(out, "run/summary.json").read_text())["frames_per_s"]
    parts = output_of([f"{build}/tools/bench/parallax_run_bench", str(DISPARITIES), str(count), *source(few)])
    read, match, write = (float(n) for n in re.findall(r"[\d.]+", parts))
    row |= {"in flight": match, "read": read, "write": write}
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    own = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime
    row["others"] = max(0.0, (busy_seconds() - busy - own) / (time.monotonic() - start))
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("frame", nargs="+")
    parser.add_argument("--frames", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--rows", type=Path)
    arguments = parser.parse_args()
    rows = json.loads(arguments.rows.read_text()) if arguments.rows and arguments.rows.exists() else []
    folder = Path(tempfile.mkdtemp(prefix="parallax_end_to_end_", dir="/dev/shm"))
    os.environ["TMPDIR"] = str(folder)
    try:
        pairs = [frame.split(",") for frame in arguments.frame]
        for i, pair in enumerate(pairs):  # into memory: the system may drop files from its cache
            for side in range(2):
                pair[side] = shutil.copy(pair[side], folder / f"{i}_{side}.png")
        make_frames(folder / "frames", pairs, arguments.frames)
        make_frames(folder / "few", pairs, len(pairs))
        print("".join(f"{c:>11}" for c in COLUMNS), flush=True)
        for _ in range(arguments.rounds):
            row = measure(arguments.build, folder / "frames", folder / "few", folder, arguments.frames)
            rows.append(row)
            print("".join(f"{row[c]:11.2f}" for c in COLUMNS), flush=True)
    finally:
        shutil.rmtree(folder)
    if arguments.rows:
        arguments.rows.write_text(json.dumps(rows))
    kept = [row for row in rows if row["others"] <= MOST_OTHERS]
    if not kept:
        print("no round without others at work")
        return
    print(f"medians of {len(kept)} of {len(rows)} rounds")
    print("".join(f"{statistics.median(row[c] for row in kept):11.2f}" for c in COLUMNS))
    for matching in ("bench", "in flight"):
        shares = [max(r[matching], (r["read"] + r["write"]) / os.cpu_count()) / r["run"] for r in kept]
        print(f"run reaches {100 * statistics.median(shares):.0f} % of the slower one's rate ({matching}; "
              f"{100 * min(shares):.0f} to {100 * max(shares):.0f} %)")


if __name__ == "__main__":
    main()
