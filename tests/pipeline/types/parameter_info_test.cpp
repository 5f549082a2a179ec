#include "pipeline/types/parameter_info.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <type_traits>

#include "parallax/error.h"

namespace parallax {
namespace {

TEST(Parameters, DefaultsAreValidAndKeysAreDistinct) {
  Parameters parameters;
  EXPECT_TRUE(Validate(parameters).empty());
  std::set<std::string_view> keys;
  VisitParameters(parameters, [&](const ParameterInfo& info, const auto&) {
    EXPECT_TRUE(keys.insert(info.key).second) << info.key;
    EXPECT_FALSE(info.meaning.empty());
  });
  EXPECT_TRUE(keys.contains("aggregation.p1"));
}

TEST(Parameters, EveryNumberIsHeldToItsRange) {
  Parameters scratch;
  VisitParameters(scratch, [&](const ParameterInfo& info, auto& field) {
    using T = std::remove_cvref_t<decltype(field)>;
    if constexpr (std::is_same_v<T, int> || std::is_same_v<T, float>) {
      const T kept = field;
      for (const double outside : {info.min - 1, info.max + (info.max > 1e6 ? info.max : 1)}) {
        field = static_cast<T>(outside);
        const auto faults = Validate(scratch);
        ASSERT_EQ(faults.size(), 1U) << info.key;
        EXPECT_EQ(faults[0].key, info.key);
      }
      if constexpr (std::is_same_v<T, float>) {
        field = std::nanf("");
        EXPECT_FALSE(Validate(scratch).empty()) << info.key;
      }
      field = kept;
    }
  });
}

TEST(Parameters, CombinationsThatCannotWork) {
  const auto faulty_key = [](auto change) {
    Parameters parameters;
    change(parameters);
    const auto faults = Validate(parameters);
    return faults.size() == 1 ? faults[0].key : std::to_string(faults.size()) + " faults";
  };
  EXPECT_EQ(faulty_key([](Parameters& p) { p.aggregation.p2 = p.aggregation.p1 - 1; }), "aggregation.p2");
  EXPECT_EQ(faulty_key([](Parameters& p) { p.aggregation.p2_min = p.aggregation.p2 + 1; }),
            "aggregation.p2_min");
  EXPECT_EQ(faulty_key([](Parameters& p) { p.matching_cost.gradient_weight = 8; }),  // 8 * 8 > 63
            "matching_cost.gradient_cap");
  EXPECT_EQ(faulty_key([](Parameters& p) { p.aggregation.num_paths = 6; }), "aggregation.num_paths");
  EXPECT_EQ(faulty_key([](Parameters& p) { p.filter.median = 4; }), "filter.median");
  EXPECT_EQ(faulty_key([](Parameters& p) { p.ad_census.p2 = p.ad_census.p1 / 2; }), "ad_census.p2");
  EXPECT_EQ(faulty_key([](Parameters& p) { p.refinement.plane_step = p.refinement.plane_tile - 1; }),
            "refinement.plane_step");
  EXPECT_EQ(faulty_key([](Parameters& p) { p.reprojection.max_depth_m = 0.05F; }),
            "reprojection.max_depth_m");
  Parameters two;
  two.matching_cost.num_disparities = 5000;
  two.aggregation.p1 = -1;
  EXPECT_EQ(Validate(two).size(), 2U);  // all at once
  EXPECT_THROW(ValidateOrThrow(two), InvalidArgument);
}

}  // namespace
}  // namespace parallax
