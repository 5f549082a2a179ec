#include "cuda/cloud/large_download.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "cuda/device/device_buffer.h"
#include "tests/cuda/require_device.h"

namespace parallax {
namespace {

class LargeDownloadTest : public test::CudaTest {};

TEST_F(LargeDownloadTest, BringsEveryValueOfAnySize) {
  cuda::Stream stream;
  cuda::LargeDownload download;
  const std::size_t part = std::size_t{4} << 20;  // of 16 MiB
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{1001}, part / 4, part / 4 + 1,
                                  part - 1, part, part + 1, 2 * part, 2 * part + 262145, 5 * part + 3}) {
    std::vector<std::uint32_t> values(count);
    std::iota(values.begin(), values.end(), 7u);
    cuda::DeviceBuffer<std::uint32_t> device(count);
    cuda::CopyNow(device.data(), values.data(), count, stream.get());
    std::vector<std::uint32_t> found;
    download.Append(found, device.data(), count, stream.get());
    EXPECT_TRUE(found == values) << count;
  }
}

TEST_F(LargeDownloadTest, AddsToWhatIsThere) {
  cuda::Stream stream;
  cuda::LargeDownload download;
  const std::size_t count = (std::size_t{4} << 20) + 5;
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 0.0f);
  cuda::DeviceBuffer<float> device(count);
  cuda::CopyNow(device.data(), values.data(), count, stream.get());
  std::vector<float> found{-1, -2, -3};
  found.reserve(3 + 2 * count);
  download.Append(found, device.data(), count, stream.get());
  download.Append(found, device.data(), count, stream.get());
  std::vector<float> expected{-1, -2, -3};
  for (int i = 0; i < 2; ++i) expected.insert(expected.end(), values.begin(), values.end());
  EXPECT_TRUE(found == expected);
}

}  // namespace
}  // namespace parallax
