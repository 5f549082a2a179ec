// What the window's row of time works on.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/view/play/timeline.h"

namespace parallax::app {

// All from the window's thread; none of them waits.
struct PlayControls {
  std::shared_ptr<Timeline> timeline;  // of a file source; null where frames come as they come
  // Begins to write the frames of a range, with their results, into a folder of their own. Empty: not
  // offered.
  std::function<void(Timeline::Range range)> export_range;
  // Begins a recording, or ends it. Empty: not offered.
  std::function<void()> toggle_recording;
  // What became of the last of these, one line; empty where there is nothing new.
  std::function<std::string()> take_message;
  std::function<bool()> is_recording;  // together with toggle_recording
};

}  // namespace parallax::app
