// The uncertainty of a disparity and of its depth: one standard deviation for each pixel.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "parallax/disparity_map.h"
#include "parallax/image.h"
#include "parallax/rig.h"
#include "pipeline/types/disparity_map_view.h"

namespace parallax {

// The classes of the table (docs/uncertainty.md).
inline constexpr int kConfidenceClass = 20;  // width of a class of confidence; the last one is open
inline constexpr std::array<float, 6> kBendBounds_px = {1.0F / 32, 1.0F / 16, 1.0F / 8,
                                                        1.0F / 4,  1.0F / 2,  1};
inline constexpr std::array<int, 6> kGapBounds = {1, 3, 5, 10, 20, 40};  // pixels of 7x7

// A table fitted to ground truth by tools/uncertainty. The values here are those of the preset "default".
struct UncertaintyParameters {
  // Sigma of a kept pixel on a flat surface without rejected pixels around it, by confidence.
  std::array<float, 11> confidence_px = {0.274F, 0.269F, 0.252F, 0.234F, 0.224F, 0.223F,
                                         0.215F, 0.206F, 0.201F, 0.191F, 0.181F};
  // Its factors: by the bend of the surface, by the number of rejected pixels around it, and for a rejected
  // pixel.
  std::array<float, 7> bend = {1, 1.23F, 1.6F, 1.91F, 2.34F, 2.76F, 1.78F};
  std::array<float, 7> gaps = {1, 1.29F, 1.45F, 1.62F, 1.85F, 1.98F, 3.25F};
  float rejected = 1.03F;
  // The error from the rig's calibration in every disparity, as a standard deviation.
  float rig_px = 0;
  friend bool operator==(const UncertaintyParameters&, const UncertaintyParameters&) = default;
};

// Inclusive bounds of every value of the table.
inline constexpr float kSmallestSigmaFactor = 0.001F, kLargestSigmaFactor = 1000;
inline constexpr float kLargestRigSigma_px = 1000;

// Sigma of every disparity in px, NaN where there is none:
//   s = ((confidence_px[c] * bend[b]) * gaps[g]) * rejected, then sqrt(s s + rig_px rig_px) where rig_px > 0,
// each operation rounded once, with
//   c = confidence / 20, at most 10;
//   b = how many of kBendBounds_px are at most the bend: the larger of |(d(-2) + d(+2)) - 2 d| along the row
//       and along the column, of those whose two pixels are inside the map and have a value; 6 without any;
//   g = how many of kGapBounds are at most the number of rejected pixels (kRejected) within 7x7, where pixels
//       outside the map are the nearest inside;
//   the factor `rejected` for pixels that were rejected themselves and filled later.
HostImage<float> SigmaOfDisparity(const UncertaintyParameters& parameters, const DisparityMapView& map);
inline HostImage<float> SigmaOfDisparity(const UncertaintyParameters& parameters, const DisparityMap& map) {
  return SigmaOfDisparity(parameters, ViewOf(map));
}

// Sigma of every depth in metres, to first order Z^2 / (f B) sigma; NaN where depth is. In this order:
// (z * z) / float(fx * baseline) * sigma. All images of one size. Throws InvalidArgument for a rig without
// focal length or baseline.
HostImage<float> SigmaOfDepth(HostImageView<const float> sigma_px, HostImageView<const float> depth_m,
                              const StereoRig& rig);

// The values of the pixels with a depth, in the reading order of CloudFromDepth.
std::vector<float> ValuesOfPoints(HostImageView<const float> values, HostImageView<const float> depth_m);

}  // namespace parallax
