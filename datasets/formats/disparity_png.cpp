#include "datasets/formats/disparity_png.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "datasets/formats/image_file.h"

namespace parallax {
namespace {

constexpr float kMaxU16 = 65535.0F;
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

DisparityPngLosses WriteDisparityPng(const std::filesystem::path& path,
                                     HostImageView<const float> disparity) {
  DisparityPngLosses losses;
  const auto encode = [&losses](float d_px) -> std::uint16_t {
    if (!std::isfinite(d_px)) return 0;
    if (d_px < 0) {
      ++losses.num_negative;
      return 0;
    }
    const float value = d_px * kDisparityScale;
    if (value >= kMaxU16 + 1) ++losses.num_clipped;
    return static_cast<std::uint16_t>(std::clamp(value, 1.0F, kMaxU16));
  };
  WritePng(path, ConvertPixels<std::uint16_t>(disparity, encode).ConstView());
  return losses;
}

HostImage<float> ReadScaledDisparity(const std::filesystem::path& path, int scale) {
  return DivideOrNan(ReadGray8(path), static_cast<float>(scale));
}

void WriteDepthPng(const std::filesystem::path& path, HostImageView<const float> depth_m) {
  const auto encode = [](float z_m) -> std::uint16_t {
    const float value = std::round(z_m * kMillimetresPerMetre);
    return value >= 0 && value <= kMaxU16 ? static_cast<std::uint16_t>(value) : std::uint16_t{0};  // NaN: 0
  };
  WritePng(path, ConvertPixels<std::uint16_t>(depth_m, encode).ConstView());
}

HostImage<float> ReadDepthPng(const std::filesystem::path& path) {
  return DivideOrNan(ReadGray16(path), kMillimetresPerMetre);
}

}  // namespace parallax
