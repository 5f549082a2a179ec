// The KITTI stereo 2015 metric D1: outliers on background, foreground and all pixels.
#pragma once

#include <cstdint>

#include "parallax/image.h"

namespace parallax {

// The number of wrong pixels, and of all pixels.
struct ErrorCount {
  std::int64_t num_errors = 0;
  std::int64_t num_pixels = 0;

  double Rate() const;  // 0..1; NaN without pixels
  ErrorCount& operator+=(const ErrorCount& other);
  friend bool operator==(const ErrorCount&, const ErrorCount&) = default;
};

// The development kit's counters of one frame, or their sum over frames. The benchmark's total comes from the
// sums ("pooled"), so a frame with more truth has more weight.
struct Kitti2015Counts {
  ErrorCount background, background_estimated;  // object map 0;   *_estimated: only pixels that had a value,
  ErrorCount foreground, foreground_estimated;  // object map > 0; the others: holes filled
  ErrorCount all, all_estimated;                //                 (InterpolateBackground)

  double Density() const;  // truth pixels that had a value / truth pixels; NaN without truth
  // D1 over all pixels with holes counted as wrong. Not KITTI's: the strict convention, for comparison.
  double AllOrHolesRate() const;
  Kitti2015Counts& operator+=(const Kitti2015Counts& other);
};

// estimate: px, NaN = no value, as read from a 16-bit PNG (QuantizeAsKittiPng). truth: px, NaN = unknown.
// objects: 0 = background, > 0 = foreground; empty = all background. mask: counts where it is 255; empty =
// everywhere. Throws InvalidArgument when sizes differ.
// A pixel is wrong when its error is > 3 px AND > 5 % of the truth, both strictly.
Kitti2015Counts EvaluateKitti2015(HostImageView<const float> estimate, HostImageView<const float> truth,
                                  HostImageView<const std::uint8_t> objects = {},
                                  HostImageView<const std::uint8_t> mask = {});

}  // namespace parallax
