// Frames of cameras and streams: always the newest pair, through failures of the devices.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "datasets/live/live_device.h"
#include "datasets/live/live_options.h"
#include "pipeline/frames/frame_source.h"

namespace parallax {

struct LiveTimings {
  std::chrono::milliseconds first_delay{250};     // before a lost device is opened again; doubles each time,
  std::chrono::milliseconds longest_delay{8000};  // up to this
  std::chrono::milliseconds longest_silence{5000};  // a device that gave pictures counts as lost after it
  std::chrono::milliseconds longest_without_pair{3000};  // then the findings are reported
};

// One device with both images in one picture, one with two streams (left, right), or two devices, left and
// right. Each has its own reading thread, and is opened again after a loss. Frames are named STEM_000000, ...
// and have the time of capture as seconds since 1970. NextName waits for the newest pair. It throws Error
// where a picture cannot be halved, left and right do not fit together, or a device that never gave a picture
// fails.
std::unique_ptr<FrameSource> MakeLiveSource(std::string stem, std::vector<LiveFeed> feeds,
                                            const LiveOptions& options, const LiveTimings& timings = {});

}  // namespace parallax
