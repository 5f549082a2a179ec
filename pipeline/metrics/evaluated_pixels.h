// The pixels that a metric evaluates: those with truth, inside any given mask.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "parallax/error.h"
#include "parallax/image.h"

namespace parallax {

// A pixel counts where its mask has this value (Middlebury and ETH3D: not occluded).
inline constexpr std::uint8_t kNonoccluded = 255;
// The value of a rate or a mean over no pixels.
inline constexpr double kNoScore = std::numeric_limits<double>::quiet_NaN();

// Throws InvalidArgument unless a and b, named a_name and b_name in the message, have the same size.
template <typename T, typename U>
void CheckSameSize(HostImageView<const T> a, const char* a_name, HostImageView<const U> b,
                   const char* b_name) {
  if (SameSize(a, b)) return;
  const auto size = [](const auto& view) {
    return std::to_string(view.width) + "x" + std::to_string(view.height);
  };
  throw InvalidArgument(std::string(a_name) + " is " + size(a) + " but " + b_name + " is " + size(b) +
                        ": both must have the same size");
}

// Throws InvalidArgument if mask and truth differ in size. truth: px, NaN = unknown. An empty mask means all
// pixels.
inline void CheckMask(HostImageView<const std::uint8_t> mask, HostImageView<const float> truth) {
  if (!mask.Empty()) CheckSameSize(mask, "the mask", truth, "the truth");
}
inline bool IsEvaluated(HostImageView<const float> truth, HostImageView<const std::uint8_t> mask, int x,
                        int y) {
  return !std::isnan(truth(x, y)) && (mask.Empty() || mask(x, y) == kNonoccluded);
}

// Calls visit(x, y, truth) for every pixel that counts, row by row.
template <typename Visitor>
void ForEachEvaluatedPixel(HostImageView<const float> truth, HostImageView<const std::uint8_t> mask,
                           Visitor&& visit) {
  CheckMask(mask, truth);
  for (int y = 0; y < truth.height; ++y) {
    for (int x = 0; x < truth.width; ++x) {
      if (IsEvaluated(truth, mask, x, y)) visit(x, y, truth(x, y));
    }
  }
}

// The same, column by column, for sums that depend on the order.
template <typename Visitor>
void ForEachEvaluatedPixelByColumn(HostImageView<const float> truth, HostImageView<const std::uint8_t> mask,
                                   Visitor&& visit) {
  CheckMask(mask, truth);
  for (int x = 0; x < truth.width; ++x) {
    for (int y = 0; y < truth.height; ++y) {
      if (IsEvaluated(truth, mask, x, y)) visit(x, y, truth(x, y));
    }
  }
}

}  // namespace parallax
