// Reading and writing parameters: what is accepted, and that every fault is reported with place and remedy.
#include "config/parameters_yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "config/parameter_text.h"
#include "config/presets.h"
#include "parallax/error.h"
#include "tests/support/built_paths.h"
#include "tests/support/plain_parameters.h"
#include "tests/support/run_program.h"

namespace parallax {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// The faults of a text, one a line; fails when there are none.
std::string FaultsOf(const std::string& yaml, const std::vector<std::string>& assignments = {}) {
  try {
    ParseParameters(yaml, "rig.yaml", assignments);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  ADD_FAILURE() << "accepted: " << yaml;
  return "";
}

// A set in which every value differs from its default.
Parameters Unusual() {
  return ParseParameters(
             "method: ad_census\n"
             "census_transform: {window: 9x7}\n"
             "matching_cost: {min_disparity: -7, num_disparities: 33, gradient_weight: 3, gradient_cap: 7,\n"
             "  even_percent: 55, even_below: 2.5}\n"
             "aggregation: {num_paths: 4, p1: 3, p2: 77, p2_min: 5, p2_slope: 0.1, p1_ground_percent: 60,\n"
             "  p2_vertical_percent: 140}\n"
             "ad_census: {cost: ad, color_difference: maximum, lambda_ad: 3.5, lambda_census: 11,\n"
             "  arm_length: 9, arm_length_strict: 4, arm_threshold: 30, arm_threshold_strict: 9, support: "
             "left,\n"
             "  iterations: 2, scanlines: false, p1: 0.3, p2: 1.7, step_threshold: 8, right_winner: own,\n"
             "  voting_iterations: 1, voting_min_votes: 3, voting_min_percent: 55, discontinuities: false}\n"
             "selection: {uniqueness_percent: 5, subpixel: none}\n"
             "consistency: {max_difference: -1}\n"
             "filter: {speckle_size: 0, speckle_range: 0.3, fill: false, median: 5}\n"
             "refinement: {trees: driving, planes: false, plane_tile: 10, plane_step: 5, plane_tolerance: "
             "0.4,\n"
             "  smoothing_passes: 2, smoothing_range: 1.5}\n"
             "live: {decimation: 3, spatial: true, spatial_alpha: 0.3, spatial_delta: 7, spatial_iterations: "
             "4,\n"
             "  temporal: true, temporal_alpha: 0.7, temporal_delta: 9, persistence: 1/5, holes: nearest, "
             "near_m: 0.4,\n"
             "  far_m: 12.5, min_confidence: 3, min_texture: 1.5, darkest: 4, brightest: 250}\n"
             "reprojection: {min_depth_m: 0.7, max_depth_m: 33.3}\n",
             "unusual")
      .parameters;
}

TEST(ParametersYaml, NothingIsTheDefaults) {
  for (const char* yaml :
       {"", "# only a comment\n", "---\n", "aggregation:\n", "aggregation:\n  # p1: 3\n"}) {
    EXPECT_EQ(ParseParameters(yaml, "x").parameters, Parameters{}) << yaml;
  }
}

TEST(ParametersYaml, HoldsOnlyDifferences) {
  const ChosenParameters chosen = ParseParameters("aggregation: {p1: 8}\nfilter:\n  fill: false\n", "x");
  EXPECT_EQ(chosen.parameters.aggregation.p1, 8);
  EXPECT_EQ(ParseParameters("aggregation: {p1: +8}\n", "x").parameters.aggregation.p1, 8);
  EXPECT_FALSE(chosen.parameters.filter.fill);
  EXPECT_EQ(chosen.parameters.aggregation.p2, Parameters{}.aggregation.p2);
  EXPECT_TRUE(chosen.IsChosen("aggregation.p1"));
  EXPECT_FALSE(chosen.IsChosen("aggregation.p2"));
}

TEST(ParametersYaml, WrittenAndReadBackIsTheSame) {
  for (const Parameters& parameters : {Parameters{}, Unusual()}) {
    const ChosenParameters read = ParseParameters(ToYaml(parameters), "x");
    EXPECT_EQ(read.parameters, parameters);
    EXPECT_EQ(read.chosen_keys.size(), ParameterKeys().size());
  }
  for (const std::string& key : ParameterKeys()) {
    EXPECT_NE(ParameterText(Unusual(), key), ParameterText(Parameters{}, key)) << key << ": make it differ";
  }
}

TEST(ParametersYaml, TheMethodStandsBesideTheStages) {
  EXPECT_EQ(ParseParameters("method: sgm\naggregation: {p1: 8}\n", "x").parameters.method, Method::kSgm);
  EXPECT_TRUE(ParseParameters("method: sgm\n", "x").IsChosen("method"));
  EXPECT_TRUE(ParseParameters("", "x", {"method=sgm"}).IsChosen("method"));
  EXPECT_EQ(ToYaml({}).rfind("method: sgm ", 0), 0U) << ToYaml({});
  EXPECT_EQ(FaultsOf("\nmethod: smg\n"), "rig.yaml:2: method is 'smg': use one of sgm, ad_census");
  EXPECT_EQ(FaultsOf("metod: sgm\n"), "rig.yaml:1: unknown key 'metod': did you mean method?");
  EXPECT_EQ(FaultsOf("filter: {method: sgm}\n"),
            "rig.yaml:1: unknown key 'filter.method': did you mean method?");
  EXPECT_EQ(FaultsOf("method: {name: sgm}\n"), "rig.yaml:1: method is a map: use one value, sgm, ad_census");
  EXPECT_EQ(FaultsOf("method:\n"), "rig.yaml:1: method is empty: use one value, sgm, ad_census");
  EXPECT_EQ(FaultsOf("method: sgm\nmethod: sgm\n"), "rig.yaml:2: method is given twice: keep one");
}

TEST(ParametersYaml, AKeyLeftOpenIsNotChosenWhenReadBack) {
  const ChosenParameters read = ParseParameters(ToYaml(Unusual(), {"matching_cost.num_disparities"}), "x");
  EXPECT_FALSE(read.IsChosen("matching_cost.num_disparities"));
  EXPECT_TRUE(read.IsChosen("matching_cost.min_disparity"));
}

TEST(ParametersYaml, AssignmentsComeLastAndInOrder) {
  const ChosenParameters chosen = ParseParameters(
      "aggregation: {p1: 8}\n", "x", {"aggregation.p1=9", "aggregation.p1=11", "filter.fill=false"});
  EXPECT_EQ(chosen.parameters.aggregation.p1, 11);
  EXPECT_FALSE(chosen.parameters.filter.fill);
  EXPECT_TRUE(chosen.IsChosen("filter.fill"));
}

TEST(ParametersYaml, AnUnknownKeyNamesTheNearest) {
  EXPECT_EQ(FaultsOf("aggregation:\n  P1: 3\n"),
            "rig.yaml:2: unknown key 'aggregation.P1': did you mean aggregation.p1?");
  EXPECT_EQ(FaultsOf("\nagregation: {p1: 3}\n"),
            "rig.yaml:2: unknown key 'agregation': did you mean aggregation?");
  EXPECT_EQ(FaultsOf("aggregation: {window: 5x5}\n"),
            "rig.yaml:1: unknown key 'aggregation.window': did you mean census_transform.window?");
  EXPECT_EQ(FaultsOf("p2: 3\n"), "rig.yaml:1: unknown key 'p2': did you mean aggregation.p2?");
  EXPECT_EQ(FaultsOf("filter: {speckle_sise: 3}\n"),
            "rig.yaml:1: unknown key 'filter.speckle_sise': did you mean filter.speckle_size?");
  EXPECT_EQ(FaultsOf("aggregation: {quite_something_else: 3}\n"),
            "rig.yaml:1: unknown key 'aggregation.quite_something_else'");
  // The most similar one, though its stage has a key that is similar too (aggregation.p1_ground_percent).
  EXPECT_EQ(
      FaultsOf("aggregation: {uniquness_percent: 3}\n"),
      "rig.yaml:1: unknown key 'aggregation.uniquness_percent': did you mean selection.uniqueness_percent?");
  EXPECT_THAT(FaultsOf("refinment: {plane_tile: 3}\n"), HasSubstr("did you mean refinement?"));
  EXPECT_THAT(FaultsOf("", {"refinment.plane_tle=3"}), HasSubstr("did you mean refinement.plane_tile?"));
  EXPECT_THAT(FaultsOf("aggregation.p1: 3\n"), HasSubstr("must be nested: 'aggregation:'"));
}

TEST(ParametersYaml, TheRangeIsLeftToTheFirstFramesOnlyWhereThereAreSome) {
  EXPECT_EQ(FaultsOf("matching_cost:\n  num_disparities: auto\n"),
            "rig.yaml:2: matching_cost.num_disparities is 'auto', which is chosen from the first frames of a "
            "source: here use a whole number, 1 .. 1024");
  EXPECT_THAT(FaultsOf("aggregation: {p1: auto}\n"), HasSubstr("use a whole number, 0 .. 8000"));
  const std::string assignment = "matching_cost.num_disparities=auto";
  const ChosenParameters automatic =
      LoadChosenParameters("default", {"matching_cost.num_disparities=64", assignment}, AutoRange::kTaken);
  EXPECT_TRUE(automatic.is_range_auto);
  EXPECT_FALSE(automatic.IsChosen(kNumDisparitiesKey));
  const ChosenParameters number =
      LoadChosenParameters("default", {assignment, "matching_cost.num_disparities=64"}, AutoRange::kTaken);
  EXPECT_FALSE(number.is_range_auto);
  EXPECT_TRUE(number.IsChosen(kNumDisparitiesKey));
  EXPECT_EQ(number.parameters.matching_cost.num_disparities, 64);
}

TEST(ParametersYaml, AWrongTypeIsAFault) {
  EXPECT_EQ(FaultsOf("aggregation:\n  p1: ten\n"),
            "rig.yaml:2: aggregation.p1 is 'ten': use a whole number, 0 .. 8000 cost");
  for (const char* value : {"1.5", "1e1", "0x10", "true", "'10'", "\"10\"", "", "[10]", "{a: 1}", "~",
                            "10 px", "99999999999999999999"}) {
    EXPECT_THAT(FaultsOf(std::string("aggregation: {p1: ") + value + "}\n"), HasSubstr("0 .. 8000")) << value;
  }
  for (const char* value : {".inf", ".nan", "inf", "nan", "1e99", "x", "1,5"}) {
    EXPECT_THAT(FaultsOf(std::string("aggregation:\n  p2_slope: ") + value + "\n"),
                HasSubstr("use a number, 0 .. 1000"))
        << value;
  }
  EXPECT_EQ(FaultsOf("filter: {fill: yes}\n"), "rig.yaml:1: filter.fill is 'yes': use one of true, false");
  EXPECT_EQ(FaultsOf("selection: {subpixel: cubic}\n"),
            "rig.yaml:1: selection.subpixel is 'cubic': use one of none, parabola, equiangular");
  EXPECT_THAT(FaultsOf("aggregation: 3\n"), HasSubstr("rig.yaml:1: aggregation is a stage"));
  EXPECT_THAT(FaultsOf("[1, 2]\n"), HasSubstr("rig.yaml:1: not a file of parameters"));
  EXPECT_THAT(FaultsOf("hello\n"), HasSubstr("rig.yaml:1: not a file of parameters"));
}

TEST(ParametersYaml, OutOfRangeIsAFault) {
  EXPECT_EQ(FaultsOf("matching_cost:\n\n  num_disparities: 0\n"),
            "rig.yaml:3: matching_cost.num_disparities is 0, outside 1 .. 1024 px");
  EXPECT_EQ(FaultsOf("matching_cost: {num_disparities: 5000}\n"),
            "rig.yaml:1: matching_cost.num_disparities is 5000, outside 1 .. 1024 px");
  EXPECT_EQ(
      ParseParameters("matching_cost: {num_disparities: 1024}", "x").parameters.matching_cost.num_disparities,
      1024);
  EXPECT_EQ(
      ParseParameters("matching_cost: {num_disparities: 1}", "x").parameters.matching_cost.num_disparities,
      1);
}

TEST(ParametersYaml, ACombinationThatCannotWorkIsAFaultWhereItWasSet) {
  EXPECT_THAT(FaultsOf("aggregation:\n  p1: 20\n  p2: 10\n"),
              AllOf(HasSubstr("rig.yaml:3: aggregation.p2 (10) is smaller than aggregation.p1 (20)"),
                    HasSubstr("raise p2 or lower p1")));
  EXPECT_THAT(FaultsOf("matching_cost: {gradient_weight: 10, gradient_cap: 12}\n"),
              HasSubstr("gradient_weight * gradient_cap is 120, more than 63: lower one of them"));
  // Only p1 was set; the fault is there.
  EXPECT_THAT(FaultsOf("aggregation:\n  p1: 500\n"), HasSubstr("rig.yaml:2: aggregation.p2 (72) is smaller"));
  EXPECT_THAT(FaultsOf("", {"aggregation.p1=500"}), HasSubstr("aggregation.p1=500: aggregation.p2 (72)"));
  EXPECT_THAT(FaultsOf("aggregation:\n  num_paths: 4\n  p1: 500\n"),
              HasSubstr("rig.yaml:3: aggregation.p2 (72)"));
  EXPECT_THAT(FaultsOf("reprojection: {min_depth_m: 20000}\n"),
              HasSubstr("rig.yaml:1: reprojection.max_depth_m"));
  // p2 cannot be read, so that it is the default's, 72: that this is below p1 is not the fault.
  EXPECT_EQ(FaultsOf("aggregation: {p1: 80, p2: x}\n"),
            "rig.yaml:1: aggregation.p2 is 'x': use a whole number, 0 .. 8000 cost");
  EXPECT_THAT(FaultsOf("filter: {median: 4}\n"),
              HasSubstr("rig.yaml:1: filter.median is 4, use 0 (off), 3 or 5"));
}

TEST(ParametersYaml, DoubledKeysAreFaults) {
  EXPECT_EQ(FaultsOf("aggregation:\n  p1: 3\n  p1: 3\n"),
            "rig.yaml:3: aggregation.p1 is given twice: keep one");
  EXPECT_THAT(FaultsOf("aggregation: {p1: 3}\naggregation: {p2: 30}\n"),
              HasSubstr("rig.yaml:2: stage aggregation is given twice"));
  EXPECT_THAT(FaultsOf("base: kitti\nbase: default\n"), HasSubstr("rig.yaml:2: base is given twice"));
}

TEST(ParametersYaml, AllFaultsAreToldAtOnce) {
  const std::string faults = FaultsOf(
      "census_transform: {window: 11x11}\n"
      "aggregation:\n  p1: 9000\n  p3: 1\nfilter:\n  median: 4\n  fill: maybe\n",
      {"selection.uniqueness_percent=120", "nonsense"});
  EXPECT_EQ(std::count(faults.begin(), faults.end(), '\n'), 6) << faults;
  for (const char* fault : {"rig.yaml:1: census_transform.window is '11x11'",
                            "rig.yaml:3: aggregation.p1 is 9000", "rig.yaml:4: unknown key 'aggregation.p3'",
                            "rig.yaml:6: filter.median is 4", "rig.yaml:7: filter.fill is 'maybe'",
                            "selection.uniqueness_percent=120: ", "nonsense: write key=value"}) {
    EXPECT_THAT(faults, HasSubstr(fault));
  }
}

TEST(ParametersYaml, JunkIsToldWithItsLine) {
  EXPECT_THAT(FaultsOf("%YAML:1.0\n---\nM1: !!opencv-matrix\n  rows: 3\n"),
              HasSubstr("rig.yaml:3: unknown key 'M1'"));
  EXPECT_THAT(FaultsOf("aggregation:\n  p1: 3\n p2: 4\n"), HasSubstr("rig.yaml:3: not valid YAML"));
  EXPECT_THAT(FaultsOf("aggregation: {p1: 3\n"), HasSubstr("not valid YAML"));
  EXPECT_THAT(FaultsOf("a: &x [*x]\n"), HasSubstr("rig.yaml"));
  EXPECT_THAT(FaultsOf(std::string("\x89PNG\r\n\x1a\n\0\0\0", 11)), HasSubstr("rig.yaml"));
  EXPECT_THAT(FaultsOf(std::string(5000, '[')), HasSubstr("rig.yaml"));
  for (const char* yaml : {"? [a]\n: 3\n", "aggregation: {[a]: 3}\n"})
    EXPECT_THAT(FaultsOf(yaml), HasSubstr("rig.yaml:1: a key must be a plain word"));
  EXPECT_THAT(FaultsOf("aggregation: {p1: 3}\n---\naggregation: {p1: 3}\n"), HasSubstr("second document"));
}

TEST(LoadParameters, KnowsThePresets) {
  EXPECT_EQ(LoadParameters("kitti").matching_cost.num_disparities, 256);
  EXPECT_EQ(LoadParameters("kitti-accurate").matching_cost.num_disparities, 256);  // by its base
  EXPECT_TRUE(LoadParameters("middlebury").filter.fill);
  // The data set states the number of disparities of each scene.
  EXPECT_FALSE(LoadChosenParameters("middlebury").IsChosen("matching_cost.num_disparities"));
  EXPECT_EQ(
      PresetNames(),
      "accurate, ad_census, default, kitti-accurate, kitti, middlebury, realtime, handheld, live, robot, "
      "scanning, sparse-for-clouds");
  for (const PresetFile& preset : Presets())
    EXPECT_NO_THROW(LoadParameters(std::string(preset.name))) << preset.name;
}

TEST(LoadParameters, TheDefaultsAreThePresetDefault) {
  const ChosenParameters chosen = LoadChosenParameters("default");
  EXPECT_EQ(chosen.parameters, Parameters{});
  EXPECT_EQ(chosen.uncertainty, UncertaintyParameters{});
}

TEST(LoadParameters, TheFormerDefaultIsKeptAsAFile) {
  EXPECT_EQ(LoadParameters(test::SourcePath("docs/presets/default-0.1.yaml")), test::PlainParameters());
}

TEST(LoadParameters, NamesWhatIsMissing) {
  try {
    LoadParameters("kity");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), ("kity: no such file, and no preset (" + std::string(PresetNames()) +
                                "): did you mean kitti?")
                                   .c_str());
  }
  const test::TemporaryFolder folder;
  EXPECT_THROW(LoadParameters(folder.path()), Error);
  test::WriteText(folder.path() / "large.yaml", std::string((1 << 20) + 1, '#'));
  EXPECT_THROW(LoadParameters(folder.path() / "large.yaml"), Error);
  EXPECT_EQ(LoadParameters("/dev/null"), Parameters{});  // which has no size
}

TEST(LoadParameters, AFileMayNameABase) {
  const test::TemporaryFolder folder;
  test::WriteText(folder.path() / "car.yaml", "aggregation: {p1: 9}\nbase: kitti\n");
  test::WriteText(folder.path() / "sub" / "truck.yaml", "base: ../car.yaml\nfilter: {median: 3}\n");
  const ChosenParameters chosen = LoadChosenParameters(folder.path() / "sub" / "truck.yaml");
  EXPECT_EQ(chosen.parameters.aggregation.p1, 9);  // its own value wins over the base's, whatever the order
  EXPECT_EQ(chosen.parameters.matching_cost.num_disparities, 256);
  EXPECT_EQ(chosen.parameters.filter.median, 3);
  EXPECT_TRUE(chosen.IsChosen("matching_cost.num_disparities"));
}

TEST(LoadParameters, ABadBaseIsToldWithItsPlace) {
  const test::TemporaryFolder folder;
  const auto fault_of = [&](const std::string& yaml) {
    test::WriteText(folder.path() / "a.yaml", yaml);
    try {
      LoadParameters(folder.path() / "a.yaml");
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(fault_of("\nbase: nowhere.yaml\n"),
              AllOf(HasSubstr("a.yaml:2: base "), HasSubstr("no such file")));
  EXPECT_THAT(fault_of("base: a.yaml\n"), HasSubstr("a.yaml:1: more than 8 nested bases"));
  EXPECT_THAT(fault_of("base: [kitti]\n"), HasSubstr("a.yaml:1: base must be the name"));
  EXPECT_THAT(fault_of("base: ''\n"), HasSubstr("a.yaml:1: base must be the name"));
}

}  // namespace
}  // namespace parallax
