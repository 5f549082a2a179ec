// The matchers of the sizes and parameters that frames had last.
#pragma once

#include <list>
#include <memory>

#include "pipeline/matcher.h"
#include "pipeline/matcher_queue.h"
#include "pipeline/parameters.h"

namespace parallax::app {

// A matcher is made for one size and one set of parameters. One of the two: a queue where frames are in
// flight.
struct KeptMatcher {
  MatcherOptions size;
  Parameters parameters;
  std::unique_ptr<StereoMatcher> matcher;
  std::unique_ptr<MatcherQueue> queue;
};

// Most sequences need one only, but KITTI's mix four sizes, and making a matcher takes as long as matching
// several frames: the last few are kept, as long as they are small.
class KeptMatchers {
 public:
  // The one for these, which becomes the latest; null where there is none.
  KeptMatcher* Find(const Parameters& parameters, const MatcherOptions& size);
  // Lets go those that another one leaves no room for; before it takes its buffers.
  void MakeRoom(const Parameters& parameters, const MatcherOptions& size);
  KeptMatcher& Add(KeptMatcher matcher);

 private:
  std::list<KeptMatcher> matchers_;  // the latest first
};

}  // namespace parallax::app
