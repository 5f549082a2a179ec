// Images as a camera takes them that was turned since its calibration.
#pragma once

#include <algorithm>
#include <opencv2/imgproc.hpp>

#include "calibrate/gray_mat.h"
#include "parallax/image.h"
#include "parallax/rig.h"
#include "pipeline/calibration/vectors.h"

namespace parallax::test {

// The right image of that rig, of a camera turned by `turn`, a rotation vector: points p of the camera's frame
// become R p.
inline HostImage<std::uint8_t> Turned(const HostImage<std::uint8_t>& image, const StereoRig& rig,
                                      const Vector3& turn) {
  const cv::Mat from = GrayMat(image.ConstView());
  const Matrix3 r = RotationOf(turn);
  const double cx = rig.cx_px + rig.doffs_px;
  const cv::Matx33d k(rig.fx_px, 0, cx, 0, rig.fx_px, rig.cy_px, 0, 0, 1);
  const cv::Matx33d rotation(r.m.data());
  cv::Mat to;
  cv::warpPerspective(from, to, k * rotation * k.inv(), from.size(), cv::INTER_CUBIC, cv::BORDER_REFLECT);
  HostImage<std::uint8_t> result(image.width(), image.height());
  for (int y = 0; y < to.rows; ++y) std::copy_n(to.ptr(y), to.cols, &result(0, y));
  return result;
}

}  // namespace parallax::test
