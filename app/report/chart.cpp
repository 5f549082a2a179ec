#include "app/report/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "app/pictures/value_scale.h"
#include "app/report/html.h"

namespace parallax::app {
namespace {

constexpr int kWidth_px = 480, kHeight_px = 300;
constexpr int kLeft_px = 52, kRight_px = 14, kTop_px = 30, kBottom_px = 46;
// The palette of Okabe and Ito, which colour-blind readers can distinguish.
constexpr const char* kColors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"};

// Maps values to pixels.
struct Axes {
  ValueScale x, y;
  double XOf(double value) const {
    return kLeft_px + static_cast<double>(x.Position(value)) * (kWidth_px - kLeft_px - kRight_px);
  }
  double YOf(double value) const {
    return kHeight_px - kBottom_px -
           static_cast<double>(y.Position(value)) * (kHeight_px - kTop_px - kBottom_px);
  }
};

bool IsShown(const Chart& chart, const std::pair<double, double>& point) {
  return std::isfinite(point.first) && std::isfinite(point.second) &&
         (!chart.logarithmic_x || point.first > 0);
}

// Returns false if there are no points.
bool FindAxes(const Chart& chart, Axes& axes) {
  double low = std::numeric_limits<double>::infinity(), high = -low, top = 0;
  for (const ChartSeries& series : chart.series) {
    for (const auto& point : series.points) {
      if (!IsShown(chart, point)) continue;
      low = std::min(low, point.first);
      high = std::max(high, point.first);
      top = std::max(top, point.second);
    }
  }
  if (low > high) return false;
  if (low == high) high = chart.logarithmic_x ? 2 * low : low + 1;
  axes.x = {"", low, high, chart.logarithmic_x};
  axes.y = {"", 0, top > 0 ? 1.05 * top : 1, false};
  return true;
}

std::string Line(double x1, double y1, double x2, double y2, const char* more) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>", x1, y1, x2, y2,
                     more);
}
std::string Text(double x, double y, const char* anchor, const std::string& text, const char* more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" {}>{}</text>", x, y, anchor, more,
                     Escaped(text));
}

std::string AxesSvg(const Chart& chart, const Axes& axes) {
  constexpr const char* kGrid = "stroke=\"currentColor\" stroke-opacity=\".15\"";
  constexpr const char* kAxis = "stroke=\"currentColor\" stroke-opacity=\".6\"";
  const double bottom = kHeight_px - kBottom_px, right = kWidth_px - kRight_px;
  std::string svg;
  for (const ScaleTick& tick : TicksOf(axes.y)) {
    const double y = bottom - static_cast<double>(tick.position) * (bottom - kTop_px);
    svg += Line(kLeft_px, y, right, y, kGrid) + Text(kLeft_px - 6, y + 4, "end", tick.text);
  }
  for (const ScaleTick& tick : TicksOf(axes.x)) {
    const double x = kLeft_px + static_cast<double>(tick.position) * (right - kLeft_px);
    svg += Line(x, bottom, x, bottom + 4, kAxis) + Text(x, bottom + 17, "middle", tick.text);
  }
  svg += Line(kLeft_px, bottom, right, bottom, kAxis);
  svg += Text((kLeft_px + right) / 2, kHeight_px - 10, "middle", chart.x_label);
  svg += Text(kLeft_px, 16, "start", chart.title + (chart.y_label.empty() ? "" : ", " + chart.y_label),
              "font-weight=\"bold\"");
  return svg;
}

std::string CurveSvg(const Chart& chart, const ChartSeries& series, const Axes& axes, const char* color) {
  std::string path, dot;
  for (const auto& point : series.points) {
    if (!IsShown(chart, point)) continue;
    const double x = axes.XOf(point.first), y = axes.YOf(point.second);
    // One point makes no line.
    dot = path.empty() ? fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"/>", x, y, color)
                       : std::string();
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x, y);
  }
  if (!dot.empty()) return dot;
  return fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"{}/>", path, color,
                     series.dashed ? " stroke-dasharray=\"5 4\"" : "");
}

std::string BarsSvg(const ChartSeries& series, const Axes& axes, const char* color) {
  std::string svg;
  for (std::size_t i = 0; i + 1 < series.points.size(); ++i) {
    const auto [x, y] = series.points[i];
    if (!std::isfinite(y)) continue;
    const double begin = axes.XOf(x), end = axes.XOf(series.points[i + 1].first), top = axes.YOf(y);
    svg += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>",
                       begin, top, std::max(end - begin - 1, 0.5), kHeight_px - kBottom_px - top, color);
  }
  return svg;
}

// Everything inside <svg>.
std::string Inside(const Chart& chart) {
  std::string svg = "<g font-size=\"12\" fill=\"currentColor\">";
  Axes axes;
  if (!FindAxes(chart, axes)) {
    return svg + Text(kLeft_px, 16, "start", chart.title, "font-weight=\"bold\"") +
           Text(kWidth_px / 2.0, kHeight_px / 2.0, "middle", "nothing to show") + "</g>";
  }
  svg += AxesSvg(chart, axes);
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const char* color = kColors[i % std::size(kColors)];
    svg += chart.bars ? BarsSvg(chart.series[i], axes, color) : CurveSvg(chart, chart.series[i], axes, color);
  }
  double y = kTop_px + 12;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const ChartSeries& series = chart.series[i];
    if (series.name.empty()) continue;
    const double x = kWidth_px - kRight_px - 150;
    svg += Line(x, y - 4, x + 18, y - 4,
                fmt::format("stroke=\"{}\" stroke-width=\"3\"{}", kColors[i % std::size(kColors)],
                            series.dashed ? " stroke-dasharray=\"5 4\"" : "")
                    .c_str()) +
           Text(x + 24, y, "start", series.name);
    y += 16;
  }
  return svg + "</g>";
}

}  // namespace

std::string SvgOf(const Chart& chart) {
  return fmt::format(
             "<svg class=\"chart\" role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {} {}\" width=\"{}\" "
             "height=\"{}\">",
             Escaped(chart.title), kWidth_px, kHeight_px, kWidth_px, kHeight_px) +
         Inside(chart) + "</svg>\n";
}

}  // namespace parallax::app
