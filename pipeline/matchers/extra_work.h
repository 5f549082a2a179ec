// Work on a frame that a queue of matchers does in addition to matching, where it is faster at it than its caller.
#pragma once

#include <memory>
#include <optional>

#include "parallax/cloud.h"
#include "parallax/image.h"
#include "parallax/rig.h"
#include "pipeline/types/frame.h"

namespace parallax {

class Rectifier;  // pipeline/calibration/rectifier.h

// Depth, and the cloud, by the limits of the matcher's parameters.
struct WantedReprojection {
  StereoRig rig;  // of the rectified pair, with focal length and baseline
  bool cloud = false;
};

struct ExtraWork {
  // The images are raw: they are rectified with it first, and the disparities of pixels that no camera saw
  // are taken away (RemoveUnseen). Null: the images are rectified.
  std::shared_ptr<const Rectifier> rectifier{};
  std::optional<WantedReprojection> reprojection{};
  // While this is held, the images stay as they are, so that a queue that hands frames on need not copy them.
  // Null: they may go when the call returns.
  std::shared_ptr<const void> pixels{};
};

// What pipeline/cloud/reprojection.h makes of the frame's disparities, to the bit.
struct ReprojectedFrame {
  HostImageView<const float> depth_m;
  std::optional<PointCloudView> cloud;  // where it was wanted
  std::shared_ptr<const void> memory;   // in which both lie
};

struct ExtraResults {
  std::optional<RectifiedPair> rectified{};       // of raw images
  std::optional<ReprojectedFrame> reprojected{};  // where it was wanted and the queue has made it
};

}  // namespace parallax
