#include "calibrate/corner_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <vector>

namespace parallax {
namespace {

constexpr int kNumbers = 9;
constexpr int kSamples = 3;  // of a pixel, each way
constexpr int kMostFitSteps = 30;
constexpr double kSharpest_px = 0.25, kLeastContrast = 6, kLeastExplained = 0.85;
constexpr double kStill_px = 1e-4, kLeastGain = 1e-5;
constexpr double kLeastCrossing = 0.2;  // sine of the angle between the edges

using Numbers = std::array<double, kNumbers>;

struct Crossing {
  double x = 0, y = 0;
  double angle1 = 0, angle2 = 0;  // of the edges
  double blur_px = 0.5;
  double middle = 0, contrast = 0;  // brightnesses are middle +- contrast
  double slope_x = 0, slope_y = 0;

  Crossing Plus(const Numbers& step) const {
    return {x + step[0],      y + step[1],        angle1 + step[2],  angle2 + step[3], blur_px + step[4],
            middle + step[5], contrast + step[6], slope_x + step[7], slope_y + step[8]};
  }
  bool IsSane(double radius_px) const {
    return blur_px >= kSharpest_px && blur_px <= radius_px && std::isfinite(x) && std::isfinite(y) &&
           std::abs(std::sin(angle1 - angle2)) >= kLeastCrossing;
  }
};

struct Pixel {
  int x = 0, y = 0;
  double value = 0;
};

// The picture of an edge across its distance d: erf(d / s), and its slope where that is wanted.
struct Edge {
  double step = 0, slope = 0;
  Edge(double d, double s, bool with_slope) {
    const double t = d / s;
    constexpr double kFar = 3.5;  // erf is 1 to a millionth
    if (std::abs(t) > kFar) {
      step = t > 0 ? 1 : -1;
      return;
    }
    step = std::erf(t);
    if (with_slope) slope = 2 * std::numbers::inv_sqrtpi / s * std::exp(-t * t);
  }
};

// Unit vectors across the edges, the same for every pixel.
struct Normals {
  double n1x, n1y, n2x, n2y;
  explicit Normals(const Crossing& c)
      : n1x(-std::sin(c.angle1)),
        n1y(std::cos(c.angle1)),
        n2x(-std::sin(c.angle2)),
        n2y(std::cos(c.angle2)) {}
};

// The brightness of the crossing in a pixel, and its derivatives by the parameters if slopes is not null.
double BrightnessOf(const Crossing& c, const Normals& normals, const Pixel& pixel, Numbers* slopes) {
  const auto& [n1x, n1y, n2x, n2y] = normals;
  const bool with_slopes = slopes != nullptr;
  double product = 0;
  Numbers sum{};
  for (int i = 0; i < kSamples * kSamples; ++i) {
    const double x = pixel.x - c.x + (i % kSamples + 0.5) / kSamples - 0.5;
    const double y = pixel.y - c.y + (i / kSamples + 0.5) / kSamples - 0.5;
    const double d1 = n1x * x + n1y * y, d2 = n2x * x + n2y * y;
    const Edge e1(d1, c.blur_px, with_slopes), e2(d2, c.blur_px, with_slopes);
    product += e1.step * e2.step;
    if (!with_slopes) continue;
    const double by1 = e1.slope * e2.step, by2 = e2.slope * e1.step;
    sum[0] -= by1 * n1x + by2 * n2x;
    sum[1] -= by1 * n1y + by2 * n2y;
    sum[2] += by1 * (-n1y * x + n1x * y);
    sum[3] += by2 * (-n2y * x + n2x * y);
    sum[4] -= (by1 * d1 + by2 * d2) / c.blur_px;
  }
  constexpr double kPart = 1.0 / (kSamples * kSamples);
  product *= kPart;
  const double dx = pixel.x - c.x, dy = pixel.y - c.y;
  if (slopes != nullptr) {
    for (std::size_t k = 0; k < 5; ++k) (*slopes)[k] = c.contrast * kPart * sum[k];
    (*slopes)[0] -= c.slope_x;
    (*slopes)[1] -= c.slope_y;
    (*slopes)[5] = 1;
    (*slopes)[6] = product;
    (*slopes)[7] = dx;
    (*slopes)[8] = dy;
  }
  return c.middle + c.slope_x * dx + c.slope_y * dy + c.contrast * product;
}

double SumOfSquares(const Crossing& c, const std::vector<Pixel>& pixels) {
  const Normals normals(c);
  double sum = 0;
  for (const Pixel& pixel : pixels) {
    const double r = BrightnessOf(c, normals, pixel, nullptr) - pixel.value;
    sum += r * r;
  }
  return sum;
}

// Solves a x = b by elimination with pivots; false where a is singular.
bool Solve(std::array<Numbers, kNumbers> a, Numbers b, Numbers& x) {
  for (std::size_t k = 0; k < kNumbers; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < kNumbers; ++i)
      if (std::abs(a[i][k]) > std::abs(a[pivot][k])) pivot = i;
    if (!(std::abs(a[pivot][k]) > 0)) return false;
    std::swap(a[k], a[pivot]);
    std::swap(b[k], b[pivot]);
    for (std::size_t i = k + 1; i < kNumbers; ++i) {
      const double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < kNumbers; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = kNumbers; k-- > 0;) {
    double sum = b[k];
    for (std::size_t j = k + 1; j < kNumbers; ++j) sum -= a[k][j] * x[j];
    x[k] = sum / a[k][k];
  }
  return true;
}

// The directions of two edges through the start whose four sectors the pixels show best.
Crossing FirstGuess(const std::vector<Pixel>& pixels, Vector2 start, double radius_px) {
  constexpr int kSteps = 36;
  std::array<double, 2 * kSteps> ring{};  // sums of pixels by direction, without the mean
  std::array<int, 2 * kSteps> count{};
  double mean = 0;
  for (const Pixel& pixel : pixels) mean += pixel.value / static_cast<double>(pixels.size());
  for (const Pixel& pixel : pixels) {
    const double x = pixel.x - start.x, y = pixel.y - start.y;
    if (std::hypot(x, y) < 0.3 * radius_px) continue;
    const double turns = std::atan2(y, x) / (2 * std::numbers::pi);
    const int at = static_cast<int>(std::floor((turns - std::floor(turns)) * 2 * kSteps)) % (2 * kSteps);
    ring[static_cast<std::size_t>(at)] += pixel.value - mean;
    ++count[static_cast<std::size_t>(at)];
  }
  // before[i]: the sum of the directions before i and of those opposite to them.
  std::array<double, kSteps + 1> before{};
  for (std::size_t i = 0; i < kSteps; ++i) before[i + 1] = before[i] + ring[i] + ring[i + kSteps];
  double best = 0;
  Crossing guess{.x = start.x, .y = start.y, .middle = mean};
  int num_all = 0;
  for (const int n : count) num_all += n;
  for (int i = 0; i < kSteps; ++i) {
    for (int j = i + 3; j < std::min(kSteps, i + kSteps - 2); ++j) {
      // Two opposite sectors of the four lie between the edges i and j; they count as negative.
      const double sum =
          before[kSteps] - 2 * (before[static_cast<std::size_t>(j)] - before[static_cast<std::size_t>(i)]);
      if (std::abs(sum) <= best) continue;
      best = std::abs(sum);
      guess.angle1 = i * std::numbers::pi / kSteps;
      guess.angle2 = j * std::numbers::pi / kSteps;
      guess.contrast = sum / std::max(1, num_all);
    }
  }
  return guess;
}

}  // namespace

std::optional<Vector2> FitCorner(HostImageView<const std::uint8_t> gray, Vector2 start, double radius_px) {
  if (!std::isfinite(start.x) || !std::isfinite(start.y) || !(radius_px >= 2)) return std::nullopt;
  const int left = static_cast<int>(std::ceil(start.x - radius_px)),
            right = static_cast<int>(std::floor(start.x + radius_px));
  const int top = static_cast<int>(std::ceil(start.y - radius_px)),
            bottom = static_cast<int>(std::floor(start.y + radius_px));
  if (left < 0 || top < 0 || right >= gray.width || bottom >= gray.height) return std::nullopt;
  std::vector<Pixel> pixels;
  double mean = 0;
  for (int y = top; y <= bottom; ++y) {
    for (int x = left; x <= right; ++x) {
      if (std::hypot(x - start.x, y - start.y) > radius_px) continue;
      pixels.push_back({x, y, static_cast<double>(gray(x, y))});
      mean += pixels.back().value;
    }
  }
  if (pixels.size() < 2 * kNumbers) return std::nullopt;
  mean /= static_cast<double>(pixels.size());
  double variance = 0;
  for (const Pixel& pixel : pixels) variance += (pixel.value - mean) * (pixel.value - mean);

  Crossing crossing = FirstGuess(pixels, start, radius_px);
  if (std::abs(crossing.contrast) < kLeastContrast / 2) return std::nullopt;
  double sum = SumOfSquares(crossing, pixels), damping = 1e-3;
  for (int i = 0; i < kMostFitSteps; ++i) {
    std::array<Numbers, kNumbers> matrix{};
    Numbers gradient{};
    const Normals normals(crossing);
    for (const Pixel& pixel : pixels) {
      Numbers slopes;
      const double r = BrightnessOf(crossing, normals, pixel, &slopes) - pixel.value;
      for (std::size_t a = 0; a < kNumbers; ++a) {
        gradient[a] -= slopes[a] * r;
        for (std::size_t b = 0; b <= a; ++b) matrix[a][b] += slopes[a] * slopes[b];
      }
    }
    for (std::size_t a = 0; a < kNumbers; ++a) {
      for (std::size_t b = a + 1; b < kNumbers; ++b) matrix[a][b] = matrix[b][a];
    }
    bool improved = false, done = false;
    for (int tries = 0; tries < 12 && !improved; ++tries) {
      std::array<Numbers, kNumbers> damped = matrix;
      for (std::size_t a = 0; a < kNumbers; ++a) damped[a][a] += damping * matrix[a][a] + 1e-9;
      Numbers step{};
      if (!Solve(damped, gradient, step)) return std::nullopt;
      Crossing next = crossing.Plus(step);
      next.blur_px = std::max(next.blur_px, kSharpest_px);
      const double next_sum =
          next.IsSane(radius_px) ? SumOfSquares(next, pixels) : std::numeric_limits<double>::infinity();
      if (next_sum <= sum) {
        done = std::hypot(next.x - crossing.x, next.y - crossing.y) < kStill_px ||
               sum - next_sum <= kLeastGain * sum;
        crossing = next;
        sum = next_sum;
        damping = std::max(damping / 10, 1e-9);
        improved = true;
      } else {
        damping *= 10;
      }
    }
    if (!improved || done) break;
  }
  const double moved = std::hypot(crossing.x - start.x, crossing.y - start.y);
  if (moved > std::max(1.5, radius_px / 3) || std::abs(crossing.contrast) < kLeastContrast ||
      sum > (1 - kLeastExplained) * variance)
    return std::nullopt;
  return Vector2{crossing.x, crossing.y};
}

}  // namespace parallax
