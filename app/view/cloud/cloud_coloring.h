// The quantity that the colours of a cloud show.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/pictures/value_scale.h"
#include "app/view/cloud/cloud_frame.h"
#include "app/view/cloud/ground.h"
#include "pipeline/cloud/cpu_cloud_measures.h"

namespace parallax::app {

enum class CloudColoring { kImage, kDepth, kHeight, kConfidence, kDensity, kError, kDistance };
inline constexpr std::string_view kCloudColoringNames[] = {"image",   "depth", "height",  "confidence",
                                                           "density", "error", "distance"};

struct CloudColors {
  std::vector<Rgb8> colors;  // one per point
  // The scale of the values behind the colours; absent for the image's own colours.
  std::optional<ValueScale> scale;
  bool near_is_light = false;  // the scale runs from its high end (dark) to its low one (light)
  std::string note;            // why the colours are not the requested ones; empty if they are
};

// Colours the points. If the frame lacks what coloring needs, they keep the image's colours, and a note says
// why.
// measures: used for the density alone, which is slow (a second for half a million points).
CloudColors ColorCloud(const CloudFrame& frame, CloudColoring coloring, const Ground& ground,
                       CloudMeasures& measures);

}  // namespace parallax::app
