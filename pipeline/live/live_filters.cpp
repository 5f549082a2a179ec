#include "pipeline/live/live_filters.h"

#include "parallax/image.h"
#include "pipeline/cpu/filters/cpu_map_filters.h"
#include "pipeline/cpu/filters/speckle.h"
#include "pipeline/live/limits.h"
#include "pipeline/live/simple_filling.h"
#include "pipeline/live/spatial_filter.h"
#include "pipeline/rules/gray_image.h"

namespace parallax {
namespace {

bool HasLimits(const LiveParameters& live) {
  return live.near_m > 0 || live.far_m > 0 || live.min_confidence > 0 || live.min_texture > 0 ||
         live.darkest > 0 || live.brightest < 255;
}

// The part of the last stages before the limits, and the part after them.
Parameters FillingOnly(Parameters p) {
  p.filter.speckle_size = 0;
  p.filter.median = 0;
  p.refinement.smoothing_passes = 0;
  if (p.live.holes != LiveHoles::kAsFilter) p.filter.fill = p.refinement.planes = false;
  return p;
}
Parameters SmoothingOnly(Parameters p) {
  p.filter.speckle_size = 0;
  p.filter.fill = p.refinement.planes = false;
  return p;
}

bool DoesNothing(const Parameters& p) {
  return !p.filter.fill && !p.refinement.planes && p.filter.median <= 1 && p.refinement.smoothing_passes == 0;
}

}  // namespace

struct LiveFilters::Workspace {
  Workspace(int width_, int height_) : width(width_), height(height_), speckles(width_, height_) {}
  int width, height;
  cpu::SpeckleFilter speckles;
  AlignedBuffer<std::uint8_t> memory;
};

bool HasLiveFilters(const Parameters& parameters) {
  const LiveParameters& live = parameters.live;
  return live.spatial || live.temporal || live.holes != LiveHoles::kAsFilter || HasLimits(live);
}

Parameters ForMatcher(const Parameters& parameters) {
  Parameters p = parameters;
  p.live = {};
  if (!HasLiveFilters(parameters)) return p;
  p.filter.fill = p.refinement.planes = false;
  p.filter.median = 0;
  p.refinement.smoothing_passes = 0;
  return p;
}

LiveFilters::LiveFilters(int num_threads) : threads_(num_threads) {}
LiveFilters::~LiveFilters() = default;

void LiveFilters::ApplyMapStages(const Parameters& parameters, HostImageView<const std::uint8_t> gray,
                                 DisparityMap& map) {
  if (DoesNothing(parameters)) return;
  if (!workspace_ || workspace_->width != gray.width || workspace_->height != gray.height) {
    workspace_ = std::make_unique<Workspace>(gray.width, gray.height);
  }
  const std::size_t size_bytes =
      cpu::FilterWorkspaceBytes(parameters, gray.width, gray.height, threads_.num_threads());
  if (workspace_->memory.size() < size_bytes) workspace_->memory = AlignedBuffer<std::uint8_t>(size_bytes);
  cpu::FilterMap(parameters, gray, {}, workspace_->speckles, map, workspace_->memory.data(), threads_,
                 nullptr);
}

void LiveFilters::Apply(const Parameters& parameters, const CameraImageView& left,
                        const std::optional<StereoRig>& rig, DisparityMap& map) {
  if (!HasLiveFilters(parameters)) return;
  const LiveParameters& live = parameters.live;
  if (!SameSize(gray_.ConstView(), map.disparity.ConstView())) {
    gray_ = HostImage<std::uint8_t>(map.disparity.width(), map.disparity.height());
  }
  threads_.ParallelFor(gray_.height(), [&](int y) { GrayRows(left, y, y + 1, gray_.View()); });
  const HostImageView<const std::uint8_t> gray = gray_.ConstView();
  if (live.spatial) FilterSpatially(live, map.disparity, threads_);
  if (live.temporal) temporal_.Apply(live, map.disparity, map.validity, threads_);
  ApplyMapStages(FillingOnly(parameters), gray, map);
  if (live.holes != LiveHoles::kAsFilter) FillSimply(live.holes, map.disparity, map.validity);
  if (HasLimits(live)) RemoveOutOfLimits(live, gray, rig, map, threads_);
  ApplyMapStages(SmoothingOnly(parameters), gray, map);
}

}  // namespace parallax
