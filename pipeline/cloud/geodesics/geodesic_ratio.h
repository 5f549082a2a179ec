// What an estimated depth map does to distances along the surface, against the truth: bridges between
// foreground and background show as ways that are too short, noise as ways that are too long, cracks as ways
// that are gone.
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
  float shortcut = 0.8F;   // a way is a shortcut where it is shorter than so much of the truth's
};

// Both maps on the grid of those pixels alone that have both depths (finite, > 0), so that they differ by
// their depths and nothing else. Sources and targets are drawn among these pixels.
struct GeodesicRatio {
  std::int64_t num_pairs = 0;      // drawn, of different pixels
  std::int64_t num_compared = 0;   // joined in both maps
  std::int64_t num_bridged = 0;    // joined in the estimate alone
  std::int64_t num_torn = 0;       // joined in the truth alone
  std::int64_t num_shortcuts = 0;  // among those compared
  // Medians over the pairs compared; NaN without any. Geodesic over straight distance, each map by itself,
  // and the estimate's over the truth's, pair by pair.
  double median_estimate = 0, median_truth = 0, median_ratio = 0;

  // Of the pairs that the estimate joins: those that are shortcuts or bridged. NaN without any.
  double ShareOfShortcuts() const;
  // Of the pairs that the truth joins: those that are torn. NaN without any.
  double ShareTorn() const;
};

// Both maps W x H, m. Throws InvalidArgument where their sizes differ, for options out of range (numbers < 1,
// shortcut not above 0) and what MakeDepthGraph throws.
GeodesicRatio CompareGeodesics(HostImageView<const float> estimate_m, HostImageView<const float> truth_m,
                               const StereoRig& rig, const GeodesicRatioOptions& options,
                               CloudMeasures& measures);

}  // namespace parallax
