#include "app/view/panes/pixel_info.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "app/view/panes/pane_view.h"
#include "pipeline/simd/reprojection_kernels.h"

namespace parallax::app {

PixelInfo PixelInfoAt(const ShownFrame& frame, bool of_b, int x, int y) {
  const auto value = [&](PaneView view) { return ValueAt(frame, {view, of_b}, x, y); };
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const ShownSet& set = frame.SetOf(of_b);
  PixelInfo info{.x = x,
                 .y = y,
                 .disparity_px = value(PaneView::kDisparity),
                 .depth_m = value(PaneView::kDepth),
                 .x_m = kNan,
                 .y_m = kNan,
                 .z_m = kNan,
                 .truth_px = value(PaneView::kTruth),
                 .error_px = value(PaneView::kError),
                 .sigma_px = value(PaneView::kUncertainty)};
  if (!set.confidence.Empty()) info.confidence = set.confidence(x, y);
  if (!set.validity.Empty()) info.validity = ValidityText(set.validity(x, y));
  if (frame.rig && !set.depth_m.Empty()) {
    std::vector<float> row_x(static_cast<std::size_t>(frame.width)), row_y(row_x.size());
    cpu::CloudRow(set.depth_m.Row(y), frame.width, static_cast<float>(frame.rig->fx_px),
                  static_cast<float>(frame.rig->cx_px),
                  static_cast<float>(y) - static_cast<float>(frame.rig->cy_px), row_x.data(), row_y.data());
    info.x_m = row_x[static_cast<std::size_t>(x)];
    info.y_m = row_y[static_cast<std::size_t>(x)];
    info.z_m = info.depth_m;
  }
  return info;
}

std::string TextOf(const PixelInfo& info) {
  std::string text = fmt::format("({}, {})", info.x, info.y);
  const auto add = [&](const char* name, float value, const char* unit, int digits) {
    if (!std::isnan(value)) text += fmt::format("   {} {:.{}f} {}", name, value, digits, unit);
  };
  add("disparity", info.disparity_px, "px", 2);
  add("\u00b1", info.sigma_px, "px", 2);
  add("true", info.truth_px, "px", 2);
  add("error", info.error_px, "px", 2);
  add("depth", info.depth_m, "m", 3);
  if (!std::isnan(info.x_m) && !std::isnan(info.z_m)) {
    text += fmt::format("   X {:.3f}  Y {:.3f}  Z {:.3f} m", info.x_m, info.y_m, info.z_m);
  }
  if (info.confidence >= 0) text += fmt::format("   confidence {}", info.confidence);
  if (!info.validity.empty()) text += "   " + info.validity;
  return text;
}

}  // namespace parallax::app
