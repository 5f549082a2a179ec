// A source's frame: a rectified pair, and its metadata.
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
  HostImage<std::uint8_t> nonoccluded;  // 255 = visible in both images, else not; empty = unknown
  HostImage<std::uint8_t> objects;      // 0 = background, > 0 = foreground object; empty = unknown
  bool only_nonoccluded = false;        // the source has no truth for occluded pixels: "all" cannot be scored
};

struct StereoFrame {
  std::string name;                      // the data set's own frame name, e.g. "000046_10"; file-name safe
  std::string origin;                    // its input, as its source states it (FrameSource::NextOrigin)
  std::string note;                      // a note of its source, one line; empty otherwise
  std::optional<double> timestamp_s;     // seconds, if the source has them
  std::optional<std::int64_t> stamp_ns;  // the same time exactly, as the source states it
  std::string frame_id;          // the left camera's frame as ROS names it; empty = the source states none
  CameraImage left, right;       // same size
  bool rectified = true;         // false: raw camera images, whose rows do not match; must not be matched
  std::optional<StereoRig> rig;  // absent where the source has no calibration
  std::string
      rig_note;  // why there is no rig, one line; empty with a rig, and for sources that never have one
  std::shared_ptr<const RawRig> raw_rig;  // of raw images: the cameras, for rectification
  std::shared_ptr<const SeenPixelsOfPair>
      seen;                          // of images rectified here: the pixels that the cameras saw; else null
  std::optional<GroundTruth> truth;  // absent if the source has none (or none was requested)
  std::string truth_note;            // why there is no truth although it was requested, one line
  // Largest true or possible disparity + 1, if the data set states it (Middlebury's ndisp).
  std::optional<int> num_disparities_hint;
};

}  // namespace parallax
