#include "app/view/frame_rematcher.h"

#include <utility>

#include "config/backends.h"
#include "config/frame_parameters.h"
#include "pipeline/live/live_filters.h"
#include "pipeline/threads/stopwatch.h"

namespace parallax::app {

std::shared_ptr<const RematchedFrame> FrameRematcher::Match(const StereoFrame& frame,
                                                            const ChosenParameters& chosen) {
  const CameraImageView left = ViewOf(frame.left), right = ViewOf(frame.right);
  auto result = std::make_shared<RematchedFrame>();
  result->parameters = ParametersOfFrame(frame, chosen);
  result->parameters.live.temporal = false;
  const bool is_filtered = HasLiveFilters(result->parameters);
  const Parameters matched = is_filtered ? ForMatcher(result->parameters) : result->parameters;
  const std::string_view backend = ResolveBackend(options_.backend, matched.method);
  result->backend = backend;
  const int width = WidthOf(left), height = HeightOf(left);
  if (!kept_ || !(kept_->parameters == matched) || kept_->width != width || kept_->height != height) {
    kept_.reset();  // its memory first
    MatcherOptions options{.width = width,
                           .height = height,
                           .num_threads = options_.num_threads,
                           .device = options_.device,
                           .memory_limit_bytes = options_.MemoryLimitBytes(backend)};
    kept_ = Kept{matched, width, height, MakeMatcher(backend, matched, options)};
  }
  const Stopwatch watch;
  kept_->matcher->Compute(left, right, result->disparity, &result->times);
  result->match_ms = watch.ms();
  if (is_filtered)
    LiveFilters(options_.num_threads).Apply(result->parameters, left, frame.rig, result->disparity);
  return result;
}

}  // namespace parallax::app
