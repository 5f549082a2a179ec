// What the element does with a pair of images: matching, and the result in the form that goes out. Knows
// nothing of GStreamer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "pipeline/frame.h"
#include "pipeline/matcher.h"
#include "pipeline/parameters.h"
#include "pipeline/rig.h"

namespace parallax::gstreamer {

enum class Output { kDisparity, kDepth, kColor };

// As the element's properties have them.
struct Settings {
  std::string preset = "default";
  std::string parameters;  // "key=value,key=value"
  std::string backend = "auto";
  int threads = 0;
  int device = 0;
  Output output = Output::kDisparity;
  StereoRig rig;         // of depth: fx, baseline, doffs; 0 = not told
  double color_max = 0;  // px, the lightest colour; 0 = the largest disparity searched
};

class FrameMatching {
 public:
  // width, height: px, of each image. Throws InvalidArgument and Error as MakeMatcher and
  // LoadChosenParameters, and for depth without a rig.
  FrameMatching(const Settings& settings, int width, int height);

  // to: rows stride_bytes apart. Disparity: 16 bits, px * 256, 0 = none (KITTI's form). Depth: 16 bits, mm,
  // 0 = none or beyond 65.535 m. Color: 8-bit RGB, black = none.
  void Match(const CameraImageView& left, const CameraImageView& right, std::uint8_t* to,
             std::ptrdiff_t stride_bytes);

  std::string_view backend() const { return matcher_->backend(); }

 private:
  Settings settings_;
  Parameters parameters_;
  std::unique_ptr<StereoMatcher> matcher_;
  DisparityMap map_;
  HostImage<float> depth_;
};

}  // namespace parallax::gstreamer
