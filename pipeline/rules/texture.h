// Whether images have any texture to match.
#pragma once

#include "parallax/disparity_map.h"
#include "pipeline/types/frame.h"

namespace parallax {

// True if all pixels of the image are equal. Stops at the first that differs.
bool IsConstant(const CameraImageView& image);

// Sets the confidence to 0 everywhere if either image is constant: every disparity fits equally well, and
// costs only tell which ones leave the right image. Every matcher ends with it.
void ClearConfidenceOfConstantImages(const CameraImageView& left, const CameraImageView& right,
                                     HostImageView<std::uint8_t> confidence);

}  // namespace parallax
