#include "pipeline/cpu/consistency.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "pipeline/disparity_map.h"

namespace parallax::cpu {
namespace {

constexpr std::uint16_t kNoWinner = 0xFFFF;

// claims[x] = how many right pixels' winners lead to left pixel x or to one at most max_difference beside it,
// within the range of disparities. Each claims one interval; counting its ends costs W steps where trying
// every disparity of every pixel costs W * D.
void CountClaims(const std::uint16_t* winner_right, int width, int min_disparity, int num_disparities,
                 int max_difference, std::vector<std::int16_t>& claims) {
  claims.assign(static_cast<std::size_t>(width) + 1, 0);
  for (int x_right = 0; x_right < width; ++x_right) {
    const int winner = winner_right[x_right];
    if (winner == kNoWinner) continue;
    const int origin = x_right + min_disparity;
    const int begin = std::max(0, origin + std::max(0, winner - max_difference));
    const int end = std::min(width, origin + std::min(num_disparities, winner + max_difference + 1));
    if (begin >= end) continue;
    ++claims[static_cast<std::size_t>(begin)];
    --claims[static_cast<std::size_t>(end)];
  }
  std::int16_t count = 0;
  for (int x = 0; x < width; ++x) {
    count = static_cast<std::int16_t>(count + claims[static_cast<std::size_t>(x)]);
    claims[static_cast<std::size_t>(x)] = count;
  }
}

}  // namespace

void CheckRow(const std::uint16_t* winner_left, const std::uint16_t* winner_right, int width,
              int min_disparity, int num_disparities, const ConsistencyParameters& parameters,
              float* disparity, std::uint8_t* validity, std::vector<std::int16_t>& scratch) {
  const int max_difference = parameters.max_difference;
  if (max_difference < 0) return;
  CountClaims(winner_right, width, min_disparity, num_disparities, max_difference, scratch);
  for (int x = 0; x < width; ++x) {
    const int winner = winner_left[x];
    const int x_right = x - min_disparity - winner;
    const bool inside = x_right >= 0 && x_right < width;
    const int answer = winner_right[inside ? x_right : 0];
    // 0xFFFF lies further than any max_difference (<= 1024) from any index (< 1024).
    if (inside && std::abs(answer - winner) <= max_difference) continue;
    const std::uint8_t fault = !inside                                    ? kOutOfRange
                               : scratch[static_cast<std::size_t>(x)] > 0 ? kMismatched
                                                                          : kOccluded;
    validity[x] = static_cast<std::uint8_t>(validity[x] | fault);
    disparity[x] = std::numeric_limits<float>::quiet_NaN();
  }
}

}  // namespace parallax::cpu
