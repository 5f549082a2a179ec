// The pixels of a pane: a zoomed view of the frame, or two views in one, with the marks.
#pragma once

#include <optional>

#include "app/view/panes/pane_view.h"
#include "app/view/panes/picture_zoom.h"
#include "app/view/panes/shown_frame.h"
#include "parallax/image.h"

namespace parallax::app {

struct PixelPosition {
  int x = 0, y = 0;
  friend bool operator==(const PixelPosition&, const PixelPosition&) = default;
};

// How two views share a pane. kSide: each has a separate pane.
enum class PaneMode { kSingle, kSide, kBlend, kWipe };

struct PaneMarks {
  std::optional<PixelPosition> picked;   // a cross
  std::optional<PixelPosition> hovered;  // a smaller one
};

struct PanePicture {
  const ShownFrame& frame;
  const PictureZoom& zoom;
  const FixedRanges& ranges;
  PaneMarks marks;
  bool show_filled = false;  // else disparities and depths that were filled are paler
  float text_px = 10;        // height of capitals in legends
  Rgb8 background{24, 25, 28};
};

// width, height: of the pane, px. An enlarged frame shows pixels as squares of one colour; a reduced camera
// image is averaged.
HostImage<Rgb8> DrawPane(const PanePicture& what, const PaneChoice& choice, int width, int height);

// Two views in one pane. kBlend: mixed, `position` of the second; kWipe: the first left of the line at
// `position` (0 .. 1 of the pane), the second right of it.
HostImage<Rgb8> DrawPane(const PanePicture& what, const PaneChoice& first, const PaneChoice& second,
                         PaneMode mode, float position, int width, int height);

// Draws the marks over a pane that was drawn without them.
void DrawPaneMarks(const PanePicture& what, HostImage<Rgb8>& pane);

}  // namespace parallax::app
