#include "cuda/stereo_pipeline.h"

#include <nvtx3/nvToolsExt.h>

#include <algorithm>
#include <string>

#include "pipeline/error.h"
#include "pipeline/matcher.h"

namespace parallax::cuda {
namespace {

// Marks the launches of one step in a profiler's time line.
class Range {
 public:
  explicit Range(Step step) { nvtxRangePushA(kStepNames[static_cast<int>(step)]); }
  ~Range() { nvtxRangePop(); }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;
};

// Bytes a pixel of everything but the volumes.
std::size_t BytesPerPixel(CensusWindow window) {
  return 2 + (HasCode32(window) ? 8U : 16U) + 4 + 8 + 2 + 8 + 32;
}

std::size_t BytesNeeded(const Parameters& parameters, const VolumeLayout& layout) {
  return layout.cost_bytes() + CheckpointBytes(layout) +
         static_cast<std::size_t>(layout.num_volumes) * layout.sum_bytes() +
         layout.num_pixels() * BytesPerPixel(parameters.census_transform.window);
}

std::string MegabytesText(std::size_t bytes) { return std::to_string((bytes + 999'999) / 1'000'000) + " MB"; }

void RequireMemory(const Parameters& parameters, const MatchingTables& tables, int width, int height) {
  const auto bytes_with = [&](const Parameters& with) {
    return BytesNeeded(with, MakeVolumeLayout(with, tables, width, height));
  };
  std::size_t free_bytes = 0, total_bytes = 0;
  Check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
  const std::size_t needed = bytes_with(parameters);
  if (needed <= free_bytes) return;
  std::string remedy = "use smaller images";
  Parameters fewer = parameters;
  int& num_disparities = fewer.matching_cost.num_disparities;
  for (int padded = 512; padded >= 64; padded /= 2) {
    if (padded >= parameters.matching_cost.num_disparities) continue;
    num_disparities = padded;
    const std::size_t fewer_bytes = bytes_with(fewer);
    if (fewer_bytes > free_bytes) continue;
    remedy = "num_disparities " + std::to_string(padded) + " fits (" + MegabytesText(fewer_bytes) +
             "), or use smaller images or fewer frames in flight";
    break;
  }
  throw Error("matching " + std::to_string(width) + "x" + std::to_string(height) + " with " +
              std::to_string(parameters.matching_cost.num_disparities) + " disparities and " +
              std::to_string(tables.num_paths) + " paths needs " + MegabytesText(needed) +
              " of device memory, " + MegabytesText(free_bytes) + " of " + MegabytesText(total_bytes) +
              " are free: " + remedy);
}

}  // namespace

StereoPipeline::StereoPipeline(const Parameters& parameters, int width, int height)
    : parameters_(parameters),
      tables_(MakeMatchingTables(parameters)),
      layout_(MakeVolumeLayout(parameters, tables_, width, height)),
      has_dependent_launch_(HasDependentLaunch()) {
  if (width > kLargestWidth_px || height > kLargestHeight_px) {
    throw InvalidArgument("images of " + std::to_string(width) + "x" + std::to_string(height) +
                          " are too large for the cuda back end: at most " +
                          std::to_string(kLargestWidth_px) + "x" + std::to_string(kLargestHeight_px) +
                          "; use --backend cpu");
  }
  RequireMemory(parameters_, tables_, width, height);
  memory_bytes_ = BytesNeeded(parameters_, layout_);
  p2_table_ = DeviceBuffer<std::uint16_t>(tables_.p2.size());
  gray_left_ = DeviceImage<std::uint8_t>(width, height);
  gray_right_ = DeviceImage<std::uint8_t>(width, height);
  if (HasCode32(parameters_.census_transform.window)) {
    census_left32_ = DeviceImage<std::uint32_t>(width, height);
    census_right32_ = DeviceImage<std::uint32_t>(width, height);
  } else {
    census_left64_ = DeviceImage<std::uint64_t>(width, height);
    census_right64_ = DeviceImage<std::uint64_t>(width, height);
  }
  census_ = {census_left32_.View(), census_right32_.View(), census_left64_.View(), census_right64_.View()};
  costs_ = DeviceBuffer<std::uint8_t>(layout_.cost_bytes());
  // What lies before the first and behind the last pixel's costs is read along with them, though not used.
  Check(cudaMemsetAsync(costs_.data(), 0, costs_.size_bytes(), side_stream_.get()), "cudaMemsetAsync");
  Check(cudaMemcpyAsync(p2_table_.data(), tables_.p2.data(), p2_table_.size_bytes(), cudaMemcpyHostToDevice,
                        side_stream_.get()),
        "cudaMemcpyAsync");
  Check(cudaStreamSynchronize(side_stream_.get()), "cudaStreamSynchronize");
  checkpoints_ = DeviceBuffer<std::uint8_t>(CheckpointBytes(layout_));
  path_sums_ =
      DeviceBuffer<std::uint8_t>(static_cast<std::size_t>(layout_.num_volumes) * layout_.sum_bytes());
  winner_left_ = DeviceImage<std::uint16_t>(width, height);
  winner_right_ = DeviceImage<std::uint16_t>(width, height);
  disparity_ = DeviceImage<float>(width, height);
  other_disparity_ = DeviceImage<float>(width, height);
  validity_ = DeviceImage<std::uint8_t>(width, height);
  confidence_ = DeviceImage<std::uint8_t>(width, height);
  if (parameters_.filter.fill) nearest_ = DeviceBuffer<float>(8 * layout_.num_pixels());
  bands_done_ = DeviceBuffer<std::uint32_t>(static_cast<std::size_t>(NumBands(height)));
  holes_left_ = DeviceBuffer<std::uint32_t>(2);
  labels_ = DeviceImage<std::uint32_t>(width, height);
  sizes_ = DeviceImage<std::uint32_t>(width, height);
  map_ = {disparity_.View(), validity_.View(), confidence_.View()};
  result_ = map_;
  if (parameters_.filter.median > 1) result_.disparity = other_disparity_.View();
}

void StereoPipeline::SumPathsInto(std::uint16_t* sums, cudaStream_t stream) const {
  SumPaths(path_sums_.data(), costs_.data() + layout_.padded(), layout_, sums, stream);
}

void StereoPipeline::Enqueue(const DeviceCameraImage& left, const DeviceCameraImage& right,
                             cudaStream_t stream, const Observer& observer, bool results_between) {
  const auto run = [&](Step step, const auto& launch) {
    {
      const Range range(step);
      launch();
    }
    if (observer) observer(step);
  };
  const CensusWindow window = parameters_.census_transform.window;
  DeviceImageView<const std::uint8_t> guide = gray_left_.ConstView();
  run(Step::kCensusTransform, [&] {
    if (const auto* gray = std::get_if<DeviceImageView<const std::uint8_t>>(&left)) {
      guide = *gray;
      CensusTransform(*gray, std::get<DeviceImageView<const std::uint8_t>>(right), window, census_, stream);
    } else if (const auto* gray16 = std::get_if<DeviceImageView<const std::uint16_t>>(&left)) {
      GuideFromGray16(*gray16, gray_left_.View(), stream);
      CensusTransform(*gray16, std::get<DeviceImageView<const std::uint16_t>>(right), window, census_,
                      stream);
    } else {
      GrayFromColor(std::get<DeviceImageView<const Rgb8>>(left), gray_left_.View(), stream);
      GrayFromColor(std::get<DeviceImageView<const Rgb8>>(right), gray_right_.View(), stream);
      CensusTransform(gray_left_.ConstView(), gray_right_.ConstView(), window, census_, stream);
    }
  });
  const bool fused =
      !results_between && parameters_.consistency.max_difference >= 0 && FitsSelectAndCheck(layout_);
  std::uint8_t* const costs = costs_.data() + layout_.padded();  // of pixel 0
  std::uint32_t* const bands_done = has_dependent_launch_ ? bands_done_.data() : nullptr;
  run(Step::kMatchingCost,
      [&] { MatchingCost(census_, window, layout_, tables_.outside_cost, costs, bands_done, stream); });
  run(Step::kAggregation, [&] {
    if (!has_dependent_launch_) {
      costs_done_.Record(stream);
      Check(cudaStreamWaitEvent(side_stream_.get(), costs_done_.get()), "cudaStreamWaitEvent");
    }
    const cudaStream_t stream_of_rows = has_dependent_launch_ ? stream : side_stream_.get();
    const auto aggregate = [&](const auto& lines, cudaStream_t stream_of_lines) {
      lines(costs, guide, tables_, p2_table_.data(), layout_, checkpoints_.data(), path_sums_.data(),
            bands_done, stream_of_lines);
    };
    if (layout_.columns_first) aggregate(AggregateColumns, stream);
    aggregate(AggregateRows, stream_of_rows);
    if (!layout_.columns_first) aggregate(AggregateColumns, stream);
    if (!has_dependent_launch_) {
      rows_done_.Record(side_stream_.get());
      Check(cudaStreamWaitEvent(stream, rows_done_.get()), "cudaStreamWaitEvent");
    }
  });
  if (!fused) {
    run(Step::kSelection, [&] {
      SelectDisparities(path_sums_.data(), costs, bands_done, layout_, parameters_.selection,
                        winner_left_.View(), winner_right_.View(), map_, stream);
    });
    run(Step::kConsistency, [&] {
      CheckConsistency(winner_left_.ConstView(), winner_right_.ConstView(), layout_.min_disparity,
                       layout_.num_disparities, parameters_.consistency, map_, stream);
    });
  } else {
    run(Step::kConsistency, [&] {
      SelectAndCheck(path_sums_.data(), costs, bands_done, layout_, parameters_.selection,
                     parameters_.consistency, map_, stream);
    });
  }
  run(Step::kSpeckle, [&] {
    RemoveSpeckles(parameters_.filter, {labels_.View(), sizes_.View()}, map_, stream);
  });
  run(Step::kFill, [&] {
    if (parameters_.filter.fill) FillHoles({nearest_.data(), holes_left_.data()}, map_, stream);
  });
  run(Step::kMedian, [&] {
    if (parameters_.filter.median > 1) {
      MedianFilter(parameters_.filter.median, AsConst(map_.disparity), result_.disparity, stream);
    }
  });
}

}  // namespace parallax::cuda
