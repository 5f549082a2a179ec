// The stages after the matcher for consecutive frames: filters over space and time, then filling, limits,
// median.
#pragma once

#include <memory>
#include <optional>

#include "parallax/disparity_map.h"
#include "pipeline/live/temporal_filter.h"
#include "pipeline/threads/parallel.h"
#include "pipeline/types/frame.h"
#include "pipeline/types/parameter_info.h"

namespace parallax {

// Whether any of parameters.live requests a stage after the matcher.
bool HasLiveFilters(const Parameters& parameters);

// The parameters for the matcher of such frames: it keeps its holes, so that the filters over time see them,
// and returns the map before its median and smoothing.
Parameters ForMatcher(const Parameters& parameters);

// Applies, in this order: spatial filter, temporal filter, filling (by filter.fill and refinement.planes, or
// the simple rule of live.holes), limits, then filter.median and refinement.smoothing. Frames in order; not
// thread-safe.
class LiveFilters {
 public:
  explicit LiveFilters(int num_threads);
  ~LiveFilters();
  // Filters the matcher's map of the next frame in place. parameters: the chosen ones, not those of
  // ForMatcher. left, rig: of the frame. Throws Error if depth is limited and there is no rig.
  void Apply(const Parameters& parameters, const CameraImageView& left, const std::optional<StereoRig>& rig,
             DisparityMap& map);

 private:
  struct Workspace;
  // Runs the matcher's own last stages on the current map.
  void ApplyMapStages(const Parameters& parameters, HostImageView<const std::uint8_t> gray,
                      DisparityMap& map);

  ThreadPool threads_;
  TemporalFilter temporal_;
  HostImage<std::uint8_t> gray_;
  std::unique_ptr<Workspace> workspace_;  // of the map stages, for the largest size so far
};

}  // namespace parallax
