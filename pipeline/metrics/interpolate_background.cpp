#include "pipeline/metrics/interpolate_background.h"

#include <algorithm>
#include <cmath>

namespace parallax {
namespace {

// Fills a row's gaps, and its ends with the nearest value.
void FillRow(float* row, int width) {
  int last_valid = -1;  // column of the last value seen
  for (int x = 0; x < width; ++x) {
    if (std::isnan(row[x])) continue;
    const float gap_value = last_valid < 0 ? row[x] : std::min(row[last_valid], row[x]);
    std::fill(row + last_valid + 1, row + x, gap_value);
    last_valid = x;
  }
  if (last_valid >= 0) std::fill(row + last_valid + 1, row + width, row[last_valid]);
}

// Fills a column's ends with its first and last value. After FillRow a row has all values or none, but a gap
// between rows is left to the devkit's rule: only ends are filled.
void FillColumnEnds(HostImageView<float> map, int x) {
  int first = 0, last = map.height - 1;
  while (first < map.height && std::isnan(map(x, first))) ++first;
  if (first == map.height) return;
  while (std::isnan(map(x, last))) --last;
  for (int y = 0; y < first; ++y) map(x, y) = map(x, first);
  for (int y = last + 1; y < map.height; ++y) map(x, y) = map(x, last);
}

}  // namespace

HostImage<float> InterpolateBackground(HostImageView<const float> disparity) {
  HostImage<float> filled(disparity.width, disparity.height);
  for (int y = 0; y < disparity.height; ++y) {
    std::copy_n(disparity.Row(y), disparity.width, filled.Row(y));
    FillRow(filled.Row(y), disparity.width);
  }
  for (int x = 0; x < disparity.width; ++x) FillColumnEnds(filled.View(), x);
  return filled;
}

}  // namespace parallax
