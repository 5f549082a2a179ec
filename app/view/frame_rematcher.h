// Matches a shown frame again with other parameters.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/options/matching_options.h"
#include "parallax/disparity_map.h"
#include "pipeline/matchers/stereo_matcher.h"
#include "pipeline/types/frame.h"

namespace parallax::app {

struct RematchedFrame {
  DisparityMap disparity;
  Parameters parameters;
  std::string backend;
  StageTimes times;
  double match_ms = 0;
};

// Used by one thread at a time.
class FrameRematcher {
 public:
  explicit FrameRematcher(MatchingOptions options) : options_(std::move(options)) {}

  // The matcher's result for the frame, with filters over space but not over time. Throws what making a
  // matcher and matching throw.
  std::shared_ptr<const RematchedFrame> Match(const StereoFrame& frame, const ChosenParameters& chosen);

 private:
  struct Kept {
    Parameters parameters;
    int width, height;
    std::unique_ptr<StereoMatcher> matcher;
  };
  MatchingOptions options_;
  std::optional<Kept> kept_;
};

}  // namespace parallax::app
