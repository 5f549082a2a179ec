// The interface that the window's play bar works on.
#pragma once

#include <cstddef>
#include <functional>

namespace parallax::app {

struct LiveStatus {
  std::size_t num_taken = 0, num_left_out = 0;  // pairs that came; pairs that newer ones replaced
  double latency_ms = 0;  // from the capture of the shown frame until it was matched; NaN: unknown
  std::size_t num_losses = 0, num_reopened = 0;  // of the camera or stream
};

// Called from the window's thread; no function waits.
struct PlayControls {
  // Returns the present counts and latency of a live source; empty for another source.
  std::function<LiveStatus()> live;
};

}  // namespace parallax::app
