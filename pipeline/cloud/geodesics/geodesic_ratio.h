// How an estimated depth map changes distances along the surface, against the truth. Bridges between
// foreground and background make paths too short, noise makes them too long, cracks interrupt them.
#pragma once

#include <cstdint>

#include "parallax/image.h"
#include "parallax/rig.h"
#include "pipeline/cloud/cpu_cloud_measures.h"

namespace parallax {

struct GeodesicRatioOptions {
  int num_sources = 8, num_targets = 32;  // every source with every target: 256 pairs of pixels
  std::uint64_t seed = 1;
  float max_jump = 0.05F;  // MakeDepthGraph
  float shortcut = 0.8F;   // a path is a shortcut if it is shorter than this share of the truth's
};

// Both maps are limited to the pixels that have both depths (finite, > 0), so they differ only in their
// depths. Sources and targets are sampled among these pixels.
struct GeodesicRatio {
  std::int64_t num_pairs = 0;      // sampled, of different pixels
  std::int64_t num_compared = 0;   // connected in both maps
  std::int64_t num_bridged = 0;    // connected only in the estimate
  std::int64_t num_torn = 0;       // connected only in the truth
  std::int64_t num_shortcuts = 0;  // among those compared
  // Medians over the compared pairs; NaN without any. Geodesic over straight distance for each map, and the
  // estimate's over the truth's, pair by pair.
  double median_estimate = 0, median_truth = 0, median_ratio = 0;

  // Share of the pairs connected in the estimate that are shortcuts or bridged. NaN without any.
  double ShareOfShortcuts() const;
  // Share of the pairs connected in the truth that are torn. NaN without any.
  double ShareTorn() const;
};

// Both maps W x H, m. Throws InvalidArgument if their sizes differ, for options out of range (numbers < 1,
// shortcut not above 0) and for what MakeDepthGraph refuses.
GeodesicRatio CompareGeodesics(HostImageView<const float> estimate_m, HostImageView<const float> truth_m,
                               const StereoRig& rig, const GeodesicRatioOptions& options,
                               CloudMeasures& measures);

}  // namespace parallax
