#include <algorithm>
#include <cstdlib>
#include <limits>

#include "pipeline/reference/stages.h"
#include "pipeline/rules/pixel_math.h"

namespace parallax::reference {
namespace {

constexpr std::uint32_t kNoRival = std::numeric_limits<std::uint32_t>::max();

// The lowest sum among the disparities that are not next to the winner.
std::uint32_t LowestRival(const std::uint16_t* sum, int num_disparities, int winner) {
  std::uint32_t rival = kNoRival;
  for (int d = 0; d < num_disparities; ++d) {
    if (std::abs(d - winner) > 1) rival = std::min<std::uint32_t>(rival, sum[d]);
  }
  return rival;
}

float Refine(const std::uint16_t* sum, int num_disparities, int winner, int min_disparity, Subpixel method) {
  const float sampled = static_cast<float>(min_disparity + winner);
  if (winner == 0 || winner + 1 == num_disparities) return sampled;
  return sampled +
         SubpixelOffset(sum[winner], sum[winner - 1] - sum[winner], sum[winner + 1] - sum[winner], method);
}

}  // namespace

void SelectDisparities(HostCostVolumeView<const std::uint16_t> sums, int min_disparity,
                       const SelectionParameters& parameters, HostImageView<std::uint16_t> winner_left,
                       DisparityMap& selected, ThreadPool& threads) {
  const int num_disparities = sums.num_disparities;
  threads.ParallelFor(sums.height, [&](int y) {
    for (int x = 0; x < sums.width; ++x) {
      const std::uint16_t* sum = sums.Cell(x, y);
      const int winner =
          static_cast<int>(std::min_element(sum, sum + num_disparities) - sum);  // first of equals
      const std::uint32_t rival = LowestRival(sum, num_disparities, winner);
      const bool unique = rival == kNoRival || IsUnique(sum[winner], rival, parameters.uniqueness_percent);
      winner_left(x, y) = static_cast<std::uint16_t>(winner);
      selected.validity(x, y) = unique ? kValid : kNotUnique;
      selected.confidence(x, y) = rival == kNoRival ? std::uint8_t{255} : Confidence(sum[winner], rival);
      selected.disparity(x, y) =
          unique ? Refine(sum, num_disparities, winner, min_disparity, parameters.subpixel)
                 : std::numeric_limits<float>::quiet_NaN();
    }
  });
}

void SelectRightWinners(HostCostVolumeView<const std::uint16_t> sums, int min_disparity,
                        HostImageView<std::uint16_t> winner_right, ThreadPool& threads) {
  threads.ParallelFor(sums.height, [&](int y) {
    for (int x_right = 0; x_right < sums.width; ++x_right) {
      std::uint16_t winner = kNoWinner;
      for (int d = 0; d < sums.num_disparities; ++d) {
        const int x = x_right + min_disparity + d;
        if (x < 0 || x >= sums.width) continue;
        if (winner == kNoWinner || sums(x, y, d) < sums(x_right + min_disparity + winner, y, winner)) {
          winner = static_cast<std::uint16_t>(d);
        }
      }
      winner_right(x_right, y) = winner;
    }
  });
}

}  // namespace parallax::reference
