// A borrowed disparity map, and one that is owned or lent.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "parallax/disparity_map.h"
#include "parallax/image.h"

namespace parallax {

struct DisparityMapView {
  HostImageView<const float> disparity;
  HostImageView<const std::uint8_t> validity, confidence;
};
inline DisparityMapView ViewOf(const DisparityMap& map) {
  return {map.disparity.ConstView(), map.validity.ConstView(), map.confidence.ConstView()};
}
DisparityMap Clone(const DisparityMapView& view);

// The map of a finished frame with its memory: its own, or lent by its maker until the last holder releases
// it. Move-only.
class FinishedMap {
 public:
  FinishedMap() = default;
  FinishedMap(DisparityMap own) : own_(std::move(own)) {}
  FinishedMap(const DisparityMapView& lent, std::shared_ptr<const void> memory)
      : lent_(lent), memory_(std::move(memory)) {}

  DisparityMapView View() const { return memory_ ? lent_ : ViewOf(own_); }
  HostImageView<const float> disparity() const { return View().disparity; }
  HostImageView<const std::uint8_t> validity() const { return View().validity; }
  HostImageView<const std::uint8_t> confidence() const { return View().confidence; }

  // The map to change or move; a lent map is copied first.
  DisparityMap& Own() {
    if (memory_) {
      own_ = Clone(lent_);
      memory_.reset();
    }
    return own_;
  }

 private:
  DisparityMap own_;
  DisparityMapView lent_;
  std::shared_ptr<const void> memory_;  // of the lent map
};

}  // namespace parallax
