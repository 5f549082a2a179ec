// The small rotation of the right camera that the rows of matches show, and a rig corrected by it.
#pragma once

#include <vector>

#include "calibrate/row_offsets.h"
#include "pipeline/calibration/rectification.h"

namespace parallax {

// The small rotation of the right camera, in the rectified frame, that makes rows agree best: radians about x
// (rows shift as a whole) and z (rows tilt). A rotation about y shifts disparities but hardly rows, and
// errors of the lens look like it; it is not estimated.
struct RightTurn {
  Vector3 turn;
  double before_px = 0, after_px = 0;  // median difference of rows without and with the turn
};
// matches: in pixels of the rectified pair; rig: that pair's. Throws Error for fewer than 50 matches.
RightTurn TurnOf(const std::vector<PointMatch>& matches, const StereoRig& rig);

// The raw rig with its right camera rotated accordingly; the baseline keeps its length and its direction in
// the left camera.
RawRig WithTurn(const RawRig& raw, const RightTurn& turn);

}  // namespace parallax
