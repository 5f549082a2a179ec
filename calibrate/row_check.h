// The small turn of the right camera that rows of matches tell of, and a rig that is mended by it.
#pragma once

#include <vector>

#include "calibrate/row_offsets.h"
#include "pipeline/calibration/rectification.h"

namespace parallax {

// The small turn of the right camera, in the rectified frame, that makes rows agree best: radians about x
// (rows shift as a whole) and z (rows tilt). A turn about y shifts disparities and hardly rows; errors of the
// lens look like it, so it is not asked for.
struct RightTurn {
  Vector3 turn;
  double before_px = 0, after_px = 0;  // by which rows differ: the median
};
// rig: of the rectified pair in whose pixels the matches are. Throws Error where there are fewer than 50.
RightTurn TurnOf(const std::vector<PointMatch>& matches, const StereoRig& rig);

// The raw rig with its right camera turned so; the baseline keeps its length and its place in the left
// camera.
RawRig WithTurn(const RawRig& raw, const RightTurn& turn);

}  // namespace parallax
