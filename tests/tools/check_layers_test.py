#!/usr/bin/env python3
"""Plants breaches, one at a time, in a small tree and expects tools/check_layers.py to find each."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "check_layers.py"
sys.dont_write_bytecode = True
sys.path.insert(0, str(SCRIPT.parent))
import check_layers  # pylint: disable=wrong-import-position

CLEAN = {
    "pipeline/a.h": '#pragma once\n#include <vector>\n#include <stdint.h>\n',
    "include/parallax/x.h": '#pragma once\n#include <vector>\n',
    "include/parallax/opencv.h": '#pragma once\n#include "parallax/x.h"\n#include <opencv2/core.hpp>\n',
    "library/l.cpp": '#include "parallax/x.h"\n#include "config/backends.h"\n',
    "pipeline/a.cpp": '#include "pipeline/a.h"\n#include "parallax/x.h"\n#include <hwy/highway.h>\n',
    "pipeline/a-inl.h": '#include <hwy/highway.h>\n',
    "pipeline/simd/s.h": '#pragma once\n#include "pipeline/a.h"\n',
    "pipeline/cpu/p.h": '#pragma once\n#include "pipeline/simd/s.h"\n#include "pipeline/cpu/filters/f.h"\n',
    "pipeline/cpu/filters/f.h": '#pragma once\n#include "pipeline/simd/s.h"\n',
    "pipeline/cpu/sgm/g.h": '#pragma once\n#include "pipeline/cpu/filters/f.h"\n',
    "pipeline/cloud/neighbours/k.cpp": '#include "pipeline/simd/s.h"\n#include "pipeline/cloud/neighbours/k.h"\n',
    "pipeline/cloud/neighbours/k.h": '#pragma once\n#include "pipeline/a.h"\n',
    "cuda/b.h": '#pragma once\n#include "pipeline/a.h"\n',
    "cuda/device/stream.h": '#pragma once\n#include <cuda_runtime_api.h>\n',
    "cuda/pipeline.h": '#pragma once\n#include "cuda/device/stream.h"\n',
    "cuda/b.cuh": '#pragma once\n#include <cuda_runtime.h>\n',
    "cuda/b.cu": '#include "cuda/b.cuh"\n#include <cub/cub.cuh>\n#include <cuda/std/limits>\n',
    "config/c.cpp": '#include "pipeline/a.h"\n#include <fstream>\n#include <yaml-cpp/yaml.h>\n',
    "datasets/d.cpp": '#include <opencv2/imgcodecs.hpp>\n#include <filesystem>\n',
    "config/backends.h": '#pragma once\n#include "pipeline/a.h"\n',
    "config/backends.cpp": '#include "cuda/b.h"\n',
    "app/run/r.h": '#pragma once\n#include "app/view/v.h"\n',
    "app/view/v.h": "#pragma once\n",
    "app/e.h": '#pragma once\n#include <CLI/CLI.hpp>\n#include <cstdio>\n',
    "tests/pipeline/a_test.cpp": '#include "pipeline/a.h"\n#include <gtest/gtest.h>\n#include <fstream>\n',
}

# file, the line added to it, a part of the report
BREACHES = [
    ("include/parallax/x.h", '#include "pipeline/a.h"', "may not know pipeline/"),
    ("include/parallax/x.h", '#include "parallax/none.h"', "no such file"),
    ("include/parallax/x.h", "#include <opencv2/core.hpp>", "opencv.h alone"),
    ("include/parallax/x.h", "#include <yaml-cpp/yaml.h>", "may not know yaml"),
    ("library/l.cpp", '#include "app/e.h"', "may not know app/"),
    ("pipeline/a.h", "#include <opencv2/core.hpp>", "may not know opencv"),
    ("pipeline/a.h", "#include <hwy/highway.h>", "source files only"),
    ("pipeline/a.cpp", "#include <cuda_runtime.h>", "may not know cuda"),
    ("pipeline/a.cpp", "#include <cuda_fp16.hpp>", "may not know cuda"),
    ("pipeline/a.cpp", '#include "cuda/b.h"', "may not know cuda/"),
    ("pipeline/a.cpp", '#include "datasets/d.h"', "may not know datasets/"),
    ("pipeline/a.cpp", "#include <yaml-cpp/yaml.h>", "may not know yaml"),
    ("pipeline/a.cpp", "#include <fstream>", "neither prints nor opens files"),
    ("pipeline/a.cpp", "#include <cstdio>", "neither prints nor opens files"),
    ("pipeline/a.cpp", "  #  include <iostream>", "neither prints nor opens files"),
    ("pipeline/a.cpp", "#include <immintrin.h>", "may not know system"),
    ("pipeline/a.cpp", "#include <gtest/gtest.h>", "may not know test"),
    ("pipeline/a.cpp", "#include <boost/graph.hpp>", "unknown library"),
    ("pipeline/a.cpp", '#include "a.h"', "from the root"),
    ("pipeline/a.cpp", '#include "../pipeline/a.h"', "from the root"),
    ("pipeline/a.cpp", '#include "pipeline/none.h"', "no such file"),
    ("pipeline/simd/s.h", '#include "pipeline/cpu/p.h"', "and may not know it"),
    ("pipeline/cloud/neighbours/k.cpp", '#include "pipeline/cpu/p.h"', "and may not know it"),
    ("pipeline/cpu/filters/f.h", '#include "pipeline/cpu/sgm/g.h"', "and may not know it"),
    ("cuda/device/stream.h", '#include "cuda/cloud/none.h"', "no such file"),
    ("cuda/b.cuh", "#include <hwy/highway.h>", "may not know hwy"),
    ("cuda/b.cu", "#include <opencv2/core.hpp>", "may not know opencv"),
    ("cuda/b.cu", "#include <iostream>", "neither prints nor opens files"),
    ("cuda/b.cu", '#include "config/c.h"', "may not know config/"),
    ("config/c.cpp", "#include <opencv2/core.hpp>", "may not know opencv"),
    ("config/c.cpp", '#include "datasets/d.h"', "may not know datasets/"),
    ("datasets/d.cpp", "#include <CLI/CLI.hpp>", "may not know cli11"),
    ("datasets/d.cpp", '#include "app/e.h"', "may not know app/"),
    ("app/e.h", '#include "cuda/b.h"', "which back ends"),
    ("config/c.cpp", '#include "cuda/b.h"', "which back ends"),
    ("config/c.cpp", '#include "config/backends.h"', "above the rest of config/"),
    ("config/backends.cpp", "#include <yaml-cpp/yaml.h>", "may not know yaml"),
    ("config/backends.cpp", '#include "cuda/device/stream.h"', "brings CUDA's headers"),
    ("config/backends.cpp", '#include "cuda/pipeline.h"', "brings CUDA's headers"),
    ("app/view/v.h", '#include "app/run/r.h"', "app/view/ stands below app/run/"),
    ("app/e.h", "#include <gtest/gtest.h>", "may not know test"),
    ("tests/pipeline/a_test.cpp", '#include "cuda/b.h"', "may not know cuda/"),
]


def run(root):
    return subprocess.run([sys.executable, SCRIPT, root], capture_output=True, text=True, check=False)


class CheckLayers(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = Path(self.folder.name)
        for name, text in CLEAN.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)

    def test_clean_tree_passes(self):
        result = run(self.root)
        self.assertEqual((result.returncode, result.stdout), (0, "check_layers: every folder keeps to its layer\n"))

    def test_each_planted_breach_is_found(self):
        for name, line, report in BREACHES:
            with self.subTest(file=name, line=line):
                (self.root / name).write_text(CLEAN[name] + line + "\n")
                faults = check_layers.faults_of_tree(self.root)
                (self.root / name).write_text(CLEAN[name])
                self.assertEqual(len(faults), 1, faults)
                number = len(CLEAN[name].splitlines()) + 1
                self.assertIn(f"{name}:{number}: ", faults[0])
                self.assertIn(report, faults[0])

    def test_header_without_guard_is_found(self):
        (self.root / "app/e.h").write_text("#include <vector>\n")
        result = run(self.root)
        self.assertEqual((result.returncode, result.stdout), (1, "app/e.h:1: no #pragma once\n"))

    def test_second_header_of_a_name_is_found(self):
        (self.root / "app/run/v.h").write_text("#pragma once\n")
        self.assertIn("app/view/v.h:1: app/run/v.h has this name too", run(self.root).stdout)

    def test_room_without_a_place_is_found(self):
        (self.root / "app/attic").mkdir()
        (self.root / "app/attic/x.cpp").write_text('#include "app/view/v.h"\n')
        self.assertIn("app/attic/x.cpp:1: app/view/v.h: unknown room app/attic/", run(self.root).stdout)

    def test_wrong_root_is_wrong_usage(self):
        with tempfile.TemporaryDirectory() as empty:
            result = run(empty)
        self.assertEqual(result.returncode, 2)
        self.assertIn("pipeline/", result.stderr)


if __name__ == "__main__":
    unittest.main()
