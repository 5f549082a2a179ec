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

// Most sequences need only one matcher. Making one takes as long as matching several frames, so the last few
// are kept, as long as they are small. Matchers take frames up to their size. One of them serves a sequence
// whose sizes change slightly from frame to frame, as KITTI's do. It is made anew, for the largest width and
// height so far, when a frame is larger.
class KeptMatchers {
 public:
  // make: throws for invalid parameters or sizes.
  explicit KeptMatchers(MakeQueue make) : make_(std::move(make)) {}

  // A kept one for frames of this size, or null. It becomes the latest.
  MatcherQueue* Find(const Parameters& parameters, const MatcherOptions& frame);
  // Releases those for which there is no room (none may have frames in flight), then makes a new one. Throws
  // what make throws.
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
