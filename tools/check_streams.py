#!/usr/bin/env python3
"""Checks that cuda/ puts no work on the default stream: every launch, copy, fill and library call names a stream.

A program's other streams wait for the default one, and it for them. Looked at: kernel<<<...>>>, the runtime's
functions that take a stream, cub's algorithms, and functions that have no stream at all.

    check_streams.py [FOLDER]    the project's folder; default: the one this script stands in
"""

import re
import sys
from pathlib import Path

# These use the default stream, or wait for everything.
FORBIDDEN = re.compile(
    r"\b(cudaMemcpy|cudaMemcpy2D|cudaMemcpy3D|cudaMemcpyToSymbol|cudaMemcpyFromSymbol|cudaMemset|cudaMemset2D"
    r"|cudaDeviceSynchronize|cudaThreadSynchronize|cudaStreamLegacy|cudaStreamPerThread|cudaMallocManaged"
    r"|cudaStreamCreate|cudaEventRecordWithFlags|thrust::(?:sort|scan|reduce|copy|fill|for_each|sequence|transform|gather|unique)\w*)\s*\("
)
# Their last argument is the stream.
WITH_STREAM = re.compile(
    r"\b(cuda(?:Memcpy\w*|Memset\w*)Async|cudaEventRecord|cudaStreamSynchronize|cudaStreamBeginCapture|cudaLaunchHostFunc"
    r"|cudaGraphLaunch|cudaLaunchCooperativeKernel|cub::Device\w+::\w+)\s*\("
)
# Not the last argument.
PLACE_OF_STREAM = {"cudaStreamBeginCapture": 0, "cudaLaunchHostFunc": 0}
# Counting the scratch of a cub algorithm launches nothing: its first argument is null.
NAMES_A_STREAM = re.compile("stream")


def arguments_of(text: str, begin: int) -> list[str]:
    """The arguments of the call whose opening bracket stands at begin."""
    depth, start, found = 0, begin + 1, []
    for i in range(begin, len(text)):
        if text[i] in "([{":
            depth += 1
        elif text[i] in ")]}":
            depth -= 1
            if depth == 0:
                found.append(text[start:i].strip())
                return [argument for argument in found if argument]
        elif text[i] == "," and depth == 1:
            found.append(text[start:i].strip())
            start = i + 1
    return found


def without_comments(text: str) -> str:
    """The same lines, comments and texts in quotes blanked."""

    def blank(match: re.Match) -> str:
        return re.sub(r"[^\n]", " ", match.group())

    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"', blank, text, flags=re.S)


def faults_of(text: str) -> list[tuple[int, str]]:
    """(line, what is wrong) of every breach."""
    text = without_comments(text)
    faults = []

    def add(place: int, what: str) -> None:
        faults.append((text.count("\n", 0, place) + 1, what))

    for match in FORBIDDEN.finditer(text):
        add(match.start(), f"{match.group(1)} uses the default stream or waits for all: use one that takes a stream")
    for match in WITH_STREAM.finditer(text):
        name = match.group(1)
        arguments = arguments_of(text, match.end() - 1)
        if name.startswith("cub::") and arguments and arguments[0] == "nullptr":
            continue
        place = PLACE_OF_STREAM.get(name, -1)
        if not arguments or not NAMES_A_STREAM.search(arguments[place]):
            add(match.start(), f"{name} is given no stream")
    for match in re.finditer(r"<<<(.*?)>>>", text, re.S):
        configuration = arguments_of(f"({match.group(1)})", 0)
        if len(configuration) != 4 or not NAMES_A_STREAM.search(configuration[3]):
            add(match.start(), "a kernel is launched without a stream: <<<blocks, threads, shared bytes, stream>>>")
    return sorted(faults)


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[1]
    files = sorted(path for path in (root / "cuda").rglob("*") if path.suffix in {".h", ".cpp", ".cu", ".cuh"})
    num_faults = 0
    for path in files:
        for line, what in faults_of(path.read_text(encoding="utf-8")):
            print(f"{path.relative_to(root)}:{line}: {what}")
            num_faults += 1
    print(f"{len(files)} files, {num_faults} without a stream" if num_faults else f"{len(files)} files")
    return 1 if num_faults or not files else 0


if __name__ == "__main__":
    sys.exit(main())
