#include "pipeline/reference/map_filters.h"

#include <string_view>

#include "pipeline/reference/refinement.h"
#include "pipeline/reference/stages.h"
#include "pipeline/trees/pixel_trees.h"

namespace parallax::reference {

void FilterMap(const Parameters& parameters, HostImageView<const std::uint8_t> guide,
               HostImageView<const float> selected, DisparityMap& map, ThreadPool& threads,
               StageResults* stages) {
  const auto hand_out = [&](std::string_view name) {
    if (stages != nullptr) stages->Add(name, Clone(map));
  };
  RemoveSpeckles(parameters.filter, map);
  hand_out("without_speckles");
  const bool judges = HasTrees(parameters) && !selected.Empty();
  if (judges) {
    JudgePixels(parameters, guide, selected, map, threads);
    hand_out("judged");
  }
  if (parameters.filter.fill) FillHoles(map, threads);
  hand_out("filled");
  if (parameters.refinement.planes) {
    const DisparityMap filled = Clone(map);
    FillFromPlanes(parameters, guide, map, threads);
    hand_out("planes");
    if (judges) {
      ChooseCandidates(parameters, guide, filled, map, threads);
      hand_out("chosen");
    }
  }
  MedianFilter(parameters.filter.median, map, threads);
  if (parameters.refinement.smoothing_passes > 0) {
    hand_out("median");
    Smooth(parameters.refinement, map.disparity.View(), threads);
  }
}

}  // namespace parallax::reference
