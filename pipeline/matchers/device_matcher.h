// The interface of a matcher for images in a GPU's memory.
#pragma once

#include <memory>

#include "parallax/device_images.h"
#include "pipeline/matchers/stereo_matcher.h"

namespace parallax {

// Matches pairs of up to one size, in device memory; see StereoMatcher. Not thread-safe.
class DeviceMatcher {
 public:
  virtual ~DeviceMatcher() = default;
  virtual void* stream() const = 0;  // its own stream, without other work
  // Work launched on `stream` from now on runs after the work now on another stream. Does not wait.
  virtual void Order(void* stream, void* after) = 0;
  // Launches the frame on stream and returns before it is done. The pixels are borrowed until the result is
  // done; rows with gaps between them are first copied on the device. Frames of one matcher run one after the
  // other, on any streams. Throws what StereoMatcher::Compute throws.
  virtual std::unique_ptr<DeviceResult> Enqueue(const DeviceCameraImageView& left,
                                                const DeviceCameraImageView& right, void* stream) = 0;
};

}  // namespace parallax
