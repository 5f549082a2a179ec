// Where an estimate is wrong, in the colours of the KITTI 2015 benchmark.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "parallax/image.h"
#include "pipeline/types/frame.h"

namespace parallax::app {

// The value of every truth pixel. A pixel without truth takes that of an adjacent truth pixel (3x3), which makes
// the sparse truth of a laser scanner visible; the others are `none`.
template <typename T, typename ValueAt>
HostImage<T> SpreadTruth(HostImageView<const float> truth, T none, const ValueAt& value_at) {
  HostImage<T> spread(truth.width, truth.height, none);
  for (int y = 0; y < truth.height; ++y) {
    for (int x = 0; x < truth.width; ++x) {
      if (std::isnan(truth(x, y))) continue;
      const T value = spread(x, y) = value_at(x, y);
      for (int v = std::max(y - 1, 0); v <= std::min(y + 1, truth.height - 1); ++v) {
        for (int u = std::max(x - 1, 0); u <= std::min(x + 1, truth.width - 1); ++u) {
          if (std::isnan(truth(u, v))) spread(u, v) = value;
        }
      }
    }
  }
  return spread;
}

// One colour of the error pictures: errors from the previous bin's end to this one, as multiples of what
// KITTI 2015 holds to be wrong (3 px and 5 % of the truth, whichever is larger).
struct ErrorColor {
  float end;
  Rgb8 color;
};
inline constexpr std::array<ErrorColor, 10> kErrorColors = {{{0.0625F, {49, 54, 149}},
                                                             {0.125F, {69, 117, 180}},
                                                             {0.25F, {116, 173, 209}},
                                                             {0.5F, {171, 217, 233}},
                                                             {1.0F, {224, 243, 248}},
                                                             {2.0F, {254, 224, 144}},
                                                             {4.0F, {253, 174, 97}},
                                                             {8.0F, {244, 109, 67}},
                                                             {16.0F, {215, 48, 39}},
                                                             {1e30F, {165, 0, 38}}}};
// A truth pixel without an estimate.
inline constexpr Rgb8 kMissingColor{128, 128, 128};

// Draws the errors of an estimate (px, NaN = no value, of the truth's size). Truth pixels that are occluded
// (where the truth tells) are half as bright. Truth is spread; what remains is black. Throws InvalidArgument
// when the sizes differ.
HostImage<Rgb8> ErrorPicture(HostImageView<const float> estimate, const GroundTruth& truth);

}  // namespace parallax::app
