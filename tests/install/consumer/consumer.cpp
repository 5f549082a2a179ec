// Matches a pair made in memory, a random texture shifted by 7 px, and checks the disparity.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>

#include "parallax.h"

namespace {

constexpr int kWidth = 160, kHeight = 60, kShift_px = 7, kNumDisparities = 32;

// Pixels that are not at the true disparity, away from the borders, where there is nothing to match with.
int CountWrong(parallax::StereoMatcher& matcher, const parallax::HostImage<std::uint8_t>& left,
               const parallax::HostImage<std::uint8_t>& right) {
  parallax::DisparityMap result;
  matcher.Compute(left.ConstView(), right.ConstView(), result);
  int wrong = 0;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = kNumDisparities; x < kWidth - kShift_px - 1; ++x) {
      wrong += !(std::abs(result.disparity(x, y) - static_cast<float>(kShift_px)) < 0.5F);
    }
  }
  std::printf("%s: %d pixels are not at %d px\n", matcher.backend().data(), wrong, kShift_px);
  return wrong;
}

}  // namespace

int main() {
  parallax::HostImage<std::uint8_t> left(kWidth, kHeight), right(kWidth, kHeight);
  std::mt19937 random(1);
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) left(x, y) = static_cast<std::uint8_t>(random());
    for (int x = 0; x < kWidth; ++x) right(x, y) = left((x + kShift_px) % kWidth, y);
  }
  parallax::Parameters parameters;
  parameters.matching_cost.num_disparities = kNumDisparities;
  const parallax::MatcherOptions options{.width = kWidth, .height = kHeight};
  int wrong = 0;
  for (const char* backend : {"auto", "cpu", "reference"}) {
    wrong += CountWrong(*parallax::MakeMatcher(backend, parameters, options), left, right);
  }
  return wrong == 0 ? 0 : 1;
}
