// What delivers pictures by itself: a camera, a stream. Below the making of pairs, so that tests have their
// own.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "pipeline/types/frame.h"

namespace parallax {

struct LivePicture {
  CameraImage image;
  double time_s = 0;  // of capture where that is known, else of arrival; s of the system's monotonic clock
  int side = 0;       // which of the device's streams: 0, or 1 for the right one of two
};

// Used by one thread at a time. Closed by its destructor.
class LiveDevice {
 public:
  virtual ~LiveDevice() = default;
  // The next picture; nullopt where none came within `longest`, or where the one that came was damaged.
  // Throws Error, one line, where none will come any more though more were expected: the device is then
  // closed and opened anew.
  virtual std::optional<LivePicture> Next(std::chrono::milliseconds longest) = 0;
  // How many pictures it takes at a time: 1, or 2 for left and right.
  virtual int num_streams() const { return 1; }
  // Whether it was given an end and has reached it.
  virtual bool HasEnded() const { return false; }
  // Pictures that were damaged, or for which there was no room, since it was opened.
  virtual std::size_t num_damaged() const { return 0; }
  virtual std::size_t num_overrun() const { return 0; }
  // What should be known of its pictures and shows in them only, a line; empty: nothing so far.
  virtual std::string advice() const { return {}; }
  // False where times are those of arrival.
  virtual bool has_capture_times() const { return true; }
};

// One device of a source, already open, and how it is opened again. open throws Error.
struct LiveFeed {
  std::string label;    // in messages: "camera 0"
  int num_streams = 1;  // pictures of side 0 .. num_streams - 1
  std::function<std::unique_ptr<LiveDevice>()> open;
  std::unique_ptr<LiveDevice> device;
};

// Seconds of the system's monotonic clock.
inline double MonotonicNow_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace parallax
