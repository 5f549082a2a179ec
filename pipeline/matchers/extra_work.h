// Work on a frame that a queue of matchers does in addition to matching, if it is faster than its caller.
#pragma once

#include <memory>
#include <optional>

#include "parallax/cloud.h"
#include "parallax/image.h"
#include "parallax/rig.h"
#include "pipeline/types/frame.h"

namespace parallax {

class Rectifier;  // pipeline/calibration/rectifier.h

// Depth and the cloud, within the limits of the matcher's parameters.
struct WantedReprojection {
  StereoRig rig;  // of the rectified pair, with focal length and baseline
  bool cloud = false;
};

struct ExtraWork {
  // Rectifies raw images first, and removes the disparities of pixels that no camera saw (RemoveUnseen).
  // Null: the images are rectified.
  std::shared_ptr<const Rectifier> rectifier{};
  std::optional<WantedReprojection> reprojection{};
  // While this is held, the images do not change, so a queue that passes frames on need not copy them. Null:
  // they may be gone when the call returns.
  std::shared_ptr<const void> pixels{};
};

// The depth and cloud of pipeline/cloud/reprojection.h for the frame's disparities, to the bit.
struct ReprojectedFrame {
  HostImageView<const float> depth_m;
  std::optional<PointCloudView> cloud;  // if requested
  std::shared_ptr<const void> memory;   // the memory of both
};

struct ExtraResults {
  std::optional<RectifiedPair> rectified{};       // of raw images
  std::optional<ReprojectedFrame> reprojected{};  // if requested and computed by the queue
};

}  // namespace parallax
