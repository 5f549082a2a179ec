// The metrics as a library against the official tools' printed figures, to the last digit.
#include "app/scores/evaluator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <regex>

#include "app/scores/estimate_files.h"
#include "app/scores/score_table.h"
#include "datasets/formats/disparity_png.h"
#include "parallax/error.h"
#include "pipeline/metrics/kitti_quantization.h"
#include "tests/app/eval/official_truths.h"
#include "tests/support/built_paths.h"
#include "tests/support/nan.h"
#include "tests/support/run_program.h"

namespace parallax::app {
namespace {

TEST(Evaluator, ReproducesTheOfficialToolsToTheLastDigit) {
  const std::string data = RealDataFolder();
  if (data.empty()) GTEST_SKIP() << "PARALLAX_DATA names no folder: official figures not compared";
  const std::vector<OfficialCase> cases = ReadOfficialCases(data);
  ASSERT_EQ(cases.size(), 29U);
  for (const OfficialCase& official : cases) {
    SCOPED_TRACE(official.heading);
    const GroundTruth truth = ReadTruth(official.truth);
    const HostImage<float> estimate = ReadEstimate(official.estimate);
    EvaluatedFrame frame{estimate.ConstView(), &truth};
    if (official.max_disparity_px > 0) frame.max_disparity_px = official.max_disparity_px;
    frame.round = official.round;
    const Metric metrics[] = {MetricNamed(official.metric)};
    const Scores scores = MakeEvaluator(metrics)->AddFrame(frame);
    EXPECT_EQ(official.print([&](const std::string& key) { return scores.Find(key).value_or(kNan); }),
              official.expected);
  }
}

TEST(Evaluator, QuantisesForKittiAsThePngWriterDoes) {
  const test::TemporaryFolder folder;
  HostImage<float> map(9, 1);
  const float values[] = {kNan, -1, 0, 0.001F, 1, 1.0039F, 10.9999F, 255.999F, 300};
  for (int x = 0; x < 9; ++x) map(x, 0) = values[x];
  WriteDisparityPng(folder.path() / "a.png", map.ConstView());
  const HostImage<float> read = ReadDisparityPng(folder.path() / "a.png");
  const HostImage<float> quantised = QuantizeAsKittiPng(map.ConstView());
  for (int x = 0; x < 9; ++x) {
    EXPECT_EQ(std::isnan(quantised(x, 0)), std::isnan(read(x, 0))) << values[x];
    if (std::isnan(read(x, 0))) continue;
    EXPECT_EQ(quantised(x, 0), read(x, 0)) << values[x];
  }
}

GroundTruth TruthOf(int width, int height, float d) {
  GroundTruth truth;
  truth.disparity = HostImage<float>(width, height, d);
  return truth;
}

// 3.5 px are less than 5 % of 90 px; without a confidence there is nothing to say.
TEST(Evaluator, SaysWhetherConfidenceTellsWrongPixels) {
  GroundTruth truth = TruthOf(4, 1, 10);
  truth.disparity(3, 0) = 90;
  HostImage<float> estimate(4, 1, 10);
  estimate(2, 0) = 13.5F;  // wrong
  estimate(3, 0) = 93.5F;  // wrong for KITTI 2012 alone
  HostImage<std::uint8_t> confidence(4, 1, 100);
  confidence(2, 0) = 9;
  confidence(3, 0) = 8;
  EvaluatedFrame frame{estimate.ConstView(), &truth};
  const Metric kitti2012[] = {Metric::kKitti2012}, kitti2015[] = {Metric::kKitti2015};
  EXPECT_FALSE(MakeEvaluator(kitti2012)->AddFrame(frame).Find("ause"));
  frame.confidence = confidence.ConstView();
  const Scores of_2012 = MakeEvaluator(kitti2012)->AddFrame(frame);
  EXPECT_DOUBLE_EQ(of_2012.Find("sparsification_area").value(), 100 * (1 / 3. + 2 / 4.) / 4);
  EXPECT_DOUBLE_EQ(of_2012.Find("ause").value(), 0);
  EXPECT_DOUBLE_EQ(of_2012.Find("errors_below_median").value(), 100);
  const Scores of_2015 = MakeEvaluator(kitti2015)->AddFrame(frame);
  EXPECT_DOUBLE_EQ(of_2015.Find("sparsification_area").value(), 100 * (1 / 3. + 1 / 4.) / 4);
  EXPECT_DOUBLE_EQ(of_2015.Find("sparsification_best").value(), 100 * (1 / 4.) / 4);
}

TEST(Evaluator, NocFiguresNeedAMaskOrTruthThatHasNoOther) {
  const HostImage<float> estimate(2, 1, 10.0F);
  const Metric metrics[] = {Metric::kKitti2012};
  GroundTruth truth = TruthOf(2, 1, 10);
  EXPECT_FALSE(MakeEvaluator(metrics)->AddFrame({estimate.ConstView(), &truth}).Find("out3_all_noc"));
  truth.only_nonoccluded = true;
  EXPECT_EQ(MakeEvaluator(metrics)->AddFrame({estimate.ConstView(), &truth}).Find("out3_all_noc"), 0.0);
  truth.only_nonoccluded = false;
  truth.nonoccluded = HostImage<std::uint8_t>(2, 1, 255);
  truth.nonoccluded(1, 0) = 0;
  truth.disparity(1, 0) = 50;
  const Scores scores = MakeEvaluator(metrics)->AddFrame({estimate.ConstView(), &truth});
  EXPECT_EQ(scores.Find("out3_all"), 50.0);
  EXPECT_EQ(scores.Find("out3_all_noc"), 0.0);
}

TEST(Evaluator, GivesEveryFigureThatItsTablesShow) {
  const HostImage<float> estimate(2, 1, 10.0F);
  GroundTruth truth = TruthOf(2, 1, 10);
  truth.nonoccluded = HostImage<std::uint8_t>(2, 1, std::uint8_t{255});
  for (std::size_t i = 0; i < std::size(kMetricNames); ++i) {
    const Metric metrics[] = {static_cast<Metric>(i)};
    const Scores scores = MakeEvaluator(metrics)->AddFrame({estimate.ConstView(), &truth});
    const std::vector<TableSection> sections = SectionsOf(metrics[0], scores, false);
    EXPECT_GE(sections.size(), 2U);
    for (const TableSection& section : sections) {
      for (const TableColumn& column : section.columns) {
        EXPECT_TRUE(scores.Find(column.key)) << section.title << ": " << column.key;
        EXPECT_TRUE(column.per_key.empty() || scores.Find(column.per_key)) << column.per_key;
      }
    }
  }
}

TEST(Evaluator, EveryKindOfSourceHasItsOwnRowOfMetrics) {
  for (int i = 0; i <= static_cast<int>(SourceKind::kSynthetic); ++i)
    EXPECT_FALSE(MetricsFor(static_cast<SourceKind>(i)).empty()) << i;
}

TEST(Evaluator, SharedKeysAreTheFirstMetrics) {
  // Densities 1/1 and 1/3: KITTI 2015 pools them (2/4), KITTI 2012 takes their mean.
  const HostImage<float> one(1, 1, 5.0F);
  HostImage<float> three(3, 1, kNan);
  three(0, 0) = 5;
  const GroundTruth truth_of_one = TruthOf(1, 1, 5), truth_of_three = TruthOf(3, 1, 5);
  for (const auto& metrics : {std::vector{Metric::kKitti2015, Metric::kKitti2012},
                              std::vector{Metric::kKitti2012, Metric::kKitti2015}}) {
    const auto evaluator = MakeEvaluator(metrics);
    evaluator->AddFrame({one.ConstView(), &truth_of_one});
    evaluator->AddFrame({three.ConstView(), &truth_of_three});
    const double expected = metrics[0] == Metric::kKitti2015 ? 50.0 : (100 + 100 / 3.0) / 2;
    EXPECT_DOUBLE_EQ(*evaluator->Total().Find("density"), expected);
  }
}

TEST(Evaluator, EveryKindHasADensityAndTheThreeConventionsForHoles) {
  HostImage<float> estimate(4, 1, 0.5F);
  estimate(1, 0) = kNan;  // a hole that filling gets right
  estimate(3, 0) = 4;     // wrong
  const GroundTruth truth = TruthOf(4, 1, 0.5F);
  const auto scores = [&](Metric metric) {
    const Metric metrics[] = {metric};
    return MakeEvaluator(metrics)->AddFrame({estimate.ConstView(), &truth});
  };
  for (const Metric metric : {Metric::kKitti2012, Metric::kKitti2015, Metric::kMiddlebury, Metric::kEth3d}) {
    EXPECT_EQ(scores(metric).Find("density"), 75.0) << NameOf(metric);
  }
  const struct {
    Metric metric;
    const char *filled, *estimated, *holes_are_bad;
  } conventions[] = {{Metric::kKitti2012, "out3_all", "out3_est", "out3_or_holes"},
                     {Metric::kKitti2015, "d1_all", "d1_all_est", "d1_all_or_holes"},
                     {Metric::kMiddlebury, "bad2_filled_all", "bad2_est_all", "totbad2_all"},
                     {Metric::kEth3d, "bad2_filled_all", "bad2_all", "totbad2_all"}};
  for (const auto& c : conventions) {
    EXPECT_DOUBLE_EQ(*scores(c.metric).Find(c.filled), 25.0) << c.filled;
    EXPECT_DOUBLE_EQ(*scores(c.metric).Find(c.estimated), 100 / 3.0) << c.estimated;
    EXPECT_DOUBLE_EQ(*scores(c.metric).Find(c.holes_are_bad), 50.0) << c.holes_are_bad;
  }
}

// A key as docs/metrics.md writes it: thresholds and regions replaced.
std::string DocumentedForm(std::string key) {
  const auto replace = [&](const char* pattern, const char* by) {
    key = std::regex_replace(key, std::regex(pattern), by);
  };
  replace("^out[1-5]", "outN");
  replace("bad(05|1|2|4)", "badT");
  replace("^a(50|90|95|99)", "aQ");
  replace("^d1_.*_(errors|pixels)$", "KEY_$1");
  replace("_(nonocc|noc)$", "");
  if (!key.starts_with("out") && !key.starts_with("mean") && !key.starts_with("d1")) replace("_all$", "");
  return "`" + key + "`";
}

TEST(Evaluator, EveryKeyIsDocumented) {
  const std::string docs = test::ReadText(test::SourcePath("docs/metrics.md"));
  ASSERT_FALSE(docs.empty());
  const HostImage<float> estimate(2, 1, 1.0F);
  GroundTruth truth = TruthOf(2, 1, 1);
  truth.nonoccluded = HostImage<std::uint8_t>(2, 1, 255);
  for (const Metric metric : {Metric::kKitti2012, Metric::kKitti2015, Metric::kMiddlebury, Metric::kEth3d}) {
    const Metric metrics[] = {metric};
    for (const NamedScore& score : MakeEvaluator(metrics)->AddFrame({estimate.ConstView(), &truth})) {
      EXPECT_NE(docs.find(DocumentedForm(score.key)), std::string::npos) << score.key;
    }
  }
}

TEST(Evaluator, UnknownMetricsAreNamed) {
  EXPECT_THROW(MetricNamed("kitti2013"), InvalidArgument);
  EXPECT_EQ(MetricNamed("eth3d"), Metric::kEth3d);
}

}  // namespace
}  // namespace parallax::app
