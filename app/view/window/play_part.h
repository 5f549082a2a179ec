// The play bar: position in a file source, playback, and a live source's text about itself.
#pragma once

#include <open3d/visualization/gui/Button.h>
#include <open3d/visualization/gui/Checkbox.h>
#include <open3d/visualization/gui/Slider.h>

#include <memory>
#include <string>

#include "app/view/play/play_controls.h"
#include "app/view/play/timeline.h"
#include "app/view/window/widgets.h"
#include "app/view/window/window_part.h"

namespace parallax::app {

class PlayPart : public WindowPart {
 public:
  PlayPart(const WindowRooms& rooms, std::shared_ptr<PlayControls> controls,
           std::shared_ptr<Timeline> of_frames);
  void Tick() override;

 private:
  void AddTime();
  void AddLive();
  std::string Text() const;
  std::string LiveText() const;

  const WindowRooms& rooms_;
  const std::shared_ptr<PlayControls> controls_;
  const std::shared_ptr<Timeline> timeline_;
  std::shared_ptr<gui::Slider> slider_;
  std::shared_ptr<gui::Label> text_;
  std::shared_ptr<gui::Checkbox> pace_;
  std::string shown_text_;
  long num_ticks_ = 0;
};

}  // namespace parallax::app
