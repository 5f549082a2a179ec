// Images as another camera sees them: positions are computed once, and the rest is integer arithmetic, so
// every back end gives the same bits.
#pragma once

#include <cstdint>
#include <vector>

#include "parallax/image.h"
#include "parallax/rig.h"
#include "pipeline/calibration/camera_model.h"
#include "pipeline/calibration/rectification_math.h"
#include "pipeline/simd/remap_kernels.h"
#include "pipeline/threads/parallel.h"

namespace parallax {

// The place in the old image of every pixel of the new one, in 1/128 px, rounded to the nearest; x = -1 if
// the old image does not show it. The 2x2 old pixels that a new one mixes are always inside: positions on the
// last column or row are moved 1/128 px back.
struct RemapTable {
  HostImage<std::int32_t> x, y;
  int source_width_px = 0, source_height_px = 0;
  // The same in whole blocks of eight pixels, row by row, which is faster. Empty if more than an eighth of
  // the blocks cannot have this form.
  std::vector<cpu::RemapBlock> blocks{};

  int width() const { return x.width(); }
  int height() const { return x.height(); }
};

// The table that turns images of `camera` into those of a pinhole camera of focal length fx and principal
// point (cx, cy), rotated by rectified_from_camera. camera must state its size, at least 2x2.
RemapTable MakeRemapTable(const CameraModel& camera, const Matrix3& rectified_from_camera,
                          const StereoRig& rig, int width_px, int height_px, ThreadPool* threads = nullptr);

// The value of `blocks` for the table.
std::vector<cpu::RemapBlock> MakeRemapBlocks(const RemapTable& table);

// 255 where the old image shows the pixel, 0 elsewhere.
HostImage<std::uint8_t> SeenPixels(const RemapTable& table);

// Bilinear: with the four pixels a b / c d round a position and wx, wy its fraction in 1/128,
//   (((128 - wx) a + wx b) (128 - wy) + ((128 - wx) c + wx d) wy + 8192) >> 14
// in each channel; 0 where the old image does not show the pixel. from must have the table's source size, to
// its own. Throws InvalidArgument otherwise. threads: null = only this thread; their number changes no bit.
template <typename Pixel>
void Remap(HostImageView<const Pixel> from, const RemapTable& table, HostImageView<Pixel> to,
           ThreadPool* threads = nullptr);
// The same in plain code: the definition of its results.
template <typename Pixel>
void RemapReference(HostImageView<const Pixel> from, const RemapTable& table, HostImageView<Pixel> to);

}  // namespace parallax
