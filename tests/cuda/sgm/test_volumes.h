// The volumes of one frame with memory of their own, for tests of matching_cost, aggregation and selection.
#pragma once

#include <cstring>
#include <tuple>
#include <vector>

#include "cuda/sgm/aggregation.h"
#include "cuda/sgm/volume_layout.h"
#include "pipeline/types/cost_volume.h"
#include "tests/cuda/uploaded_images.h"
#include "tests/support/plain_parameters.h"

namespace parallax::test {

// Every byte 0xCD at first, but the bands' counters, which are 0.
class TestVolumes {
 public:
  TestVolumes(const Parameters& parameters, int width, int height, const cuda::Stream& stream,
              const CudaTuning& tuning = {})
      : stream_(stream) {
    volumes_.layout =
        cuda::MakeVolumeLayout(parameters, MakeMatchingTables(parameters), width, height, tuning);
    const cuda::VolumeLayout& layout = volumes_.layout;
    costs_ = Poisoned(layout.cost_bytes());
    checkpoints_ = Poisoned(cuda::CheckpointBytes(layout));
    sums_ = Poisoned(static_cast<std::size_t>(layout.num_volumes) * layout.sum_bytes());
    bands_done_ = cuda::DeviceBuffer<std::uint32_t>(static_cast<std::size_t>(cuda::NumBands(height)));
    cuda::Check(cudaMemsetAsync(bands_done_.data(), 0, bands_done_.size_bytes(), stream.get()),
                "cudaMemsetAsync");
    volumes_.costs_memory = costs_.data();
    volumes_.checkpoints = checkpoints_.data();
    volumes_.sums_memory = sums_.data();
  }

  const cuda::SgmVolumes& volumes() const { return volumes_; }
  const cuda::VolumeLayout& layout() const { return volumes_.layout; }
  std::uint32_t* bands_done() { return bands_done_.data(); }

  // Into the costs; from D on the layout's padding_cost.
  void UploadCosts(HostCostVolumeView<const std::uint8_t> costs) {
    Upload(costs, static_cast<std::uint8_t>(layout().padding_cost), volumes_.Costs().data);
  }
  // Into volume v; from D on 0xCD.
  template <typename T>
  void UploadSums(HostCostVolumeView<const T> sums, int v) {
    Upload(sums, static_cast<T>(0xCDCD), volumes_.Sums<T>(v).data);
  }
  HostCostVolume<std::uint8_t> DownloadCosts() const {
    const std::size_t padded = static_cast<std::size_t>(layout().padded());
    std::vector<std::uint8_t> there(layout().num_pixels() * padded);
    cuda::CopyNow(there.data(), volumes_.Costs().data, there.size(), stream_.get());
    HostCostVolume<std::uint8_t> costs(layout().width, layout().height, layout().num_disparities);
    std::size_t pixel = 0;
    for (int y = 0; y < layout().height; ++y) {
      for (int x = 0; x < layout().width; ++x, ++pixel) {
        std::memcpy(costs.View().Cell(x, y), &there[pixel * padded],
                    static_cast<std::size_t>(layout().num_disparities));
      }
    }
    return costs;
  }
  HostCostVolume<std::uint16_t> DownloadSumsOfPaths() const {
    cuda::DeviceCostVolume<std::uint16_t> there(layout().width, layout().height, layout().num_disparities);
    cuda::SumPaths(volumes_, there.View(), stream_.get());
    HostCostVolume<std::uint16_t> sums(layout().width, layout().height, layout().num_disparities);
    cuda::CopyNow(sums.View().data, there.data(), there.size(), stream_.get());
    return sums;
  }

 private:
  cuda::DeviceBuffer<std::uint8_t> Poisoned(std::size_t bytes) const {
    cuda::DeviceBuffer<std::uint8_t> buffer(bytes);
    cuda::Check(cudaMemsetAsync(buffer.data(), 0xCD, bytes, stream_.get()), "cudaMemsetAsync");
    return buffer;
  }
  template <typename T>
  void Upload(HostCostVolumeView<const T> from, T padding, T* to) {
    const std::size_t padded = static_cast<std::size_t>(layout().padded());
    std::vector<T> values(layout().num_pixels() * padded, padding);
    std::size_t pixel = 0;
    for (int y = 0; y < from.height; ++y) {
      for (int x = 0; x < from.width; ++x, ++pixel)
        std::copy_n(from.Cell(x, y), from.num_disparities, &values[pixel * padded]);
    }
    cuda::CopyNow(to, values.data(), values.size(), stream_.get());
  }

  const cuda::Stream& stream_;
  cuda::SgmVolumes volumes_;
  cuda::DeviceBuffer<std::uint8_t> costs_, checkpoints_, sums_;
  cuda::DeviceBuffer<std::uint32_t> bands_done_;
};

template <typename T>
HostCostVolume<T> RandomVolume(int width, int height, int num_disparities, int largest, SweepRandom& random) {
  HostCostVolume<T> volume(width, height, num_disparities);
  const std::size_t count = static_cast<std::size_t>(width) * static_cast<std::size_t>(height) *
                            static_cast<std::size_t>(num_disparities);
  T* const values = volume.View().data;
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<T>(random.Between(0, largest));
  return volume;
}

// Parameters that lead to every kind of volume: 8-bit sums, such without costs, 16-bit sums.
inline Parameters RandomVolumeParameters(int number, SweepRandom& random) {
  Parameters p = test::PlainParameters();
  p.census_transform.window = static_cast<CensusWindow>(random.Between(0, 4));
  p.matching_cost.num_disparities =
      number % 3 == 1 ? random.OneOf(64, 128, 256) : random.OneOf(1, 2, 33, 64, 100, 129, 192, 300);
  p.matching_cost.min_disparity = random.OneOf(0, 0, -5, 7);
  p.aggregation.num_paths = random.OneOf(4, 8);
  p.aggregation.p1 = random.Between(0, 30);
  p.aggregation.p2 = number % 3 == 0   ? random.Between(30, 60)
                     : number % 3 == 1 ? random.Between(97, 127)
                                       : 2000;
  if (random.OneIn(2)) p.aggregation.p2_slope = 0.5F;
  if (random.OneIn(2)) p.aggregation.p1_ground_percent = random.Between(0, 100);
  if (random.OneIn(2)) p.aggregation.p2_vertical_percent = random.OneOf(90, 130, 300);
  if (random.OneIn(2)) {
    p.matching_cost.gradient_weight = random.OneOf(1, 2, 4);
    p.matching_cost.gradient_cap = random.Between(1, 15);
  }
  if (random.OneIn(2)) {
    p.matching_cost.even_percent = random.Between(1, 100);
    p.matching_cost.even_below =
        random.OneOf(1.0F, 2.0F, 3.0F, 10.0F);  // RandomImage's noise differs by some 2.5
  }
  p.selection.uniqueness_percent = random.OneOf(0, 5, 99);
  p.selection.subpixel = static_cast<Subpixel>(random.Between(0, 2));
  return p;
}

// Case `number`: the same again whenever it is made.
struct VolumeCase {
  explicit VolumeCase(int number) : random(static_cast<std::uint64_t>(number) + 1) {
    std::tie(width, height) = RandomSize(number, random);
    parameters = RandomVolumeParameters(number, random);
    tables = MakeMatchingTables(parameters);
  }
  SweepRandom random;
  int width = 0, height = 0;
  Parameters parameters = test::PlainParameters();
  MatchingTables tables;
};

}  // namespace parallax::test
