// Left and right image in one picture.
#pragma once

#include <string>

#include "datasets/live/live_options.h"
#include "pipeline/types/frame.h"

namespace parallax {

// Throws Error where a picture of that size cannot be halved. label: whose picture it is.
void CheckHalves(int width, int height, PictureLayout layout, const std::string& label);

// Copies the halves of a picture whose size was checked.
void SplitPicture(const CameraImage& picture, PictureLayout layout, StereoFrame& frame);

}  // namespace parallax
