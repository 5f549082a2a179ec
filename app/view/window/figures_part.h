// The section "Figures" of the panel.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "app/view/window/widgets.h"
#include "app/view/window/window_part.h"

namespace parallax::app {

class FiguresPart : public WindowPart {
 public:
  explicit FiguresPart(const WindowRooms& rooms);

  void Show(const ViewerFrame& frame) override;
  void Tick() override;

 private:
  using Clock = std::chrono::steady_clock;

  const WindowRooms& rooms_;
  const std::shared_ptr<gui::CollapsableVert> section_;
  const std::shared_ptr<gui::Label> label_ = MakeDimLabel();
  std::string text_;  // not shown yet
  std::optional<Clock::time_point> last_;
  long num_frames_ = 0;
  double frame_ms_ = 0;  // smoothed
  double density_percent_ = 0;
};

}  // namespace parallax::app
