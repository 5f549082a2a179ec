#include "pipeline/types/parameter_info.h"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <sstream>
#include <type_traits>

#include "parallax/error.h"

namespace parallax {
namespace {

template <typename T>
std::string OutOfRange(const ParameterInfo& info, T value) {
  std::ostringstream text;
  text << info.key << " is " << value << ", outside " << info.min << " .. " << info.max;
  if (!info.unit.empty()) text << ' ' << info.unit;
  return text.str();
}

}  // namespace

std::vector<ParameterFault> Validate(const Parameters& p) {
  std::vector<ParameterFault> faults;
  VisitParameters(p, [&](const ParameterInfo& info, const auto& value) {
    using T = std::remove_cvref_t<decltype(value)>;
    if constexpr (std::is_same_v<T, int> || std::is_same_v<T, float>) {
      // Written so that a NaN is a fault too.
      if (!(value >= info.min && value <= info.max)) {
        faults.push_back({std::string(info.key), OutOfRange(info, value)});
      }
    }
  });
  // The checks below skip keys that are out of range, so that no fault is reported twice.
  const auto in_range = [&, num_out_of_range = faults.size()](std::initializer_list<std::string_view> keys) {
    return std::none_of(
        faults.begin(), faults.begin() + static_cast<std::ptrdiff_t>(num_out_of_range),
        [&](const ParameterFault& f) { return std::find(keys.begin(), keys.end(), f.key) != keys.end(); });
  };
  const auto fault = [&](std::string key, const auto&... parts) {
    std::ostringstream text;
    (text << ... << parts);
    faults.push_back({std::move(key), text.str()});
  };
  const MatchingCostParameters& c = p.matching_cost;
  if (in_range({"matching_cost.gradient_weight", "matching_cost.gradient_cap"}) &&
      c.gradient_weight * c.gradient_cap > kLargestGradientCost) {
    fault("matching_cost.gradient_cap", "matching_cost.gradient_weight * gradient_cap is ",
          c.gradient_weight * c.gradient_cap, ", more than ", kLargestGradientCost, ": lower one of them");
  }
  const AggregationParameters& a = p.aggregation;
  if (in_range({"aggregation.num_paths"}) && a.num_paths != 4 && a.num_paths != 8) {
    fault("aggregation.num_paths", "aggregation.num_paths is ", a.num_paths, ", use 4 or 8");
  }
  if (in_range({"aggregation.p1", "aggregation.p2"}) && a.p2 < a.p1) {
    fault("aggregation.p2", "aggregation.p2 (", a.p2, ") is smaller than aggregation.p1 (", a.p1,
          "): raise p2 or lower p1");
  }
  if (in_range({"aggregation.p1", "aggregation.p2", "aggregation.p2_min"}) && a.p2 >= a.p1 &&
      a.p2_min > a.p2) {
    fault("aggregation.p2_min", "aggregation.p2_min (", a.p2_min, ") is larger than aggregation.p2 (", a.p2,
          "): lower it, or raise p2");
  }
  if (in_range({"ad_census.p1", "ad_census.p2"}) && p.ad_census.p2 < p.ad_census.p1) {
    fault("ad_census.p2", "ad_census.p2 (", p.ad_census.p2, ") is smaller than ad_census.p1 (",
          p.ad_census.p1, "): raise p2 or lower p1");
  }
  if (in_range({"filter.median"}) && p.filter.median != 0 && p.filter.median != 3 && p.filter.median != 5) {
    fault("filter.median", "filter.median is ", p.filter.median, ", use 0 (off), 3 or 5");
  }
  const RefinementParameters& r = p.refinement;
  if (in_range({"refinement.plane_tile", "refinement.plane_step"}) && r.plane_tile % r.plane_step != 0) {
    fault("refinement.plane_step", "refinement.plane_step (", r.plane_step,
          ") does not divide refinement.plane_tile (", r.plane_tile, "): use a divisor of it");
  }
  if (in_range({"reprojection.min_depth_m", "reprojection.max_depth_m"}) &&
      p.reprojection.min_depth_m >= p.reprojection.max_depth_m) {
    fault("reprojection.max_depth_m", "reprojection.max_depth_m (", p.reprojection.max_depth_m,
          ") must be larger than reprojection.min_depth_m (", p.reprojection.min_depth_m, ")");
  }
  return faults;
}

void ValidateOrThrow(const Parameters& parameters) {
  std::string text;
  for (const ParameterFault& fault : Validate(parameters)) {
    if (!text.empty()) text += '\n';
    text += fault.message;
  }
  if (!text.empty()) throw InvalidArgument(text);
}

}  // namespace parallax
