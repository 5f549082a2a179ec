#include "parallax/disparity_map.h"

#include "pipeline/types/fixed_point.h"

namespace parallax {

void ToFixedPoint(HostImageView<const float> disparity, int min_disparity, HostImageView<std::int16_t> to) {
  for (int y = 0; y < disparity.height; ++y) {
    const float* from = disparity.Row(y);
    std::int16_t* row = to.Row(y);
    for (int x = 0; x < disparity.width; ++x) row[x] = FixedPointOf(from[x], min_disparity);
  }
}

}  // namespace parallax
