#!/usr/bin/env python3
"""Simulates a run of many frames on many GPUs and says what bounds it: docs/scale.md explains the model.

    tools/scale_simulation.py                                   10^6 frames on 64 GPUs, eight a machine
    tools/scale_simulation.py --gpus 256 --storage-gb 10        other machines, another file system
    tools/scale_simulation.py --deal shards                     every N-th frame in place of ranges on demand
    tools/scale_simulation.py --json FILE                       every figure

Time goes in events: every GPU takes a range, then for each frame waits for the file system to give it the pair, for
the GPU to match, for the machine's cores to code what is written and for the file system to take it, one stage
beside the other as in parallax run. The file system is one server of bytes and one of operations on names, which all
share; rank 0 is a server of messages.
"""

import argparse
import heapq
import json
import random
import sys
from dataclasses import dataclass


@dataclass
class Server:
    """Serves one after the other: seconds of work are asked for, the time of the end comes back."""

    free_at: float = 0.0
    busy: float = 0.0

    def serve(self, now: float, seconds: float) -> float:
        begin = max(now, self.free_at)
        self.free_at = begin + seconds
        self.busy += seconds
        return self.free_at


@dataclass
class Cores:
    """As many servers as there are cores; whoever comes takes the one that is free first."""

    free_at: list[float]
    busy: float = 0.0

    def serve(self, now: float, seconds: float) -> float:
        begin = max(now, heapq.heappop(self.free_at))
        heapq.heappush(self.free_at, begin + seconds)
        self.busy += seconds
        return begin + seconds


def range_length(left: int, takers: int) -> int:
    """As app/team/frame_deal.cpp deals them."""
    return min(32, max(1, left // (8 * takers)))


def simulate(o: argparse.Namespace) -> dict:
    draw = random.Random(o.seed)
    storage, names, leader = Server(), Server(), Server()
    num_machines = -(-o.gpus // o.gpus_per_machine)
    cores = [Cores([0.0] * o.cores_per_machine) for _ in range(num_machines)]
    links = [Server() for _ in range(num_machines)]
    gpus = [Server() for _ in range(o.gpus)]
    read_s = o.read_mb / 1000 / o.storage_gb
    write_s = o.write_mb / 1000 / o.storage_gb
    link_s = (o.read_mb + o.write_mb) / 1000 / o.link_gb

    # Start: every process lists the source; a frame of it costs so many operations, whoever takes it.
    list_ops = o.frames * o.list_ops_per_frame * o.gpus
    start_s = list_ops / o.names_per_s + o.start_s
    names.free_at = start_s

    next_frame = 0
    done = 0
    end = start_s
    left = [0] * o.gpus  # of the range or of the shard
    if o.deal == "shards":
        left = [len(range(gpu, o.frames, o.gpus)) for gpu in range(o.gpus)]
    ends_of_gpus = [start_s] * o.gpus

    # A frame's stages, one event each, so that every server sees its customers in the order of time.
    def names_to_read(now, gpu):
        return names.serve(now, o.read_ops / o.names_per_s)

    def bytes_to_read(now, gpu):
        return storage.serve(now, read_s)

    def over_the_link(now, gpu):
        return links[gpu // o.gpus_per_machine].serve(now, link_s)

    def decode(now, gpu):
        return cores[gpu // o.gpus_per_machine].serve(now, o.decode_ms / 1000)

    def match(now, gpu):
        slow = o.slow_factor if o.slow_share > 0 and draw.random() < o.slow_share else 1.0
        return gpus[gpu].serve(now, slow * o.match_ms / 1000)

    def encode(now, gpu):
        return cores[gpu // o.gpus_per_machine].serve(now, o.encode_ms / 1000)

    def names_to_write(now, gpu):
        return names.serve(now, o.write_ops / o.names_per_s)

    def bytes_to_write(now, gpu):
        return storage.serve(now, write_s)

    def tell(now, gpu):
        # The journal is rank 0's; a shard keeps its own.
        return leader.serve(now, o.messages_per_frame * o.message_s) if o.deal == "ranges" else now

    stages = [names_to_read, bytes_to_read, over_the_link, decode, match, encode, names_to_write, bytes_to_write, tell]
    # Every GPU has so many frames on their way; one that is through is followed by the next.
    events = [(start_s, gpu * o.in_flight + i, gpu, -1) for gpu in range(o.gpus) for i in range(o.in_flight)]
    heapq.heapify(events)
    number = len(events)
    while events:
        now, _, gpu, stage = heapq.heappop(events)
        if stage == len(stages) - 1:
            done += 1
            end = now
            ends_of_gpus[gpu] = now
            stage = -1
        if stage == -1:
            if left[gpu] == 0:
                if o.deal == "shards" or next_frame >= o.frames:
                    continue
                left[gpu] = min(range_length(o.frames - next_frame, o.gpus), o.frames - next_frame)
                next_frame += left[gpu]
                now = leader.serve(now, o.message_s) + o.round_trip_s
            left[gpu] -= 1
        number += 1
        heapq.heappush(events, (stages[stage + 1](now, gpu), number, gpu, stage + 1))
    took = end - start_s
    servers = {
        "GPUs": sum(g.busy for g in gpus) / (took * o.gpus),
        "cores": sum(c.busy for c in cores) / (took * o.cores_per_machine * num_machines),
        "links of machines": sum(x.busy for x in links) / (took * num_machines),
        "file system, bytes": storage.busy / took,
        "file system, names": names.busy / took,
        "rank 0": leader.busy / took,
    }
    bound = max(servers, key=servers.get)
    return {
        "frames": o.frames,
        "gpus": o.gpus,
        "start_s": start_s,
        "elapsed_s": end,
        "frames_per_s": done / end,
        "share_of_gpus_alone": done / end / (o.gpus * 1000 / o.match_ms),
        "last_gpu_waits_s": max(ends_of_gpus) - min(ends_of_gpus),
        "read_gb_per_s": done * o.read_mb / 1000 / took,
        "written_gb_per_s": done * o.write_mb / 1000 / took,
        "written_tb": done * o.write_mb / 1e6,
        "names_per_s": done * (o.read_ops + o.write_ops) / took,
        "busy": servers,
        "bound": bound,
    }


def options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--frames", type=int, default=1_000_000)
    add("--gpus", type=int, default=64)
    add("--gpus-per-machine", type=int, default=8)
    add("--cores-per-machine", type=int, default=128)
    add("--deal", choices=["ranges", "shards"], default="ranges", help="mpirun's ranges on demand, or --shard")
    add("--in-flight", type=int, default=12, help="frames of a GPU between its first read and its last write")
    add("--match-ms", type=float, default=0.84, help="GPU, a frame (kitti on an H200: docs/benchmarks.md)")
    add("--decode-ms", type=float, default=2.4, help="a core, a pair of PNG files (docs/benchmarks.md)")
    add("--encode-ms", type=float, default=1.4, help="a core, a disparity map (docs/benchmarks.md)")
    add("--read-mb", type=float, default=0.9, help="a pair")
    add("--write-mb", type=float, default=0.49, help="what is written of a frame")
    add("--read-ops", type=float, default=13, help="operations on names a frame: 7 looks, 3 opened and closed (images, calibration)")
    add("--write-ops", type=float, default=4, help="a look, create, close, rename: one file")
    add("--list-ops-per-frame", type=float, default=0.003, help="of reading the source's folders, a process")
    add("--storage-gb", type=float, default=40.0, help="file system, GB/s in all")
    add("--names-per-s", type=float, default=100_000.0, help="file system, operations on names a second in all")
    add("--link-gb", type=float, default=25.0, help="network of a machine, GB/s")
    add("--message-s", type=float, default=5e-6, help="rank 0's work for a message")
    add("--messages-per-frame", type=float, default=3)
    add("--round-trip-s", type=float, default=3e-4)
    add("--start-s", type=float, default=5.0, help="scheduler, program, CUDA")
    add("--slow-share", type=float, default=0.0, help="share of frames that take longer on the GPU")
    add("--slow-factor", type=float, default=1.0)
    add("--seed", type=int, default=1)
    add("--json", metavar="FILE", help="write every figure")
    return parser


def main() -> int:
    o = options().parse_args()
    if o.frames < 1 or o.gpus < 1 or o.storage_gb <= 0 or o.names_per_s <= 0:
        print("scale_simulation: --frames, --gpus, --storage-gb and --names-per-s have to be positive", file=sys.stderr)
        return 2
    result = simulate(o)
    print(f"{result['frames']} frames on {result['gpus']} GPUs ({o.deal}): {result['elapsed_s']:.0f} s, of which "
          f"{result['start_s']:.0f} s are the start; {result['frames_per_s']:.0f} frames/s, "
          f"{100 * result['share_of_gpus_alone']:.0f} % of what the GPUs match alone")
    print(f"read {result['read_gb_per_s']:.1f} GB/s, written {result['written_gb_per_s']:.1f} GB/s "
          f"({result['written_tb']:.2f} TB), {result['names_per_s']:.0f} operations on names a second")
    for name, share in sorted(result["busy"].items(), key=lambda item: -item[1]):
        print(f"  {name:<20}{100 * share:6.1f} % busy")
    print(f"bound: {result['bound']}; the first GPU to end waits {result['last_gpu_waits_s']:.2f} s for the last")
    if o.json:
        with open(o.json, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=2)
            file.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
