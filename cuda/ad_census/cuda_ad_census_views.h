// What AD-Census takes from the two images of a frame: colours, census codes, arms of the crosses, steps of
// colour.
// Launches kernels on the given stream and returns before they are done; allocates nothing, never waits,
// never uses the default stream. It computes what docs/matching.md says, to the bit.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "cuda/device/arena.h"
#include "cuda/device/device_image.h"
#include "cuda/sgm/pair_census.h"
#include "pipeline/types/parameter_info.h"

namespace parallax::cuda::ad_census {

// Words of a row of steps, a bit a pixel; bytes of a band of rows, a byte a pixel.
constexpr int StepWords(int width) { return (width + 31) / 32; }
inline constexpr int kStepBand = 8;
inline constexpr int kArmStep = 128;
// As if arms were as long as can be.
inline constexpr std::uint32_t kNoReach = 0xFFFFFFFF;
constexpr int PairedRow(int width) { return (width + 4) / 2 * 2; }
// Of the pair of pixels x - 1 and x; x anywhere.
constexpr std::ptrdiff_t PairAt(int x, int width, int height) {
  if (x < 0 || x > width) return 0;  // both are outside
  return x % 2 != 0 ? x + 1 : x + static_cast<std::ptrdiff_t>(PairedRow(width)) * height;
}
constexpr int StepBytes(int width) { return (width + 3) / 4 * 4; }
constexpr int NumStepBands(int height) { return (height + kStepBand - 1) / kStepBand; }

// Of one image, rows densely packed. Borrowed.
struct View {
  std::uint32_t* color = nullptr;               // r + 2^8 g + 2^16 b
  std::uint32_t* marked_color = nullptr;        // the same as views.cu wants it for the arms
  std::uint16_t* row_arms = nullptr;            // left + 2^8 right
  std::uint16_t* column_arms = nullptr;         // up + 2^8 down
  std::uint16_t* row_arms_by_column = nullptr;  // the left image's, height numbers a column
  // The same as the sums along arms want them: kArmStep times the arm back + 2^16 that ahead.
  std::uint32_t *row_reach = nullptr, *column_reach = nullptr;
  // The right image's column reach and row arms, for pairs of pixels beside each other, twice: pixel x of a
  // row is number x + 2 in the first copy's row and x + 1 in the second one's, so that in one of them any
  // pair can be loaded at once (PairAt). PairedRow numbers a row; kNoReach, all bits set, beyond the image.
  std::uint32_t* column_reach_pairs = nullptr;
  std::uint16_t* row_arm_pairs = nullptr;
  // Bit x of row y: 1 where a colour differs from the one to its left by the threshold or more; 0 where there
  // is none. StepWords words a row.
  std::uint32_t* row_steps = nullptr;
  // Byte x of band j, bit i: the same of row 8 j + i and the one above it (down), or below it (up). StepBytes
  // bytes a band, those past the row 0.
  std::uint32_t *down_steps = nullptr, *up_steps = nullptr;
};

// The device memory of the views of both images, with room for any image up to a size. Borrowed.
struct ViewMemory {
  View left, right;
  CensusMemory census;

  static ViewMemory Take(Arena& arena, const Parameters& parameters, int width, int height);
};

// Of a frame.
struct Views {
  View left, right;
  CensusImages census;
  DeviceImageView<const std::uint8_t> gray_left;
};

// All but steps. left, right: of one size and pixel type, rows densely packed.
Views MakeViews(const DeviceCameraImage& left, const DeviceCameraImage& right, const Parameters& parameters,
                const ViewMemory& memory, cudaStream_t stream);

// The steps of both views' colours.
void FindSteps(const Views& views, int width, int height, int threshold, cudaStream_t stream);

// The same image from right to left, into memory of its size.
DeviceCameraImage MirrorImage(const DeviceCameraImage& image, std::uint8_t* memory, cudaStream_t stream);

}  // namespace parallax::cuda::ad_census
