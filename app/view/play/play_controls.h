// The interface that the window's play bar works on.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "app/view/play/timeline.h"

namespace parallax::app {

struct LiveStatus {
  std::size_t num_taken = 0, num_left_out = 0;  // pairs; for those left out there was no time
  double latency_ms = 0;  // from the capture of the frame shown last until it was matched; NaN: not known
  std::size_t num_losses = 0, num_reopened = 0;  // of the camera or stream
};

// All from the window's thread; none of them waits.
struct PlayControls {
  std::shared_ptr<Timeline> timeline;  // of a file source; null where frames come as they come
  // Begins to write the frames of a range, with their results, into a folder of their own. Empty: not
  // offered.
  std::function<void(Timeline::Range range)> export_range;
  // Begins a recording, or ends it. Empty: not offered.
  std::function<void()> toggle_recording;
  // What a live source tells of itself. Empty: it is none.
  std::function<LiveStatus()> live;
  // What became of the last of these, one line; empty where there is nothing new.
  std::function<std::string()> take_message;
  std::function<bool()> is_recording;  // together with toggle_recording
};

}  // namespace parallax::app
