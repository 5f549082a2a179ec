// The stages of the method AD-Census (Mei, Sun, Zhou, Wang, Zhang, Jiao 2011), as one plain function each.
// docs/matching.md defines each stage, including what the paper leaves open. Stages shared with SGM are in
// pipeline/reference/stages.h. All images of one call are W x H; the caller sizes the outputs.
#pragma once

#include <cstdint>

#include "parallax/disparity_map.h"
#include "pipeline/rules/ad_census_tables.h"
#include "pipeline/threads/parallel.h"
#include "pipeline/types/cost_volume.h"
#include "pipeline/types/frame.h"
#include "pipeline/types/parameter_info.h"

namespace parallax::reference::ad_census {

// Largest difference over the channels.
int ColorDistance(Rgb8 a, Rgb8 b);

// --- matching_cost (sec. 3.1) ---------------------------------------------------
// Writes rho(AD) + rho(census). costs: W x H x D.
void MatchingCost(HostImageView<const Rgb8> left, HostImageView<const Rgb8> right,
                  HostImageView<const std::uint64_t> census_left,
                  HostImageView<const std::uint64_t> census_right, int min_disparity,
                  ColorDifference difference, const AdCensusTables& tables,
                  HostCostVolumeView<std::uint16_t> costs, ThreadPool& threads);

// --- aggregation (sec. 3.2; Zhang, Lu, Lafruit 2009) -----------------------------
// Pixels of the cross to each side of its centre.
struct Arms {
  std::uint8_t left = 0, right = 0, up = 0, down = 0;
  friend bool operator==(const Arms&, const Arms&) = default;
};
void GrowArms(HostImageView<const Rgb8> color, const AdCensusParameters& parameters, HostImageView<Arms> arms,
              ThreadPool& threads);

// Replaces each cost by the mean over its pixel's support region, `iterations` times. At a disparity the
// region is the horizontal arms of the vertical arm's pixels in the 1st, 3rd, ... iteration, the vertical
// arms of the horizontal arm's pixels in the 2nd, 4th, ... Each arm is the shorter of the left pixel's and
// its right partner's if arms_right is given and has the partner, else the left pixel's.
void AggregateOverCrosses(HostImageView<const Arms> arms_left, HostImageView<const Arms> arms_right,
                          int min_disparity, int iterations, HostCostVolumeView<std::uint16_t> costs,
                          ThreadPool& threads);

// --- scanline optimisation (sec. 3.3; Hirschmueller 2008) ------------------------
// Writes the sums of the path costs along left, right, up and down. sums: W x H x D.
void OptimizeScanlines(HostCostVolumeView<const std::uint16_t> costs, HostImageView<const Rgb8> left,
                       HostImageView<const Rgb8> right, int min_disparity, int step_threshold,
                       const AdCensusTables& tables, HostCostVolumeView<std::uint16_t> sums,
                       ThreadPool& threads);

// --- refinement (sec. 3.4) --------------------------------------------------------
// Each step changes map in place. map holds whole disparities, NaN for rejected pixels.
void VoteInRegions(HostImageView<const Arms> arms, int min_disparity, int num_disparities,
                   const AdCensusParameters& parameters, DisparityMap& map, ThreadPool& threads);
void Interpolate(HostImageView<const Rgb8> color, DisparityMap& map, ThreadPool& threads);
void AdjustDiscontinuities(HostCostVolumeView<const std::uint16_t> sums, int min_disparity, DisparityMap& map,
                           ThreadPool& threads);
void RefineSubpixel(HostCostVolumeView<const std::uint16_t> sums, int min_disparity, Subpixel method,
                    DisparityMap& map, ThreadPool& threads);

}  // namespace parallax::reference::ad_census
