// Smaller images for more frames a second.
#pragma once

#include "pipeline/types/frame.h"

namespace parallax {

// Makes both images smaller by a whole factor: a pixel is the median (factor 2 and 3; of an even number the
// lower of the two in the middle) or the rounded mean (4 to 8) of factor x factor pixels, each channel by
// itself. What is left over at the right and below is cut off. Rig, largest disparity and calibration follow;
// truth goes. factor 1: nothing is done. Throws InvalidArgument for other factors, Error for an image smaller
// than the factor.
void Decimate(int factor, StereoFrame& frame);

}  // namespace parallax
