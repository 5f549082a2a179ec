// parallax compare, driven as a user does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/json_text.h"
#include "tests/support/run_program.h"

namespace parallax::test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A small KITTI 2015 data set of three rendered frames and two runs over it, of which B finds nothing beyond
// 2 px.
class CompareCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    Do({"synth", "planes", "--output", Path("set"), "--width", "90", "--height", "40", "--frames", "3"});
    Do({"run", Path("set"), "--set", "matching_cost.num_disparities=32", "--output", Path("A"), "--write",
        "pfm"});
    Do({"run", Path("set"), "--set", "matching_cost.num_disparities=2", "--output", Path("B"), "--write",
        "pfm"});
  }
  void Do(const std::vector<std::string>& arguments) {
    const ProgramResult result = RunParallax(arguments);
    ASSERT_EQ(result.exit_code, 0) << result.err;
  }
  std::string Path(const std::string& name) const { return (folder_.path() / name).string(); }

  TemporaryFolder folder_;
};

TEST_F(CompareCommand, FoldersAreScoredAndTheWorseOneIsTold) {
  const ProgramResult result = RunParallax({"compare", Path("A"), Path("B"), "--json", Path("c.json")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("d1_all_noc over 3 frames"),
                                HasSubstr("0 frames better, 3 worse, 0 equal"), HasSubstr("p = 0.250")));
  EXPECT_THAT(ReadText(Path("c.json")), HasSubstr("\"worse\": 3"));
}

TEST_F(CompareCommand, FiguresAreThoseOfEval) {
  Do({"eval", Path("set"), "--estimates", Path("B"), "--json", Path("b.json")});
  Do({"compare", Path("A"), Path("b.json"), "--json", Path("mixed.json")});
  Do({"compare", Path("A"), Path("B"), "--json", Path("folders.json")});
  const std::string mixed = ReadText(Path("mixed.json")), folders = ReadText(Path("folders.json"));
  EXPECT_EQ(mixed.substr(mixed.find("\"frames\"")), folders.substr(folders.find("\"frames\"")));
}

TEST_F(CompareCommand, TakesReportsOfEval) {
  fs::create_directory(Path("A<"));  // a name that would end the page's script
  fs::rename(Path("A"), Path("A</script>"));
  Do({"eval", Path("set"), "--estimates", Path("A</script>"), "--report", Path("a")});
  Do({"eval", Path("set"), "--estimates", Path("B"), "--report", Path("b.html")});
  Do({"compare", Path("a"), Path("b.html"), "--json", Path("reports.json")});
  Do({"compare", Path("A</script>"), Path("B"), "--json", Path("folders.json")});
  const std::string reports = ReadText(Path("reports.json")), folders = ReadText(Path("folders.json"));
  EXPECT_EQ(reports.substr(reports.find("\"frames\"")), folders.substr(folders.find("\"frames\"")));
  WriteText(Path("other.html"), "<p>no figures</p>");
  EXPECT_THAT(RunParallax({"compare", Path("B"), Path("other.html")}).err, HasSubstr("contains no figures"));
}

TEST_F(CompareCommand, TheReportHasDifferenceMaps) {
  const ProgramResult result = RunParallax({"compare", Path("A"), Path("B"), "--report", Path("page")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::string html = ReadText(Path("page/index.html"));
  EXPECT_THAT(html,
              AllOf(HasSubstr("gain of B over A"), HasSubstr("0 / 3 / 0"), HasSubstr("% of it wrong, B")));
  EXPECT_TRUE(fs::exists(Path("page/frames/000002_10_gain_B.png")));
  EXPECT_THAT(html, Not(HasSubstr("http")));
}

TEST_F(CompareCommand, WhatCannotBeComparedIsToldInOneLine) {
  const ProgramResult missing = RunParallax({"compare", Path("A"), Path("nothing")});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.err, HasSubstr("nothing: no such file or folder"));
  const ProgramResult no_run = RunParallax({"compare", Path("A"), Path("set")});
  EXPECT_EQ(no_run.exit_code, 1);
  EXPECT_THAT(no_run.err, HasSubstr("no summary.json"));
  WriteText(Path("bad.json"), "{\"metric\": 3}");
  EXPECT_THAT(RunParallax({"compare", Path("A"), Path("bad.json")}).err, HasSubstr("bad.json: lacks what"));
  WriteText(Path("worse.json"), "{");
  EXPECT_THAT(RunParallax({"compare", Path("A"), Path("worse.json")}).err,
              HasSubstr("worse.json: is not JSON"));
  EXPECT_EQ(RunParallax({"compare", Path("A")}).exit_code, 2);
}

}  // namespace
}  // namespace parallax::test
