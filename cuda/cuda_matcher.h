// The CUDA back end as the program sees it. No CUDA header.
#pragma once

#include <cstddef>
#include <memory>

#include "pipeline/matcher.h"

namespace parallax {

// The back end "cuda" on options.device: one frame at a time, each a replay of one CUDA graph. Throws Error
// where there is no such device or it has too little memory (with the figure needed and a number of
// disparities that fits).
std::unique_ptr<StereoMatcher> MakeCudaMatcher(const Parameters& parameters, const MatcherOptions& options);

// A finished frame in page-locked memory, borrowed.
struct DisparityMapView {
  HostImageView<const float> disparity;
  HostImageView<const std::uint8_t> validity, confidence;
};
DisparityMap Clone(const DisparityMapView& view);

// Several frames in flight, for throughput: uploads and downloads of one frame hide behind the work of
// others. Frames come out in the order in which they went in. One thread submits and collects, or two
// threads, one each.
class CudaFrameQueue {
 public:
  virtual ~CudaFrameQueue() = default;

  // Starts a pair; waits while as many frames as were asked for are in flight and not collected (so a single
  // thread that collects too must collect first then: see in_flight()). The pixels are copied before this
  // returns.
  virtual void Submit(const CameraImageView& left, const CameraImageView& right) = 0;
  // Waits for the oldest frame. The pixels stay until the next Collect(). Throws Error when none is in
  // flight.
  virtual DisparityMapView Collect() = 0;
  virtual std::size_t in_flight() const = 0;     // submitted and not collected
  virtual std::size_t capacity() const = 0;      // as many may be in flight
  virtual std::size_t memory_bytes() const = 0;  // of the device
};

// num_in_flight >= 1 frames; each has device memory of its own.
std::unique_ptr<CudaFrameQueue> MakeCudaFrameQueue(const Parameters& parameters,
                                                   const MatcherOptions& options, int num_in_flight);

}  // namespace parallax
