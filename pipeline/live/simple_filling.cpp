#include "pipeline/live/simple_filling.h"

#include <cmath>
#include <limits>

#include "parallax/disparity_map.h"

namespace parallax {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// std::fmin and std::fmax take the other value in place of NaN.
template <typename Choose>
float AroundOf(const HostImage<float>& map, int x, int y, Choose choose) {
  float value = kNaN;
  for (int v = y - 1; v <= y + 1; ++v) {
    if (v < 0 || v >= map.height()) continue;
    if (x > 0) value = choose(value, map(x - 1, v));
    if (v != y) value = choose(value, map(x, v));
  }
  return value;
}

}  // namespace

void FillSimply(LiveHoles rule, HostImage<float>& map, HostImage<std::uint8_t>& validity) {
  for (int y = 0; y < map.height(); ++y) {
    for (int x = 0; x < map.width(); ++x) {
      if (!std::isnan(map(x, y))) continue;
      float value = kNaN;
      if (rule == LiveHoles::kLeft && x > 0) value = map(x - 1, y);
      if (rule == LiveHoles::kFarthest)
        value = AroundOf(map, x, y, [](float a, float b) { return std::fmin(a, b); });
      if (rule == LiveHoles::kNearest)
        value = AroundOf(map, x, y, [](float a, float b) { return std::fmax(a, b); });
      if (std::isnan(value)) continue;
      map(x, y) = value;
      validity(x, y) |= kFilled;
    }
  }
}

}  // namespace parallax
