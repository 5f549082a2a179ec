#include "app/view/panes/pane_choices.h"

#include <initializer_list>

namespace parallax::app {

std::vector<PaneView> ViewsOf(const ShownFrame& frame) {
  std::vector<PaneView> views;
  for (std::size_t i = 0; i < kNumPaneViews; ++i) {
    if (IsThere(frame, static_cast<PaneView>(i))) views.push_back(static_cast<PaneView>(i));
  }
  return views;
}

PanesOfFrame PanesFor(const PaneChoices& choices, const ShownFrame& frame) {
  const auto chosen = [&](PaneChoice choice,
                          std::initializer_list<PaneView> others) -> std::optional<PaneChoice> {
    choice.of_b = choice.of_b && frame.b.has_value();
    if (IsThere(frame, choice.view)) return choice;
    for (const PaneView view : others) {
      if (IsThere(frame, view)) return PaneChoice{view, false};
    }
    return std::nullopt;
  };
  PanesOfFrame panes;
  panes.first = chosen(choices.first, {PaneView::kLeft, PaneView::kDisparity, PaneView::kDepth});
  if (!panes.first || choices.mode == PaneMode::kSingle) return panes;
  const auto second = chosen(choices.second, {PaneView::kDisparity, PaneView::kDepth});
  // A second picture that falls back to the first one is not shown.
  if (!second || (second == panes.first && choices.second != choices.first)) return panes;
  panes.second = second;
  panes.mode = choices.mode;
  return panes;
}

}  // namespace parallax::app
