#include "datasets/formats/disparity_png.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "datasets/formats/image_file.h"

namespace parallax {
namespace {

constexpr float kMaxU16 = 65535.0F, kEndOfU16 = 65536.0F;
constexpr float kMaxFloat = std::numeric_limits<float>::max();
constexpr float kDisparityScale = 256.0F;
constexpr float kMillimetresPerMetre = 1000.0F;

// Calls convert(pixel) for every pixel.
template <typename To, typename From, typename Convert>
HostImage<To> ConvertPixels(HostImageView<const From> from, Convert convert) {
  HostImage<To> to(from.width, from.height);
  for (int y = 0; y < from.height; ++y)
    std::transform(from.Row(y), from.Row(y) + from.width, to.Row(y), convert);
  return to;
}

template <typename T>
HostImage<float> DivideOrNan(const HostImage<T>& image, float divisor) {
  return ConvertPixels<float>(image.ConstView(), [divisor](T value) {
    return value == 0 ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(value) / divisor;
  });
}

}  // namespace

HostImage<float> ReadDisparityPng(const std::filesystem::path& path) {
  return DivideOrNan(ReadGray16(path), kDisparityScale);
}

DisparityPngCounts WriteDisparityPng(const std::filesystem::path& path,
                                     HostImageView<const float> disparity) {
  DisparityPngCounts counts;
  HostImage<std::uint16_t> values(disparity.width, disparity.height);
  for (int y = 0; y < disparity.height; ++y) {
    const float* from = disparity.Row(y);
    std::uint16_t* to = values.Row(y);
    // Has no branches, so that compilers vectorize it: it runs once per pixel of every frame.
    int num_valid = 0, num_negative = 0, num_clipped = 0;
    for (int x = 0; x < disparity.width; ++x) {
      const float d_px = from[x];
      num_valid += (d_px >= -kMaxFloat) & (d_px <= kMaxFloat);
      num_negative += (d_px < 0) & (d_px >= -kMaxFloat);
      num_clipped += (d_px >= kEndOfU16 / kDisparityScale) & (d_px <= kMaxFloat);
      const bool is_value = (d_px >= 0) & (d_px <= kMaxFloat);
      const float value = std::min(std::max(d_px * kDisparityScale, 1.0F), kMaxU16);
      to[x] = static_cast<std::uint16_t>(static_cast<int>(is_value ? value : 0.0F));
    }
    counts.num_valid += static_cast<std::size_t>(num_valid);
    counts.num_negative += static_cast<std::size_t>(num_negative);
    counts.num_clipped += static_cast<std::size_t>(num_clipped);
  }
  WritePng(path, values.ConstView());
  return counts;
}

HostImage<float> ReadScaledDisparity(const std::filesystem::path& path, int scale) {
  return DivideOrNan(ReadGray8(path), static_cast<float>(scale));
}

void WriteDepthPng(const std::filesystem::path& path, HostImageView<const float> depth_m) {
  const auto encode = [](float z_m) -> std::uint16_t {
    const float value = z_m * kMillimetresPerMetre;
    const bool is_value = (value >= 0) & (value < kEndOfU16 - 0.5F);  // NaN: no value
    const float in_range = is_value ? value : 0.0F;
    const int floor = static_cast<int>(in_range);
    return static_cast<std::uint16_t>(floor + (in_range - static_cast<float>(floor) >= 0.5F ? 1 : 0));
  };
  WritePng(path, ConvertPixels<std::uint16_t>(depth_m, encode).ConstView());
}

HostImage<float> ReadDepthPng(const std::filesystem::path& path) {
  return DivideOrNan(ReadGray16(path), kMillimetresPerMetre);
}

}  // namespace parallax
