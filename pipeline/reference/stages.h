// The reference back end: one plain function for each stage, written from the papers, obviously correct.
// docs/matching.md defines each stage, including borders, ties and rounding. All images of one call are W x
// H; the caller sizes the outputs.
#pragma once

#include <cstdint>

#include "parallax/disparity_map.h"
#include "pipeline/rules/matching_tables.h"
#include "pipeline/threads/parallel.h"
#include "pipeline/types/cost_volume.h"
#include "pipeline/types/frame.h"
#include "pipeline/types/parameter_info.h"

namespace parallax::reference {

// --- gray -------------------------------------------------------------------
HostImage<std::uint8_t> GrayFromColor(HostImageView<const Rgb8> color);
// 8-bit guide of the aggregation.
HostImage<std::uint8_t> GuideFromGray16(HostImageView<const std::uint16_t> gray);

// --- census_transform (Zabih & Woodfill 1994; centre-symmetric: Spangenberg et al. 2013) ---
void CensusTransform(HostImageView<const std::uint8_t> gray, CensusWindow window,
                     HostImageView<std::uint64_t> census, ThreadPool& threads);
void CensusTransform(HostImageView<const std::uint16_t> gray, CensusWindow window,
                     HostImageView<std::uint64_t> census, ThreadPool& threads);

// --- matching_cost ----------------------------------------------------------
// Gradients along the row (3x3 Sobel, clamped to -127 .. 127), plus 127.
HostImage<std::uint8_t> GradientAlongRow(HostImageView<const std::uint8_t> gray, ThreadPool& threads);
// The input of the costs from one image; gradient may be empty if the tables have no gradient term.
struct MatchingFeatures {
  HostImageView<const std::uint64_t> census;
  HostImageView<const std::uint8_t> gradient;
};
// Writes Hamming distances plus the gradient term (Birchfield & Tomasi 1998, truncated). costs: W x H x D.
void MatchingCost(const MatchingFeatures& left, const MatchingFeatures& right, int min_disparity,
                  const MatchingTables& tables, HostCostVolumeView<std::uint8_t> costs, ThreadPool& threads);

// The weights of the tiles of the left image, in reading order; 256 = costs count whole.
HostImage<std::uint16_t> CostWeights(HostImageView<const std::uint8_t> gray, const WeightRule& rule,
                                     ThreadPool& threads);
// Multiplies every pixel's costs by its tile's weight.
void WeighCosts(HostImageView<const std::uint16_t> weights, HostCostVolumeView<std::uint8_t> costs,
                ThreadPool& threads);

// --- aggregation (Hirschmueller 2008, eq. 13) ---------------------------------
void AggregateCosts(HostCostVolumeView<const std::uint8_t> costs, HostImageView<const std::uint8_t> guide,
                    const MatchingTables& tables, HostCostVolumeView<std::uint16_t> sums,
                    ThreadPool& threads);

// --- selection ----------------------------------------------------------------
inline constexpr std::uint16_t kNoWinner = 0xFFFF;
// Selects the cheapest disparity of every left pixel. winner_left: its index d. selected: disparity, validity
// and confidence.
void SelectDisparities(HostCostVolumeView<const std::uint16_t> sums, int min_disparity,
                       const SelectionParameters& parameters, HostImageView<std::uint16_t> winner_left,
                       DisparityMap& selected, ThreadPool& threads);
void SelectRightWinners(HostCostVolumeView<const std::uint16_t> sums, int min_disparity,
                        HostImageView<std::uint16_t> winner_right, ThreadPool& threads);

// --- consistency (Hirschmueller 2008, sec. 2.6) ---------------------------------
// Changes map in place.
void CheckConsistency(HostImageView<const std::uint16_t> winner_left,
                      HostImageView<const std::uint16_t> winner_right, int min_disparity, int num_disparities,
                      const ConsistencyParameters& parameters, DisparityMap& map, ThreadPool& threads);

// --- filter -----------------------------------------------------------------------
void RemoveSpeckles(const FilterParameters& parameters, DisparityMap& map);
void FillHoles(DisparityMap& map, ThreadPool& threads);
void MedianFilter(int side, DisparityMap& map, ThreadPool& threads);

}  // namespace parallax::reference
