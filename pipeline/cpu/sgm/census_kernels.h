// Row kernels of the census transform and of the gradients.
#pragma once

#include <cstddef>
#include <cstdint>

#include "parallax/image.h"

namespace parallax::cpu {

// Bit first_bit + i of a code: pixel[brighter[i]] > pixel[darker[i]].
struct CensusComparisons {
  int first_bit = 0, count = 0;
  std::ptrdiff_t brighter[64] = {}, darker[64] = {};
};

// Planes of a row: plane p at planes + p * plane_stride. Writes up to a vector past the width. A plane that
// begins before first_bit already exists and gets the bits from there.
void CensusRow(const std::uint8_t* row, const CensusComparisons& comparisons, int plane_bits, int width,
               std::uint8_t* planes, std::ptrdiff_t plane_stride);
void CensusRow(const std::uint16_t* row, const CensusComparisons& comparisons, int plane_bits, int width,
               std::uint8_t* planes, std::ptrdiff_t plane_stride);

// Write the 3x3 binomial sums of a row: unscaled (at most 4080) for 8-bit images, divided by 16 for 16-bit
// ones.
void SmoothRow(const std::uint8_t* row, std::ptrdiff_t stride, int width, std::uint16_t* to);
void SmoothRow(const std::uint16_t* row, std::ptrdiff_t stride, int width, std::uint16_t* to);
// Writes three planes: the gradient of each pixel, and the lowest and the highest gradient from half a pixel
// before it to half a pixel after it. Uses scratch[-1] .. scratch[width].
void GradientRow(const std::uint8_t* row, std::ptrdiff_t stride, int width, std::uint8_t* scratch,
                 std::uint8_t* planes, std::ptrdiff_t plane_stride);

// Used for the left image: puts the planes of each pixel of a row side by side.
void InterleavePlanes(const std::uint8_t* planes, std::ptrdiff_t plane_stride, int num_planes, int width,
                      std::uint8_t* to);
// Used for the right image: moves the values of pixels x_begin .. x_end in one plane to their places. Pixel x
// goes to phase (x + first_place) % stripes, later ones further to the front (see PhasedRow); last: index of
// place 0.
void DealPlane(const std::uint8_t* plane, int x_begin, int x_end, int first_place, int stripes,
               std::ptrdiff_t phase_stride, int last, std::uint8_t* to);

void GrayRow(const Rgb8* color, int width, std::uint8_t* gray);
void GuideRow(const std::uint16_t* gray, int width, std::uint8_t* guide);

}  // namespace parallax::cpu
