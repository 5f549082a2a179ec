// Reduced images for more frames a second.
#pragma once

#include <memory>
#include <mutex>

#include "pipeline/types/frame.h"

namespace parallax {

// Masks of reduced pairs, made once for all frames of a rig. Thread-safe.
class ReducedMasks {
 public:
  // Masks of the reduced images: a pixel counts as seen if all pixels of its factor x factor block do.
  std::shared_ptr<const SeenPixelsOfPair> Of(const std::shared_ptr<const SeenPixelsOfPair>& seen, int factor);

 private:
  std::mutex mutex_;
  std::shared_ptr<const SeenPixelsOfPair> large_, small_;  // the last ones
};

// Reduces both images by a whole factor: a pixel is the median (factor 2 and 3; of an even number the lower
// of the two in the middle) or the rounded mean (4 to 8) of factor x factor pixels, for each channel.
// Incomplete blocks at the right and bottom are cut off. Rig, largest disparity and calibration are adapted;
// truth is removed. factor 1: nothing is done. masks: one object for all frames of a run. Throws
// InvalidArgument for other factors, Error for an image smaller than the factor.
void Decimate(int factor, StereoFrame& frame, ReducedMasks& masks);
inline void Decimate(int factor, StereoFrame& frame) {
  ReducedMasks masks;
  Decimate(factor, frame, masks);
}

}  // namespace parallax
