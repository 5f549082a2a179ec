// Do left and right show a thing on the same row? Matches of a rectified pair, wherever they lie.
#pragma once

#include <vector>

#include "pipeline/calibration/vectors.h"
#include "pipeline/types/frame.h"

namespace parallax::app {

// A place in the left image and the same in the right one, to a fraction of a pixel.
struct PointMatch {
  Vector2 left, right;
};

// Robust matches of a pair whose rows differ by at most max_offset_px: features that choose each other, then
// moved to where the pictures agree, there and back. Both images of one size.
std::vector<PointMatch> MatchPoints(const CameraImageView& left, const CameraImageView& right,
                                    double max_offset_px);

// What the matches of some frames say of their rows.
struct RowOffsets {
  int num_matches = 0;
  double median_px = 0;           // right row - left row: the offset that all of the image has
  double median_absolute_px = 0;  // of single matches, their own noise included
  // Medians in a grid of 3 rows by 4 columns of the image; NaN where there are few matches.
  std::vector<double> grid_px;
  double largest_px = 0;  // of the grid
};
RowOffsets RowOffsetsOf(const std::vector<PointMatch>& matches, int width, int height);

}  // namespace parallax::app
