// Left and right image in one picture.
#pragma once

#include <array>
#include <string>

#include "pipeline/types/frame.h"

namespace parallax {

// Positions of left and right image in one picture: the left one at the left or above, or the other way
// round.
enum class PictureLayout { kSideBySide, kTopBottom, kRightLeft, kBottomTop };
inline constexpr std::array<const char*, 4> kPictureLayoutNames{"side-by-side", "top-bottom", "right-left",
                                                                "bottom-top"};
inline bool IsSideBySide(PictureLayout layout) {
  return layout == PictureLayout::kSideBySide || layout == PictureLayout::kRightLeft;
}

// Throws Error if a picture of that size cannot be halved. label: whose picture it is.
void CheckHalves(int width, int height, PictureLayout layout, const std::string& label);

// Copies the halves of a picture to the frame's images. The picture's size must have been checked.
void SplitPicture(const CameraImage& picture, PictureLayout layout, StereoFrame& frame);

}  // namespace parallax
