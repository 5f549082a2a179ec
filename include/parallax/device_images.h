// Matching images that lie in a GPU's memory already, in order with the caller's own work there. No CUDA
// header is needed: a stream is handed over as the pointer that cudaStream_t is (nullptr: the legacy default
// stream).
//
//   const auto result = matcher.Enqueue(left, right, stream);   // DeviceImageView<const std::uint8_t>, ...
//   result->map().disparity                                     // for kernels on the same stream
//
// Matcher::Enqueue launches the pair on stream and returns before it is done. left, right: rectified, of one
// size and pixel type; they are borrowed until the result is done. Pairs of one matcher follow each other,
// whatever their streams. The back end must be cuda. Throws InvalidArgument for another back end and for
// images that do not fit each other.
#pragma once

#include <cstdint>

#include "parallax/disparity_map.h"
#include "parallax/image.h"

namespace parallax {

// As DisparityMap, in device memory.
struct DeviceDisparityMapView {
  DeviceImageView<float> disparity;
  DeviceImageView<std::uint8_t> validity, confidence;
};

// A map that a GPU makes, in memory of its own there, rows without gaps. The destructor waits until the
// device is done with it.
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

}  // namespace parallax
