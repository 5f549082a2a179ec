// Kernels of AD-Census for slices. A slice is all costs at one disparity; a *line* is a row or a column of
// it, and a vector holds successive pixels of a line. kLineSlack elements after a line's end may be read and,
// in what is written, overwritten; their content has no meaning.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "pipeline/rules/ad_census_tables.h"
#include "pipeline/types/parameter_info.h"

namespace parallax::cpu::ad_census {

inline constexpr int kLineSlack = 64;

// The tables of costs in parts that two vectors hold.
struct CostTables {
  explicit CostTables(const AdCensusTables& tables);

  static constexpr int kPart = 64;
  // All elements after `last` equal it.
  template <std::size_t kSize>
  struct Table {
    std::uint16_t last;
    alignas(64) std::array<std::uint16_t, kSize> values;
  };
  Table<12 * kPart> color;
  Table<4 * kPart> gray;  // every third of color's
  Table<2 * kPart> census;
  std::uint16_t outside_cost;
};

// A row of a slice.
struct SliceCostRow {
  int width, num_channels;
  int begin, end;  // pixels whose partners are inside the right image
  const std::uint8_t* left[3];
  const std::uint8_t* right[3];  // element x belongs to the partner of left pixel x
  const std::uint64_t* census_left;
  const std::uint64_t* census_right;
  // Prefetched: elements x .. x + 7 for every vector of pixels from x.
  const std::uint64_t *next_left, *next_right;
  ColorDifference difference;
  const CostTables* tables;
};
void MatchSliceRow(const SliceCostRow& row, std::uint16_t* costs);

// Arms of the pixels of a line, along it or across it.
struct LineArms {
  const std::uint8_t* back;
  const std::uint8_t* ahead;
};
// A line: counts the shorter arms of a left pixel and its partner. Pixels outside begin .. end - 1 have no
// partner inside the right image; there the left arms count.
struct SliceLine {
  int length, begin, end;
  LineArms left, right;  // along the line; element i of right belongs to the partner of pixel i
  LineArms left_across, right_across;
};
// Bytes of scratch, aligned to a vector, for lines of that length.
std::size_t SliceScratchBytes(int length);
// Sums the values along the arms; the sums fit in 16 bits.
void SumLine(const SliceLine& line, const std::uint16_t* from, std::uint16_t* to, void* scratch);

struct AverageOptions {
  bool find_sizes;                                // of the regions, if they are not known yet
  bool sum_means;                                 // along the arms, again
  const std::uint16_t *next_values, *next_sizes;  // wanted next
};
// Averages over the regions of a line: adds up `from`, the sums across the line, along the arms and divides
// by the sizes.
void AverageLine(const SliceLine& line, AverageOptions options, const std::uint16_t* from,
                 std::uint16_t* sizes, std::uint16_t* to, void* scratch);

// Turns as many adjacent lines as a vector has lanes into vectors: to + x * to_stride gets element x of every
// line. The number of elements is rounded up to a multiple of 8. next: null, or lines to prefetch.
void TransposeLines(const std::uint16_t* from, std::ptrdiff_t from_stride, int length, std::uint16_t* to,
                    std::ptrdiff_t to_stride, const std::uint16_t* next = nullptr);

// Copies whole vectors to aligned memory, bypassing the caches.
void StreamLine(const std::uint16_t* from, int length, std::uint16_t* to);

}  // namespace parallax::cpu::ad_census
