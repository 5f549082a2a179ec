// A part of the window, and what the window offers to its parts.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/view/controls/command_table.h"
#include "app/view/controls/window_state.h"
#include "app/view/window/mailbox.h"
#include "app/view/window/widgets.h"

namespace parallax::app {

class SidePanel;

// Main thread only. Outlives the parts.
struct WindowRooms {
  CommandTable& commands;
  WindowState& state;
  SidePanel& panel;
  Mailbox& mailbox;
  // A row as wide as the window, above the status line; the first one added is the lowest.
  std::function<void(WidgetPtr row)> add_row;
  // Names a control in the state's "controls", with its place in the window, so that a test can click on it.
  std::function<void(const std::string& name, const WidgetPtr& control)> add_control;
  std::function<void()> redraw;                          // the look has changed
  std::function<void()> relayout;                        // a size has changed
  std::function<void(const std::string& message)> tell;  // in the status line, until the next message
  std::function<gui::Point()> mouse;                     // where it is, px of the window
  std::function<float()> scaling;                        // of the display: 2 on a screen of 200 %
  std::function<bool()> show_filled;                     // pixels that were filled look like others
  std::function<int()> em;                               // height of the text, px
};

// A part adds its commands, sections, rows and state in its constructor.
class WindowPart {
 public:
  virtual ~WindowPart() = default;
  // Called when a new frame is shown. It lives until the frame after the next is shown.
  virtual void Show(const ViewerFrame& /*frame*/) {}
  // Called every 10 ms.
  virtual void Tick() {}
  // Whether a request is not on screen yet: a screenshot waits for it.
  virtual bool IsBusy() const { return false; }
};

}  // namespace parallax::app
