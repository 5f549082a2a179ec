#!/usr/bin/python3
"""Topics of ROS 2 against the other vendor, on this host alone: ros2_test.py PROGRAM PEER FAST_PEER [--load SECONDS | TEST ...].

PEER (ros2_peer.cpp) is a stereo camera and a listener by Cyclone DDS, FAST_PEER a camera by Fast DDS. With --load PEER sends 1280x720 pairs at 30 a second
instead, and what arrives and the program's memory are printed.
"""

import json
import os
import re
import runpy
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import types
import unittest
import unittest.mock
from pathlib import Path

PROGRAM = PEER = FAST_PEER = ""
CYCLONE = (
    '<CycloneDDS><Domain><General><Interfaces><NetworkInterface name="lo" multicast="false"/></Interfaces></General>'
    '<Discovery><ParticipantIndex>auto</ParticipantIndex><Peers><Peer address="localhost"/></Peers></Discovery>'
    "</Domain></CycloneDDS>"
)
ENVIRONMENT = {**os.environ, "ROS_LOCALHOST_ONLY": "1", "CYCLONEDDS_URI": CYCLONE}
ENVIRONMENT.pop("ROS_DOMAIN_ID", None)
IMAGES = "left=/stereo/left/image_raw,right=/stereo/right/image_raw"
SHIFT_PX, FOCAL_PX, BASELINE_M = 16, 500, 0.1
SECONDS = 60
# Of another process at the same time, another domain. Ports of domains above 101 are those of ordinary connections.
DOMAIN = 10 + os.getpid() % 90


PROJECT = Path(__file__).resolve().parents[2]
DECODER = Path(__file__).with_name("decode.mjs")
PACKAGES = ("@foxglove/rosmsg-msgs-common", "@foxglove/rosmsg2-serialization")


def why_no_npm():
    modules = os.environ.get("PARALLAX_NODE_MODULES", "")
    if shutil.which("node") is None:
        return "there is no node"
    if not modules or not all((Path(modules) / name).is_dir() for name in PACKAGES):
        return "PARALLAX_NODE_MODULES names no folder with " + ", ".join(PACKAGES)
    return ""


class Run:
    """The program reads what the peer sends, until the peer ends."""

    # documented: a command that replaces the usual one; its output goes to a temporary folder.
    def __init__(self, source="", options=(), environment=None, domain=DOMAIN, until_end=False, documented=None, **peer):
        with tempfile.TemporaryDirectory() as folder:
            words = ["--domain", str(domain)]
            for key, value in peer.items():
                words += ["--" + key, str(value)]
            other = subprocess.Popen([PEER, *words], env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            command = [PROGRAM, "run", source or f"ros2:{IMAGES},domain={domain}", "--output", folder + "/out"]
            command += ["--config", "realtime", "--write", "pfm", *options]
            if documented:
                command = [PROGRAM, *documented[1:]]
                command[command.index("--output") + 1] = folder + "/out"
            started = subprocess.Popen(
                command, env={**ENVIRONMENT, **(environment or {})}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
            )
            try:
                if until_end:
                    self.text, _ = started.communicate(timeout=SECONDS)
                    other.kill()
                answer, errors = other.communicate(timeout=SECONDS)
                self.peer = json.loads(answer) if answer else {"error": errors}
                if not until_end:
                    started.send_signal(signal.SIGINT)
                    self.text, _ = started.communicate(timeout=SECONDS)
            finally:
                for process in (started, other):
                    if process.poll() is None:
                        process.kill()
                        process.communicate()
            self.code = started.returncode
            summary = Path(folder, "out", "summary.json")
            self.summary = json.loads(summary.read_text()) if summary.is_file() else {}
            self.frames = sorted(Path(folder, "out", "pfm").glob("*.pfm"))


class BothWays(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        dump = tempfile.TemporaryDirectory()
        cls.addClassCleanup(dump.cleanup)
        cls.dump = dump.name
        cls.run_ = Run(options=["--ros2", "/parallax"], frames=15, rate=5, dump=dump.name)

    def got(self, topic):
        message = self.run_.peer[topic]
        self.assertGreater(message["count"], 1, self.run_.text)
        self.assertTrue(message["stamps_are_those_sent"], topic)
        self.assertEqual(message["frame_id"], "front_left_optical")
        return message

    def test_disparity(self):
        message = self.got("disparity")
        self.assertEqual((message["width"], message["height"], message["encoding"], message["step"]), (320, 240, "32FC1", 1280))
        self.assertAlmostEqual(message["median"], SHIFT_PX, delta=0.1)
        self.assertAlmostEqual(message["f"], FOCAL_PX)
        self.assertAlmostEqual(message["t"], BASELINE_M, places=6)
        self.assertEqual(message["min"], 0)

    def test_depth_and_points(self):
        depth_m = FOCAL_PX * BASELINE_M / SHIFT_PX
        depth = self.got("depth")
        self.assertAlmostEqual(depth["median"], depth_m, delta=0.03)
        cloud = self.got("points")
        self.assertEqual((cloud["fields"], cloud["point_step"]), ("x y z rgb confidence sigma_z", 24))
        self.assertAlmostEqual(cloud["median_z"], depth_m, delta=0.03)
        self.assertGreater(cloud["num_points"], 50000)
        self.assertGreater(cloud["median_confidence"], 100)
        # 0.1 to 1 px of disparity
        self.assertTrue(0.1 < cloud["median_sigma"] / depth_m**2 * FOCAL_PX * BASELINE_M < 1, cloud)
        mm = self.got("depth_mm")
        self.assertEqual((mm["encoding"], mm["step"]), ("16UC1", 640))
        self.assertAlmostEqual(mm["in_middle"], 1000 * depth_m, delta=30)

    def test_camera_info(self):
        for topic, p3 in (("left_info", 0), ("right_info", -FOCAL_PX * BASELINE_M), ("depth_info", 0)):
            message = self.got(topic)
            self.assertEqual((message["fx"], message["cx"], message["p3"]), (FOCAL_PX, 160, p3), topic)

    def test_it_is_a_node_with_its_topics_and_type_hashes(self):
        self.assertEqual(self.run_.peer["node"], {"name": "/parallax", "readers": 4, "writers": 8})
        self.assertRegex(self.run_.peer["user_data"], "^typehash=RIHS01_[0-9a-f]{64};$")

    def test_diagnostics(self):
        self.assertGreater(self.run_.peer["num_status"], 1)
        status = self.run_.peer["status"]
        self.assertEqual(status["name"], "parallax: /parallax")
        self.assertRegex(status["message"], "frames a second$" if status["level"] == 0 else "^no frame for")
        self.assertIn("ros2:", status["hardware_id"])
        self.assertGreater(int(status["frames matched"]), 1)
        self.assertEqual((status["frames failed"], status["frames lost on the way"]), ("0", "0"))
        self.assertIn("frames a second", status)
        self.assertIn("rig turned about x, degrees", status)

    @unittest.skipIf(why_no_npm(), why_no_npm())
    def test_npm_reads_the_same(self):
        read = subprocess.run(["node", DECODER, self.dump], check=True, capture_output=True, text=True, timeout=SECONDS)
        read = json.loads(read.stdout)
        peer = self.run_.peer
        self.assertEqual(len(read), 8)
        disparity, cloud, status = read["disparity"], read["points2"], read["diagnostics"]["status"][0]
        self.assertEqual((disparity["image"]["width"], disparity["image"]["numbers"]), (320, peer["disparity"]["num_values"]))
        self.assertEqual((disparity["f"], disparity["min_disparity"], disparity["delta_d"]), (FOCAL_PX, 0, 1 / 256))
        self.assertEqual(read["depth-image_rect"]["numbers"], peer["depth"]["num_values"])
        self.assertEqual((read["depth-image_rect_raw"]["encoding"], read["depth-image_rect_raw"]["data"]), ("16UC1", 153600))
        self.assertEqual([(field["offset"], field["datatype"], field["count"]) for field in cloud["fields"]],
                         [(4 * i, 7, 1) for i in range(6)])
        self.assertEqual((cloud["width"], cloud["data"]), (peer["points"]["num_points"], 24 * cloud["width"]))
        self.assertEqual(read["right-camera_info"]["p"][:4], [FOCAL_PX, 0, 160, -FOCAL_PX * BASELINE_M])
        self.assertEqual(status["name"], "parallax: /parallax")
        self.assertIn("frames matched", [value["key"] for value in status["values"]])

    def test_it_says_what_it_published(self):
        self.assertRegex(self.run_.text, r"published \d+ messages of \d+ frames below /parallax")


class Input(unittest.TestCase):
    def test_encodings(self):
        for encoding in ("mono16", "bgr8", "rgb8", "yuv422", "bayer_grbg8"):
            run = Run(options=["--ros2", "/parallax"], frames=8, rate=5, encoding=encoding)
            self.assertAlmostEqual(run.peer["disparity"]["median"], SHIFT_PX, delta=0.1, msg=encoding)

    def test_raw_images_are_rectified_by_their_camera_info(self):
        run = Run(options=["--ros2", "/parallax"], frames=8, rate=5, distortion=-0.05, reliable=1)
        self.assertEqual(run.peer["left_info"]["model"], "plumb_bob")
        self.assertAlmostEqual(run.peer["depth"]["median"], FOCAL_PX * BASELINE_M / SHIFT_PX, delta=0.2)

    def test_reliable_and_the_domain_of_the_environment(self):
        run = Run(
            source=f"ros2:{IMAGES},reliable=1", environment={"ROS_DOMAIN_ID": str(DOMAIN)}, frames=8, rate=5, reliable=1, listen=0
        )
        self.assertGreater(len(run.frames), 3, run.text)

    def test_no_camera_info(self):
        run = Run(frames=15, rate=5, info=0, listen=0)
        self.assertGreater(len(run.frames), 1, run.text)

    def test_no_stamps(self):
        run = Run(frames=15, rate=5, fault="zero", listen=0)
        self.assertIn("gives no capture times; arrival times are used", run.text)
        self.assertGreater(len(run.frames), 1, run.text)

    def test_pairs_are_made_by_stamps_not_by_arrival(self):
        run = Run(options=["--ros2", "/parallax"], frames=20, rate=4, fault="late")
        self.assertGreater(run.peer["disparity"]["count"], 3, run.text)
        self.assertAlmostEqual(run.peer["disparity"]["median"], SHIFT_PX, delta=0.1)

    def test_stamps_that_go_back(self):
        run = Run(frames=20, rate=5, fault="back", listen=0)
        self.assertIn("/stereo/left/image_raw: the stamps went back, first by 2.8", run.text)
        self.assertGreater(len(run.frames), 8, run.text)

    def test_half_of_a_pair(self):
        run = Run(frames=25, rate=5, fault="half", listen=0)
        self.assertRegex(run.text, "no pair for [0-9.]+ s: left .* right .*is the silent topic published in domain")

    def refused(self, expected, source="", environment=None, **peer):
        run = Run(source=source, environment=environment, until_end=True, frames=20, rate=5, listen=0, **peer)
        self.assertNotEqual(run.code, 0)
        lines = [line for line in run.text.splitlines() if re.search(expected, line)]
        self.assertEqual(len(lines), 1, run.text)

    def test_wrong_type(self):
        self.refused("left/image_raw: carries sensor_msgs/msg/CompressedImage, not sensor_msgs/msg/Image", fault="type")

    def test_wrong_encoding(self):
        self.refused("left/image_raw: an image in encoding '32FC1' cannot be read", encoding="32FC1")

    def test_an_image_that_is_cut_short(self):
        self.refused("left/image_raw: an image of 320x240 mono8 has only 38400 bytes", fault="short")

    def test_wrong_names(self):
        self.refused("is not a name of ROS", source="ros2:left=/a b,right=/c")
        self.refused("names no left or no right topic", source="ros2:left=/a")
        self.refused("left and right are the same topic", source="ros2:left=/a,right=a")
        self.refused("'300' is not a domain from 0 to 232", source=f"ros2:{IMAGES},domain=300")
        self.refused("ROS_DOMAIN_ID 'x' is not a number", source=f"ros2:{IMAGES}", environment={"ROS_DOMAIN_ID": "x"})
        self.refused("/nothing.xml: Fast DDS cannot read", environment={"FASTRTPS_DEFAULT_PROFILES_FILE": "/nothing.xml"})


def words_of_launch(file):
    """The command that a launch file starts by default. Stand-ins replace the package launch, which needs ROS."""
    launch, actions, substitutions = (types.ModuleType(name) for name in ("launch", "launch.actions", "launch.substitutions"))
    launch.LaunchDescription = list
    actions.DeclareLaunchArgument = lambda name, default_value: (name, default_value)
    actions.ExecuteProcess = lambda cmd, output: cmd
    substitutions.LaunchConfiguration = lambda name: {"argument": name}
    with unittest.mock.patch.dict(sys.modules, {module.__name__: module for module in (launch, actions, substitutions)}):
        *arguments, command = runpy.run_path(file)["generate_launch_description"]()

    def text(part):
        return dict(arguments)[part["argument"]] if isinstance(part, dict) else part

    return ["".join(map(text, word)) if isinstance(word, list) else text(word) for word in command]


class Documented(unittest.TestCase):
    """The commands of the page, the service and the launch file work as they are written."""

    def works(self, words):
        self.assertEqual(Path(words[0]).name, "parallax")
        run = Run(documented=words, environment={"ROS_DOMAIN_ID": str(DOMAIN)}, frames=15, rate=5)
        self.assertGreater(run.peer["depth"]["count"], 1, run.text)
        self.assertEqual(run.peer["node"]["name"], "/parallax")

    def test_page(self):
        self.works(shlex.split((PROJECT / "docs/ros2.md").read_text().split("```")[1].replace("\\\n", "")))

    def test_service(self):
        text = (PROJECT / "examples/ros2/parallax.service").read_text().replace("\\\n", "")
        self.works(shlex.split(re.search("^ExecStart=(.*)", text, re.MULTILINE)[1]))

    def test_launch_file(self):
        self.works(words_of_launch(PROJECT / "examples/ros2/parallax.launch.py"))


class Subscribers(unittest.TestCase):
    """A subscriber that is slow, is killed, or comes back costs the others nothing."""

    def start(self, *command):
        started = subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(lambda: started.poll() is None and (started.kill(), started.communicate()))
        return started

    def test_images_by_fast_dds(self):
        with tempfile.TemporaryDirectory() as folder:
            program = self.start(PROGRAM, "run", f"ros2:{IMAGES},reliable=1,domain={DOMAIN}", "--output", folder, "--config",
                                 "realtime", "--write", "none", "--set", "live.decimation=4")
            camera = self.start(FAST_PEER, str(DOMAIN), "30")
            self.assertEqual((camera.communicate(timeout=SECONDS)[0], camera.returncode), ("", 0))
            time.sleep(1)
            program.send_signal(signal.SIGINT)
            text, _ = program.communicate(timeout=SECONDS)
            summary = json.loads(Path(folder, "summary.json").read_text())
            self.assertGreaterEqual(summary["live"]["num_pairs"], 28, text)
            self.assertEqual(summary["live"]["num_damaged"], 0, text)

    def listener(self, frames):
        return self.start(PEER, "--domain", str(DOMAIN), "--send", "0", "--frames", str(frames), "--rate", "10")

    def test_slow_killed_and_back(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        written = Path(folder.name, "pfm")
        camera = self.start(PEER, "--domain", str(DOMAIN), "--listen", "0", "--frames", "600", "--rate", "10")
        source = f"ros2:{IMAGES},domain={DOMAIN}"
        program = self.start(PROGRAM, "run", source, "--output", folder.name, "--config", "realtime", "--write", "pfm",
                             "--ros2", "/parallax")
        def await_frames(count):
            wanted, end = len(list(written.glob("*.pfm"))) + count, time.monotonic() + SECONDS
            while len(list(written.glob("*.pfm"))) < wanted:
                self.assertLess(time.monotonic(), end, "the run stands still")
                time.sleep(0.1)

        def received(listener):
            return json.loads(listener.communicate(timeout=SECONDS)[0].splitlines()[-1])["points"]["count"]

        slow = self.listener(80)
        await_frames(10)
        before_mb = memory_mb(program)
        slow.send_signal(signal.SIGSTOP)
        await_frames(30)  # whose messages have 90 MB
        self.assertLess(memory_mb(program), before_mb + 40)
        slow.send_signal(signal.SIGCONT)
        self.assertGreater(received(slow), 0)

        killed = self.listener(1000)
        await_frames(5)
        killed.kill()
        await_frames(30)
        self.assertGreater(received(self.listener(30)), 0)
        self.assertLess(memory_mb(program), before_mb + 40)
        self.assertIsNone(camera.poll())
        program.send_signal(signal.SIGINT)
        text, _ = program.communicate(timeout=SECONDS)
        self.assertEqual(program.returncode, 0, text)
        self.assertLessEqual(len(re.findall("publishing|subscri", text)), 1, text)


def memory_mb(process):
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) // 1024


def load(seconds):
    """1280x720 pairs at 30 a second, of which depth and points are read; prints what arrived, and the memory."""
    with tempfile.TemporaryDirectory() as folder:
        words = f"--domain {DOMAIN} --frames {30 * seconds} --rate 30 --width 1280 --height 720 --reliable 1 --listen 2"
        peer = subprocess.Popen([PEER, *words.split()], env=ENVIRONMENT)
        source = f"ros2:{IMAGES},reliable=1,domain={DOMAIN}"
        command = [PROGRAM, "run", source, "--output", folder, "--config", "robot", "--write", "none", "--ros2", "/parallax"]
        program = subprocess.Popen(command, env=ENVIRONMENT)
        while peer.poll() is None:
            time.sleep(10)
            print(f"{time.strftime('%T')} {memory_mb(program)} MB, load {os.getloadavg()[0]:.1f}", flush=True)
        program.send_signal(signal.SIGINT)
        program.wait()
        live = json.loads(Path(folder, "summary.json").read_text()).get("live")
        print(f"sent {30 * seconds} pairs; {live}")


if __name__ == "__main__":
    PROGRAM, PEER, FAST_PEER = sys.argv[1:4]
    if sys.argv[4:5] == ["--load"]:
        load(int(sys.argv[5]))
    else:
        unittest.main(argv=sys.argv[:1] + sys.argv[4:], verbosity=2)
