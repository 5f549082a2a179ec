// Whether images tell a matcher anything at all.
#pragma once

#include "parallax/disparity_map.h"
#include "pipeline/types/frame.h"

namespace parallax {

// True where all pixels of the image are equal. Looks no farther than the first that differs.
bool IsConstant(const CameraImageView& image);

// Sets the confidence to 0 everywhere where either image is constant: every disparity fits as well as
// another, and what costs tell apart is only which of them leave the right image. Every matcher ends with it.
void ClearConfidenceOfConstantImages(const CameraImageView& left, const CameraImageView& right,
                                     HostImageView<std::uint8_t> confidence);

}  // namespace parallax
