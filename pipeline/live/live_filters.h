// What follows the matcher where frames belong together: filters over space and time, then filling, limits,
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

// Whether any of parameters.live asks for something after the matcher.
bool HasLiveFilters(const Parameters& parameters);

// The parameters for the matcher of such frames: it leaves its holes as they are, so that the filters over
// time see them, and hands out the map before its median and smoothing.
Parameters ForMatcher(const Parameters& parameters);

// Applies, in this order: spatial filter, temporal filter, filling (what filter.fill and refinement.planes
// ask for, or the simple rule of live.holes), limits, then filter.median and refinement.smoothing. Frames in
// order; for one thread at a time.
class LiveFilters {
 public:
  explicit LiveFilters(int num_threads);
  ~LiveFilters();
  // parameters: as they were chosen, not ForMatcher's. left: of the frame; rig: its own. map: of the matcher.
  // Throws Error where depth is limited and there is no rig.
  void Apply(const Parameters& parameters, const CameraImageView& left, const std::optional<StereoRig>& rig,
             DisparityMap& map);

 private:
  struct Workspace;
  // The matcher's own last stages, on the map as it is.
  void ApplyMapStages(const Parameters& parameters, HostImageView<const std::uint8_t> gray,
                      DisparityMap& map);

  ThreadPool threads_;
  TemporalFilter temporal_;
  HostImage<std::uint8_t> gray_;
  std::unique_ptr<Workspace> workspace_;  // of the map stages, for the size so far
};

}  // namespace parallax
