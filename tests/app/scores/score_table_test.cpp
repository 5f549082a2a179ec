#include "app/scores/score_table.h"
#include "tests/support/nan.h"

#include <gtest/gtest.h>

namespace parallax::app {
namespace {

std::vector<FrameScores> TwoFrames() {
  std::vector<FrameScores> frames(2);
  frames[0].name = "a";
  frames[0].scores.Add("x", 1.25);
  frames[1].name = "long,name";
  frames[1].scores.Add("x", kNan);
  frames[1].scores.Add("y", 3);
  return frames;
}
Scores Total() {
  Scores total;
  total.Add("x", 10);
  total.Add("y", 4);
  return total;
}

TEST(ScoreTable, AlignsColumnsAndMarksMissingFigures) {
  const TableSection section{"title", {{"x", "X", "%.2f"}, {"x", "X/Y", "%.0f", "y"}}};
  EXPECT_EQ(TableText(section, TwoFrames(), Total()),
            "title\n"
            "frame          X   X/Y\n"
            "a           1.25   1/-\n"
            "long,name      -     -\n"
            "----------------------\n"
            "total      10.00  10/4\n");
}

TEST(ScoreTable, CsvHasEveryKeyAndEmptyCells) {
  EXPECT_EQ(CsvText(TwoFrames(), Total()), "name,x,y\na,1.25,\n\"long,name\",,3\ntotal,10,4\n");
}

TEST(ScoreTable, CsvHoldsNoFormulas) {
  const auto first_cell = [](const std::string& name) {
    const std::vector<FrameScores> frames(1, {name, {}});
    const std::string csv = CsvText(frames, {});
    return csv.substr(5, csv.size() - 5 - std::string("\ntotal\n").size());
  };
  EXPECT_EQ(first_cell("=cmd|' /C calc'!A0"), "\"'=cmd|' /C calc'!A0\"");
  EXPECT_EQ(first_cell("@SUM(A1)"), "\"'@SUM(A1)\"");
  EXPECT_EQ(first_cell("+1+\"x\""), "\"'+1+\"\"x\"\"\"");
  EXPECT_EQ(first_cell("-a"), "\"'-a\"");
  EXPECT_EQ(first_cell("\ta"), "\"'\ta\"");
  EXPECT_EQ(first_cell("\ra"), "\"'\ra\"");
  for (const char* name : {"-12", "+0.5", "a=b", "'=a", "000000_10", ""}) EXPECT_EQ(first_cell(name), name);
}

TEST(ScoreTable, OnlySectionsWithFiguresArePrinted) {
  Scores total;
  total.Add("out3_all", 1);
  EXPECT_EQ(SectionsOf(Metric::kKitti2012, total, false).size(), 1U);
  EXPECT_TRUE(SectionsOf(Metric::kEth3d, total, false).empty());
  total.Add("out3_all_noc", 1);
  EXPECT_EQ(SectionsOf(Metric::kKitti2012, total, false).size(), 2U);
  ASSERT_EQ(SectionsOf(Metric::kKitti2012, total, true).size(), 1U);  // the other would repeat it
  EXPECT_EQ(SectionsOf(Metric::kKitti2012, total, true)[0].columns[0].key, "out1_all_noc");
}

TEST(Scores, AKeyKeepsItsFirstValue) {
  Scores scores;
  scores.Add("x", 1);
  scores.Add("x", 2);
  EXPECT_EQ(scores.Find("x"), 1.0);
  EXPECT_EQ(scores.Find("y"), std::nullopt);
}

}  // namespace
}  // namespace parallax::app
