// How good an estimated cloud is, beside the true one.
//
// Everything is made of two lists: the distance of every finite point of the estimate to the nearest point of
// the truth ("accuracy", also precision), and of every finite point of the truth to the nearest point of the
// estimate ("completeness", also recall). Means and sums are taken in double, in the order of the points.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "pipeline/cloud.h"
#include "pipeline/cloud/cloud_measures.h"
#include "pipeline/image.h"
#include "pipeline/rig.h"

namespace parallax {

// Shares of the points whose distances DistanceScores::quantiles_m gives.
inline constexpr std::array<double, 5> kDistanceShares = {0.5, 0.75, 0.9, 0.95, 0.99};

// One direction.
struct DistanceScores {
  std::int64_t num_points = 0;  // finite ones
  double mean_m = 0;
  double mean_squared_m2 = 0;
  double max_m = 0;  // the directed Hausdorff distance
  // The distance that this share of the points does not exceed: element floor(n share) of the sorted ones.
  std::array<double, kDistanceShares.size()> quantiles_m{};
};

// At one threshold; rates are 0..1.
struct ThresholdScores {
  double threshold_m = 0;
  double precision = 0;  // of the estimate's points nearer than the threshold to the truth
  double recall = 0;     // of the truth's points nearer than the threshold to the estimate
  double f_score = 0;    // 2 P R / (P + R); 0 where both are 0
};

enum class DepthKind {
  kDepth,  // z: clouds in a camera's frame
  kRange   // distance from the origin
};

// The points with from_m <= depth < to_m.
struct DepthBin {
  double from_m = 0, to_m = 0;
  DistanceScores accuracy;      // of the estimate's points in the bin; without points: NaN
  DistanceScores completeness;  // of the truth's points in the bin
};

struct CompareOptions {
  std::vector<double> thresholds_m = {0.02, 0.05, 0.1, 0.2, 0.5};  // > 0
  std::vector<double> depth_edges_m = {};  // ascending; the bins stand between them. Fewer than two: no bins
  DepthKind depth = DepthKind::kDepth;
};

struct CloudComparison {
  DistanceScores accuracy, completeness;
  // The Chamfer distance goes by many names; these four are in use.
  double chamfer_sum_m = 0;            // mean + mean (Open3D; "CD-L1")
  double chamfer_half_m = 0;           // half of it (completion networks' "CD-L1")
  double chamfer_squared_sum_m2 = 0;   // mean of squares + mean of squares ("CD-L2")
  double chamfer_squared_half_m2 = 0;  // half of it
  double hausdorff_m = 0;              // the larger of both directions
  std::vector<ThresholdScores> thresholds;
  std::vector<DepthBin> bins;
  // One a point, in order; NaN where the point is not finite.
  std::vector<float> estimate_to_truth_m, truth_to_estimate_m;
};

// Throws InvalidArgument for a cloud without finite points, for one with a point so far from all of the other
// that their distance does not fit single precision (some 1.8e19 m), for thresholds that are not positive,
// and for edges that do not ascend.
CloudComparison CompareClouds(std::span<const Point3f> estimate, std::span<const Point3f> truth,
                              const CompareOptions& options, CloudMeasures& measures);

// Of distances that are not NaN; without any, all NaN.
DistanceScores ScoresOf(std::span<const float> distances_m);

// --- where the rig is known
// -----------------------------------------------------------------------------------

// For every point: its z less the true depth of the pixel that it falls on (nearest pixel centre), > 0 where
// the estimate is too far. NaN where the point is not finite, not in front of the camera or outside the
// image, and where the truth knows no depth (NaN or <= 0). Throws InvalidArgument for a rig without focal
// length.
std::vector<float> SignedDepthErrors(std::span<const Point3f> points,
                                     HostImageView<const float> truth_depth_m, const StereoRig& rig);

// Of errors that are not NaN; without any, all NaN.
struct SignedErrorScores {
  std::int64_t num_points = 0;
  double bias_m = 0;  // mean of the signed errors
  double mean_abs_m = 0;
  double rms_m = 0;
  double median_m = 0;      // of the signed errors: element floor(n / 2)
  double median_abs_m = 0;  // of their sizes
};
SignedErrorScores SignedScoresOf(std::span<const float> errors_m);

}  // namespace parallax
