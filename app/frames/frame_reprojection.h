// Depth and cloud of a matched frame, for the writers and the recorder.
#pragma once

#include <optional>

#include "parallax/cloud.h"
#include "pipeline/cloud/reprojection.h"
#include "pipeline/frames/frame_pipeline.h"

namespace parallax::app {

// The matcher's, where it made them; otherwise computed here. The frame has a calibration and must outlive
// the result.
class FrameReprojection {
 public:
  FrameReprojection(const MatchedFrame& matched, bool with_cloud) {
    const std::optional<ReprojectedFrame>& made = matched.reprojected;
    const StereoFrame& frame = matched.frame;
    if (made) {
      depth_m_ = made->depth_m;
    } else {
      const HostImageView<const float> disparity = matched.map.disparity();
      own_depth_m_ = HostImage<float>(disparity.width, disparity.height);
      DepthFromDisparity(disparity, *frame.rig, matched.parameters.reprojection, own_depth_m_.View());
      depth_m_ = own_depth_m_.ConstView();
    }
    if (!with_cloud) return;
    if (made && made->cloud) {
      cloud_ = *made->cloud;
    } else {
      own_cloud_ = CloudFromDepth(depth_m_, ViewOf(frame.left), *frame.rig);
      cloud_ = own_cloud_;
    }
  }
  FrameReprojection(const FrameReprojection&) = delete;
  FrameReprojection& operator=(const FrameReprojection&) = delete;

  const HostImageView<const float>& depth_m() const { return depth_m_; }
  const PointCloudView& cloud() const { return cloud_; }

 private:
  HostImage<float> own_depth_m_;
  PointCloud own_cloud_;
  HostImageView<const float> depth_m_;
  PointCloudView cloud_;
};

}  // namespace parallax::app
