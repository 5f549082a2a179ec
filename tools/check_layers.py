#!/usr/bin/env python3
"""Reads every #include line and fails where a folder knows more than its layer may.

    tools/check_layers.py [ROOT]      prints one line per breach; ends with 1 when there is one

From bottom to top: include/parallax (the installed headers, which know nothing else) < pipeline < cuda, config,
datasets < calibrate < config/backends < library (what the installed headers declare), app, python, gstreamer. LAYERS below is
the rule, ORDER the one inside a folder. No two headers share a basename.
tests/X and tools/bench may use what X may, and what tests need. A third-party header stands
only in source files, so that its types stop there. Two exceptions: app/ is free, and headers of cuda/ may include
CUDA's, but then config/backends may not include them.
"""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

import check_tree

SOURCES = {".cpp", ".cu"}
HEADERS = {".h", ".cuh"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:<([^>]+)>|"([^"]+)")')

# Libraries, recognised by the path of a header.
LIBRARIES = {
    "hwy": re.compile(r"hwy/"),
    "cuda": re.compile(
        r"(cuda|cublas|cusolver|curand|driver_types|vector_types|vector_functions|device_|cooperative_groups|mma)"
        r"\w*\.hp?p?$|(cooperative_groups|cub|thrust|cuda|nvtx3|nv)/"
    ),
    "yaml": re.compile(r"yaml-cpp/"),
    "opencv": re.compile(r"opencv2?/"),
    "codecs": re.compile(r"(jpeglib|png|tiffio)\.h$"),
    "deflate": re.compile(r"libdeflate\.h$"),
    "compression": re.compile(r"(zstd|zstd_errors|lz4frame)\.h$"),
    "open3d": re.compile(r"(open3d|GLFW|filament)/"),
    "eigen": re.compile(r"Eigen/"),
    "cli11": re.compile(r"CLI/"),
    "json": re.compile(r"nlohmann/"),
    "fmt": re.compile(r"(fmt|spdlog)/"),
    "test": re.compile(r"(gtest|gmock|sanitizer)/"),
    "benchmark": re.compile(r"benchmark/"),
    "nanoflann": re.compile(r"nanoflann"),
    "gstreamer": re.compile(r"(gst/|glib)"),
    "pybind11": re.compile(r"pybind11/"),
    "mpi": re.compile(r"mpi\.h$"),
    "dds": re.compile(r"fastdds/"),
    "pages": re.compile(r"sys/mman\.h$"),  # advice on memory pages, buffers of cameras
    "cores": re.compile(r"sched\.h$"),  # which core a thread runs on
    "system": re.compile(r"linux/(videodev2|capability)\.h$|(unistd|dirent|fcntl|glob|malloc|poll|dlfcn|termios|pthread|\w*intrin)\.h$|s(ys|anitizer)/"),
}
PRINTING_AND_FILES = {"iostream", "ostream", "istream", "fstream", "cstdio", "stdio.h", "filesystem"}
C_LIBRARY = re.compile(r"(assert|ctype|errno|float|inttypes|limits|math|signal|std\w+|string|time)\.h$")


@dataclass
class Layer:
    folders: set[str]  # of this project that it may include
    libraries: set[str]
    prints: bool = False  # may print and open files
    free_headers: bool = False  # libraries may stand in its headers


LAYERS = {
    "pipeline": Layer({"pipeline"}, {"hwy", "nanoflann", "pages", "cores"}),
    "cuda": Layer({"cuda", "pipeline"}, {"cuda", "pages"}),
    "config": Layer({"config", "pipeline"}, {"yaml"}, prints=True),
    "datasets": Layer({"datasets", "pipeline"}, {"opencv", "codecs", "deflate", "compression", "gstreamer", "dds", "pages", "system", "yaml"}, prints=True),
    "calibrate": Layer({"calibrate", "datasets", "pipeline"}, {"opencv", "eigen", "fmt"}, prints=True, free_headers=True),
    "include": Layer(set(), {"opencv"}, free_headers=True),  # OpenCV in opencv.h alone
    "library": Layer({"library", "config", "datasets", "pipeline"}, set()),
    "python": Layer(
        {"python", "app", "calibrate", "config", "datasets", "library", "pipeline"},  # of app/ its pictures, see below
        {"pybind11", "opencv", "system"},  # OpenCV in calibrate/ alone, see below
        prints=True,
        free_headers=True,
    ),
    "gstreamer": Layer(
        {"gstreamer", "app", "pipeline"},  # of app/ its pictures, see below
        {"gstreamer"},
        free_headers=True,
    ),
    "app": Layer(
        {"app", "calibrate", "config", "datasets", "pipeline"},
        {"opencv", "open3d", "eigen", "yaml", "cli11", "fmt", "json", "system", "cores", "mpi"},
        prints=True,
        free_headers=True,
    ),
}
# The rooms of each folder from bottom to top: a room includes only rooms before it, so there are no circles between
# rooms. Files that lie in the folder itself belong to no room.
ORDER = {
    "pipeline": "types threads rules trees matchers reference metrics uncertainty simd calibration cloud cpu frames live",
    "pipeline/cloud": "neighbours emd distances geodesics",
    "pipeline/cpu": "filters sgm ad_census",
    "pipeline/reference": "sgm ad_census",
    "cuda": "device calibration cloud filters sgm ad_census matcher",
    "cuda/cloud": "neighbours emd distances geodesics",
    "datasets": "system formats calibration layouts live media dds synthetic",
    "app": "output options pictures session team cloud scores frames report bench calibrate quality eval view run merge help",
    "app/team": "mpi",
    "app/view": "cloud controls panes play window",
}
# The one place that knows which back ends were built, and what it hands to app/ beside the installed interface.
BACK_ENDS = Layer({"config", "cuda", "pipeline"}, set())
KNOWS_BACK_ENDS = re.compile(r"config/(backends\.(h|cpp)|device_benchmark\.h)$")


def layer_of(path: Path) -> Layer | None:
    """The rule for a file; None where there is none (fuzzers, sources that must not compile, ...)."""
    top, *rest = path.parts
    if KNOWS_BACK_ENDS.match(path.as_posix()):
        return BACK_ENDS
    if top in LAYERS:
        return LAYERS[top]
    if path.parts[:2] == ("tools", "bench"):
        return Layer({*LAYERS, "tools"}, set(LIBRARIES), prints=True, free_headers=True)
    if top == "tests" and rest[0] in LAYERS:
        tested = LAYERS[rest[0]]
        return Layer(tested.folders | {"tests"}, tested.libraries | {"test", "system"}, prints=True, free_headers=True)
    return None


def brings_cuda(root: Path, header: str, seen: set[str]) -> bool:
    """Whether a header of this project includes one of CUDA's, itself or through others."""
    if header in seen or not (root / header).is_file():
        return False
    seen.add(header)
    for line in (root / header).read_text(encoding="utf-8").splitlines():
        found = INCLUDE.match(line)
        if found:
            other, own = found.groups()
            if LIBRARIES["cuda"].match(other) if other else brings_cuda(root, own, seen):
                return True
    return False


def fault_of_order(path: Path, header: str) -> str | None:
    """What is wrong with #include "header" by ORDER, or None."""
    own, other = path.parent.parts, Path(header).parent.parts
    shared = next((i for i, (a, b) in enumerate(zip(own, other)) if a != b), 0)
    if shared == 0:  # another top folder, or one of the two folders lies in the other
        return None
    folder = "/".join(own[:shared])
    order = ORDER.get(folder, "").split()
    for room in (own[shared], other[shared]):
        if room not in order:
            return f"unknown room {folder}/{room}/: name it in ORDER of tools/check_layers.py"
    if order.index(other[shared]) > order.index(own[shared]):
        return f"{folder}/{own[shared]}/ stands below {folder}/{other[shared]}/ and may not know it"
    return None


def faults_of_names(root: Path) -> list[str]:
    """Headers with the basename of an earlier one."""
    first, faults = {}, []
    for top in [*LAYERS, "tests", "tools"]:
        for file in sorted((root / top).rglob("*")):
            path = file.relative_to(root)
            if path.suffix in HEADERS:
                if first.setdefault(path.name, path) != path:
                    faults.append(f"{path}:1: {first[path.name]} has this name too: give one of them a name of its own")
    return faults


def fault_of_own(path: Path, header: str, layer: Layer, root: Path) -> str | None:
    """What is wrong with #include "header", or None."""
    folder = header.split("/")[0]
    if folder == "parallax":
        return None if (root / "include" / header).is_file() else "there is no such file"
    if folder not in {*LAYERS, "tests", "tools"}:
        return 'write project headers from the root, as in "pipeline/matchers/stereo_matcher.h", and others in <>'
    if folder == "cuda" and path.parts[0] in ("app", "config") and layer is not BACK_ENDS:
        return "only config/backends.* knows which back ends were built"
    if path.parts[0] in ("gstreamer", "python") and folder == "app" and not header.startswith("app/pictures/"):
        return f"of app/ {path.parts[0]}/ knows pictures/ alone"
    if folder not in layer.folders:
        return f"{path.parts[0]}/ may not know {folder}/"
    if KNOWS_BACK_ENDS.match(header) and path.parts[0] in ("config", "datasets") and layer is not BACK_ENDS:
        return "config/backends.* stands above the rest of config/"
    if not (root / header).is_file():
        return "there is no such file"
    if path.parts[0] in LAYERS and (fault := fault_of_order(path, header)):
        return fault
    if folder == "cuda" and layer is BACK_ENDS and brings_cuda(root, header, set()):
        return "brings CUDA's headers along"
    return None


def fault_of_other(path: Path, header: str, layer: Layer) -> str | None:
    """What is wrong with #include <header>, or None."""
    library = next((name for name, pattern in LIBRARIES.items() if pattern.match(header)), None)
    if library == "opencv" and path.parts[0] == "python" and path.parts[1] != "calibrate":
        return "in python/ only calibrate/ may include OpenCV: import parallax must not load it"
    if library == "opencv" and path.parts[0] == "include" and path.name != "opencv.h":
        return "of the public headers opencv.h alone knows OpenCV"
    if library is None:
        if header in PRINTING_AND_FILES and not layer.prints:
            return f"{path.parts[0]}/ neither prints nor opens files"
        if ("/" in header or "." in header) and not C_LIBRARY.match(header):
            return "unknown library: name it in tools/check_layers.py, with the layers that may use it"
        return None
    if library not in layer.libraries:
        return f"{path.parts[0]}/ may not know {library}"
    shared = path.suffix in HEADERS and not path.name.endswith("-inl.h")
    if shared and not layer.free_headers and library != "cuda":
        return f"{library} stands in source files only"
    return None


def faults_of_file(path: Path, layer: Layer, root: Path) -> list[str]:
    faults = []
    text = (root / path).read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), 1):
        found = INCLUDE.match(line)
        if not found:
            continue
        other, own = found.groups()
        fault = fault_of_own(path, own, layer, root) if own else fault_of_other(path, other, layer)
        if fault:
            faults.append(f"{path}:{number}: {own or other}: {fault}")
    if path.suffix in HEADERS and "#pragma once" not in text and not path.name.endswith("-inl.h"):
        faults.append(f"{path}:1: no #pragma once")
    return faults


def faults_of_tree(root: Path) -> list[str]:
    faults = faults_of_names(root)
    for top in [*LAYERS, "tests", "tools"]:
        for file in sorted((root / top).rglob("*")):
            path = file.relative_to(root)
            layer = layer_of(path) if path.suffix in SOURCES | HEADERS else None
            if layer:
                faults += faults_of_file(path, layer, root)
    return faults


if __name__ == "__main__":
    sys.exit(check_tree.run("check_layers", "pipeline/", faults_of_tree, "every folder keeps to its layer"))
