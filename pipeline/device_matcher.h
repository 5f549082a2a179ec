// Matching images that lie in a GPU's memory already, in order with the caller's own work there. No CUDA
// header: a stream is handed over as the pointer that cudaStream_t is (nullptr: the legacy default stream).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <variant>

#include "pipeline/disparity_map.h"
#include "pipeline/image.h"
#include "pipeline/matcher.h"

namespace parallax {

using DeviceCameraImageView = std::variant<DeviceImageView<const std::uint8_t>,
                                           DeviceImageView<const std::uint16_t>, DeviceImageView<const Rgb8>>;

// As DisparityMap (disparity_map.h), in device memory.
struct DeviceDisparityMapView {
  DeviceImageView<float> disparity;
  DeviceImageView<std::uint8_t> validity, confidence;
};

// A map on its way, in device memory of its own, rows without gaps. Going, it waits until the device has done
// with it.
class DeviceResult {
 public:
  virtual ~DeviceResult() = default;
  virtual const DeviceDisparityMapView& map() const = 0;
  virtual int device() const = 0;
  virtual void* stream() const = 0;  // on which it is made
  // What is launched on stream from now on comes after the map is done. Does not wait.
  virtual void OrderBefore(void* stream) = 0;
  virtual void Wait() = 0;
  virtual DisparityMap Download() = 0;  // waits
};

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
