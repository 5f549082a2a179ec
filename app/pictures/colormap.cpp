#include "app/pictures/colormap.h"

#include <array>
#include <cmath>
#include <numbers>

#include "parallax/disparity_map.h"

namespace parallax::app {
namespace {

constexpr int kSize = 256;      // colours of the table
constexpr int kSamples = 4096;  // points of the curve before it is divided evenly

struct Lab {
  double l, a, b;
};
struct Linear {
  double r, g, b;
};

// OKLab to linear sRGB: the matrices of B. Ottosson, "A perceptual color space for image processing", 2020.
Linear LinearFromLab(const Lab& c) {
  const double l = std::pow(c.l + 0.3963377774 * c.a + 0.2158037573 * c.b, 3);
  const double m = std::pow(c.l - 0.1055613458 * c.a - 0.0638541728 * c.b, 3);
  const double s = std::pow(c.l - 0.0894841775 * c.a - 1.2914855480 * c.b, 3);
  return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
          -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
          -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

bool InGamut(const Linear& c) {
  const auto ok = [](double v) { return v >= 0.0 && v <= 1.0; };
  return ok(c.r) && ok(c.g) && ok(c.b);
}

std::uint8_t Encode(double linear) {
  const double v = linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
  return static_cast<std::uint8_t>(std::lround(std::fmin(std::fmax(v, 0.0), 1.0) * 255));
}

// The curve before it is divided evenly: lightness and hue linear in s, chroma as large as the screen allows
// up to a bound, so that it is colourful without leaving the gamut.
Lab CurvePoint(double s) {
  constexpr double kDarkest = 0.38, kLightest = 0.95;
  constexpr double kFirstHue_deg = 295, kLastHue_deg = 102, kLargestChroma = 0.17;
  const double lightness = kDarkest + (kLightest - kDarkest) * s;
  const double hue = (kFirstHue_deg + (kLastHue_deg - kFirstHue_deg) * s) * std::numbers::pi / 180;
  double low = 0, high = kLargestChroma;
  for (int i = 0; i < 30; ++i) {
    const double chroma = (low + high) / 2;
    const bool fits = InGamut(LinearFromLab({lightness, chroma * std::cos(hue), chroma * std::sin(hue)}));
    (fits ? low : high) = chroma;
  }
  return {lightness, low * std::cos(hue), low * std::sin(hue)};
}

std::array<Rgb8, kSize> MakeTable() {
  std::array<Lab, kSamples> curve;
  std::array<double, kSamples> length{};
  for (int i = 0; i < kSamples; ++i) {
    curve[i] = CurvePoint(i / (kSamples - 1.0));
    if (i == 0) continue;
    const Lab &p = curve[i - 1], &q = curve[i];
    length[i] = length[i - 1] + std::hypot(q.l - p.l, q.a - p.a, q.b - p.b);
  }
  std::array<Rgb8, kSize> table;
  int i = 0;
  for (int k = 0; k < kSize; ++k) {
    const double wanted = length.back() * k / (kSize - 1.0);
    while (i + 1 < kSamples && length[i] < wanted) ++i;
    const Linear c = LinearFromLab(curve[i]);
    table[k] = {Encode(c.r), Encode(c.g), Encode(c.b)};
  }
  return table;
}

const std::array<Rgb8, kSize>& Table() {
  static const std::array<Rgb8, kSize> table = MakeTable();
  return table;
}

}  // namespace

Rgb8 ColorOf(float t) {
  if (std::isnan(t)) return kInvalidColor;
  const float clamped = std::fmin(std::fmax(t, 0.0F), 1.0F);
  return Table()[static_cast<std::size_t>(std::lround(clamped * (kSize - 1)))];
}

Rgb8 Paler(Rgb8 color) {
  constexpr int kPale = 225;
  const auto paler = [](std::uint8_t value) {
    return static_cast<std::uint8_t>((2 * value + 3 * kPale) / 5);
  };
  return {paler(color.r), paler(color.g), paler(color.b)};
}

HostImage<Rgb8> ColorDisparity(HostImageView<const float> disparity, float min_px, float max_px,
                               HostImageView<const std::uint8_t> validity) {
  HostImage<Rgb8> picture(disparity.width, disparity.height);
  const float range = max_px - min_px;
  for (int y = 0; y < disparity.height; ++y) {
    for (int x = 0; x < disparity.width; ++x) {
      const float above = disparity(x, y) - min_px;  // NaN stays NaN
      const Rgb8 color = ColorOf(range > 0 ? above / range : above * 0.0F);
      const bool is_filled = !validity.Empty() && (validity(x, y) & kFilled) != 0 && !std::isnan(above);
      picture(x, y) = is_filled ? Paler(color) : color;
    }
  }
  return picture;
}

}  // namespace parallax::app
