// The census codes of a frame's two images, whatever their pixel type, and the intermediate gray images.
// Launches kernels on the given stream and returns before they are done; allocates nothing, never waits,
// never uses the default stream.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "cuda/device/arena.h"
#include "cuda/device/device_image.h"
#include "cuda/sgm/cuda_census_transform.h"

namespace parallax::cuda {

// The device memory of PairCensus, with room for any image up to a size. Borrowed.
struct CensusMemory {
  std::uint8_t *gray_left = nullptr, *gray_right = nullptr;
  std::uint32_t *left32 = nullptr, *right32 = nullptr;  // only the array that the window needs
  std::uint64_t *left64 = nullptr, *right64 = nullptr;

  static CensusMemory Take(Arena& arena, CensusWindow window, std::size_t num_pixels);
};

struct PairCensus {
  CensusImages codes;
  // 8-bit images themselves, or the gray images of others.
  DeviceImageView<const std::uint8_t> gray_left, gray_right;
};

// left, right: of one size and pixel type, rows densely packed. For 16-bit images, gray_right is filled only
// if with_gray_right.
PairCensus MakePairCensus(const DeviceCameraImage& left, const DeviceCameraImage& right, CensusWindow window,
                          const CensusMemory& memory, bool with_gray_right, cudaStream_t stream);

}  // namespace parallax::cuda
