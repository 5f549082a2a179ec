#!/usr/bin/env python3
"""Plants work on the default stream, one piece at a time, and expects tools/check_streams.py to find each."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "check_streams.py"

CLEAN = """
// cudaMemcpy(a, b, c) in a comment
void Work(cudaStream_t stream) {
  Kernel<<<dim3(1, 2), Threads(3), 0, stream>>>(a, b);
  Check(cudaMemcpyAsync(a, b, Size(c, d), cudaMemcpyDefault, stream), "cudaMemcpy(");
  Check(cudaMemsetAsync(a, 0, n, side_stream_.get()), "cudaMemsetAsync");
  cub::DeviceScan::ExclusiveSum(nullptr, bytes, in, out, count);
  cub::DeviceScan::ExclusiveSum(scratch, bytes, in, out, count, stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  cudaEventRecord(event_, stream);
}
"""

BREACHES = [
    ("Kernel<<<1, 2>>>(a);", "kernel is launched without"),
    ("Kernel<<<1, 2, 0>>>(a);", "kernel is launched without"),
    ("Kernel<<<1, 2, 0, nullptr>>>(a);", "kernel is launched without"),
    ("Kernel<<<1, 2, 0,\n 0>>>(a);", "kernel is launched without"),
    ("cudaMemcpy(a, b, c, cudaMemcpyDefault);", "cudaMemcpy uses"),
    ("cudaMemset(a, 0, c);", "cudaMemset uses"),
    ("cudaDeviceSynchronize();", "cudaDeviceSynchronize uses"),
    ("cudaMemcpyAsync(a, b, c, cudaMemcpyDefault);", "cudaMemcpyAsync is given no"),
    ("cudaMemcpyAsync(a, b, c, cudaMemcpyDefault, 0);", "cudaMemcpyAsync is given no"),
    ("cudaMemset2DAsync(a, 0, c, d, e);", "cudaMemset2DAsync is given no"),
    ("cudaEventRecord(event);", "cudaEventRecord is given no"),
    ("cub::DeviceScan::ExclusiveSum(scratch, bytes, in, out, count);", "ExclusiveSum is given no"),
    ("thrust::sort(a, b);", "thrust::sort uses"),
]


def check(source: str) -> subprocess.CompletedProcess:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "cuda").mkdir()
        (Path(folder) / "cuda" / "work.cu").write_text(source, encoding="utf-8")
        return subprocess.run([sys.executable, SCRIPT, folder], capture_output=True, text=True, check=False)


class CheckStreamsTest(unittest.TestCase):
    def test_clean(self):
        result = check(CLEAN)
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_breaches(self):
        for breach, report in BREACHES:
            with self.subTest(breach):
                result = check(CLEAN + breach + "\n")
                self.assertEqual(result.returncode, 1, result.stdout)
                self.assertIn(report, result.stdout)
                self.assertIn("cuda/work.cu:12:", result.stdout)


if __name__ == "__main__":
    unittest.main()
