#include "config/parameter_table.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "config/parameter_text.h"
#include "config/uncertainty_text.h"
#include "pipeline/types/parameter_info.h"

namespace parallax {

namespace {

// The parameters that most users change.
constexpr std::string_view kBasic[] = {"matching_cost.min_disparity",
                                       "matching_cost.num_disparities",
                                       "aggregation.num_paths",
                                       "aggregation.p1",
                                       "aggregation.p2",
                                       "selection.uniqueness_percent",
                                       "consistency.max_difference",
                                       "filter.speckle_size",
                                       "filter.fill",
                                       "filter.median",
                                       "refinement.trees",
                                       "live.decimation",
                                       "live.temporal",
                                       "reprojection.min_depth_m",
                                       "reprojection.max_depth_m"};

std::string Rows(bool basic) {
  std::string rows =
      "| key | unit | range | default | meaning |\n"
      "| --- | --- | --- | --- | --- |\n";
  const Parameters defaults;
  VisitParameters(defaults, [&](const ParameterInfo& info, const auto&) {
    if ((std::ranges::find(kBasic, info.key) != std::end(kBasic)) != basic) return;
    rows += "| `" + std::string(info.key) + "` | " + std::string(info.unit) + " | " +
            ParameterRange(info.key) + " | " + ParameterText(defaults, info.key) + " | " +
            std::string(info.meaning) + " |\n";
  });
  return rows;
}

}  // namespace

std::string ParameterTable() { return Rows(true) + "\nAdvanced:\n\n" + Rows(false) + UncertaintyRows(); }

}  // namespace parallax
