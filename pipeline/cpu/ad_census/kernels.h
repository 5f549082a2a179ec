// Kernels of AD-Census: a vector holds the same pixel at successive disparities. A *block* is as many
// disparities as a vector has 16-bit lanes, and a volume is one image of vectors a block. Lanes past the last
// disparity hold anything, in sums of path costs 0xFFFF.
//
// What belongs to right pixels is mirrored, so that successive disparities meet successive elements: left
// pixel x meets at index d element W - 1 - x + min_disparity + d; kRightMargin elements on either side may be
// read.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pipeline/rules/ad_census_tables.h"
#include "pipeline/types/parameter_info.h"

namespace parallax::cpu::ad_census {

inline constexpr int kMaxLanes = 32;
inline constexpr int kRightMargin = 2 * kMaxLanes;

// Number of 16-bit lanes of a vector of the instruction set in use.
int NumLanes();

// --- matching cost ----------------------------------------------------------------
// A row of both images. num_channels: 1 for gray, whose differences count three times, else 3.
struct CostRow {
  int width, num_channels;
  const std::uint8_t* left[3];
  const std::uint8_t* right[3];  // mirrored
  const std::uint64_t* census_left;
  const std::uint64_t* census_right;  // mirrored
  int first_right;                    // element of left pixel 0's match at the block's first disparity
  ColorDifference difference;
  const AdCensusTables* tables;
};
// Computes the matching costs of a row for one block of disparities. costs: one vector for each pixel.
void MatchRow(const CostRow& row, std::uint16_t* costs);

// --- arms ---------------------------------------------------------------------------
// Rows are planes of colour with a margin of kColorMargin readable pixels.
inline constexpr int kColorMargin = kMaxArmSpan_px / 2 + 64;
struct ColorRow {
  const std::uint8_t* channel[3];
};
// Writes 1 for the pixels of two rows whose colours differ by less than the threshold, else 0.
void CompareRows(const ColorRow& a, const ColorRow& b, int num_channels, int width, int threshold,
                 std::uint8_t* below);
// Lengthens the arms of a row that still grow (alive 1) by the pixels of another row, or ends them. alive
// stays 1 if their colours differ from the centres' by less than the threshold and similar, the comparison
// with their predecessors, is 1.
void GrowRow(const ColorRow& center, const ColorRow& other, int num_channels, int width, int threshold,
             const std::uint8_t* similar, std::uint8_t* alive, std::uint8_t* length);

// --- aggregation over the crosses of the left image -----------------------------------
// A row or column of a block, and the left pixels' arms along it.
struct ArmLine {
  int length;
  const std::uint8_t* back;
  const std::uint8_t* ahead;
};
// Bytes of scratch for lines of that length.
std::size_t LineScratchBytes(int length);

// Sums the values along the arms. from, to: one vector for each pixel, not the same memory.
void SumLine(const ArmLine& line, const std::uint16_t* from, std::uint16_t* to, void* scratch);
// Writes the same sums divided by the sizes of the pixels' regions.
void MeanLine(const ArmLine& line, const std::uint16_t* from, const float* reciprocals, std::uint16_t* to,
              void* scratch);
// Copies the vectors of a line between a volume and separate memory.
void LoadLine(const std::uint16_t* volume, std::ptrdiff_t step, int length, std::uint16_t* line);
void StoreLine(const std::uint16_t* line, int length, std::ptrdiff_t step, std::uint16_t* volume);

// --- scanlines ------------------------------------------------------------------------
// A row of a volume of several blocks, whose vectors follow one another. Pointers belong to the first pixel at
// the first disparity; strides are elements from block to block.
struct PathRow {
  int width, num_blocks, num_disparities;
  const std::uint16_t* costs;
  std::ptrdiff_t cost_stride;
  const std::uint16_t* held;  // sums so far; may be `sums`
  std::ptrdiff_t held_stride;
  std::uint16_t* sums;
  std::ptrdiff_t sum_stride;
  // Steps of colour between a pixel and the one before it, 1 or 0. Those of the right image are mirrored; the
  // margins hold the values that count outside.
  const std::uint8_t *left_steps, *right_steps;
  int first_right;  // element of the first pixel's match at the first disparity
  const AdCensusTables* tables;
};
inline constexpr int kMaxRowsTogether = 2;  // the largest num_rows of WalkRows
// Writes to `sums` the path costs of both directions along num_rows rows, with one step of each row in turn.
// Does not use `held`. state: 4 (num_blocks + 2) vectors for each row.
void WalkRows(const PathRow* rows, int num_rows, std::uint16_t* state);

// The current state of paths along the columns: for a pixel num_blocks vectors of costs, with one before the
// first pixel's and one after every pixel's that hold 0xFFFF, and the lowest of the costs.
struct ColumnPaths {
  const std::uint16_t* before;  // null: the paths begin here
  std::uint16_t *after, *lowest;
};
// Moves columns begin .. end - 1 one row further and adds their costs to the held sums; streams: bypassing
// the caches. next_held: of the row after, prefetched; may be null.
void WalkColumns(const PathRow& row, int begin, int end, bool streams, const std::uint16_t* next_held,
                 const ColumnPaths& paths);

// --- selection ------------------------------------------------------------------------
struct Selection {
  std::uint16_t winner;
  std::uint16_t sum[3];  // of the disparity before the winner, the winner, and the one after; 0xFFFF: none
  std::uint32_t rival;   // lowest sum not adjacent to the winner; 0xFFFF: none
};
// Selects the disparity with the lowest sum for each pixel of a left row. scratch: num_blocks + 2 vectors.
void SelectRow(const std::uint16_t* sums, std::ptrdiff_t block_stride, int width, int num_blocks,
               int num_disparities, std::uint16_t* scratch, Selection* selected);
// Finds the winners of the right image's row from the left image's sums. winners: mirrored, 0xFFFF without
// a winner. lowest: their sums, laid out like winners.
void SelectRightRow(const std::uint16_t* sums, std::ptrdiff_t block_stride, int width, int num_blocks,
                    int first_right, std::uint16_t* lowest, std::uint16_t* winners);

}  // namespace parallax::cpu::ad_census
