// The program's frame: commands, help, version, exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/run_program.h"

namespace parallax::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::size_t NumLines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(Main, PrintsItsVersion) {
  const ProgramResult result = RunParallax({"--version"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, StartsWith("parallax "));
  EXPECT_EQ(result.err, "");
}

TEST(Main, HelpNamesTheCommands) {
  const ProgramResult result = RunParallax({"--help"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("info"));
  EXPECT_EQ(result.err, "");
}

TEST(Main, WrongUsageIsOneLineAndTwo) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{}, {"no-such-command"}, {"info", "--no-such-option"}}) {
    const ProgramResult result = RunParallax(arguments);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, StartsWith("parallax: "));
    EXPECT_THAT(result.err, HasSubstr("--help"));
    EXPECT_EQ(NumLines(result.err), 1U) << result.err;
  }
}

// `--output "$UNSET"` in a script.
TEST(Main, AnEmptyArgumentIsNamed) {
  const ProgramResult option = RunParallax({"run", "synthetic:drive", "--output", ""});
  EXPECT_EQ(option.exit_code, 2);
  EXPECT_EQ(option.err,
            "parallax: argument 4, after '--output', is empty: give it a value, or leave it out\n");
  const ProgramResult command = RunParallax({""});
  EXPECT_EQ(command.exit_code, 2);
  EXPECT_EQ(command.err, "parallax: argument 1 is empty: give it a value, or leave it out\n");
}

TEST(Main, AnUnknownCommandIsToldWithThoseThereAre) {
  EXPECT_THAT(RunParallax({"rum"}).err,
              ::testing::AllOf(HasSubstr("unknown command 'rum'"), HasSubstr("run")));
}

}  // namespace
}  // namespace parallax::test
