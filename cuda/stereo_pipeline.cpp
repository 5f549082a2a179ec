#include "cuda/stereo_pipeline.h"

#include <string>
#include <variant>

#include "pipeline/error.h"
#include "pipeline/matching_tables.h"

namespace parallax::cuda {
namespace {

VolumeLayout LayoutOf(const Parameters& parameters, int width, int height, const CudaTuning& tuning) {
  if (width > kLargestWidth_px || height > kLargestHeight_px) {
    throw InvalidArgument("images of " + std::to_string(width) + "x" + std::to_string(height) +
                          " are too large for the cuda back end: at most " +
                          std::to_string(kLargestWidth_px) + "x" + std::to_string(kLargestHeight_px) +
                          "; use --backend cpu");
  }
  return MakeVolumeLayout(parameters, MakeMatchingTables(parameters), width, height, tuning);
}

// The order of the constructor's members.
std::size_t BytesNeeded(const Parameters& parameters, const VolumeLayout& layout) {
  Arena counter;
  SgmMemory::Take(counter, parameters, layout);
  MapMemory::Take(counter, parameters, layout.num_pixels());
  return counter.bytes();
}

std::string MegabytesText(std::size_t bytes) { return std::to_string((bytes + 999'999) / 1'000'000) + " MB"; }

// Of a buffer, where the device has as much.
std::size_t AvailableBytes(const Parameters& parameters, const VolumeLayout& layout,
                           const CudaTuning& tuning) {
  std::size_t free_bytes = 0, total_bytes = 0;
  Check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
  const std::size_t needed = BytesNeeded(parameters, layout);
  if (needed <= free_bytes) return needed;
  std::string remedy = "use smaller images";
  Parameters fewer = parameters;
  int& num_disparities = fewer.matching_cost.num_disparities;
  for (int padded = 512; padded >= 64; padded /= 2) {
    if (padded >= parameters.matching_cost.num_disparities) continue;
    num_disparities = padded;
    const std::size_t fewer_bytes = BytesNeeded(fewer, LayoutOf(fewer, layout.width, layout.height, tuning));
    if (fewer_bytes > free_bytes) continue;
    remedy = "num_disparities " + std::to_string(padded) + " fits (" + MegabytesText(fewer_bytes) +
             "), or use smaller images or fewer frames in flight";
    break;
  }
  throw Error("matching " + std::to_string(layout.width) + "x" + std::to_string(layout.height) + " with " +
              std::to_string(layout.num_disparities) + " disparities and " +
              std::to_string(2 * layout.num_volumes) + " paths needs " + MegabytesText(needed) +
              " of device memory, " + MegabytesText(free_bytes) + " of " + MegabytesText(total_bytes) +
              " are free: " + remedy);
}

}  // namespace

StereoPipeline::StereoPipeline(const Parameters& parameters, int width, int height, const CudaTuning& tuning)
    : parameters_(parameters),
      largest_(LayoutOf(parameters, width, height, tuning)),
      memory_(AvailableBytes(parameters, largest_, tuning)),
      arena_(memory_.data()),
      sgm_(parameters, tuning, largest_, SgmMemory::Take(arena_, parameters, largest_)),
      map_stages_(parameters, MapMemory::Take(arena_, parameters, largest_.num_pixels())) {}

void StereoPipeline::Enqueue(const DeviceCameraImage& left, const DeviceCameraImage& right,
                             cudaStream_t stream, const StepObserver& observer, bool results_between) {
  std::visit(
      [&](const auto& image) {
        sgm_.SetSize(image.width, image.height);
        map_stages_.SetSize(image.width, image.height);
      },
      left);
  const StepRunner run(observer);
  const bool is_checked =
      sgm_.Enqueue(left, right, map_stages_.winners(), map_stages_.map(), results_between, run, stream);
  map_stages_.Enqueue(is_checked, sgm_.guide(), run, stream);
}

}  // namespace parallax::cuda
