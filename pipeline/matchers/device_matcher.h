// What matches images that lie in the memory of a GPU.
#pragma once

#include <memory>

#include "parallax/device_images.h"
#include "pipeline/matchers/stereo_matcher.h"

namespace parallax {

// Matches pairs of up to one size, in device memory; see StereoMatcher. One call at a time.
class DeviceMatcher {
 public:
  virtual ~DeviceMatcher() = default;
  virtual void* stream() const = 0;  // its own, which no other work is on
  // What is launched on stream from now on comes after the work that is on another stream now. Does not wait.
  virtual void Order(void* stream, void* after) = 0;
  // Launches the frame on stream and returns before it is done. The pixels are borrowed until the result is
  // done; rows with gaps between them are copied on the device first. Frames of one matcher follow each
  // other, whatever their streams. Throws InvalidArgument as StereoMatcher::Compute.
  virtual std::unique_ptr<DeviceResult> Enqueue(const DeviceCameraImageView& left,
                                                const DeviceCameraImageView& right, void* stream) = 0;
};

}  // namespace parallax
