// Winners of both images from the aggregated costs, one part of a row at a time while it is in the cache.
#pragma once

#include <cstdint>
#include <vector>

#include "parallax/disparity_map.h"
#include "parallax/image.h"
#include "pipeline/cpu/filters/consistency.h"
#include "pipeline/cpu/sgm/striping.h"
#include "pipeline/cpu/sgm/sweep.h"
#include "pipeline/types/parameter_info.h"

namespace parallax::cpu {

// What the selection gets for each cell; 0xFFFF = none.
enum class Selected {
  kCosts,
  kSmallCosts,  // below 2^kSmallCostBits
  kKeys,        // see GivesKeys
};
inline constexpr int kSmallCostBits = 11;
constexpr Selected SelectedOf(PathCosts costs, int num_paths, int num_disparities) {
  if (GivesKeys(costs, num_paths, num_disparities)) return Selected::kKeys;
  // Eight path costs of at most 255.
  return costs == PathCosts::kWide16 ? Selected::kCosts : Selected::kSmallCosts;
}

// Constants of the selection of one matcher.
struct SelectionTables {
  SelectionTables(const Striping& striping_, Selected selected_);
  bool use_keys() const { return selected == Selected::kKeys; }

  Striping striping;
  Selected selected;
  std::vector<std::uint16_t> place_of;        // At16(d) of d at d + 1; the first and last are there twice
  AlignedBuffer<std::uint16_t> disparity_of;  // d of each place, 0xFFFF if there is none
  AlignedBuffer<std::uint16_t> doubled_disparity;  // 2 d of each place, 0 if there is none
};

// The selection's result for one row, costs or keys. The arrays of W elements are padded by 64.
struct SelectedRow {
  std::uint16_t* winner;  // W: index d of the lowest cost
  std::uint16_t* lowest;  // its cost
  std::uint16_t* rival;   // lowest cost not adjacent to it; 0xFFFF = none
  std::uint32_t* beside;  // cost at d - 1 and, from bit 16, at d + 1; undefined unless it has both
  // Index d (or key) of the right image's winners, 0xFFFF = none: of right pixel i - min_disparity - Padded()
  // + 1 at i, for i from -1 to W + Padded().
  std::uint16_t* right_winner;
  // Lowest cost so far, and its d, of the right pixels that the current left pixel can meet, in the order of
  // its costs; or its key.
  std::uint16_t* right_state;  // 2 * Padded()
};

// Called before the first part of a row.
void BeginRow(const SelectionTables& tables, const SelectedRow& row);

// Selects for the pixels x_begin .. x_end of a row, whose costs begin at sums (changed: the winner and its
// neighbours are removed). Parts of a row come in the order of x; ties go to the lowest d in both images.
// sums: room for a multiple of 8 pixels.
void SelectPart(const SelectionTables& tables, int x_begin, int x_end, std::uint16_t* sums,
                const SelectedRow& row);

// Called after the last part of a row of W pixels: right_winner is then complete.
void FinishRow(const SelectionTables& tables, int width, const SelectedRow& row);

// Winners of the right image from a finished row; by index d, 0xFFFF = none. W elements.
RightWinners RightWinnersOf(const SelectionTables& tables, const SelectedRow& row);
void CopyRightRow(const SelectionTables& tables, int width, int min_disparity, const SelectedRow& row,
                  std::uint16_t* winner_right);

// Writes disparity, validity and confidence of a finished row of W pixels.
void RefineRow(const SelectionTables& tables, const SelectedRow& row, int width, int min_disparity,
               const SelectionParameters& parameters, float* disparity, std::uint8_t* validity,
               std::uint8_t* confidence);

}  // namespace parallax::cpu
