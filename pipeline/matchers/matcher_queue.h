// Matching with several frames in flight, for throughput: the copies of one frame hide behind the work of
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

// Frames come out in the order in which they went in. One thread submits and collects, or two threads, one
// each.
class MatcherQueue {
 public:
  virtual ~MatcherQueue() = default;

  // Hands in a pair, which is started as soon as there is room; waits while capacity() frames are in flight
  // (so a single thread that collects too must collect first then: see in_flight()). The pixels are copied
  // before this returns.
  virtual void Submit(const CameraImageView& left, const CameraImageView& right) = 0;
  // The same with more to do. Raw images, which may be larger than the matcher's frames, are for a queue that
  // rectifies; depth and cloud are made where the queue does that, and else left to the caller. Throws
  // InvalidArgument for raw images elsewhere, or of another size than their rectifier's.
  virtual void SubmitWith(const CameraImageView& left, const CameraImageView& right, const ExtraWork& work);
  virtual bool rectifies() const { return false; }
  // Waits for the oldest frame. The pixels stay until the next Collect(). Throws Error when none is in
  // flight.
  virtual DisparityMapView Collect() = 0;
  // The same, but the caller keeps the pixels.
  virtual DisparityMap Take() { return Clone(Collect()); }
  // The same in memory that goes back to the queue when nobody holds it any more, where the queue has such:
  // nothing is copied then. It may outlive the queue.
  virtual FinishedMap Borrow() { return Take(); }
  // What SubmitWith() asked for, of the frame collected last; can be taken once.
  virtual ExtraResults TakeExtraResults() { return {}; }
  // Of the frame collected last, each on its own, where stages are timed; else zeros.
  virtual StageTimes times() const { return {}; }
  // Whether Collect() returns at once; true as well of a queue that cannot tell.
  virtual bool oldest_is_done() const { return true; }
  // done is called, from any thread, whenever the oldest frame becomes done, so that a caller can wait for other events
  // as well. It must not call the queue.
  virtual void SetDoneCallback(std::function<void()> /*done*/) {}
  virtual std::size_t in_flight() const = 0;     // submitted and not collected
  virtual std::size_t capacity() const = 0;      // as many may be in flight
  virtual std::size_t memory_bytes() const = 0;  // of what it runs on
};

// A matcher as a queue of one frame: Submit() matches it, in the calling thread, and throws what the matcher
// throws. with_times: stages are timed, which costs a GPU some time.
std::unique_ptr<MatcherQueue> MakeQueueOfOne(std::unique_ptr<StereoMatcher> matcher, bool with_times = true);

}  // namespace parallax
