// The user's choices for the picture panes, and what a frame can show of them.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "app/view/panes/pane_picture.h"
#include "app/view/panes/pane_view.h"

namespace parallax::app {

inline constexpr std::string_view kPaneModeNames[] = {"one", "side by side", "blend", "wipe"};
constexpr std::string_view NameOf(PaneMode mode) { return kPaneModeNames[static_cast<std::size_t>(mode)]; }

struct PaneChoices {
  PaneChoice first{PaneView::kLeft, false}, second{PaneView::kDisparity, false};
  PaneMode mode = PaneMode::kSide;
  float position = 0.5F;  // of a blend or wipe, 0 .. 1
  FixedRanges ranges;
};

// What the panes show of this frame: the chosen views if the frame has them, otherwise the available ones.
// second: absent if one pane is enough.
struct PanesOfFrame {
  std::optional<PaneChoice> first, second;
  PaneMode mode = PaneMode::kSingle;
};
PanesOfFrame PanesFor(const PaneChoices& choices, const ShownFrame& frame);

// The frame's views, in the order of kPaneViews.
std::vector<PaneView> ViewsOf(const ShownFrame& frame);

}  // namespace parallax::app
