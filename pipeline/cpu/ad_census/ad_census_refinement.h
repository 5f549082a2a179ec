// The refinement of AD-Census; docs/matching.md.
#pragma once

#include <cstdint>
#include <vector>

#include "parallax/disparity_map.h"
#include "pipeline/cpu/ad_census/ad_census_views.h"
#include "pipeline/cpu/ad_census/kernels.h"
#include "pipeline/threads/parallel.h"
#include "pipeline/types/parameter_info.h"

namespace parallax::cpu::ad_census {

inline constexpr std::int16_t kNoIndex = -1;

// Whole disparities as indices d, kNoIndex for a pixel without one, and their reasons.
struct IndexMap {
  HostImageView<std::int16_t> index;
  HostImageView<std::uint8_t> validity;
};

// Removes the winners of a left row that disagree with the right ones, and marks the reasons in validity.
// winner_right: mirrored, 0xFFFF if there is none.
void CheckRow(const Selection* selected, const std::uint16_t* winner_right, int width, int min_disparity,
              int num_disparities, int max_difference, std::int16_t* index, std::uint8_t* validity);

void VoteInRegions(const View& left, int num_disparities, const AdCensusParameters& parameters,
                   const IndexMap& map, ThreadPool& threads);
void Interpolate(const View& left, const IndexMap& map, ThreadPool& threads);

}  // namespace parallax::cpu::ad_census
