// Matching images that are already in a GPU's memory, in order with the caller's own work there. No CUDA
// header is needed: a stream is passed as a pointer, the type of cudaStream_t (nullptr: the legacy default
// stream).
//
//   const auto result = matcher.Enqueue(left, right, stream);   // DeviceImageView<const std::uint8_t>, ...
//   result->map().disparity                                     // for kernels on the same stream
//
// Matcher::Enqueue launches the pair on stream and returns before it is done. left, right: rectified, of one
// size and pixel type; they are borrowed until the result is done. Pairs of one matcher run one after the
// other, on any streams. The back end must be cuda. Throws InvalidArgument for another back end and for
// images that do not fit each other.
#pragma once

#include <cstdint>

#include "parallax/disparity_map.h"
#include "parallax/image.h"

namespace parallax {

// A DisparityMap in device memory.
struct DeviceDisparityMapView {
  DeviceImageView<float> disparity;
  DeviceImageView<std::uint8_t> validity, confidence;
};

// A disparity map computed on a GPU, in its own device memory, rows without gaps. The destructor waits until
// the device has finished with it.
class DeviceResult {
 public:
  virtual ~DeviceResult() = default;
  virtual const DeviceDisparityMapView& map() const = 0;
  virtual int device() const = 0;
  virtual void* stream() const = 0;  // the stream that computes it
  // Work launched on `stream` from now on runs after the map is done. Does not wait.
  virtual void OrderBefore(void* stream) = 0;
  virtual void Wait() = 0;
  virtual DisparityMap Download() = 0;  // waits
};

}  // namespace parallax
