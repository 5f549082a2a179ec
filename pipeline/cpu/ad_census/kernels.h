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

#include "pipeline/ad_census_tables.h"
#include "pipeline/parameters.h"

namespace parallax::cpu::ad_census {

inline constexpr int kMaxLanes = 32;
inline constexpr int kRightMargin = 2 * kMaxLanes;

// 16-bit lanes of a vector of the instruction set in use.
int NumLanes();

// --- matching cost ----------------------------------------------------------------
// A row of both images; channels: 1 for gray, whose differences count three times, else 3.
struct CostRow {
  int width, num_channels;
  const std::uint8_t* left[3];
  const std::uint8_t* right[3];  // mirrored
  const std::uint64_t* census_left;
  const std::uint64_t* census_right;  // mirrored
  int first_right;                    // element that left pixel 0 meets at the block's first disparity
  ColorDifference difference;
  const AdCensusTables* tables;
};
// costs: a vector a pixel.
void MatchRow(const CostRow& row, std::uint16_t* costs);

// --- arms ---------------------------------------------------------------------------
// Rows are planes of colour with a margin of kColorMargin readable pixels.
inline constexpr int kColorMargin = kMaxArmSpan_px / 2 + 64;
struct ColorRow {
  const std::uint8_t* channel[3];
};
// Whether the colours of two rows of pixels differ by less than the threshold: 1 or 0.
void CompareRows(const ColorRow& a, const ColorRow& b, int num_channels, int width, int threshold,
                 std::uint8_t* below);
// Lengthens the arms of a row that still grow (alive 1) by the pixels of another row, or ends them: alive
// stays 1 where their colours differ from the centres' by less than the threshold, and similar, the
// comparison with their predecessors, says 1.
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

// Sums of values along the arms; from, to: a vector a pixel, not the same.
void SumLine(const ArmLine& line, const std::uint16_t* from, std::uint16_t* to, void* scratch);
// The same, divided by the sizes of the pixels' regions.
void MeanLine(const ArmLine& line, const std::uint16_t* from, const float* reciprocals, std::uint16_t* to,
              void* scratch);
// Vectors of a line in a volume, to and from memory of its own.
void LoadLine(const std::uint16_t* volume, std::ptrdiff_t step, int length, std::uint16_t* line);
void StoreLine(const std::uint16_t* line, int length, std::ptrdiff_t step, std::uint16_t* volume);

// --- scanlines ------------------------------------------------------------------------
// What belongs to the right partners of a line of left pixels at a block's first disparity: of pixel i,
// elements from first + i * step on of the mirrored row at rows + i * row_step. The margins hold what counts
// outside.
struct Partners {
  const std::uint8_t* rows;
  std::ptrdiff_t row_step;
  int first, step;
  int width;
};

// One row or column of a volume of several blocks, walked from its first pixel on.
struct PathLine {
  int length, num_blocks, num_disparities;
  std::ptrdiff_t step, block_stride;  // elements from one pixel, one block to the next
  const std::uint16_t* costs;         // of the first pixel
  std::uint16_t* sums;
  // Null: sums are added to. Else both ways of a line hold here, all blocks of a pixel together, held_step
  // elements from the next one's, what they leave for the other one on their first num_held pixels; sums are
  // written on the rest, whatever they were.
  std::uint16_t* held;
  std::ptrdiff_t held_step;
  int num_held;
  // Steps of colour from the predecessor, 1 or 0: of the left pixels, left_step apart, and of the right
  // partners.
  const std::uint8_t* left_steps;
  std::ptrdiff_t left_step;
  Partners right_steps;
  const AdCensusTables* tables;
};
// Lines of one length and one number of disparities, which take turns. state: 2 (num_blocks + 2) vectors
// each.
inline constexpr int kMaxLinesTogether = 8;
void WalkLines(const PathLine* lines, int num_lines, std::uint16_t* state);

// --- selection ------------------------------------------------------------------------
struct Selection {
  std::uint16_t winner;
  std::uint16_t sum[3];  // of the disparity before the winner, the winner, the one after; 0xFFFF: none
  std::uint32_t rival;   // lowest sum that is not beside the winner; 0xFFFF: none
};
// scratch: (num_blocks + 2) vectors.
void SelectRow(const std::uint16_t* sums, std::ptrdiff_t block_stride, int width, int num_blocks,
               int num_disparities, std::uint16_t* scratch, Selection* selected);
// Winners of the right image's row over the left image's sums, mirrored; 0xFFFF where there is none.
// lowest: like winners.
void SelectRightRow(const std::uint16_t* sums, std::ptrdiff_t block_stride, int width, int num_blocks,
                    int first_right, std::uint16_t* lowest, std::uint16_t* winners);

}  // namespace parallax::cpu::ad_census
