// A device that delivers pictures by itself: a camera, a stream. It knows nothing of pairs, so tests can
// replace it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "pipeline/types/frame.h"

namespace parallax {

struct LivePicture {
  CameraImage image;
  double time_s = 0;  // time of capture if known, else of arrival; s of the system's monotonic clock
  int side = 0;       // which of the device's streams: 0, or 1 for the right one of two
  // Decodes the picture; empty if `image` is already set. Decoding takes longer than reading, so only pairs that
  // are taken are decoded. May outlive the device; one thread at a time calls those of a device. Returns nullopt
  // if the picture is damaged; throws Error.
  std::function<std::optional<CameraImage>()> decode{};
  // ROS only: the exact time of capture, ns, by the sender's clock, and the frame of the camera.
  std::optional<std::int64_t> stamp_ns{};
  std::string frame_id{};
};

// Not thread-safe. Its destructor closes it.
class LiveDevice {
 public:
  virtual ~LiveDevice() = default;
  // The next picture; nullopt if none came within `longest`, or the one that came was damaged. Throws Error,
  // in one line, if no more will come though more were expected: the device is then closed and opened again.
  virtual std::optional<LivePicture> Next(std::chrono::milliseconds longest) = 0;
  // Number of pictures at a time: 1, or 2 for left and right.
  virtual int num_streams() const { return 1; }
  // Whether it has a defined end and has reached it.
  virtual bool HasEnded() const { return false; }
  // Pictures that arrived damaged or incomplete since the device was opened.
  virtual std::size_t num_damaged() const { return 0; }
  // Pictures dropped since then because the queue was full.
  virtual std::size_t num_overrun() const { return 0; }
  // A note about its pictures that becomes known only from them, in one line; empty: none so far. A note
  // that changes is reported again.
  virtual std::string advice() const { return {}; }
  // False if times are those of arrival.
  virtual bool has_capture_times() const { return true; }
};

// One device of a source, already open, and the function to open it again. open throws Error.
struct LiveFeed {
  std::string label;    // in messages: "camera 0"
  int num_streams = 1;  // pictures of side 0 .. num_streams - 1
  std::function<std::unique_ptr<LiveDevice>()> open;
  std::unique_ptr<LiveDevice> device;
  // Adds what the sender says of a frame besides its pictures, such as the calibration; may be empty. Throws
  // Error.
  std::function<void(StereoFrame&)> describe{};
  // What to look at if nothing comes, in one line: "is it published?"; empty: questions for cameras.
  std::function<std::string()> silence_text{};
};

// Seconds of the system's monotonic clock.
inline double MonotonicNow_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace parallax
