// The section "Figures" of the panel.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "app/view/panes/frame_figures.h"
#include "app/view/window/widgets.h"
#include "app/view/window/window_part.h"

namespace parallax::app {

class FiguresPart : public WindowPart {
 public:
  // rectangle: gives the one that is marked in the pictures.
  FiguresPart(const WindowRooms& rooms, std::function<std::optional<PixelRectangle>()> rectangle);

  void Show(const UploadFrame& frame) override;
  void Tick() override;

 private:
  using Clock = std::chrono::steady_clock;
  class Plot;

  // Texts and plots, of the frame shown last.
  void Draw();

  const WindowRooms& rooms_;
  const std::function<std::optional<PixelRectangle>()> rectangle_;
  std::shared_ptr<gui::CollapsableVert> section_;
  std::shared_ptr<const ShownFrame> undrawn_;  // null: none
  std::shared_ptr<gui::Label> rate_, stages_, values_, noise_text_;
  std::shared_ptr<Plot> history_plot_, histogram_plot_;
  StageHistory history_;
  TemporalNoise noise_;
  std::optional<Clock::time_point> last_;
  double frame_ms_ = 0;  // smoothed
  double density_percent_ = 0;
};

}  // namespace parallax::app
