// Images and volumes to the device and back, for tests of one stage; every call waits for its end.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <limits>
#include <utility>

#include "cuda/device/device_disparity_map.h"
#include "cuda/device/device_image.h"
#include "cuda/device/stream.h"
#include "parallax/disparity_map.h"
#include "tests/support/matcher_sweep.h"

namespace parallax::test {

template <typename T>
HostImage<T> RandomImage(int width, int height, int low, int high, SweepRandom& random) {
  HostImage<T> image(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) image(x, y) = static_cast<T>(random.Between(low, high));
  }
  return image;
}

// Disparities in steps of 1/4 px around blocks of even ones, with holes and every kind of validity.
inline DisparityMap RandomMap(int width, int height, SweepRandom& random) {
  DisparityMap map{HostImage<float>(width, height), HostImage<std::uint8_t>(width, height),
                   RandomImage<std::uint8_t>(width, height, 0, 255, random)};
  const int side = random.Between(2, 30), holes = random.Between(2, 12);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const bool hole = random.OneIn(holes);
      const int block = (x / side * 7 + y / side * 13) % 60;
      map.disparity(x, y) = hole ? std::numeric_limits<float>::quiet_NaN()
                                 : static_cast<float>(block * 4 + random.Between(0, 3)) / 4.0F;
      map.validity(x, y) =
          hole ? random.OneOf(kNotUnique, kOccluded, kMismatched, kOutOfRange, kSpeckle) : kValid;
    }
  }
  return map;
}

// Sizes from 1x1 on, next to what a warp holds and larger.
inline std::pair<int, int> RandomSize(int number, SweepRandom& random) {
  if (number == 0) return {1, 1};
  if (number == 1) return {random.Between(2, 400), 1};
  if (number == 2) return {1, random.Between(2, 90)};
  return {random.Between(2, 300), random.Between(2, 90)};
}

template <typename T>
cuda::DeviceImage<T> Uploaded(const HostImage<T>& image, const cuda::Stream& stream) {
  cuda::DeviceImage<T> uploaded(image.width(), image.height());
  cuda::UploadAsync(image.ConstView(), uploaded.View(), stream.get());
  cuda::Check(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize");
  return uploaded;
}
template <typename T>
HostImage<T> Downloaded(const cuda::DeviceImage<T>& image, const cuda::Stream& stream) {
  HostImage<T> downloaded(image.width(), image.height());
  cuda::DownloadAsync(image.ConstView(), downloaded.View(), stream.get());
  cuda::Check(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize");
  return downloaded;
}

// A disparity map on the device.
struct UploadedMap {
  cuda::DeviceImage<float> disparity;
  cuda::DeviceImage<std::uint8_t> validity, confidence;
  UploadedMap(const DisparityMap& map, const cuda::Stream& stream)
      : disparity(Uploaded(map.disparity, stream)),
        validity(Uploaded(map.validity, stream)),
        confidence(Uploaded(map.confidence, stream)) {}
  // Every byte 0xCD.
  UploadedMap(int width, int height, const cuda::Stream& stream)
      : disparity(width, height), validity(width, height), confidence(width, height) {
    const std::size_t pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    const auto poison = [&](void* data, std::size_t bytes) {
      cuda::Check(cudaMemsetAsync(data, 0xCD, bytes, stream.get()), "cudaMemsetAsync");
    };
    poison(disparity.View().data, pixels * sizeof(float));
    poison(validity.View().data, pixels);
    poison(confidence.View().data, pixels);
  }
  cuda::DeviceDisparityMap View() { return {disparity.View(), validity.View(), confidence.View()}; }
  DisparityMap Download(const cuda::Stream& stream) const {
    return {Downloaded(disparity, stream), Downloaded(validity, stream), Downloaded(confidence, stream)};
  }
};

}  // namespace parallax::test
