// Do left and right show a thing on the same row? Matches of a rectified pair, wherever they lie.
#pragma once

#include <cstddef>
#include <vector>

#include "pipeline/calibration/vectors.h"
#include "pipeline/types/frame.h"

namespace parallax {

// A place in the left image and the same in the right one, to a fraction of a pixel.
struct PointMatch {
  Vector2 left, right;
};

// How many features of each image are taken, and where their partners may lie.
struct PointSearch {
  int num_features = 3000;
  double max_row_px = 25;                             // by which rows may differ
  double min_disparity = -0.05, max_disparity = 0.4;  // of the images' width
};
struct PointMatches {
  std::vector<PointMatch> matches;
  int num_features = 0;  // of the image that has fewer
};
// Robust matches of a pair: features that choose each other, then moved to where the pictures agree, there and
// back. Both images of one size.
PointMatches MatchPoints(const CameraImageView& left, const CameraImageView& right,
                         const PointSearch& search = {});

// What the matches of some frames say of their rows.
struct RowOffsets {
  int num_matches = 0;
  double median_px = 0;           // right row - left row: the offset that all of the image has
  double median_absolute_px = 0;  // of single matches, their own noise included
  // Medians in a grid of 3 rows by 4 columns of the image. NaN if a cell has few matches, or if they do not agree:
  // half of them must lie near the median. Plants and fences, which look alike in many places, give such cells.
  std::vector<double> grid_px;
  double largest_px = 0;  // of the grid
};
RowOffsets RowOffsetsOf(const std::vector<PointMatch>& matches, int width, int height,
                        std::size_t fewest_in_cell = 30);

}  // namespace parallax
