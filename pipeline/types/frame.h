// What a source delivers: a rectified pair, and what is known about it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "parallax/image.h"
#include "parallax/rig.h"

namespace parallax {

struct RawRig;            // pipeline/calibration/raw_rig.h
struct SeenPixelsOfPair;  // pipeline/calibration/rectifier.h

// True disparities of the left image and, where the data set has them, the masks its evaluation needs.
struct GroundTruth {
  HostImage<float> disparity;           // px, NaN = unknown; every pixel the data set knows ("occ"/"all")
  HostImage<std::uint8_t> nonoccluded;  // 255 = visible in both images, else not; empty = not told
  HostImage<std::uint8_t> objects;      // 0 = background, > 0 = foreground object; empty = not told
  bool only_nonoccluded = false;        // the source has no truth of occluded pixels: "all" cannot be scored
};

struct StereoFrame {
  std::string name;                   // the data set's own frame name, e.g. "000046_10"; file-name safe
  std::string origin;                 // what it was made of, as its source tells (FrameSource::NextOrigin)
  std::string note;                   // what its source has to say of it, one line; empty otherwise
  std::optional<double> timestamp_s;  // seconds, where the source has them
  CameraImage left, right;            // same size
  bool rectified = true;         // false: raw camera images, whose rows do not correspond; do not match them
  std::optional<StereoRig> rig;  // absent where the source has no calibration
  std::string rig_note;          // why there is no rig, one line; empty otherwise
  std::shared_ptr<const RawRig> raw_rig;  // of raw images: the cameras, from which they can be rectified
  std::shared_ptr<const SeenPixelsOfPair>
      seen;                          // of images rectified here: borders that no camera saw; or null
  std::optional<GroundTruth> truth;  // absent where the source has none (or was not asked for it)
  std::string truth_note;            // why there is no truth though it was asked for, one line
  // Largest true or possible disparity + 1 that the data set states (Middlebury's ndisp), if it does.
  std::optional<int> num_disparities_hint;
};

}  // namespace parallax
