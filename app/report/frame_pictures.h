// The pictures of a scored frame: image, errors, estimate and truth.
#pragma once

#include "parallax/image.h"
#include "pipeline/types/frame.h"

namespace parallax::app {

inline constexpr int kThumbnailWidth_px = 320;  // on a page

// The estimate at the truth's size: Middlebury allows a half or a quarter. px of the truth's resolution.
HostImage<float> AtTruthSize(HostImageView<const float> estimate, HostImageView<const float> truth);

// Four pictures of the truth's size.
struct FramePictures {
  HostImage<Rgb8> left;      // black where the image has another size
  HostImage<Rgb8> errors;    // in the colours of KITTI 2015 (error_picture.h)
  HostImage<Rgb8> estimate;  // disparity in colours, of the truth's range
  HostImage<Rgb8> truth;     // the same; points of a laser scanner are enlarged
};

// estimate: px, NaN = none, of the truth's size. fill_holes: the errors are those after filling, as KITTI
// scores them. frame.truth must be there. validity: ValidityBits; the truth's size is a multiple of its size.
// Filled pixels are paler in the estimate. Empty: none are.
FramePictures PicturesOf(const StereoFrame& frame, HostImageView<const float> estimate, bool fill_holes,
                         HostImageView<const std::uint8_t> validity = {});

// Both pictures, one above the other, at most max_width_px wide.
HostImage<Rgb8> ThumbnailOf(HostImageView<const Rgb8> photo, HostImageView<const Rgb8> picture,
                            int max_width_px);

// Green where b is nearer to the truth than a, red where a is nearer, black without truth; stronger colours
// mean larger differences. Errors count up to 5 px; a missing value counts as 5 px.
HostImage<Rgb8> GainPicture(HostImageView<const float> a, HostImageView<const float> b,
                            HostImageView<const float> truth);

}  // namespace parallax::app
