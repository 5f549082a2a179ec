// Matching with several frames in flight, for throughput: the copies of one frame overlap with the work on
// others.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "parallax/disparity_map.h"
#include "pipeline/matchers/extra_work.h"
#include "pipeline/matchers/stereo_matcher.h"
#include "pipeline/types/disparity_map_view.h"
#include "pipeline/types/frame.h"

namespace parallax {

// Frames come out in the order in which they went in. One thread submits and collects, or two threads do one
// each.
class MatcherQueue {
 public:
  virtual ~MatcherQueue() = default;

  // Submits a pair, which starts as soon as there is room; waits while capacity() frames are in flight (a
  // thread that also collects must collect first then: see in_flight()). The pixels are copied before this
  // returns.
  virtual void Submit(const CameraImageView& left, const CameraImageView& right) = 0;
  // Submits a pair with extra work. Only a queue that rectifies takes raw images, which may be larger than
  // the matcher's frames. Depth and cloud are computed by a queue that can, and otherwise left to the caller.
  // Throws InvalidArgument for raw images in another queue, or of another size than their rectifier's.
  virtual void SubmitWith(const CameraImageView& left, const CameraImageView& right, const ExtraWork& work);
  virtual bool rectifies() const { return false; }
  // Waits for the oldest frame. The pixels stay until the next Collect(). Throws Error if none is in flight.
  virtual DisparityMapView Collect() = 0;
  // Does the same, but the caller keeps the pixels.
  virtual DisparityMap Take() { return Clone(Collect()); }
  // Does the same without a copy, if the queue has memory to lend: it returns to the queue when nobody holds
  // it any more, and may outlive the queue.
  virtual FinishedMap Borrow() { return Take(); }
  // Returns the results of SubmitWith()'s extra work for the last collected frame, once.
  virtual ExtraResults TakeExtraResults() { return {}; }
  // The times of the last collected frame by stage, if stages are timed; otherwise zeros.
  virtual StageTimes times() const { return {}; }
  // Whether Collect() returns at once; also true for a queue that cannot tell.
  virtual bool oldest_is_done() const { return true; }
  // done is called, from any thread, whenever the oldest frame is done, so a caller can wait for other events
  // as well. It must not call the queue.
  virtual void SetDoneCallback(std::function<void()> /*done*/) {}
  virtual std::size_t in_flight() const = 0;     // submitted and not collected
  virtual std::size_t capacity() const = 0;      // most frames that may be in flight
  virtual std::size_t memory_bytes() const = 0;  // of its hardware
};

// A matcher as a queue of one frame: Submit() matches it, in the calling thread, and throws what the matcher
// throws. with_times: stages are timed, which costs a GPU some time.
std::unique_ptr<MatcherQueue> MakeQueueOfOne(std::unique_ptr<StereoMatcher> matcher, bool with_times = true);

}  // namespace parallax
