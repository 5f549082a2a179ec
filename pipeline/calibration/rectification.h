// Rectification: two virtual cameras side by side, in whose images each point is on one row.
#pragma once

#include <string>

#include "parallax/rig.h"
#include "pipeline/calibration/raw_rig.h"

namespace parallax {

struct Rectification {
  Matrix3 rectified_from_left, rectified_from_right;  // rotations of the camera frames
  StereoRig rig;                                      // of the rectified pair
  int width_px = 0, height_px = 0;
  double overlap = 0;  // the part of the narrower camera's width, at infinity, that the other one also sees
};

// The rotation is shared by both cameras: z is the mean of their axes at right angles to the baseline, x runs
// along the baseline (Bouguet). Focal length and principal point are the same for both (doffs 0). At zoom 1
// the images are the largest within what both cameras saw of the plane at infinity, as far as their lens
// models reach (CameraProjection::ViewRay). There the focal length is at least half the cameras', scaled to
// the images' size, because a wide fisheye would be too small in the middle.
//
// Throws what CheckRawRig throws, and InvalidArgument for invalid sizes and zooms (0.1 to 10, or 0) and for
// rigs that cannot be rectified, with the reason: left and right exchanged, one camera above the other or
// rotated, one in front of the other (the epipole is in the image), or hardly a common part of the scene.
Rectification MakeRectification(const RawRig& rig, const RectificationOptions& options = {});

// The share of each camera's pixels that the rectified images show, 0 to 1.
struct KeptShare {
  double left = 0, right = 0;
};
KeptShare KeptShareOf(const RawRig& rig, const Rectification& rectification);

// Why a rig cannot be rectified, in one line; empty if it can.
std::string WhyNotRectifiable(const RawRig& rig);

}  // namespace parallax
