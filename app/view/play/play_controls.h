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
  // What a live source tells of itself. Empty: it is none.
  std::function<LiveStatus()> live;
};

}  // namespace parallax::app
