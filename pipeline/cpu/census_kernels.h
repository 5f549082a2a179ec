// Row kernels of the census transform.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pipeline/image.h"

namespace parallax::cpu {

// Bit i of a code: pixel[brighter[i]] > pixel[darker[i]].
struct CensusComparisons {
  int count = 0;
  std::ptrdiff_t brighter[64] = {}, darker[64] = {};
};

// Planes of a row: plane p at planes + p * plane_stride. Writes up to a vector past the width.
void CensusRow(const std::uint8_t* row, const CensusComparisons& comparisons, int plane_bits, int width,
               std::uint8_t* planes, std::ptrdiff_t plane_stride);
void CensusRow(const std::uint16_t* row, const CensusComparisons& comparisons, int plane_bits, int width,
               std::uint8_t* planes, std::ptrdiff_t plane_stride);
void GrayRow(const Rgb8* color, int width, std::uint8_t* gray);
void GuideRow(const std::uint16_t* gray, int width, std::uint8_t* guide);

}  // namespace parallax::cpu
