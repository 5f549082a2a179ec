// What the tests of trees, planes and smoothing on the device are fed with.
#pragma once

#include <limits>

#include "cuda/filters/cuda_plane_filling.h"
#include "tests/cuda/uploaded_images.h"
#include "tests/support/plain_parameters.h"

namespace parallax::test {

struct RefinementCase {
  Parameters parameters = test::PlainParameters();
  HostImage<std::uint8_t> guide;
  HostImage<float> selected;  // the map before anything was rejected
  DisparityMap map;
};

// Case `number`: slopes, steps or noise with every kind of rejection; the same again whenever it is made.
inline RefinementCase MakeRefinementCase(int number) {
  SweepRandom random(static_cast<std::uint64_t>(number) + 1);
  const auto [width, height] = RandomSize(number, random);
  RefinementCase c;
  c.parameters.matching_cost = {.min_disparity = random.OneOf(0, 0, -40, 300),
                                .num_disparities = random.OneOf(16, 70, 128, 1024)};
  const MatchingCostParameters& range = c.parameters.matching_cost;
  RefinementParameters& p = c.parameters.refinement;
  p.planes = true;
  p.plane_step = random.OneOf(1, 2, 3, 4, 4, 16);
  p.plane_tile = p.plane_step * random.OneOf(4, 4, 64 / p.plane_step);
  p.plane_tolerance = static_cast<float>(random.Between(1, 20)) / 8;
  p.smoothing_passes = random.Between(1, 3);
  p.smoothing_range = static_cast<float>(random.Between(1, 64)) / 8;
  p.trees = TreeSet::kDriving;
  const int surface = random.Between(0, 2), rejected = random.OneOf(1, 2, 5, 30);
  c.guide = HostImage<std::uint8_t>(width, height);
  c.selected = HostImage<float>(width, height);
  c.map = {HostImage<float>(width, height), HostImage<std::uint8_t>(width, height),
           RandomImage<std::uint8_t>(width, height, 0, 255, random)};
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const bool right = x > width / 3;
      c.guide(x, y) = static_cast<std::uint8_t>(surface == 0 ? random.Between(0, 255)
                                                : right      ? 40 + random.Between(0, 9)
                                                             : 90);
      const int quarters = surface == 0   ? random.Between(0, 4 * range.num_disparities - 4)
                           : surface == 1 ? x + y + random.Between(0, 3)
                                          : (right ? 20 : 40 + y / 4) + random.Between(0, 1);
      const float value =
          static_cast<float>(range.min_disparity) +
          std::min(static_cast<float>(quarters) / 4.0F, static_cast<float>(range.num_disparities - 1));
      c.selected(x, y) = random.OneIn(40) ? std::numeric_limits<float>::quiet_NaN() : value;
      const bool is_rejected = c.selected(x, y) != value || random.OneIn(rejected);
      c.map.validity(x, y) =
          is_rejected ? random.OneOf(kNotUnique, kOccluded, kMismatched, kOutOfRange, kSpeckle) : kValid;
      c.map.disparity(x, y) = is_rejected ? std::numeric_limits<float>::quiet_NaN() : value;
    }
  }
  return c;
}

// Memory of FillFromPlanes on the device, its list empty.
class RejectedPixelsMemory {
 public:
  RejectedPixelsMemory(int width, int height, const cuda::Stream& stream)
      : x_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height)), y_(x_.size()), count_(1) {
    cuda::Check(cudaMemsetAsync(count_.data(), 0, sizeof(std::uint32_t), stream.get()), "cudaMemsetAsync");
  }
  cuda::RejectedPixels View() { return {x_.data(), y_.data(), count_.data()}; }

 private:
  cuda::DeviceBuffer<std::uint16_t> x_, y_;
  cuda::DeviceBuffer<std::uint32_t> count_;
};

}  // namespace parallax::test
