#include "app/view/panes/pane_picture.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "app/pictures/picture_text.h"

namespace parallax::app {
namespace {

constexpr Rgb8 kPickedColor{255, 80, 200}, kHoveredColor{255, 255, 255};
constexpr Rgb8 kWipeColor{255, 255, 255}, kLegendColor{220, 222, 226};

// Returns for each column (or row) of the pane the column (or row) of the frame that it shows; -1 outside the
// frame.
std::vector<int> SourcePixels(int size, int frame_size, const auto& to_picture) {
  std::vector<int> source(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) {
    const int at = static_cast<int>(std::floor(to_picture(i + 0.5)));
    source[static_cast<std::size_t>(i)] = at >= 0 && at < frame_size ? at : -1;
  }
  return source;
}

// Mean of n x n pixels of a photo around one.
Rgb8 MeanAround(const PaneColors& colors, int x, int y, int n, int width, int height) {
  int r = 0, g = 0, b = 0, num = 0;
  const int x1 = std::min(x - n / 2 + n, width), y1 = std::min(y - n / 2 + n, height);
  for (int v = std::max(y - n / 2, 0); v < y1; ++v) {
    for (int u = std::max(x - n / 2, 0); u < x1; ++u) {
      const Rgb8 c = colors(u, v);
      r += c.r, g += c.g, b += c.b, ++num;
    }
  }
  const auto mean = [num](int sum) { return static_cast<std::uint8_t>((sum + num / 2) / num); };
  return {mean(r), mean(g), mean(b)};
}

void Fill(const PanePicture& what, const PaneColors& colors, int x_begin, int x_end, HostImage<Rgb8>& pane) {
  const std::vector<int> xs = SourcePixels(pane.width(), what.frame.width, [&](double x) {
    return what.zoom.ToPicture({x, 0}).u;
  });
  const std::vector<int> ys = SourcePixels(pane.height(), what.frame.height, [&](double y) {
    return what.zoom.ToPicture({0, y}).v;
  });
  constexpr int kLargestMean = 4;
  const int n = colors.IsPhoto()
                    ? std::clamp(static_cast<int>(std::lround(1 / what.zoom.scale())), 1, kLargestMean)
                    : 1;
  for (int y = 0; y < pane.height(); ++y) {
    const int v = ys[static_cast<std::size_t>(y)];
    Rgb8* row = pane.Row(y);
    for (int x = x_begin; x < x_end; ++x) {
      const int u = xs[static_cast<std::size_t>(x)];
      if (u < 0 || v < 0) {
        row[x] = what.background;
      } else {
        row[x] = n == 1 ? colors(u, v) : MeanAround(colors, u, v, n, what.frame.width, what.frame.height);
      }
    }
  }
}

void Set(HostImage<Rgb8>& pane, int x, int y, Rgb8 color) {
  if (pane.View().Contains(x, y)) pane(x, y) = color;
}

void DrawRectangle(HostImage<Rgb8>& pane, int x0, int y0, int x1, int y1, Rgb8 color) {
  x0 = std::clamp(x0, -1, pane.width()), x1 = std::clamp(x1, -1, pane.width());
  y0 = std::clamp(y0, -1, pane.height()), y1 = std::clamp(y1, -1, pane.height());
  for (int x = x0; x <= x1; ++x) Set(pane, x, y0, color), Set(pane, x, y1, color);
  for (int y = y0; y <= y1; ++y) Set(pane, x0, y, color), Set(pane, x1, y, color);
}

// Draws the box around the pixel, so that the pixel remains visible.
void DrawBox(const PictureZoom& zoom, const PixelPosition& pixel, Rgb8 color, HostImage<Rgb8>& pane) {
  const PicturePoint low = zoom.ToPane({static_cast<double>(pixel.x), static_cast<double>(pixel.y)});
  const PicturePoint high = zoom.ToPane({pixel.x + 1.0, pixel.y + 1.0});
  DrawRectangle(pane, static_cast<int>(std::floor(low.u)) - 1, static_cast<int>(std::floor(low.v)) - 1,
                static_cast<int>(std::ceil(high.u)), static_cast<int>(std::ceil(high.v)), color);
}

// Four strokes that leave the pixel itself free.
void DrawCross(const PictureZoom& zoom, const PixelPosition& pixel, int length, Rgb8 color,
               HostImage<Rgb8>& pane) {
  DrawBox(zoom, pixel, color, pane);
  const PicturePoint middle = zoom.ToPane({pixel.x + 0.5, pixel.y + 0.5});
  const int x = static_cast<int>(std::floor(middle.u)), y = static_cast<int>(std::floor(middle.v));
  const int gap = static_cast<int>(std::ceil(0.5 * zoom.scale())) + 2;
  for (int i = gap; i < gap + length; ++i) {
    Set(pane, x - i, y, color), Set(pane, x + i, y, color);
    Set(pane, x, y - i, color), Set(pane, x, y + i, color);
  }
}

// Colours and words of the view "validity", in a column at the lower left.
void DrawValidityLegend(float text_px, HostImage<Rgb8>& pane) {
  const int height = std::max(6, static_cast<int>(text_px));
  const int line = height * 7 / 4, margin = height;
  const auto rows = ValidityColors();
  int width = 0;
  for (const ValidityColor& row : rows) width = std::max(width, WidthOfText(std::string(row.reason), height));
  width += 2 * height + height / 2;
  const int num_rows = static_cast<int>(rows.size()) + 1;
  const int top = pane.height() - num_rows * line - margin;
  if (top < 0 || width + 2 * margin > pane.width()) return;
  for (int y = top; y < pane.height() - margin / 2; ++y) {
    for (int x = margin / 2; x < std::min(pane.width(), margin + width + margin / 2); ++x) {
      const Rgb8 c = pane(x, y);
      pane(x, y) = {static_cast<std::uint8_t>(c.r / 4), static_cast<std::uint8_t>(c.g / 4),
                    static_cast<std::uint8_t>(c.b / 4)};
    }
  }
  int y = top + line;
  for (const ValidityColor& row : rows) {
    for (int v = y - height; v < y; ++v) {
      for (int x = margin; x < margin + height; ++x) Set(pane, x, v, row.color);
    }
    DrawText(pane.View(), std::string(row.reason), margin + 2 * height, y, height, kLegendColor);
    y += line;
  }
  DrawText(pane.View(), "darker: filled", margin, y, height, kLegendColor);
}

void DrawLegend(const PaneChoice& choice, float text_px, HostImage<Rgb8>& pane) {
  if (choice.view == PaneView::kValidity) DrawValidityLegend(text_px, pane);
}

PaneColors ColorsOf(const PanePicture& what, const PaneChoice& choice) {
  return {what.frame, choice, RangeOf(what.frame, choice, what.ranges), what.show_filled};
}

}  // namespace

void DrawPaneMarks(const PanePicture& what, HostImage<Rgb8>& pane) {
  const int length = std::max(3, static_cast<int>(what.text_px));
  if (what.marks.hovered) DrawCross(what.zoom, *what.marks.hovered, length / 2, kHoveredColor, pane);
  if (what.marks.picked) DrawCross(what.zoom, *what.marks.picked, length, kPickedColor, pane);
}

HostImage<Rgb8> DrawPane(const PanePicture& what, const PaneChoice& choice, int width, int height) {
  HostImage<Rgb8> pane(width, height, what.background);
  if (!IsThere(what.frame, choice.view)) return pane;
  Fill(what, ColorsOf(what, choice), 0, width, pane);
  DrawLegend(choice, what.text_px, pane);
  DrawPaneMarks(what, pane);
  return pane;
}

HostImage<Rgb8> DrawPane(const PanePicture& what, const PaneChoice& first, const PaneChoice& second,
                         PaneMode mode, float position, int width, int height) {
  if (!IsThere(what.frame, second.view)) return DrawPane(what, first, width, height);
  if (!IsThere(what.frame, first.view)) return DrawPane(what, second, width, height);
  HostImage<Rgb8> pane(width, height, what.background);
  position = std::clamp(position, 0.0F, 1.0F);
  if (mode == PaneMode::kWipe) {
    const int line =
        std::clamp(static_cast<int>(std::lround(position * static_cast<float>(width))), 0, width);
    Fill(what, ColorsOf(what, first), 0, line, pane);
    Fill(what, ColorsOf(what, second), line, width, pane);
    for (int y = 0; y < height; ++y) Set(pane, line, y, kWipeColor);
  } else {
    HostImage<Rgb8> over(width, height, what.background);
    Fill(what, ColorsOf(what, first), 0, width, pane);
    Fill(what, ColorsOf(what, second), 0, width, over);
    const int share = static_cast<int>(std::lround(256 * position));
    const auto mix = [share](std::uint8_t a, std::uint8_t b) {
      return static_cast<std::uint8_t>((a * (256 - share) + b * share + 128) >> 8);
    };
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const Rgb8 a = pane(x, y), b = over(x, y);
        pane(x, y) = {mix(a.r, b.r), mix(a.g, b.g), mix(a.b, b.b)};
      }
    }
  }
  DrawLegend(second, what.text_px, pane);
  DrawPaneMarks(what, pane);
  return pane;
}

}  // namespace parallax::app
