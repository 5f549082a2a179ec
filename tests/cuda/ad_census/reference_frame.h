// A frame of AD-Census with what the reference makes of it, stage by stage: what tests of one stage on the
// device are fed with, and what they expect.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "cuda/ad_census/cost_shape.h"
#include "cuda/ad_census/cuda_ad_census_views.h"
#include "cuda/device/arena.h"
#include "pipeline/matchers/stereo_matcher.h"
#include "tests/cuda/uploaded_images.h"
#include "tests/support/plain_parameters.h"

namespace parallax::test {

class ReferenceFrame {
 public:
  // Case `number`: the same again whenever it is made.
  ReferenceFrame(int number, const cuda::Stream& stream) : stream_(stream) {
    SweepCase c = MakeAdCensusSweepCase(static_cast<std::uint64_t>(number) + 5000);
    SweepRandom random(static_cast<std::uint64_t>(number) + 1);
    std::tie(c.options.width, c.options.height) = RandomSize(number, random);
    c.options.width = std::min(c.options.width, 160);
    c.options.height = std::min(c.options.height, 60);
    c.parameters.matching_cost.num_disparities = random.OneOf(1, 17, 64, 65, 100, 192);
    parameters = c.parameters;
    const MatchingCostParameters& range = parameters.matching_cost;
    shape = {c.options.width, c.options.height, range.num_disparities, range.min_disparity,
             cuda::ad_census::PaddedDisparities(range.num_disparities)};
    SweepPair pair = MakeSweepPair(c);
    DisparityMap unused;
    MakeReferenceAdCensusMatcher(parameters, c.options)
        ->Compute(ViewOf(pair.left), ViewOf(pair.right), unused, nullptr, &stages_);
    UploadImages(pair);
  }

  const cuda::ad_census::Views& views() const { return views_; }
  template <typename T>
  const T& Stage(std::string_view name) {
    return stages_.Get<T>(name);
  }
  const DisparityMap& Map(std::string_view name) { return Stage<DisparityMap>(name); }

  // A stage's volume as it lies on the device; from D on the same again.
  cuda::DeviceBuffer<std::uint16_t> UploadedVolume(std::string_view name) {
    const HostCostVolumeView<const std::uint16_t> from =
        Stage<HostCostVolume<std::uint16_t>>(name).ConstView();
    std::vector<std::uint16_t> values;
    for (int y = 0; y < shape.height; ++y) {
      for (int x = 0; x < shape.width; ++x) {
        for (int d = 0; d < shape.padded; ++d) values.push_back(from.Cell(x, y)[d % shape.num_disparities]);
      }
    }
    cuda::DeviceBuffer<std::uint16_t> there(shape.num_cells());
    cuda::CopyNow(there.data(), values.data(), values.size(), stream_.get());
    return there;
  }
  cuda::DeviceBuffer<std::uint16_t> EmptyVolume() const {
    return cuda::DeviceBuffer<std::uint16_t>(shape.num_cells());
  }
  // Empty where the volume is the stage's.
  std::string DifferenceOfVolume(std::string_view name, const cuda::DeviceBuffer<std::uint16_t>& there) {
    std::vector<std::uint16_t> values(shape.num_cells());
    cuda::CopyNow(values.data(), there.data(), values.size(), stream_.get());
    HostCostVolume<std::uint16_t> volume(shape.width, shape.height, shape.num_disparities);
    std::size_t at = 0;
    for (int y = 0; y < shape.height; ++y) {
      for (int x = 0; x < shape.width; ++x, at += static_cast<std::size_t>(shape.padded))
        std::copy_n(&values[at], shape.num_disparities, volume.View().Cell(x, y));
    }
    return DifferenceOf(std::string(name), Stage<HostCostVolume<std::uint16_t>>(name), volume);
  }

  Parameters parameters = test::PlainParameters();
  cuda::ad_census::CostShape shape;

 private:
  void UploadImages(const SweepPair& pair) {
    std::visit(
        [&]<typename T>(const HostImage<T>& left) {
          auto& [left_there, right_there] = images_.emplace<Pair<T>>();
          left_there = Uploaded(left, stream_);
          right_there = Uploaded(std::get<HostImage<T>>(pair.right), stream_);
          MakeViewsOf(left_there.ConstView(), right_there.ConstView());
        },
        pair.left);
  }
  void MakeViewsOf(const cuda::DeviceCameraImage& left, const cuda::DeviceCameraImage& right) {
    cuda::Arena counter;
    cuda::ad_census::ViewMemory::Take(counter, parameters, shape.width, shape.height);
    memory_ = cuda::DeviceBuffer<std::byte>(counter.bytes());
    cuda::Arena arena(memory_.data());
    views_ = cuda::ad_census::MakeViews(
        left, right, parameters,
        cuda::ad_census::ViewMemory::Take(arena, parameters, shape.width, shape.height), stream_.get());
    cuda::ad_census::FindSteps(views_, shape.width, shape.height, parameters.ad_census.step_threshold,
                               stream_.get());
  }

  template <typename T>
  using Pair = std::pair<cuda::DeviceImage<T>, cuda::DeviceImage<T>>;

  const cuda::Stream& stream_;
  StageResults stages_;
  std::variant<Pair<std::uint8_t>, Pair<std::uint16_t>, Pair<Rgb8>> images_;
  cuda::DeviceBuffer<std::byte> memory_;
  cuda::ad_census::Views views_;
};

inline constexpr int kNumReferenceFrames = 40;

}  // namespace parallax::test
