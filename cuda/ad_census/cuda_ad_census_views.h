// What AD-Census derives from the two images of a frame: colours, census codes, arms of the crosses, steps of
// colour. Launches kernels on the given stream and returns before they are done; allocates nothing, never
// waits, never uses the default stream. It computes what docs/matching.md says, to the bit.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "cuda/device/arena.h"
#include "cuda/device/device_image.h"
#include "cuda/sgm/pair_census.h"
#include "pipeline/types/parameter_info.h"

namespace parallax::cuda::ad_census {

// Sizes of the images in View below: StepWords of row_steps, StepBytes of down_steps and up_steps.
constexpr int StepWords(int width) { return (width + 31) / 32; }
inline constexpr int kStepBand = 8;  // rows of a band, one bit of a byte for each
// The arms of pixels outside the image: all bits set, so they shorten no other arms.
inline constexpr std::uint16_t kNoArms = 0xFFFF;
constexpr int PairedRow(int width) { return (width + 4) / 2 * 2; }
// The place of the pair of pixels x - 1 and x; x may be outside.
constexpr std::ptrdiff_t PairAt(int x, int width, int height) {
  if (x < 0 || x > width) return 0;  // both are outside
  return x % 2 != 0 ? x + 1 : x + static_cast<std::ptrdiff_t>(PairedRow(width)) * height;
}
constexpr int StepBytes(int width) { return (width + 3) / 4 * 4; }
constexpr int NumStepBands(int height) { return (height + kStepBand - 1) / kStepBand; }

// The data of one image, rows densely packed. Borrowed.
struct View {
  std::uint32_t* color = nullptr;               // r + 2^8 g + 2^16 b
  std::uint32_t* marked_color = nullptr;        // the same in the form that the growth of arms needs
  std::uint16_t* row_arms = nullptr;            // left + 2^8 right
  std::uint16_t* column_arms = nullptr;         // up + 2^8 down
  std::uint16_t* row_arms_by_column = nullptr;  // the left image's, `height` numbers for each column
  // The right image's arms, stored twice, so that any pair of adjacent pixels is one load (PairAt): pixel x is
  // value x + 2 of a row in the first copy and value x + 1 in the second. A row has PairedRow values; those
  // outside the image are kNoArms.
  std::uint16_t *row_arm_pairs = nullptr, *column_arm_pairs = nullptr;
  // Bit x of row y: 1 if a colour differs from the one to its left by the threshold or more; 0 where there is
  // none. A row has StepWords words.
  std::uint32_t* row_steps = nullptr;
  // Byte x of band j, bit i: the same for row 8 j + i and the one above it (down), or below it (up). A band
  // has StepBytes bytes; those past the row are 0.
  std::uint32_t *down_steps = nullptr, *up_steps = nullptr;
};

// The device memory of the views of both images, with room for any image up to a size. Borrowed.
struct ViewMemory {
  View left, right;
  CensusMemory census;

  static ViewMemory Take(Arena& arena, const Parameters& parameters, int width, int height);
};

// The views of a frame's images.
struct Views {
  View left, right;
  CensusImages census;
  DeviceImageView<const std::uint8_t> gray_left;
};

// Makes all of a frame's views but the steps. left, right: of one size and pixel type, rows densely packed.
Views MakeViews(const DeviceCameraImage& left, const DeviceCameraImage& right, const Parameters& parameters,
                const ViewMemory& memory, cudaStream_t stream);

// Finds the steps of both images' colours.
void FindSteps(const Views& views, int width, int height, int threshold, cudaStream_t stream);

// Mirrors the image from right to left, into memory of its size.
DeviceCameraImage MirrorImage(const DeviceCameraImage& image, std::uint8_t* memory, cudaStream_t stream);

}  // namespace parallax::cuda::ad_census
