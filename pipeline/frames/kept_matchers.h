// The matchers for the parameters of the last frames.
#pragma once

#include <functional>
#include <list>
#include <memory>

#include "pipeline/matchers/matcher_queue.h"
#include "pipeline/matchers/stereo_matcher.h"
#include "pipeline/types/parameter_info.h"

namespace parallax {

using MakeQueue =
    std::function<std::unique_ptr<MatcherQueue>(const Parameters& parameters, const MatcherOptions& options)>;

// Making a matcher takes as long as matching several frames. So the last few are kept, up to a total size of
// their cost volumes. A matcher takes frames up to its size, so one serves a sequence whose sizes change
// slightly from frame to frame, as KITTI's do. When a frame is larger, it is made anew, for the largest width
// and height so far.
class KeptMatchers {
 public:
  // make: throws for invalid parameters or sizes.
  explicit KeptMatchers(MakeQueue make) : make_(std::move(make)) {}

  // Returns a kept matcher that takes frames of this size, or null. It becomes the latest.
  MatcherQueue* Find(const Parameters& parameters, const MatcherOptions& frame);
  // Releases the matchers that exceed the limit, then makes a new one. No kept matcher may have frames in
  // flight. Throws what make throws.
  MatcherQueue& Make(const Parameters& parameters, const MatcherOptions& frame);

 private:
  struct Kept {
    MatcherOptions size;
    Parameters parameters;
    std::unique_ptr<MatcherQueue> queue;
  };

  MakeQueue make_;
  std::list<Kept> matchers_;  // the latest first
};

}  // namespace parallax
