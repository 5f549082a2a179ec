// Winners of both images from the aggregated costs, a part of a row at a time while it is in the cache.
#pragma once

#include <cstdint>
#include <vector>

#include "pipeline/aligned_buffer.h"
#include "pipeline/cpu/striping.h"
#include "pipeline/disparity_map.h"
#include "pipeline/parameters.h"

namespace parallax::cpu {

// Constants of the selection of one matcher.
struct SelectionTables {
  SelectionTables(int width, const Striping& striping_);

  Striping striping;
  int width;
  std::vector<std::uint16_t> place_of;        // At16(d) of each d
  AlignedBuffer<std::uint16_t> disparity_of;  // d of each place, 0xFFFF where there is none
  PhasedRow right_row;                        // of the right image's lowest costs
};

// What one row's selection leaves; all arrays padded to whole vectors.
struct SelectedRow {
  std::uint16_t* winner;  // W: index d of the lowest cost
  std::uint16_t* lowest;  // its cost
  std::uint16_t* rival;   // lowest cost not beside it; 0xFFFF = none
  std::uint16_t* before;  // cost at d - 1 and d + 1; the winner's where there is none
  std::uint16_t* after;
  std::uint16_t* right_lowest;  // right_row.row_length(): lowest cost of each right pixel ...
  std::uint16_t* right_winner;  // ... and its index d; 0xFFFF = none
};

// Selects for the pixels x_begin .. x_end of a row, whose costs begin at sums (changed: the winner and its
// neighbours are struck out). Parts of a row come in the order of x; ties go to the lowest d in both images.
// sums: room for a multiple of 8 pixels.
void SelectPart(const SelectionTables& tables, int x_begin, int x_end, std::uint16_t* sums,
                const SelectedRow& row);

// Fills what the parts of a row compare with.
void ClearRow(const SelectionTables& tables, const SelectedRow& row);

// Disparity, validity and confidence of a finished row of W pixels.
void RefineRow(const SelectedRow& row, int width, int min_disparity, const SelectionParameters& parameters,
               float* disparity, std::uint8_t* validity, std::uint8_t* confidence);

// Index d of each right pixel's winner, 0xFFFF = none. W elements.
void RightWinners(const SelectionTables& tables, int min_disparity, const SelectedRow& row,
                  std::uint16_t* winner_right);

}  // namespace parallax::cpu
