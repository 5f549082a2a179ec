// How rows of matches differ where the right camera is turned or magnifies.
#pragma once

#include <vector>

#include "calibrate/robust_fit.h"
#include "calibrate/row_offsets.h"
#include "parallax/rig.h"

namespace parallax {

// Explains why the rows of matching points differ (right minus left, divided by fx) by a small turn of the
// right camera and another focal length. A point at (x, y) of the image plane is moved by -(1 + y^2) a by the
// turn about x, by x y b by that about y, by x c by that about z (a, b, c in radians), and by y s by the
// focal length, whose ratio is 1 + s. The unknowns are a, b, c, s. flows: px, of the left points to the next
// frame; may be empty. With flows, a fifth unknown says by how many frames the right image is later.
RobustFit FitRows(const std::vector<PointMatch>& matches, const StereoRig& rig,
                  const std::vector<Vector2>& flows = {});

// Which unknowns FitTurn finds. kRows: a and c alone, which rows show well; b and s are 0.
enum class TurnParts { kAll, kRows };
// Does the same for turns that are not small: it fits several times, each time to right points that are
// turned back by the turn found so far. a, b and c are the rotation vector of the right camera.
RobustFit FitTurn(const std::vector<PointMatch>& matches, const StereoRig& rig, TurnParts parts);

}  // namespace parallax
