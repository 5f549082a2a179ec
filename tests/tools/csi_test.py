#!/usr/bin/python3
"""The pipelines of docs/install.md for cameras at CSI connectors, with stand-ins for the boards' elements:
csi_test.py PROGRAM FOLDER_OF_STAND_INS."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from accuracy_lib.images import read_png  # noqa: E402

PROGRAM = ELEMENTS = ""
RIG = """parallax_rig: 1
rectified: {image_size_px: [1280, 720], focal_px: 800, principal_point_px: [640, 360], baseline_m: 0.1}
"""


def pipelines() -> list[str]:
    text = (ROOT / "docs" / "install.md").read_text().replace("\\\n", "")
    return re.findall(r'^parallax run "(gst:[^"]*(?:nvargus|libcamera)[^"]*)"', text, re.MULTILINE)


class Csi(unittest.TestCase):
    def run_program(self, pipeline: str, folder: str) -> subprocess.CompletedProcess:
        (Path(folder) / "rig.yaml").write_text(RIG)
        arguments = ["--config", "realtime", "--max-frames", "2", "--write", "disparity", "--output", f"{folder}/out"]
        rig = ["--rig", f"{folder}/rig.yaml"] if "width=1280" in pipeline else []
        environment = {**os.environ, "GST_PLUGIN_PATH": ELEMENTS, "GST_REGISTRY": f"{folder}/registry"}
        return subprocess.run([PROGRAM, "run", pipeline, *rig, *arguments], capture_output=True, text=True, timeout=120,
                              env=environment, check=False)

    def test_documented_pipelines(self):
        self.assertEqual(len(pipelines()), 2)
        for pipeline in pipelines():
            with self.subTest(pipeline), tempfile.TemporaryDirectory() as folder:
                result = self.run_program(pipeline, folder)
                self.assertEqual(result.returncode, 0, result.stderr)
                maps = sorted(Path(folder).glob("out/disparity/*.png"))
                self.assertEqual(len(maps), 2)
                self.assertLess(abs(np.median(read_png(maps[-1])[10:-10, 80:-20] / 256) - 8), 0.1)

    def test_without_nvvidconv_it_is_asked_for(self):
        pipeline = re.sub(r"nvvidconv ! video/x-raw,format=NV12 !", "", pipelines()[0])
        with tempfile.TemporaryDirectory() as folder:
            result = self.run_program(pipeline, folder)
            self.assertEqual(result.returncode, 1)
            self.assertIn("on a Jetson nvvidconv", result.stderr.splitlines()[-1])


if __name__ == "__main__":
    PROGRAM, ELEMENTS = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
