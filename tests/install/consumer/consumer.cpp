// Matches a pair made in memory, a random texture shifted by 7 px, and checks the disparity.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>

#include "parallax.h"

int main() {
  constexpr int kWidth = 160, kHeight = 60, kShift_px = 7;
  parallax::HostImage<std::uint8_t> left(kWidth, kHeight), right(kWidth, kHeight);
  std::mt19937 random(1);
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) left(x, y) = static_cast<std::uint8_t>(random());
    for (int x = 0; x < kWidth; ++x) right(x, y) = left((x + kShift_px) % kWidth, y);
  }

  parallax::Parameters parameters;
  parameters.matching_cost.num_disparities = 32;
  const auto matcher = parallax::MakeReferenceMatcher(
      parameters, parallax::MatcherOptions{.width = kWidth, .height = kHeight});
  parallax::DisparityMap result;
  matcher->Compute(left.ConstView(), right.ConstView(), result);

  // Left of the shift there is nothing to match with; the matcher may fill it.
  int wrong = 0;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 32; x < kWidth - 8; ++x) wrong += !(std::abs(result.disparity(x, y) - kShift_px) < 0.5F);
  }
  std::printf("%d pixels are not at %d px\n", wrong, kShift_px);
  return wrong == 0 ? 0 : 1;
}
