#!/usr/bin/env python3
"""examples/ros2/replay.py: refuses without ROS 2, and plays what a recording holds.

ros2_example_test.py REPLAY

Where ROS 2 is not installed, its modules are stand-ins whose messages have the fields of ROS 2's and no others."""

import io
import os
import runpy
import subprocess
import sys
import tempfile
import types
import unittest
from contextlib import redirect_stderr

import numpy as np

import parallax

REPLAY = sys.argv.pop(1)


def message_type(class_name, constants=(), **fields):
    """A class with these fields and no others; a callable makes the field's first value."""

    def init(self):
        for field, first in fields.items():
            object.__setattr__(self, field, first() if callable(first) else first)

    body = {"__slots__": tuple(fields), "__init__": init, **dict(constants)}
    return type(class_name, (), body)


Time = message_type("Time", sec=0, nanosec=0)
Header = message_type("Header", stamp=Time, frame_id="")
RegionOfInterest = message_type("RegionOfInterest", x_offset=0, y_offset=0, height=0, width=0, do_rectify=False)
Image = message_type("Image", header=Header, height=0, width=0, encoding="", is_bigendian=0, step=0, data=b"")
CameraInfo = message_type("CameraInfo", header=Header, height=0, width=0, distortion_model="", d=list, k=list, r=list,
                          p=list, binning_x=0, binning_y=0, roi=RegionOfInterest)
PointField = message_type("PointField", {"FLOAT32": 7}, name="", offset=0, datatype=0, count=0)
PointCloud2 = message_type("PointCloud2", header=Header, height=0, width=0, fields=list, is_bigendian=False,
                           point_step=0, row_step=0, data=b"", is_dense=False)
DisparityImage = message_type("DisparityImage", header=Header, image=Image, f=0.0, t=0.0,
                              valid_window=RegionOfInterest, min_disparity=0.0, max_disparity=0.0, delta_d=0.0)


class Node:
    published = []  # (topic, message)

    def create_publisher(self, kind, topic, depth):
        def publish(message):
            assert isinstance(message, kind), topic
            self.published.append((topic, message))

        return types.SimpleNamespace(publish=publish)

    def get_logger(self):
        return types.SimpleNamespace(info=print)

    def destroy_node(self):
        pass


def with_stand_ins():
    def module(name, **content):
        made = types.ModuleType(name)
        vars(made).update(content)
        sys.modules[name] = made

    module("rclpy", init=lambda args: None, ok=lambda: True, create_node=lambda name: Node(), try_shutdown=lambda: None)
    module("sensor_msgs")
    module("sensor_msgs.msg", CameraInfo=CameraInfo, Image=Image, PointCloud2=PointCloud2, PointField=PointField)
    module("stereo_msgs")
    module("stereo_msgs.msg", DisparityImage=DisparityImage)


def has_ros():
    try:
        import rclpy  # noqa: F401
        import stereo_msgs.msg  # noqa: F401
    except ImportError:
        return False
    return True


def play(*arguments):
    sys.argv = [REPLAY, *arguments]
    runpy.run_path(REPLAY, run_name="__main__")


class Replay(unittest.TestCase):
    @unittest.skipIf(has_ros(), "ROS 2 is installed")
    def test_1_says_what_is_missing(self):
        sys.argv = [REPLAY, "x.mcap"]
        said = io.StringIO()
        with redirect_stderr(said), self.assertRaises(SystemExit) as ended:
            runpy.run_path(REPLAY, run_name="__main__")
        self.assertEqual(ended.exception.code, 77)
        self.assertIn("source ROS 2's setup.bash", said.getvalue())

    def test_2_plays_a_recording(self):
        with tempfile.TemporaryDirectory() as folder:
            recording = os.path.join(folder, "drive.mcap")
            subprocess.run([os.environ["PARALLAX_PROGRAM"], "run", "synthetic:drive,frames=3,width=160,height=60",
                            "--set", "matching_cost.num_disparities=32", "--write", "disparity", "--output",
                            os.path.join(folder, "out"), "--record", recording],
                           check=True, stdout=subprocess.DEVNULL)
            if has_ros():  # the node itself; what it publishes is looked at below
                subprocess.run([sys.executable, REPLAY, recording, "--rate", "0"], check=True)
            with_stand_ins()
            Node.published.clear()
            play(recording, "--rate", "0", "--frames", "2")
            frames = list(parallax.open(recording))[:2]
        self.assertEqual([topic for topic, _ in Node.published],
                         2 * ["/left/image_rect", "/left/camera_info", "/right/image_rect", "/right/camera_info",
                              "/disparity", "/points2"])
        matcher = parallax.Matcher()
        for frame, messages in zip(frames, (dict(Node.published[:6]), dict(Node.published[6:]))):
            rig, result = frame.rig, matcher.compute(frame)
            left, right = messages["/left/image_rect"], messages["/right/image_rect"]
            self.assertEqual(left.data, np.ascontiguousarray(frame.left).tobytes())
            self.assertEqual(right.data, np.ascontiguousarray(frame.right).tobytes())
            self.assertEqual((left.height, left.width, left.encoding), (60, 160, "mono8" if frame.left.ndim == 2 else "rgb8"))
            for message in messages.values():
                stamp = message.header.stamp
                self.assertAlmostEqual(stamp.sec + 1e-9 * stamp.nanosec, frame.timestamp or 0.1 * frames.index(frame), 6)
                self.assertEqual(message.header.frame_id, "left_camera_optical_frame")
            of_right = messages["/right/camera_info"]
            self.assertEqual(len(of_right.k), 9)
            self.assertAlmostEqual(of_right.p[3], -rig.fx_px * rig.baseline_m)
            self.assertEqual(messages["/left/camera_info"].p[3], 0)
            disparity = messages["/disparity"]
            values = np.frombuffer(disparity.image.data, np.float32).reshape(60, 160)
            known = np.isfinite(result.disparity)
            np.testing.assert_array_equal(values[known], result.disparity[known] + np.float32(rig.doffs_px))
            self.assertTrue((values[~known] < disparity.min_disparity).all())
            cloud = result.cloud(rig, frame.left)
            points = messages["/points2"]
            self.assertEqual((points.width, points.point_step, len(points.data)), (len(cloud), 16, 16 * len(cloud)))
            x = np.frombuffer(points.data, np.float32).reshape(-1, 4)[:, :3]
            np.testing.assert_array_equal(x, cloud.points)
            self.assertEqual([(field.name, field.offset) for field in points.fields],
                             [("x", 0), ("y", 4), ("z", 8), ("rgb", 12)])


if __name__ == "__main__":
    if not has_ros():
        print("ROS 2 is not installed: its messages are stand-ins here", flush=True)
    unittest.main(verbosity=1)
