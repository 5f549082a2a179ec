#include "pipeline/cpu/filters/framed_map.h"

#include <algorithm>
#include <limits>

namespace parallax::cpu {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

}  // namespace

std::size_t FramedMap::SizeBytes(int width, int height) {
  return sizeof(float) * static_cast<std::size_t>(StrideOf(width)) *
         static_cast<std::size_t>(height + 2 * kRowsAround);
}

FramedMap::FramedMap(int width, int height, std::uint8_t* memory)
    : width_(width), height_(height), stride_(StrideOf(width)), data_(reinterpret_cast<float*>(memory)) {
  for (int y = -kRowsAround; y < height + kRowsAround; ++y) {
    const bool is_around = y < 0 || y >= height;
    std::fill_n(Row(y) - kColumnsAround, kColumnsAround + (is_around ? width : 0), kNan);
    RestoreMargin(y);
  }
}

void FramedMap::RestoreMargin(int y) const { std::fill_n(Row(y) + width_, kColumnsAround, kNan); }

}  // namespace parallax::cpu
