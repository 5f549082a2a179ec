// Depth and cloud of a matched frame, for the writers and the recorder.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "parallax/cloud.h"
#include "parallax/disparity_map.h"
#include "pipeline/cloud/reprojection.h"
#include "pipeline/frames/frame_pipeline.h"

namespace parallax::app {

// The depth map and the cloud of a matched frame: the matcher's if it made them, otherwise computed here. The
// frame must have a calibration and must outlive this object. with_filled: filled pixels become points, too;
// they have a depth either way.
class FrameReprojection {
 public:
  FrameReprojection(const MatchedFrame& matched, bool with_cloud, bool with_filled) {
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
    points_m_ = depth_m_;
    if (!with_filled) {
      measured_m_ = Measured(depth_m_, matched.map.validity());
      points_m_ = measured_m_.ConstView();
    }
    if (made && made->cloud && with_filled) {
      cloud_ = *made->cloud;
    } else {
      own_cloud_ = made && made->cloud ? PointsLeft(*made->cloud, depth_m_, points_m_)
                                       : CloudFromDepth(points_m_, ViewOf(frame.left), *frame.rig);
      cloud_ = own_cloud_;
    }
  }
  FrameReprojection(const FrameReprojection&) = delete;
  FrameReprojection& operator=(const FrameReprojection&) = delete;

  const HostImageView<const float>& depth_m() const { return depth_m_; }
  const PointCloudView& cloud() const { return cloud_; }
  // The depth of the pixels that are points, NaN of the others.
  const HostImageView<const float>& points_m() const { return points_m_; }

 private:
  static HostImage<float> Measured(HostImageView<const float> depth_m,
                                   HostImageView<const std::uint8_t> validity) {
    HostImage<float> measured(depth_m.width, depth_m.height);
    for (int y = 0; y < depth_m.height; ++y) {
      for (int x = 0; x < depth_m.width; ++x) {
        measured(x, y) =
            (validity(x, y) & kFilled) != 0 ? std::numeric_limits<float>::quiet_NaN() : depth_m(x, y);
      }
    }
    return measured;
  }

  // cloud: has a point for every pixel of `all`. Returns the points whose pixels also have a value in `left`.
  static PointCloud PointsLeft(const PointCloudView& cloud, HostImageView<const float> all,
                               HostImageView<const float> left) {
    PointCloud points;
    std::size_t i = 0;
    for (int y = 0; y < all.height; ++y) {
      for (int x = 0; x < all.width; ++x) {
        if (!std::isnan(left(x, y))) {
          points.points.push_back(cloud.points[i]);
          points.colors.push_back(cloud.colors[i]);
        }
        i += std::isnan(all(x, y)) ? 0 : 1;
      }
    }
    return points;
  }

  HostImage<float> own_depth_m_, measured_m_;
  PointCloud own_cloud_;
  HostImageView<const float> depth_m_, points_m_;
  PointCloudView cloud_;
};

}  // namespace parallax::app
