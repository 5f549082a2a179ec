#include "app/view/panes/pane_view.h"

#include <algorithm>
#include <cmath>

#include "app/pictures/colormap.h"
#include "app/pictures/error_picture.h"

namespace parallax::app {
namespace {

constexpr int kNumColors = 1024;

constexpr std::array<ValidityColor, 7> kValidityColors = {{{kValid, "matched", {58, 62, 70}},
                                                           {kNotUnique, "not unique", {240, 200, 60}},
                                                           {kOccluded, "occluded", {220, 70, 60}},
                                                           {kMismatched, "mismatched", {240, 140, 50}},
                                                           {kOutOfRange, "out of range", {160, 100, 220}},
                                                           {kSpeckle, "speckle", {90, 190, 110}},
                                                           {kOutOfLimits, "out of limits", {90, 160, 230}}}};

const std::array<Rgb8, kNumColors>& Colors() {
  static const std::array<Rgb8, kNumColors> colors = [] {
    std::array<Rgb8, kNumColors> made;
    for (int i = 0; i < kNumColors; ++i)
      made[static_cast<std::size_t>(i)] = ColorOf(static_cast<float>(i) / (kNumColors - 1));
    return made;
  }();
  return colors;
}

Rgb8 Mixed(Rgb8 a, Rgb8 b, float share_of_b) {
  const auto mix = [share_of_b](std::uint8_t x, std::uint8_t y) {
    return static_cast<std::uint8_t>(
        std::lround((1 - share_of_b) * static_cast<float>(x) + share_of_b * static_cast<float>(y)));
  };
  return {mix(a.r, b.r), mix(a.g, b.g), mix(a.b, b.b)};
}

// The colour of a difference: from blue over white to red.
Rgb8 SignedColor(float t) {
  constexpr Rgb8 kLow{40, 90, 200}, kMiddle{235, 235, 235}, kHigh{200, 50, 40};
  return t < 0.5F ? Mixed(kLow, kMiddle, 2 * t) : Mixed(kMiddle, kHigh, 2 * t - 1);
}

Rgb8 ColorOfValidity(std::uint8_t validity) {
  if (validity == kValid) return kValidityColors[0].color;
  for (const ValidityColor& row : kValidityColors) {
    if ((validity & row.bit) == 0) continue;
    // Filled: nearer to what has a value.
    return (validity & kFilled) != 0 ? Mixed(row.color, kValidityColors[0].color, 0.55F) : row.color;
  }
  return kValidityColors[0].color;
}

float At(HostImageView<const float> image, int x, int y) {
  return image.Empty() ? std::nanf("") : image(x, y);
}

// Half the width of the range around 0 that the difference of both sets spans.
float LargestDifference(const ShownFrame& frame) {
  if (!frame.b) return 1;
  HostImage<float> difference(frame.width, frame.height);
  for (int y = 0; y < frame.height; ++y) {
    for (int x = 0; x < frame.width; ++x)
      difference(x, y) = std::fabs(frame.a.disparity(x, y) - frame.b->disparity(x, y));
  }
  return std::clamp(RobustRange(difference.ConstView()).high, 1.0F, 8.0F);
}

}  // namespace

bool IsThere(const ShownFrame& frame, PaneView view) {
  switch (view) {
    case PaneView::kLeft:
      return !frame.left.Empty();
    case PaneView::kRight:
      return !frame.right.Empty();
    case PaneView::kDisparity:
      return !frame.a.disparity.Empty();
    case PaneView::kDepth:
      return !frame.a.depth_m.Empty();
    case PaneView::kConfidence:
      return !frame.a.confidence.Empty();
    case PaneView::kValidity:
      return !frame.a.validity.Empty();
    case PaneView::kError:
      return frame.truth != nullptr && !frame.a.disparity.Empty();
    case PaneView::kTruth:
      return frame.truth != nullptr;
    case PaneView::kDifference:
      return frame.b.has_value();
    case PaneView::kUncertainty:
      return frame.a.sigma_px != nullptr;
  }
  return false;
}

ValueRange RangeOf(const ShownFrame& frame, const PaneChoice& choice, const FixedRanges& fixed) {
  if (fixed[choice.view]) return *fixed[choice.view];
  switch (choice.view) {
    case PaneView::kDisparity:
    case PaneView::kTruth:
      return frame.a.disparity_range;  // of A for both sets: equal colours are equal values
    case PaneView::kDepth:
      return frame.a.depth_range;
    case PaneView::kConfidence:
      return {0, 255};
    case PaneView::kUncertainty:
      return frame.a.sigma_px != nullptr ? frame.a.sigma_px->range() : ValueRange{0, 1};
    case PaneView::kDifference: {
      const float largest = LargestDifference(frame);
      return {-largest, largest};
    }
    default:
      return {0, 1};
  }
}

float ValueAt(const ShownFrame& frame, const PaneChoice& choice, int x, int y) {
  if (!frame.HasPixel(x, y)) return std::nanf("");
  const ShownSet& set = frame.SetOf(choice.of_b);
  const float disparity = At(set.disparity, x, y);
  switch (choice.view) {
    case PaneView::kDisparity:
      return disparity;
    case PaneView::kDepth:
      return At(set.depth_m.ConstView(), x, y);
    case PaneView::kConfidence:
      return set.confidence.Empty() ? std::nanf("") : static_cast<float>(set.confidence(x, y));
    case PaneView::kError:
      return frame.truth == nullptr ? std::nanf("") : disparity - frame.truth->disparity(x, y);
    case PaneView::kTruth:
      return frame.truth == nullptr ? std::nanf("") : frame.truth->disparity(x, y);
    case PaneView::kUncertainty:
      return set.sigma_px != nullptr ? At(set.sigma_px->image().ConstView(), x, y) : std::nanf("");
    case PaneView::kDifference:
      return frame.b ? At(frame.a.disparity, x, y) - At(frame.b->disparity, x, y) : std::nanf("");
    default:
      return std::nanf("");
  }
}

PaneColors::PaneColors(const ShownFrame& frame, const PaneChoice& choice, const ValueRange& range,
                       bool show_filled)
    : frame_(frame),
      choice_(choice),
      low_(range.low),
      scale_(range.high > range.low ? 1 / (range.high - range.low) : 0) {
  if (!show_filled && (choice.view == PaneView::kDisparity || choice.view == PaneView::kDepth))
    filled_ = frame.SetOf(choice.of_b).validity;
  if (choice.view == PaneView::kLeft) photo_ = &frame.left;
  if (choice.view == PaneView::kRight) photo_ = &frame.right;
  if (choice.view == PaneView::kError)
    picture_ = ErrorPicture(frame.SetOf(choice.of_b).disparity, *frame.truth);
  if (choice.view == PaneView::kTruth) {
    const auto truth = frame.truth->disparity.ConstView();
    picture_ = SpreadTruth(truth, kInvalidColor, [&](int x, int y) { return ColorOfValue(truth(x, y)); });
  }
}

Rgb8 PaneColors::ColorOfValue(float value) const {
  if (std::isnan(value)) return kInvalidColor;
  float t = std::clamp((value - low_) * scale_, 0.0F, 1.0F);
  if (choice_.view == PaneView::kDifference) return SignedColor(t);
  if (choice_.view == PaneView::kDepth) t = 1 - t;  // near is light, as in disparities
  return Colors()[static_cast<std::size_t>(t * (kNumColors - 1) + 0.5F)];
}

Rgb8 PaneColors::operator()(int x, int y) const {
  if (photo_ != nullptr) return (*photo_)(x, y);
  if (!picture_.Empty()) return picture_(x, y);
  if (choice_.view == PaneView::kValidity) {
    const HostImageView<const std::uint8_t> validity = frame_.SetOf(choice_.of_b).validity;
    return ColorOfValidity(validity.Empty() ? std::uint8_t{kValid} : validity(x, y));
  }
  const float value = ValueAt(frame_, choice_, x, y);
  const bool is_filled = !filled_.Empty() && (filled_(x, y) & kFilled) != 0 && !std::isnan(value);
  return is_filled ? Paler(ColorOfValue(value)) : ColorOfValue(value);
}

HostImage<Rgb8> ScaleColors(PaneView view) {
  if (InfoOf(view).unit.empty()) return {};
  constexpr int kWidth = 256;
  HostImage<Rgb8> scale(kWidth, 1);
  for (int i = 0; i < kWidth; ++i) {
    const float t = static_cast<float>(i) / (kWidth - 1);
    switch (view) {
      case PaneView::kError:
        scale(i, 0) = kErrorColors[static_cast<std::size_t>(i) * kErrorColors.size() / kWidth].color;
        break;
      case PaneView::kDifference:
        scale(i, 0) = SignedColor(t);
        break;
      case PaneView::kDepth:
        scale(i, 0) = ColorOf(1 - t);
        break;
      default:
        scale(i, 0) = ColorOf(t);
    }
  }
  return scale;
}

std::span<const ValidityColor> ValidityColors() { return kValidityColors; }

std::string ValidityText(std::uint8_t validity) {
  if (validity == kValid) return "matched";
  std::string text;
  const auto add = [&](std::string_view word) {
    if (!text.empty()) text += ", ";
    text += word;
  };
  for (const ValidityColor& row : kValidityColors) {
    if ((validity & row.bit) != 0) add(row.reason);
  }
  if ((validity & kFilled) != 0) add("filled");
  return text;
}

}  // namespace parallax::app
