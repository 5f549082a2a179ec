// Whether left and right show things on the same row: matches of a rectified pair, anywhere in the image.
#pragma once

#include <cstddef>
#include <vector>

#include "pipeline/calibration/vectors.h"
#include "pipeline/types/frame.h"

namespace parallax {

// A place in the left image and its match in the right one, to a fraction of a pixel.
struct PointMatch {
  Vector2 left, right;
};

// The number of features in each image, and the range of their matches.
struct PointSearch {
  int num_features = 3000;
  double max_row_px = 25;                             // by which rows may differ
  double min_disparity = -0.05, max_disparity = 0.4;  // of the images' width
};
struct PointMatches {
  std::vector<PointMatch> matches;
  int num_features = 0;  // of the image that has fewer
};
// Robust matches of a pair: features that choose each other, then refined to where the pictures agree in both
// directions. Both images of one size.
PointMatches MatchPoints(const CameraImageView& left, const CameraImageView& right,
                         const PointSearch& search = {});

// What the matches of some frames show about their rows.
struct RowOffsets {
  int num_matches = 0;
  double median_px = 0;           // right row - left row: the median over the image
  double median_absolute_px = 0;  // of single matches, including their own noise
  // Medians in a grid of 3 rows by 4 columns of the image. NaN for a cell with few matches, or with matches
  // that do not agree: half of them must lie near the median. Plants and fences, which look alike in many
  // places, cause such cells.
  std::vector<double> grid_px;
  double largest_px = 0;  // of the grid
};
RowOffsets RowOffsetsOf(const std::vector<PointMatch>& matches, int width, int height,
                        std::size_t fewest_in_cell = 30);

}  // namespace parallax
