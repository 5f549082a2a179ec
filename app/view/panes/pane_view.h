// The views of a frame that a pane can show, and how each becomes colours.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/view/panes/shown_frame.h"

namespace parallax::app {

enum class PaneView {
  kLeft,
  kRight,
  kDisparity,
  kDepth,
  kConfidence,
  kValidity,
  kError,
  kTruth,
  kDifference,
  kUncertainty
};
inline constexpr std::size_t kNumPaneViews = 10;

struct PaneViewInfo {
  std::string_view name;   // in the state and the settings
  std::string_view title;  // for people
  std::string_view unit;   // of its values; empty if the colours have no scale
  bool of_a_set = false;   // differs between set A and set B
};
inline constexpr std::array<PaneViewInfo, kNumPaneViews> kPaneViews = {
    {{"left", "left image", "", false},
     {"right", "right image", "", false},
     {"disparity", "disparity", "px", true},
     {"depth", "depth", "m", true},
     {"confidence", "confidence", "of 255", true},
     {"validity", "validity", "", true},
     {"error", "error", "px", true},
     {"truth", "true disparity", "px", false},
     {"difference", "A - B", "px", false},
     {"uncertainty", "uncertainty", "px", true}}};
constexpr const PaneViewInfo& InfoOf(PaneView view) { return kPaneViews[static_cast<std::size_t>(view)]; }

struct PaneChoice {
  PaneView view = PaneView::kLeft;
  bool of_b = false;
  friend bool operator==(const PaneChoice&, const PaneChoice&) = default;
};

// Whether the frame has what the view shows.
bool IsThere(const ShownFrame& frame, PaneView view);

// A fixed range for a view, for all frames.
struct FixedRanges {
  std::array<std::optional<ValueRange>, kNumPaneViews> ranges;
  std::optional<ValueRange>& operator[](PaneView view) { return ranges[static_cast<std::size_t>(view)]; }
  const std::optional<ValueRange>& operator[](PaneView view) const {
    return ranges[static_cast<std::size_t>(view)];
  }
};

// The range of a view's colours: the fixed range, otherwise one that fits the frame.
ValueRange RangeOf(const ShownFrame& frame, const PaneChoice& choice, const FixedRanges& fixed);

// The view's value at a pixel of the frame; NaN if there is no value or the view has no unit.
float ValueAt(const ShownFrame& frame, const PaneChoice& choice, int x, int y);

// The colours of a view, pixel by pixel of the frame. Its data must outlive it.
class PaneColors {
 public:
  PaneColors(const ShownFrame& frame, const PaneChoice& choice, const ValueRange& range,
             bool show_filled = false);
  Rgb8 operator()(int x, int y) const;
  // Whether neighbouring pixels may be averaged in a reduced picture: true for images of a camera.
  bool IsPhoto() const { return photo_ != nullptr; }

 private:
  Rgb8 ColorOfValue(float value) const;

  const ShownFrame& frame_;
  const PaneChoice choice_;
  HostImageView<const std::uint8_t> filled_;  // whose filled pixels are paler; empty: none is
  const HostImage<Rgb8>* photo_ = nullptr;
  HostImage<Rgb8> picture_;  // of views that are made as a whole
  float low_, scale_;
};

// The colours of the view's scale from its low to its high end, in one row; empty if it has no scale.
HostImage<Rgb8> ScaleColors(PaneView view);

// The reasons why a pixel has no value or was filled, each with its colour in the view "validity".
struct ValidityColor {
  std::uint8_t bit;  // of ValidityBits; 0 = matched
  std::string_view reason;
  Rgb8 color;
};
std::span<const ValidityColor> ValidityColors();
// "matched", "occluded, filled", "mismatched, speckle".
std::string ValidityText(std::uint8_t validity);

}  // namespace parallax::app
