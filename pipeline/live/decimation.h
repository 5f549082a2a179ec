// Reduced images for more frames a second.
#pragma once

#include "pipeline/types/frame.h"

namespace parallax {

// Reduces both images by a whole factor: a pixel is the median (factor 2 and 3; of an even number the lower
// of the two in the middle) or the rounded mean (4 to 8) of factor x factor pixels, for each channel.
// Incomplete blocks at the right and bottom are cut off. Rig, largest disparity and calibration are adapted;
// truth is removed. factor 1: nothing is done. Throws InvalidArgument for other factors, Error for an image
// smaller than the factor.
void Decimate(int factor, StereoFrame& frame);

}  // namespace parallax
