// parallax info: what it prints for people and for programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/parameter_table.h"
#include "config/parameter_text.h"
#include "config/parameters_yaml.h"
#include "config/presets.h"
#include "tests/support/run_program.h"

namespace parallax::test {
namespace {

using ::testing::HasSubstr;

TEST(InfoCommand, NamesBackEndsAndPresets) {
  const ProgramResult result = RunParallax({"info"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const char* word : {"compiler", "OpenCV", "reference", "cpu", "cuda", "auto means", "kitti",
                           "processor", "cameras", "presets by task", "sparse-for-clouds"}) {
    EXPECT_THAT(result.out, HasSubstr(word));
  }
}

// "(Mei et al. 2011)" ends no sentence.
TEST(InfoCommand, SaysWhatAPresetIsForInAWholeSentence) {
  const std::string text = RunParallax({"info"}).out;
  EXPECT_THAT(text, HasSubstr("(Mei et al. 2011), for indoor pairs in colour\n"));
  EXPECT_THAT(text, HasSubstr("roads slope, and the score wants every pixel filled\n"));
}

TEST(InfoCommand, PrintsTheTableOfParameters) {
  EXPECT_EQ(RunParallax({"info", "--parameters"}).out, ParameterTable());
}

TEST(InfoCommand, PrintsAPresetThatReadsBackToIt) {
  for (const PresetFile& preset : Presets()) {
    const ProgramResult result = RunParallax({"info", "--preset", std::string(preset.name)});
    const Parameters printed = ParseParameters(result.out, "printed").parameters;
    const Parameters loaded = LoadParameters(std::string(preset.name));
    for (const std::string& key : ParameterKeys())
      EXPECT_EQ(ParameterText(printed, key), ParameterText(loaded, key));
  }
  const ProgramResult unknown = RunParallax({"info", "--preset", "kity"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_EQ(unknown.err, "parallax: unknown preset 'kity': use one of " + std::string(PresetNames()) + "\n");
}

TEST(InfoCommand, JsonHasTheSameFacts) {
  const ProgramResult result = RunParallax({"info", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const char* key : {"\"version\"", "\"backends\"", "\"auto\"", "\"presets\"", "\"instruction_sets\""}) {
    EXPECT_THAT(result.out, HasSubstr(key));
  }
}

}  // namespace
}  // namespace parallax::test
