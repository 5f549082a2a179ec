"""Arrays in the memory of a GPU: no copy, the same bits, in order with the streams of torch and cupy."""

import sys
import unittest

import numpy as np

import parallax
from support import noise_pair

try:
    import torch
    HAS_TORCH = torch.cuda.is_available()
except ImportError:
    HAS_TORCH = False
try:
    import cupy
    HAS_CUPY = cupy.cuda.runtime.getDeviceCount() > 0
except Exception:  # pylint: disable=broad-except
    HAS_CUPY = False


def frame(seed=1, dtype=np.uint8, height=375, width=1242):
    return noise_pair(height, width, 20, dtype, seed)


@unittest.skipUnless(HAS_TORCH, "no torch with a GPU")
class Torch(unittest.TestCase):
    def setUp(self):
        self.matcher = parallax.Matcher(backend="cuda")

    def check(self, result, left, right):
        wanted = self.matcher.compute(left, right)
        for name in ("disparity", "confidence", "validity"):
            tensor = torch.from_dlpack(getattr(result, name))
            np.testing.assert_array_equal(tensor.cpu().numpy().view(np.uint8),
                                          np.ascontiguousarray(getattr(wanted, name)).view(np.uint8))

    def test_bits(self):
        for dtype in (np.uint8, np.uint16):
            left, right = frame(dtype=dtype)
            result = self.matcher.compute(torch.from_numpy(left).cuda(), torch.from_numpy(right).cuda())
            self.assertIsInstance(result, parallax.DeviceResult)
            self.check(result, left, right)

    def test_color_and_wide_rows(self):
        left, right = (np.dstack([image, image[::-1], image[:, ::-1]]) for image in frame())
        self.check(self.matcher.compute(torch.from_numpy(left).cuda(), torch.from_numpy(right).cuda()), left, right)
        wide = [torch.zeros((375, 1300), dtype=torch.uint8, device="cuda") for _ in range(2)]
        for room, image in zip(wide, frame()):
            room[:, 7:1249] = torch.from_numpy(image).cuda()
        self.check(self.matcher.compute(*[room[:, 7:1249] for room in wide]), *frame())

    def test_no_copy(self):
        left, right = (torch.from_numpy(image).cuda() for image in frame())
        result = self.matcher.compute(left, right)
        disparity = result.disparity
        pointer = disparity.__cuda_array_interface__["data"][0]
        self.assertEqual(torch.from_dlpack(disparity).data_ptr(), pointer)
        self.assertEqual(torch.as_tensor(disparity, device="cuda").data_ptr(), pointer)

    def test_order(self):
        """Images that a busy stream has yet to write, and results that another stream reads."""
        images = [frame(seed) for seed in range(4)]
        for own in (False, True):
            stream = torch.cuda.Stream()
            with torch.cuda.stream(stream):
                for left, right in images:
                    a, b = torch.zeros((2, 375, 1242), dtype=torch.uint8, device="cuda")
                    torch.cuda._sleep(20_000_000)
                    a.copy_(torch.from_numpy(left).pin_memory(), non_blocking=True)
                    b.copy_(torch.from_numpy(right).pin_memory(), non_blocking=True)
                    result = self.matcher.compute(a, b, stream=stream.cuda_stream if own else None)
                    copied = torch.from_dlpack(result.disparity).clone()
                    del a, b
                    self.check_bits(copied, left, right)

    def check_bits(self, tensor, left, right):
        wanted = self.matcher.compute(left, right).disparity
        self.assertEqual(tensor.cpu().numpy().tobytes(), np.ascontiguousarray(wanted).tobytes())

    def test_tensor_outlives_everything(self):
        left, right = frame()
        matcher = parallax.Matcher(backend="cuda")
        tensor = torch.from_dlpack(matcher.compute(torch.from_numpy(left).cuda(), torch.from_numpy(right).cuda()).disparity)
        del matcher
        self.check_bits(tensor, left, right)

    def test_sizes_change(self):
        for height, width in [(100, 200), (375, 1242), (20, 90), (1, 1)]:
            left, right = frame(height=height, width=width)
            self.check(self.matcher.compute(torch.from_numpy(left).cuda(), torch.from_numpy(right).cuda()), left, right)

    def test_no_leak(self):
        left, right = (torch.from_numpy(image).cuda() for image in frame())
        self.matcher.compute(left, right).wait()
        before = torch.cuda.mem_get_info()[0]
        for _ in range(2000):
            torch.from_dlpack(self.matcher.compute(left, right).disparity)
        self.assertLess(before - torch.cuda.mem_get_info()[0], 8 << 20)

    def test_misuse(self):
        left, right = frame()
        there = torch.from_numpy(left).cuda()
        for arguments, words in [((there, right), "on the host"), ((there.float(), there.float()), "give uint8"),
                                 ((there[:, ::2], there[:, ::2]), "gaps between the pixels"),
                                 ((there, there[:5]), "give two of one size"), ((there[0], there[0]), "axes")]:
            with self.assertRaisesRegex(ValueError, words):
                self.matcher.compute(*arguments)
        with self.assertRaisesRegex(ValueError, "takes no images"):
            parallax.Matcher(backend="cpu").compute(there, there)
        with self.assertRaisesRegex(ValueError, "rectify those on a GPU first"):
            self.matcher.compute(there, there, parallax.StereoRig(1, 2, 3, 4))


@unittest.skipUnless(HAS_CUPY, "no cupy with a GPU")
class Cupy(unittest.TestCase):
    def test_both_ways(self):
        matcher = parallax.Matcher(backend="cuda")
        left, right = frame()
        with cupy.cuda.Stream(non_blocking=True) as stream:
            result = matcher.compute(cupy.asarray(left), cupy.asarray(right), stream=stream.ptr)
            disparity = cupy.asarray(result.disparity)
            self.assertEqual(disparity.data.ptr, result.disparity.__cuda_array_interface__["data"][0])
            self.assertEqual(cupy.from_dlpack(result.disparity).data.ptr, disparity.data.ptr)
            wanted = np.ascontiguousarray(matcher.compute(left, right).disparity)
            self.assertEqual(cupy.asnumpy(disparity).tobytes(), wanted.tobytes())

    def test_cuda_array_interface_alone(self):
        class Bare:
            def __init__(self, array, stream):
                self.array = array
                self.__cuda_array_interface__ = {**array.__cuda_array_interface__, "stream": stream.ptr}
        matcher = parallax.Matcher(backend="cuda")
        left, right = frame()
        with cupy.cuda.Stream(non_blocking=True) as stream:
            arrays = [Bare(cupy.asarray(image), stream) for image in (left, right)]
            result = matcher.compute(*arrays)
        wanted = np.ascontiguousarray(matcher.compute(left, right).disparity)
        self.assertEqual(cupy.asnumpy(cupy.asarray(result.disparity)).tobytes(), wanted.tobytes())


if __name__ == "__main__":
    if not HAS_TORCH and not HAS_CUPY:
        print("skipped: neither torch nor cupy with a GPU")
        sys.exit(77)
    unittest.main()
