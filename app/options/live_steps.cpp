#include "app/options/live_steps.h"

#include <utility>

#include "app/options/adjusted_source.h"
#include "pipeline/live/decimation.h"
#include "pipeline/live/live_filters.h"

namespace parallax::app {

std::unique_ptr<FrameSource> WithDecimation(std::unique_ptr<FrameSource> source,
                                            const Parameters& parameters) {
  const int factor = parameters.live.decimation;
  if (factor == 1) return source;
  return std::make_unique<AdjustedSource>(
      std::move(source), [factor, masks = std::make_shared<ReducedMasks>()](StereoFrame& frame) {
        Decimate(factor, frame, *masks);
      });
}

void AddLiveFilters(const Parameters& parameters, int num_threads, FrameSteps& steps) {
  if (!HasLiveFilters(parameters)) return;
  steps.parameters_for = [inner = std::move(steps.parameters_for)](const StereoFrame& frame) {
    return ForMatcher(inner(frame));
  };
  const auto filters = std::make_shared<LiveFilters>(num_threads);
  steps.refine_in_order = [filters, parameters](MatchedFrame& matched) {
    filters->Apply(parameters, ViewOf(matched.frame.left), matched.frame.rig, matched.map.Own());
  };
}

}  // namespace parallax::app
