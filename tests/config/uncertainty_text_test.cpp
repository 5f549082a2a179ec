#include "config/uncertainty_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "config/frame_parameters.h"
#include "config/parameters_yaml.h"
#include "config/presets.h"
#include "parallax/error.h"

namespace parallax {
namespace {

using ::testing::HasSubstr;

std::string FaultOf(const std::string& yaml, const std::vector<std::string>& assignments = {}) {
  try {
    ParseParameters(yaml, "rig.yaml", assignments);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(UncertaintyText, IsReadFromFilesAndAssignments) {
  const ChosenParameters chosen =
      ParseParameters("uncertainty:\n  bend: [1, 2, 3, 4, 5, 6, 7]\n  rejected: 1.5\n", "x",
                      {"uncertainty.gaps=[1, 1.5,2,3,4,5,6]", "uncertainty.rig_px=0.25"});
  EXPECT_THAT(chosen.uncertainty.bend, ::testing::ElementsAre(1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(chosen.uncertainty.gaps, ::testing::ElementsAre(1, 1.5F, 2, 3, 4, 5, 6));
  EXPECT_EQ(chosen.uncertainty.rejected, 1.5F);
  EXPECT_EQ(chosen.uncertainty.rig_px, 0.25F);
  EXPECT_EQ(chosen.uncertainty.confidence_px, UncertaintyParameters{}.confidence_px);
  EXPECT_EQ(chosen.parameters, Parameters{});
  EXPECT_TRUE(chosen.IsChosen("uncertainty.rig_px"));
  EXPECT_FALSE(chosen.IsChosen("uncertainty.confidence_px"));
}

TEST(UncertaintyText, WrittenAndReadBackIsTheSame) {
  UncertaintyParameters unusual;
  unusual.confidence_px.fill(0.1F);
  unusual.bend[3] = 1.0F / 3;
  unusual.gaps[6] = 1000;
  unusual.rejected = 0.001F;
  unusual.rig_px = 2;
  for (const UncertaintyParameters& table : {UncertaintyParameters{}, unusual}) {
    EXPECT_EQ(ParseParameters(UncertaintyYaml(table), "x").uncertainty, table);
    EXPECT_EQ(ParseParameters("uncertainty: " + UncertaintyLine(table), "x").uncertainty, table);
    EXPECT_EQ(ParseParameters(ToYaml({}) + UncertaintyYaml(table), "x").uncertainty, table);
  }
}

TEST(UncertaintyText, FaultsSayWhereAndWhatToDo) {
  EXPECT_EQ(FaultOf("uncertainty:\n  bend: [1, 2]\n"),
            "rig.yaml:2: uncertainty.bend has 2 values: use 7 numbers, 0.001 .. 1000");
  EXPECT_EQ(FaultOf("uncertainty: {rejected: much}\n"),
            "rig.yaml:1: uncertainty.rejected holds 'much': use 0.001 .. 1000");
  EXPECT_EQ(FaultOf("uncertainty: {rejected: 0}\n"),
            "rig.yaml:1: uncertainty.rejected holds 0, out of range: use 0.001 .. 1000");
  for (const char* value : {"nan", "inf", "-1", "1e9"}) {
    EXPECT_THAT(FaultOf(std::string("uncertainty: {rig_px: ") + value + "}"),
                HasSubstr("out of range: use 0 .. 1000"))
        << value;
  }
  for (const char* value : {"", "1,", "1 2", "{a: 1}", "[[1]]"}) {
    EXPECT_THAT(FaultOf(std::string("uncertainty:\n  rig_px: ") + value + "\n"), HasSubstr("use 0 .. 1000"))
        << value;
  }
  EXPECT_EQ(FaultOf("uncertainty: {rig: 1}\n"),
            "rig.yaml:1: unknown key 'uncertainty.rig': did you mean uncertainty.rig_px?");
  EXPECT_EQ(FaultOf("uncertanty: {rig_px: 1}\n"),
            "rig.yaml:1: unknown key 'uncertanty': did you mean uncertainty?");
  EXPECT_THAT(FaultOf("uncertainty: 3\n"), HasSubstr("uncertainty is a stage: put its keys below it"));
  EXPECT_EQ(FaultOf("", {"uncertainty.bend=1"}),
            "uncertainty.bend=1: uncertainty.bend has 1 value: use 7 numbers, 0.001 .. 1000");
  EXPECT_THAT(FaultOf("", {"uncertainty.rigpx=1"}), HasSubstr("did you mean uncertainty.rig_px?"));
}

// What tools/uncertainty fitted: doubt makes no pixel surer, and the first classes of the factors are the
// measure.
TEST(UncertaintyText, EveryPresetHasASensibleTable) {
  for (const PresetFile& preset : Presets()) {
    SCOPED_TRACE(preset.name);
    const UncertaintyParameters table = LoadChosenParameters(std::string(preset.name)).uncertainty;
    EXPECT_EQ(table.bend[0], 1);
    EXPECT_EQ(table.gaps[0], 1);
    EXPECT_EQ(table.rig_px, 0);
    EXPECT_GE(table.confidence_px.front(), table.confidence_px.back());
    EXPECT_GT(table.confidence_px.back(), 0.05F);
    EXPECT_LT(table.confidence_px.front(), 1);
    EXPECT_TRUE(
        std::all_of(table.bend.begin() + 1, table.bend.end(), [](float factor) { return factor > 1; }));
    EXPECT_TRUE(std::is_sorted(table.gaps.begin(), table.gaps.end() - 1));
  }
}

TEST(UncertaintyText, ARigThatIsKnownToBeOffIsUsedUnlessTheKeyIsChosen) {
  const ChosenParameters plain = LoadChosenParameters("kitti");
  EXPECT_EQ(UncertaintyOf(0, plain), plain.uncertainty);
  UncertaintyParameters expected = plain.uncertainty;
  expected.rig_px = 0.5F;
  EXPECT_EQ(UncertaintyOf(0.5F, plain), expected);
  const ChosenParameters told = LoadChosenParameters("kitti", {"uncertainty.rig_px=0"});
  EXPECT_EQ(UncertaintyOf(0.5F, told), plain.uncertainty);
}

}  // namespace
}  // namespace parallax
