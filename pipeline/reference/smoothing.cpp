#include <cmath>
#include <limits>

#include "pipeline/reference/refinement.h"
#include "pipeline/rules/refinement_math.h"

namespace parallax::reference {
namespace {

// Values of a line of `count` pixels, `step` elements apart, and what lies outside it.
class Line {
 public:
  Line(const float* first, std::ptrdiff_t step, int count) : first_(first), step_(step), count_(count) {}
  float At(int i) const {
    if (i < 0) return Outside(0, -i);
    if (i >= count_) return Outside(count_ - 1, i - (count_ - 1));
    return Inside(i);
  }

 private:
  float Inside(int i) const {
    if (i < 0 || i >= count_) return kNoValue;
    const float value = first_[i * step_];
    return std::isnan(value) ? kNoValue : value;
  }
  float Outside(int border, int distance) const {
    return MirroredInPoint(Inside(border), Inside(border == 0 ? distance : border - distance));
  }
  const float* first_;
  std::ptrdiff_t step_;
  int count_;
};

float SmoothedAt(const Line& line, int i, float range) {
  const float reach = 4.0F * (range * range), center = line.At(i);
  SmoothingSums sums{reach * reach, 0.0F};
  for (int tap = 0; tap < kSmoothingTaps; ++tap) {
    const int offset = kSmoothingOffsets_px[tap];
    sums =
        AddNeighbors(sums, center, line.At(i - offset), line.At(i + offset), kSmoothingWeights[tap], reach);
  }
  return center + sums.differences / sums.weights;
}

HostImage<float> Copy(HostImageView<const float> from) {
  HostImage<float> to(from.width, from.height);
  for (int y = 0; y < from.height; ++y) std::copy_n(from.Row(y), from.width, to.Row(y));
  return to;
}

}  // namespace

void Smooth(const RefinementParameters& parameters, HostImageView<float> disparity, ThreadPool& threads) {
  const int width = disparity.width, height = disparity.height;
  for (int pass = 0; pass < parameters.smoothing_passes; ++pass) {
    const float range = SmoothingRange(parameters.smoothing_range, pass);
    for (const bool along_rows : {true, false}) {
      const HostImage<float> before = Copy(AsConst(disparity));
      const HostImageView<const float> from = before.ConstView();
      const std::ptrdiff_t row_step = from.stride_bytes / static_cast<std::ptrdiff_t>(sizeof(float));
      threads.ParallelFor(height, [&](int y) {
        for (int x = 0; x < width; ++x) {
          if (std::isnan(from(x, y))) continue;
          disparity(x, y) = along_rows ? SmoothedAt(Line(from.Row(y), 1, width), x, range)
                                       : SmoothedAt(Line(from.Row(0) + x, row_step, height), y, range);
        }
      });
    }
  }
}

}  // namespace parallax::reference
