#include "pipeline/cpu/consistency.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "pipeline/disparity_map.h"

namespace parallax::cpu {
namespace {

constexpr std::uint16_t kNoWinner = 0xFFFF;
constexpr int kNarrow = 2;  // largest difference whose intervals are marked pixel by pixel

// claims[x] > 0 where the winner of some right pixel leads to left pixel x or to one at most max_difference
// beside it, within the range of disparities. Each winner claims one interval, where trying every disparity
// of every pixel would take W * D steps. Wide intervals are counted by their ends.
void CountClaims(const std::uint16_t* winner_right, int width, int min_disparity, int num_disparities,
                 int max_difference, std::int16_t* claims) {
  std::fill_n(claims, width + 1, std::int16_t{0});
  for (int x_right = 0; x_right < width; ++x_right) {
    const int winner = winner_right[x_right];
    if (winner == kNoWinner) continue;
    const int origin = x_right + min_disparity;
    const int begin = std::max(0, origin + std::max(0, winner - max_difference));
    const int end = std::min(width, origin + std::min(num_disparities, winner + max_difference + 1));
    if (max_difference <= kNarrow) {
      for (int x = begin; x < end; ++x) claims[x] = 1;
    } else if (begin < end) {
      ++claims[begin];
      --claims[end];
    }
  }
  if (max_difference <= kNarrow) return;
  for (int x = 1; x < width; ++x) claims[x] = static_cast<std::int16_t>(claims[x] + claims[x - 1]);
}

}  // namespace

void CheckRow(const std::uint16_t* winner_left, const std::uint16_t* winner_right, int width,
              int min_disparity, int num_disparities, const ConsistencyParameters& parameters,
              float* disparity, std::uint8_t* validity, std::vector<std::int16_t>& scratch) {
  const int max_difference = parameters.max_difference;
  if (max_difference < 0) return;
  scratch.resize(static_cast<std::size_t>(width) + 1);
  std::int16_t* claims = scratch.data();
  CountClaims(winner_right, width, min_disparity, num_disparities, max_difference, claims);
  // No branch depends on the image: at its noisy parts they would be foreseen no better than a coin.
  for (int x = 0; x < width; ++x) {
    const int winner = winner_left[x];
    const int x_right = x - min_disparity - winner;
    const bool inside = static_cast<unsigned>(x_right) < static_cast<unsigned>(width);
    const int answer = winner_right[inside ? x_right : 0];
    // 0xFFFF lies further than any max_difference (<= 1024) from any index (< 1024).
    const bool agrees = std::abs(answer - winner) <= max_difference;
    const std::uint8_t seen = claims[x] > 0 ? std::uint8_t{kMismatched} : std::uint8_t{kOccluded};
    const std::uint8_t doubt = agrees ? std::uint8_t{kValid} : seen;
    const std::uint8_t fault = inside ? doubt : std::uint8_t{kOutOfRange};
    validity[x] = static_cast<std::uint8_t>(validity[x] | fault);
    disparity[x] = fault == 0 ? disparity[x] : std::numeric_limits<float>::quiet_NaN();
  }
}

}  // namespace parallax::cpu
