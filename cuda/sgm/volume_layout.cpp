#include "cuda/sgm/volume_layout.h"

#include <algorithm>

namespace parallax::cuda {

VolumeLayout MakeVolumeLayout(const Parameters& parameters, const MatchingTables& tables, int width,
                              int height, const CudaTuning& tuning) {
  VolumeLayout layout;
  layout.width = width;
  layout.height = height;
  layout.num_disparities = parameters.matching_cost.num_disparities;
  layout.min_disparity = parameters.matching_cost.min_disparity;
  layout.shared_bytes = tuning.shared_bytes;
  layout.values_per_lane = 2;
  while (layout.padded() < layout.num_disparities) layout.values_per_lane *= 2;
  if (layout.values_per_lane == 8 && layout.num_disparities <= 24 * 8) layout.lanes = 24;
  layout.num_volumes = tables.num_paths / 2;
  layout.pairs_rows = NumPairs(height) * layout.values_per_lane >= tuning.pairs_rows_from;
  // D even: a word of 8-bit sums holds two disparities, and only the last one's carry is lost (AddUp).
  const int largest_p2 = std::max(tables.largest_p2, tables.largest_p2_vertical);
  const int largest_path_cost = tables.largest_cost + largest_p2;
  layout.bytes_per_sum = 2 * largest_path_cost <= 255 && layout.num_disparities % 2 == 0 ? 1 : 2;
  layout.padding_cost = layout.bytes_per_sum == 1 ? largest_path_cost : 0;
  layout.leaves_costs_out = layout.bytes_per_sum == 2 && 2 * largest_p2 <= 255 && largest_path_cost <= 255 &&
                            layout.padded() == layout.num_disparities;
  if (layout.leaves_costs_out) layout.bytes_per_sum = 1;
  // Blocks that begin first are spread evenly over the multiprocessors. With 8 paths columns and diagonals
  // take longest; they begin first where enough registers remain for rows (8-bit sums).
  const bool is_plain = !layout.leaves_costs_out && !IsAdaptive(tables) && !HasOwnColumns(tables);
  layout.columns_first = layout.num_volumes == 4 && layout.bytes_per_sum == 1 &&
                         (layout.values_per_lane <= 4 || (layout.pairs_rows && is_plain));
  return layout;
}

}  // namespace parallax::cuda
