#!/usr/bin/python3
"""An RTSP camera, as a server of GStreamer's own plays it, is a source: rtsp_test.py PROGRAM.

Skipped (exit code 77) where Debian's gir1.2-gst-rtsp-server-1.0 is not installed.
"""

import json
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zlib
from pathlib import Path

import numpy as np

try:
    import gi

    gi.require_version("Gst", "1.0")
    gi.require_version("GstRtspServer", "1.0")
    from gi.repository import GLib, Gst, GstRtspServer  # noqa: E402
except (ImportError, ValueError) as error:
    print(f"skipped: {error}: install gir1.2-gst-rtsp-server-1.0")
    sys.exit(77)

PROGRAM = ""
SHIFT_PX = 6
WIDTH, HEIGHT = 160, 96  # of each image


def write_png(path: Path, gray: np.ndarray) -> None:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + row.tobytes() for row in gray)
    height, width = gray.shape
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
                     + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def serve(picture: str, port: str) -> None:
    """Plays the picture 30 times a second as Motion-JPEG over RTP, until it is killed."""
    Gst.init(None)
    server = GstRtspServer.RTSPServer.new()
    server.set_address("127.0.0.1")
    server.set_service(port)
    factory = GstRtspServer.RTSPMediaFactory.new()
    factory.set_shared(True)
    factory.set_launch(f"( filesrc location={picture} ! pngdec ! imagefreeze is-live=true ! videoconvert ! "
                       "video/x-raw,format=I420,framerate=30/1 ! jpegenc quality=95 ! rtpjpegpay name=pay0 )")
    server.get_mount_points().add_factory("/stereo", factory)
    server.attach(None)
    print(server.get_bound_port(), flush=True)
    GLib.MainLoop().run()


class Rtsp(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        left = np.where(np.random.default_rng(1).random((HEIGHT // 2, WIDTH // 2)) < 0.3, 220, 40).astype(np.uint8)
        left = left.repeat(2, axis=0).repeat(2, axis=1)
        write_png(self.folder / "pair.png", np.hstack([left, np.roll(left, -SHIFT_PX, axis=1)]))
        self.server, self.port = None, "0"

    def tearDown(self):
        self.stop_server()

    def start_server(self) -> None:
        self.server = subprocess.Popen([sys.executable, __file__, "--serve", str(self.folder / "pair.png"), self.port],
                                       stdout=subprocess.PIPE, text=True)
        self.port = self.server.stdout.readline().strip()

    def stop_server(self) -> None:
        if self.server:
            self.server.kill()
            self.server.wait()
            self.server.stdout.close()
            self.server = None

    def source(self, decoding: str) -> str:
        return f"gst:rtspsrc location=rtsp://127.0.0.1:{self.port}/stereo latency=0 ! {decoding} ! appsink"

    def command(self, source: str, *arguments: str) -> list[str]:
        return [PROGRAM, "run", source, "--set", "matching_cost.num_disparities=16", "--write", "disparity",
                "--output", str(self.folder / "out"), "--overwrite", *arguments]

    def summary(self) -> dict:
        return json.loads((self.folder / "out" / "summary.json").read_text())

    def test_plays(self):
        self.start_server()
        for decoding in ("rtpjpegdepay ! jpegdec", "decodebin ! videoconvert"):
            with self.subTest(decoding):
                result = subprocess.run(self.command(self.source(decoding), "--max-frames", "8"), capture_output=True,
                                        text=True, timeout=60, check=False)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual(self.summary()["num_done"], 8)
                sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "tools"))
                from accuracy_lib.images import read_png

                maps = sorted((self.folder / "out" / "disparity").glob("*.png"))
                middle = read_png(maps[-1])[10:-10, 40:-20] / 256
                self.assertLess(abs(np.median(middle) - SHIFT_PX), 0.1)

    def test_a_server_that_dies_is_waited_for(self):
        self.start_server()
        run = subprocess.Popen(self.command(self.source("rtpjpegdepay ! jpegdec")), stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True)
        out = self.folder / "out" / "disparity"

        def await_frames(more: int) -> None:
            end, enough = time.monotonic() + 60, len(list(out.glob("*.png"))) + more
            while len(list(out.glob("*.png"))) < enough:
                self.assertLess(time.monotonic(), end)
                self.assertIsNone(run.poll())
                time.sleep(0.05)

        await_frames(5)
        self.stop_server()
        time.sleep(0.5)
        self.start_server()
        await_frames(60)  # more than can have been on its way
        run.send_signal(signal.SIGINT)
        text = run.communicate(timeout=20)[0]
        self.assertEqual(run.returncode, 0, text)
        self.assertIn("gives pictures again", text)
        self.assertEqual(len(list(out.glob("*.png"))), self.summary()["num_done"])


if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        serve(*sys.argv[2:])
    PROGRAM = sys.argv.pop(1)
    unittest.main()
