#include "cuda/matcher/stereo_pipeline.h"

#include <string>
#include <variant>

#include "cuda/device/device_code.h"
#include "parallax/error.h"
#include "pipeline/rules/matching_tables.h"

namespace parallax::cuda {
namespace {

void CheckSize(int width, int height) {
  const int largest_width = LargestWidth_px(MostSharedBytes());
  if (width <= largest_width && height <= kLargestHeight_px) return;
  throw InvalidArgument("images of " + std::to_string(width) + "x" + std::to_string(height) +
                        " are too large for the cuda back end on this device: at most " +
                        std::to_string(largest_width) + "x" + std::to_string(kLargestHeight_px) +
                        "; use the back end cpu");
}

VolumeLayout LayoutOf(const Parameters& parameters, int width, int height, const CudaTuning& tuning) {
  return MakeVolumeLayout(parameters, MakeMatchingTables(parameters), width, height, tuning);
}

// The order of the constructor's members.
std::size_t BytesNeeded(const Parameters& parameters, int width, int height, const CudaTuning& tuning) {
  Arena counter;
  if (parameters.method == Method::kSgm) {
    SgmMemory::Take(counter, parameters, LayoutOf(parameters, width, height, tuning));
  } else {
    ad_census::AdCensusMemory::Take(counter, parameters, width, height);
  }
  MapMemory::Take(counter, parameters, width, height);
  return counter.bytes();
}

std::string MegabytesText(std::size_t bytes) { return std::to_string((bytes + 999'999) / 1'000'000) + " MB"; }

// What volumes the message speaks of.
std::string VolumesText(const Parameters& parameters) {
  const std::string text =
      " with " + std::to_string(parameters.matching_cost.num_disparities) + " disparities";
  if (parameters.method != Method::kSgm) return text;
  return text + " and " + std::to_string(parameters.aggregation.num_paths) + " paths";
}

// The bytes that a matcher needs. Throws Error with a remedy if the device has fewer free.
std::size_t AvailableBytes(const Parameters& parameters, int width, int height, const CudaTuning& tuning) {
  CheckSize(width, height);
  std::size_t free_bytes = 0, total_bytes = 0;
  Check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
  const std::size_t needed = BytesNeeded(parameters, width, height, tuning);
  if (needed <= free_bytes) return needed;
  std::string remedy = "use smaller images";
  Parameters fewer = parameters;
  int& num_disparities = fewer.matching_cost.num_disparities;
  for (int padded = 512; padded >= 64; padded /= 2) {
    if (padded >= parameters.matching_cost.num_disparities) continue;
    num_disparities = padded;
    const std::size_t fewer_bytes = BytesNeeded(fewer, width, height, tuning);
    if (fewer_bytes > free_bytes) continue;
    remedy = "num_disparities " + std::to_string(padded) + " fits (" + MegabytesText(fewer_bytes) +
             "), or use smaller images or fewer frames in flight";
    break;
  }
  throw Error("matching " + std::to_string(width) + "x" + std::to_string(height) + VolumesText(parameters) +
              " needs " + MegabytesText(needed) + " of device memory, " + MegabytesText(free_bytes) + " of " +
              MegabytesText(total_bytes) + " are free: " + remedy);
}

}  // namespace

StereoPipeline::StereoPipeline(const Parameters& parameters, int width, int height, const CudaTuning& tuning)
    : parameters_(parameters),
      largest_width_(width),
      largest_height_(height),
      memory_(AvailableBytes(parameters, width, height, tuning)),
      arena_(memory_.data()),
      map_stages_(parameters, {}) {
  if (parameters.method == Method::kSgm) {
    const VolumeLayout largest = LayoutOf(parameters, width, height, tuning);
    sgm_.emplace(parameters, tuning, largest, SgmMemory::Take(arena_, parameters, largest));
  } else {
    ad_census_.emplace(parameters, ad_census::AdCensusMemory::Take(arena_, parameters, width, height));
  }
  map_stages_ = MapStages(parameters, MapMemory::Take(arena_, parameters, width, height));
}

void StereoPipeline::Enqueue(const DeviceCameraImage& left, const DeviceCameraImage& right,
                             cudaStream_t stream, const StepObserver& observer, bool results_between) {
  std::visit(
      [&](const auto& image) {
        if (sgm_) sgm_->SetSize(image.width, image.height);
        map_stages_.SetSize(image.width, image.height);
      },
      left);
  const StepRunner run(observer);
  if (sgm_) {
    const bool is_checked =
        sgm_->Enqueue(left, right, map_stages_.winners(), map_stages_.map(), results_between, run, stream);
    map_stages_.EnqueueChecks(is_checked, run, stream);
    map_stages_.EnqueueJudgement(sgm_->guide(), run, stream);
    map_stages_.EnqueueFill(run, stream);
    map_stages_.EnqueueLast(sgm_->guide(), run, stream);
  } else {
    ad_census_->Enqueue(left, right, map_stages_.winners(), map_stages_.map(), run, stream);
    map_stages_.EnqueueChecks(false, run, stream);
    ad_census_->EnqueueRefinement(map_stages_.map(), results_between, run, stream);
    map_stages_.EnqueueLast(ad_census_->guide(), run, stream);
  }
}

}  // namespace parallax::cuda
