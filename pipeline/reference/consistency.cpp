#include <cstdlib>
#include <limits>

#include "pipeline/reference/stages.h"

namespace parallax::reference {
namespace {

// True if right pixel x_right is matched (nearly) with disparity index d.
bool Agrees(HostImageView<const std::uint16_t> winner_right, int x_right, int y, int d, int max_difference) {
  return winner_right.Contains(x_right, y) && winner_right(x_right, y) != kNoWinner &&
         std::abs(winner_right(x_right, y) - d) <= max_difference;
}

}  // namespace

void CheckConsistency(HostImageView<const std::uint16_t> winner_left,
                      HostImageView<const std::uint16_t> winner_right, int min_disparity, int num_disparities,
                      const ConsistencyParameters& parameters, DisparityMap& map, ThreadPool& threads) {
  if (parameters.max_difference < 0) return;
  const auto classify = [&](int x, int y) -> std::uint8_t {
    const int winner = winner_left(x, y);
    if (!winner_right.Contains(x - min_disparity - winner, y)) return kOutOfRange;
    if (Agrees(winner_right, x - min_disparity - winner, y, winner, parameters.max_difference)) return kValid;
    // Visible in the right image if some pixel of the epipolar line there claims this one.
    for (int d = 0; d < num_disparities; ++d) {
      if (Agrees(winner_right, x - min_disparity - d, y, d, parameters.max_difference)) return kMismatched;
    }
    return kOccluded;
  };
  threads.ParallelFor(winner_left.height, [&](int y) {
    for (int x = 0; x < winner_left.width; ++x) {
      const std::uint8_t fault = classify(x, y);
      if (fault == kValid) continue;
      map.validity(x, y) = static_cast<std::uint8_t>(map.validity(x, y) | fault);
      map.disparity(x, y) = std::numeric_limits<float>::quiet_NaN();
    }
  });
}

}  // namespace parallax::reference
