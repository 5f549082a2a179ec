// The widget of the cloud's scene: reports clicks and rotations by the user.
#pragma once

#include <open3d/visualization/gui/Events.h>
#include <open3d/visualization/gui/SceneWidget.h>

#include <cmath>
#include <functional>

namespace parallax::app {

class CloudWidget : public open3d::visualization::gui::SceneWidget {
 public:
  using MouseEvent = open3d::visualization::gui::MouseEvent;

  std::function<void()> on_moved;                  // turned, shifted or approached
  std::function<void(float x, float y)> on_click;  // left button, without moving; px in the widget

  EventResult Mouse(const MouseEvent& event) override {
    using open3d::visualization::gui::MouseButton;
    constexpr int kStill_px = 3;
    if (event.type == MouseEvent::BUTTON_DOWN) {
      is_click_ = event.button.button == MouseButton::LEFT && event.modifiers == 0;
      down_x_ = event.x, down_y_ = event.y;
    } else if (event.type == MouseEvent::DRAG) {
      if (std::abs(event.x - down_x_) > kStill_px || std::abs(event.y - down_y_) > kStill_px) {
        is_click_ = false;
        on_moved();
      }
    } else if (event.type == MouseEvent::WHEEL) {
      on_moved();
    }
    const EventResult result = SceneWidget::Mouse(event);
    if (event.type == MouseEvent::BUTTON_UP && is_click_) {
      is_click_ = false;
      on_click(static_cast<float>(event.x - GetFrame().x), static_cast<float>(event.y - GetFrame().y));
    }
    return result;
  }

 private:
  bool is_click_ = false;
  int down_x_ = 0, down_y_ = 0;
};

}  // namespace parallax::app
