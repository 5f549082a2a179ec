// How rows of matches differ where the right camera is turned or magnifies.
#pragma once

#include <vector>

#include "calibrate/robust_fit.h"
#include "calibrate/row_offsets.h"
#include "parallax/rig.h"

namespace parallax {

// Rows of right points less those of left ones, divided by fx, as the cameras' difference explains them: a point at
// (x, y) of the image plane is moved by -(1 + y^2) a about x, x y b about y, x c about z (radians), and y s by
// another focal length (its ratio less 1). The unknowns are a, b, c, s. flows: of the left points to the next frame, px;
// with them a fifth unknown says by how many frames the right image is later; may be empty.
RobustFit FitRows(const std::vector<PointMatch>& matches, const StereoRig& rig,
                  const std::vector<Vector2>& flows = {});

// The same for turns that are not small: by repeated fits of right points that are turned back. a, b and c
// are the rotation vector of the right camera. kRows: a and c alone, which rows show well; b and s are 0.
enum class TurnParts { kAll, kRows };
RobustFit FitTurn(const std::vector<PointMatch>& matches, const StereoRig& rig, TurnParts parts);

}  // namespace parallax
