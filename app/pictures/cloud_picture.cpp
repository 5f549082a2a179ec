#include "app/pictures/cloud_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "app/pictures/cloud_view.h"
#include "app/pictures/colormap.h"
#include "app/pictures/picture_text.h"
#include "app/pictures/point_vectors.h"
#include "parallax/error.h"

namespace parallax::app {
namespace {

constexpr Rgb8 kBackground{22, 22, 26};
constexpr Rgb8 kTextColor{225, 225, 230};
constexpr Rgb8 kLineColor{255, 255, 255};
constexpr Rgb8 kStartColor{255, 60, 60};
constexpr int kOversampling = 2;  // picture elements a pixel, in both directions
constexpr int kTextHeight_px = 12, kMargin_px = 24, kTitleSpace_px = 44, kScaleSpace_px = 74,
              kBarHeight_px = 14;

// Where a point is seen, in elements of the oversampled picture.
struct Seen {
  float x = 0, y = 0, depth_m = 0;  // depth <= 0: behind the camera
};

// From where FirstView looks; the picture is cut so that the body of the cloud fills it.
class PinholeCamera {
 public:
  PinholeCamera(std::span<const Point3f> points, int width, int height) {
    const auto w = static_cast<float>(width), h = static_cast<float>(height);
    const CloudView view = FirstView(points, w / h);
    eye_ = view.eye;
    forward_ = Unit(view.target - view.eye);
    right_ = Unit(Cross({0, 1, 0}, forward_));
    down_ = Cross(forward_, right_);
    std::vector<float> xs, ys;
    for (const Point3f& p : points) {
      const Seen seen = See(p);
      if (seen.depth_m > 0) xs.push_back(seen.x), ys.push_back(seen.y);
    }
    if (xs.empty()) return;
    constexpr double kOutside = 0.004;  // the share of points that may lie outside on each side
    constexpr float kFilled = 0.95f;
    const auto x0 = static_cast<float>(QuantileOf(xs, kOutside)),
               x1 = static_cast<float>(QuantileOf(xs, 1 - kOutside));
    const auto y0 = static_cast<float>(QuantileOf(ys, kOutside)),
               y1 = static_cast<float>(QuantileOf(ys, 1 - kOutside));
    // As wide as FirstView's picture where the points are few or on one line of sight.
    const float widest = 10 * h / std::tan(view.vertical_fov_deg * std::numbers::pi_v<float> / 360.0f);
    const float focal = std::min({kFilled * w / (x1 - x0), kFilled * h / (y1 - y0), widest});
    cx_ = 0.5f * (w - focal * (x0 + x1));
    cy_ = 0.5f * (h - focal * (y0 + y1));
    focal_ = focal;
  }

  Seen See(Point3f p) const {
    const Point3f d = p - eye_;
    const float z = Dot(d, forward_);
    if (!(z > 0)) return {};
    return {cx_ + focal_ * Dot(d, right_) / z, cy_ + focal_ * Dot(d, down_) / z, z};
  }
  float focal() const { return focal_; }

 private:
  Point3f eye_, forward_, right_, down_;
  float cx_ = 0, cy_ = 0, focal_ = 1;
};

// The oversampled picture with the depth of what is seen in every element.
class Canvas {
 public:
  Canvas(int width, int height)
      : colors_(width, height, kBackground),
        depth_m_(width, height, std::numeric_limits<float>::infinity()) {}

  void Disc(const Seen& at, float radius, Rgb8 color) {
    if (!(at.depth_m > 0)) return;
    const auto first = [](float v) { return static_cast<int>(std::clamp(std::floor(v), -1e6f, 1e6f)); };
    const int y0 = std::max(first(at.y - radius), 0),
              y1 = std::min(first(at.y + radius), depth_m_.height() - 1);
    const int x0 = std::max(first(at.x - radius), 0),
              x1 = std::min(first(at.x + radius), depth_m_.width() - 1);
    for (int y = y0; y <= y1; ++y) {
      for (int x = x0; x <= x1; ++x) {
        const float dx = static_cast<float>(x) + 0.5f - at.x, dy = static_cast<float>(y) + 0.5f - at.y;
        const bool is_inside = dx * dx + dy * dy <= std::max(radius * radius, 0.5f);
        if (!is_inside || at.depth_m >= depth_m_(x, y)) continue;
        depth_m_(x, y) = at.depth_m;
        colors_(x, y) = color;
      }
    }
  }

  // Means of kOversampling x kOversampling elements, pasted from row y0 on.
  void PasteReduced(HostImage<Rgb8>& picture, int y0) const {
    for (int y = 0; y < colors_.height() / kOversampling; ++y) {
      for (int x = 0; x < picture.width(); ++x) {
        int r = 0, g = 0, b = 0;
        for (int v = 0; v < kOversampling; ++v) {
          for (int u = 0; u < kOversampling; ++u) {
            const Rgb8 c = colors_(kOversampling * x + u, kOversampling * y + v);
            r += c.r, g += c.g, b += c.b;
          }
        }
        constexpr int kElements = kOversampling * kOversampling;
        picture(x, y0 + y) = {static_cast<std::uint8_t>(r / kElements),
                              static_cast<std::uint8_t>(g / kElements),
                              static_cast<std::uint8_t>(b / kElements)};
      }
    }
  }

 private:
  HostImage<Rgb8> colors_;
  HostImage<float> depth_m_;
};

// Discs that touch those of the neighbours. Points far from all others stay small, so that they do not look
// like surfaces.
class DiscSizes {
 public:
  DiscSizes(std::span<const float> spacing_m, float focal)
      : spacing_m_(spacing_m),
        focal_(focal),
        largest_m_(static_cast<float>(4 * QuantileOf(spacing_m, 0.5))) {}

  float RadiusAt(std::size_t i, float depth_m) const {
    constexpr float kSmallest = 1.2f, kLargest = 16.0f, kOverlap = 0.6f;
    if (spacing_m_.empty() || !std::isfinite(spacing_m_[i])) return kSmallest;
    return std::clamp(kOverlap * focal_ * std::min(spacing_m_[i], largest_m_) / depth_m, kSmallest, kLargest);
  }

 private:
  std::span<const float> spacing_m_;
  float focal_, largest_m_;
};

void DrawLine(Canvas& canvas, const PinholeCamera& camera, const std::vector<Point3f>& line) {
  // In front of everything: the depth decides among the parts of the line only.
  constexpr float kInFront = 1e-6f, kRadius = 2.2f, kMarkRadius = 9.0f;
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    const Seen a = camera.See(line[i]), b = camera.See(line[i + 1]);
    if (!(a.depth_m > 0 && b.depth_m > 0)) continue;
    const int steps = 1 + static_cast<int>(std::min(std::hypot(b.x - a.x, b.y - a.y), 1e4f));
    for (int s = 0; s <= steps; ++s) {
      const float t = static_cast<float>(s) / static_cast<float>(steps);
      canvas.Disc({a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), kInFront}, kRadius, kLineColor);
    }
  }
  if (line.empty()) return;
  for (const auto& [end, color] :
       {std::pair{line.front(), kStartColor}, std::pair{line.back(), kLineColor}}) {
    Seen mark = camera.See(end);
    if (!(mark.depth_m > 0)) continue;
    mark.depth_m = kInFront / 2;
    canvas.Disc(mark, kMarkRadius, color);
  }
}

// The colours from low to high with numbers below them.
void DrawScale(HostImage<Rgb8>& picture, const ValueScale& scale, const std::string& no_value_meaning) {
  const int left = kMargin_px, top = picture.height() - kScaleSpace_px + 12;
  const int note_width = no_value_meaning.empty() ? 0 : WidthOfText(no_value_meaning, kTextHeight_px) + 60;
  const int width = picture.width() - 2 * kMargin_px - note_width;
  for (int x = 0; x < width; ++x) {
    const Rgb8 color = ColorOf(static_cast<float>(x) / static_cast<float>(width - 1));
    for (int y = top; y < top + kBarHeight_px; ++y) picture(left + x, y) = color;
  }
  const int text_y = top + kBarHeight_px + 8 + kTextHeight_px;
  for (const ScaleTick& tick : TicksOf(scale)) {
    const int x = left + static_cast<int>(std::lround(tick.position * static_cast<float>(width - 1)));
    for (int y = top + kBarHeight_px; y < top + kBarHeight_px + 5; ++y) picture(x, y) = kTextColor;
    const int half = WidthOfText(tick.text, kTextHeight_px) / 2;
    DrawText(picture.View(), tick.text, std::clamp(x, left + half, left + width - half), text_y,
             kTextHeight_px, kTextColor, TextAnchor::kCentre);
  }
  DrawText(picture.View(), scale.label, left, text_y + kTextHeight_px + 9, kTextHeight_px, kTextColor);
  if (no_value_meaning.empty()) return;
  const int box = left + width + 24;
  for (int y = top; y < top + kBarHeight_px; ++y) {
    for (int x = box; x < box + kBarHeight_px; ++x) picture(x, y) = kNoValueColor;
  }
  DrawText(picture.View(), no_value_meaning, box + kBarHeight_px + 8, top + kTextHeight_px + 1,
           kTextHeight_px, kTextColor);
}

// The title at a size at which it fits.
void DrawTitle(HostImage<Rgb8>& picture, const std::string& title) {
  int height = kTextHeight_px + 3;
  while (height > 6 && WidthOfText(title, height) > picture.width() - 2 * kMargin_px) --height;
  DrawText(picture.View(), title, kMargin_px, (kTitleSpace_px + height) / 2, height, kTextColor);
}

}  // namespace

HostImage<Rgb8> CloudPicture(std::span<const Point3f> points, std::span<const float> values,
                             const ValueScale& scale, const CloudPictureOptions& options) {
  if (points.empty() || points.size() != values.size()) {
    throw InvalidArgument(
        fmt::format("a picture of {} points with {} values cannot be drawn", points.size(), values.size()));
  }
  const int cloud_height = options.height_px - kTitleSpace_px - kScaleSpace_px;
  const int canvas_width = kOversampling * options.width_px, canvas_height = kOversampling * cloud_height;
  const PinholeCamera camera(points, canvas_width, canvas_height);
  Canvas canvas(canvas_width, canvas_height);
  const DiscSizes sizes(options.spacing_m, camera.focal());
  const std::vector<Rgb8> colors = ColorValues(values, scale);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Seen seen = camera.See(points[i]);
    canvas.Disc(seen, sizes.RadiusAt(i, seen.depth_m), colors[i]);
  }
  for (const std::vector<Point3f>& line : options.lines) DrawLine(canvas, camera, line);

  HostImage<Rgb8> picture(options.width_px, options.height_px, kBackground);
  canvas.PasteReduced(picture, kTitleSpace_px);
  DrawTitle(picture, options.title);
  const bool has_gray = std::any_of(values.begin(), values.end(), [](float v) { return !std::isfinite(v); });
  DrawScale(picture, scale, has_gray ? options.no_value_meaning : "");
  return picture;
}

}  // namespace parallax::app
