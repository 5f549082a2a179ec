// parallax eval, driven as a user does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "datasets/formats/disparity_png.h"
#include "datasets/formats/image_file.h"
#include "datasets/formats/pfm.h"
#include "tests/app/eval/official_truths.h"
#include "tests/support/json_text.h"
#include "tests/support/run_program.h"

namespace parallax::test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string ReadFile(const fs::path& path) { return ReadText(path); }

std::string Printed(double value) { return app::Printed("%.17g", value); }
double TotalOf(const std::string& json, const std::string& key) { return NumberIn(json, "total", key); }

// A small KITTI 2015 data set of two rendered frames.
class EvalCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    const ProgramResult result = RunParallax(
        {"synth", "planes", "--output", Path("set"), "--width", "90", "--height", "40", "--frames", "2"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
  }
  std::string Path(const std::string& name) const { return (folder_.path() / name).string(); }
  // The set's own truth as estimates, under their frame names.
  std::string TruthAsEstimates() const { return Path("set/training/disp_occ_0"); }

  TemporaryFolder folder_;
};

std::vector<std::string> ArgumentsFor(const app::OfficialCase& official) {
  std::vector<std::string> arguments = {"eval",         "--truth",         official.truth.disparity,
                                        "--estimate",   official.estimate, "--metric",
                                        official.metric};
  const auto add = [&](const char* option, const std::string& value) {
    arguments.insert(arguments.end(), {option, value});
  };
  if (!official.truth.nonoccluded.empty()) add("--mask", official.truth.nonoccluded);
  if (!official.truth.objects.empty()) add("--objects", official.truth.objects);
  if (official.max_disparity_px > 0) add("--max-disparity", std::to_string(official.max_disparity_px));
  if (official.round) arguments.push_back("--round");
  return arguments;
}

TEST(EvalFiles, ReproducesTheOfficialToolsToTheLastDigit) {
  const std::string data = app::RealDataFolder();
  if (data.empty()) GTEST_SKIP() << "PARALLAX_DATA names no folder: official figures not compared";
  const TemporaryFolder folder;
  const std::string json_file = (folder.path() / "scores.json").string();
  for (const app::OfficialCase& official : app::ReadOfficialCases(data)) {
    SCOPED_TRACE(official.heading);
    std::vector<std::string> arguments = ArgumentsFor(official);
    arguments.insert(arguments.end(), {"--json", json_file});
    const ProgramResult result = RunParallax(arguments);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const std::string json = ReadFile(json_file);
    EXPECT_EQ(official.print([&](const std::string& key) { return TotalOf(json, key); }), official.expected);
  }
}

TEST(EvalFiles, TheTablePrintsTheOfficialDigits) {
  const std::string data = app::RealDataFolder();
  if (data.empty()) GTEST_SKIP() << "PARALLAX_DATA names no folder";
  const auto table = [&](const std::string& set) {
    const ProgramResult result = RunParallax({"eval", data + "/" + set, "--estimates", data + "/eval_truth"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out;
  };
  const std::string kitti2012 = table("kitti2012");
  for (const char* digits : {"10.6212", "25.7380", "94.3565", "0.512521", "3 frames scored", "6 skipped"}) {
    EXPECT_THAT(kitti2012, HasSubstr(digits));
  }
  const std::string kitti2015 = table("kitti2015");
  for (const char* digits : {"3.1488", "1.7311", "94.7247", "1734/55068", "903/52163"}) {
    EXPECT_THAT(kitti2015, HasSubstr(digits));
  }
  const std::string middlebury = table("middlebury/MiddEval3");  // clipped at ndisp without being told
  for (const char* digits : {"87.0", "9.51", "13.41", "26.75", "44.30"})
    EXPECT_THAT(middlebury, HasSubstr(digits));
  const std::string eth3d = table("eth3d");
  for (const char* digits : {"98.4147", "12.7547", "0.318832", "0.722082", "2.24368"}) {
    EXPECT_THAT(eth3d, HasSubstr(digits));
  }
}

TEST_F(EvalCommand, TheTruthItselfIsWithoutError) {
  const ProgramResult result = RunParallax({"eval", Path("set"), "--estimates", TruthAsEstimates(), "--json",
                                            Path("scores.json"), "--csv", Path("scores.csv")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("2 frames scored"));
  const std::string json = ReadFile(Path("scores.json"));
  EXPECT_THAT(json, HasSubstr("\"dataset\": \"kitti2015\""));
  EXPECT_EQ(TotalOf(json, "d1_all"), 0);
  EXPECT_EQ(TotalOf(json, "mean_all"), 0);
  EXPECT_EQ(TotalOf(json, "density"), 100);
  EXPECT_EQ(TotalOf(json, "num_frames"), 2);
  const std::string csv = ReadFile(Path("scores.csv"));
  EXPECT_THAT(csv, StartsWith("name,d1_bg,"));
  EXPECT_THAT(csv, HasSubstr("\n000000_10,"));
  EXPECT_THAT(csv, HasSubstr("\n000001_10,"));
  EXPECT_THAT(csv, HasSubstr("\ntotal,"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 4);
}

TEST_F(EvalCommand, EstimatesAreFoundWhereMatchersPutThem) {
  for (const char* name : {"out/disparity/000000_10.png", "out/000000_10.png", "out/disp_0/000000_10.png",
                           "out/sgbm_000000_10.png", "out/000000_10.PNG"}) {
    fs::remove_all(Path("out"));
    fs::create_directories(fs::path(Path(name)).parent_path());
    fs::copy_file(TruthAsEstimates() + "/000000_10.png", Path(name));
    const ProgramResult result =
        RunParallax({"eval", Path("set"), "--estimates", Path("out"), "--max-frames", "1"});
    EXPECT_EQ(result.exit_code, 0) << name << result.err;
    EXPECT_THAT(result.out, HasSubstr("1 frame scored")) << name;
  }
}

// The stated range is that of the truth's size: 12 px are 6 of an estimate half as wide, each worth two.
TEST_F(EvalCommand, MiddleburysEstimatesAreClippedToTheRangeOfTheScene) {
  for (const char* image : {"scene/im0.png", "scene/im1.png"}) {
    fs::create_directories(Path("scene"));
    WritePng(Path(image), HostImage<std::uint8_t>(8, 4, std::uint8_t{9}).ConstView());
  }
  WriteText(Path("scene/calib.txt"),
            "cam0=[9 0 2; 0 9 2; 0 0 1]\ndoffs=0\nbaseline=100\nndisp=12\nvmin=1\nvmax=11\n");
  WritePfm(Path("scene/disp0GT.pfm"), HostImage<float>(8, 4, 11.25F).ConstView());
  const auto mean_error = [&](const HostImage<float>& estimate) {
    fs::create_directories(Path("out"));
    WritePfm(Path("out/scene.pfm"), estimate.ConstView());
    const ProgramResult result =
        RunParallax({"eval", Path("scene"), "--estimates", Path("out"), "--json", Path("s.json")});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return TotalOf(ReadFile(Path("s.json")), "avgerr_all");
  };
  EXPECT_EQ(mean_error(HostImage<float>(8, 4, 500.0F)), 0.75);
  EXPECT_EQ(mean_error(HostImage<float>(4, 2, 500.0F)), 0.75);
  EXPECT_EQ(mean_error(HostImage<float>(4, 2, 5.0F)), 1.25);
}

// As Middlebury and ETH3D lay them out; the truth next to the estimates is not one of them.
TEST_F(EvalCommand, TheTruthInASceneFolderIsNoEstimate) {
  fs::create_directories(Path("out/000000_10"));
  WritePfm(Path("out/000000_10/disp0GT.pfm"), HostImage<float>(90, 40, 1.0F).ConstView());
  const std::vector<std::string> command = {"eval",     Path("set"),   "--estimates",  Path("out"),
                                            "--metric", "eth3d",       "--max-frames", "1",
                                            "--json",   Path("s.json")};
  EXPECT_THAT(RunParallax(command).err, HasSubstr("no estimate 000000_10"));
  WritePfm(Path("out/000000_10/disp0SGM.pfm"),
           ReadDisparityPng(TruthAsEstimates() + "/000000_10.png").ConstView());
  EXPECT_EQ(RunParallax(command).exit_code, 0);
  EXPECT_EQ(TotalOf(ReadFile(Path("s.json")), "bad05_all"), 0);
}

// One frame of truth for all pixels is enough for figures of them.
TEST_F(EvalCommand, FramesWithNonOccludedTruthOnlyDoNotHideTheOthers) {
  ASSERT_EQ(RunParallax({"synth", "planes", "--layout", "kitti2012", "--output", Path("noc"), "--width", "90",
                         "--height", "40", "--frames", "2"})
                .exit_code,
            0);
  const std::vector<std::string> command = {"eval", Path("noc"), "--estimates",
                                            Path("noc/training/disp_noc")};
  fs::remove(Path("noc/training/disp_occ/000001_10.png"));
  EXPECT_THAT(RunParallax(command).out, HasSubstr("KITTI 2012, all truth"));
  fs::remove(Path("noc/training/disp_occ/000000_10.png"));
  EXPECT_THAT(RunParallax(command).out,
              AllOf(HasSubstr("KITTI 2012, non-occluded truth"), Not(HasSubstr("KITTI 2012, all truth"))));
}

TEST_F(EvalCommand, MissingEstimatesAreSkippedAndBadOnesFail) {
  fs::create_directories(Path("out"));
  fs::copy_file(TruthAsEstimates() + "/000000_10.png", Path("out/000000_10.png"));
  const auto evaluate = [&] {
    return RunParallax({"eval", Path("set"), "--estimates", Path("out"), "--json", Path("s.json")});
  };
  const ProgramResult missing = evaluate();
  EXPECT_EQ(missing.exit_code, 0);
  EXPECT_THAT(missing.err, HasSubstr("skipped 000001_10: no estimate"));
  EXPECT_THAT(missing.out, HasSubstr("1 frame scored"));
  EXPECT_THAT(missing.out, HasSubstr("1 skipped"));
  EXPECT_THAT(ReadFile(Path("s.json")), HasSubstr("\"reason\": \"no estimate"));

  WriteText(Path("out/000001_10.png"), "no picture");
  const ProgramResult damaged = evaluate();
  EXPECT_EQ(damaged.exit_code, 1);
  EXPECT_THAT(damaged.err, HasSubstr("failed 000001_10: "));
  EXPECT_THAT(damaged.err, HasSubstr("parallax: 1 of 2 frames failed, first 000001_10: "));
  EXPECT_THAT(damaged.err, HasSubstr("000001_10.png"));
  EXPECT_THAT(damaged.out, HasSubstr("1 frame scored"));

  fs::remove(Path("out/000001_10.png"));
  WritePfm(Path("out/000001_10.pfm"), HostImage<float>(3, 2, 1.0F).ConstView());
  const ProgramResult small = evaluate();
  EXPECT_EQ(small.exit_code, 1);
  EXPECT_THAT(small.err, HasSubstr("the estimate is 3x2 but the truth is 90x40"));
}

TEST_F(EvalCommand, NothingScoredIsAFailure) {
  fs::create_directories(Path("empty"));
  const ProgramResult result = RunParallax({"eval", Path("set"), "--estimates", Path("empty")});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("nothing could be scored (2 skipped, 0 failed)"));
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(RunParallax({"eval", Path("set"), "--estimates", Path("nowhere")}).exit_code, 1);
  EXPECT_EQ(RunParallax({"eval", Path("nowhere")}).exit_code, 1);
}

TEST_F(EvalCommand, WhereItsFiguresCannotBeWrittenItDoesNotEvenBegin) {
  for (const char* option : {"--csv", "--json"}) {
    const ProgramResult result = RunParallax({"eval", Path("set"), option, Path("no/folder/figures")});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.err, HasSubstr("does not exist: make it first"));
    EXPECT_EQ(result.out, "") << option;
  }
  const ProgramResult none = RunParallax({"eval", Path("set"), "--max-frames", "0"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("--max-frames: Value 0 not in range"));
}

TEST_F(EvalCommand, APairNeedsItsTruth) {
  const std::string left = Path("set/training/image_2/000000_10.png");
  const std::string right = Path("set/training/image_3/000000_10.png");
  const ProgramResult without = RunParallax({"eval", left, right});
  EXPECT_EQ(without.exit_code, 1);
  EXPECT_THAT(without.err, HasSubstr("no ground truth"));
  const ProgramResult with =
      RunParallax({"eval", left, right, "--truth", TruthAsEstimates() + "/000000_10.png", "--metric",
                   "kitti2015", "--set", "matching_cost.num_disparities=16"});
  EXPECT_EQ(with.exit_code, 0) << with.err;
  EXPECT_THAT(with.out, HasSubstr("D1-all"));
}

TEST_F(EvalCommand, EightBitTruthNeedsItsScale) {
  HostImage<std::uint8_t> truth(90, 40, 40);
  WritePng(Path("truth.png"), truth.ConstView());
  WritePfm(Path("estimate.pfm"), HostImage<float>(90, 40, 11.0F).ConstView());
  std::vector<std::string> arguments = {
      "eval",     "--truth",    Path("truth.png"), "--estimate",  Path("estimate.pfm"),
      "--metric", "middlebury", "--json",          Path("s.json")};
  const ProgramResult without = RunParallax(arguments);
  EXPECT_EQ(without.exit_code, 2);
  EXPECT_THAT(without.err, HasSubstr("--truth-scale"));
  arguments.insert(arguments.end(), {"--truth-scale", "4"});
  EXPECT_EQ(RunParallax(arguments).exit_code, 0);
  EXPECT_EQ(TotalOf(ReadFile(Path("s.json")), "avgerr_all"), 1);
}

TEST_F(EvalCommand, MatchesAndTimesWithoutEstimates) {
  const ProgramResult result = RunParallax(
      {"eval", Path("set"), "--set", "matching_cost.num_disparities=16", "--json", Path("s.json")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::string json = ReadFile(Path("s.json"));
  const double first_ms = NumberIn(json, "frames", "time_ms");
  const double second_ms = NumberIn(json.substr(json.find("\"000001_10\"")), "", "time_ms");
  EXPECT_GT(first_ms, 0);
  EXPECT_DOUBLE_EQ(TotalOf(json, "time_ms"), (first_ms + second_ms) / 2);
  EXPECT_LT(TotalOf(json, "d1_all_noc"), 50);
  EXPECT_THAT(json, HasSubstr("\"config\": \"default matching_cost.num_disparities=16\""));
}

TEST_F(EvalCommand, MatchingHereAndScoringWrittenFilesAgreeToTheLastDigit) {
  const std::vector<std::string> matching = {"--set", "matching_cost.num_disparities=16", "--set",
                                             "filter.fill=false"};
  const auto with_matching = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), matching.begin(), matching.end());
    const ProgramResult result = RunParallax(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
  };
  with_matching({"run", Path("set"), "--output", Path("out"), "--write", "disparity,pfm"});
  for (const char* metric : {"kitti2015", "kitti2012", "middlebury", "eth3d"}) {
    with_matching(
        {"eval", Path("set"), "--metric", metric, "--csv", Path("matched.csv"), "--json", Path("a.json")});
    const ProgramResult read = RunParallax({"eval", Path("set"), "--estimates", Path("out"), "--metric",
                                            metric, "--csv", Path("read.csv"), "--json", Path("b.json")});
    EXPECT_EQ(read.exit_code, 0) << read.err;
    const std::string matched = ReadFile(Path("a.json")), written = ReadFile(Path("b.json"));
    const std::string csv = ReadFile(Path("read.csv"));
    std::istringstream header(csv.substr(0, csv.find('\n')));
    std::string key;
    std::getline(header, key, ',');  // "name"
    std::size_t num_keys = 0;
    for (; std::getline(header, key, ','); ++num_keys) {
      EXPECT_EQ(Printed(TotalOf(matched, key)), Printed(TotalOf(written, key))) << metric << " " << key;
    }
    EXPECT_GT(num_keys, 10U);
  }
}

TEST_F(EvalCommand, ADamagedImageFailsAloneAndTheOthersAreScored) {
  WriteText(Path("set/training/image_3/000000_10.png"), "no picture");
  const ProgramResult result =
      RunParallax({"eval", Path("set"), "--set", "matching_cost.num_disparities=16"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("failed 000000_10: "));
  EXPECT_THAT(result.err, HasSubstr("image_3/000000_10.png"));
  EXPECT_THAT(result.out, HasSubstr("1 frame scored"));
}

TEST_F(EvalCommand, TheReportHasAPictureForEveryFrame) {
  const ProgramResult result =
      RunParallax({"eval", Path("set"), "--estimates", TruthAsEstimates(), "--report", Path("report")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::string html = ReadFile(Path("report/index.html"));
  for (const char* text : {"frames/000000_10_errors.png", "D1-all", "left border", "parallax eval"}) {
    EXPECT_NE(html.find(text), std::string::npos) << text;
  }
  EXPECT_EQ(html.find("http"), std::string::npos);  // nothing from elsewhere
  for (const char* what : {"image", "errors", "disparity", "truth"}) {
    const CameraImage picture = ReadImage(Path("report/frames/000001_10_") + what + ".png");
    EXPECT_EQ(WidthOf(ViewOf(picture)), 90);
    EXPECT_EQ(HeightOf(ViewOf(picture)), 40);
  }
}

TEST_F(EvalCommand, OneFileHoldsTheReportAndItsPictures) {
  const ProgramResult result =
      RunParallax({"eval", Path("set"), "--estimates", TruthAsEstimates(), "--report", Path("page.html")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::string html = ReadFile(Path("page.html"));
  EXPECT_NE(html.find("src=\"data:image/webp;base64,"), std::string::npos);
  for (const char* text : {"src=\"frames", "http"}) EXPECT_EQ(html.find(text), std::string::npos) << text;
  EXPECT_FALSE(fs::exists(Path("frames")));
}

// Figures of the estimated pixels alone that equal those over all are not shown twice, and none has more digits than
// somebody reads. The thumbnail shows the photo above the errors.
TEST_F(EvalCommand, TheReportIsMadeToBeRead) {
  ASSERT_EQ(RunParallax({"eval", Path("set"), "--estimates", TruthAsEstimates(), "--metric", "kitti2012",
                         "--report", Path("report")})
                .exit_code,
            0);
  const std::string html = ReadFile(Path("report/index.html"));
  const std::string tables = html.substr(0, html.find("<script"));
  EXPECT_THAT(tables, AllOf(HasSubstr("<th>&gt;2 all</th>"), Not(HasSubstr("<th>&gt;2 est</th>")),
                            HasSubstr("Equal to those over all pixels, and not shown: &gt;1 est")));
  EXPECT_THAT(tables,
              AllOf(HasSubstr("<td>0.00</td>"), HasSubstr("<td>0.000</td>"), Not(HasSubstr("0.0000"))));
  const CameraImage thumbnail = ReadImage(Path("report/frames/000001_10_small.png"));
  EXPECT_EQ(WidthOf(ViewOf(thumbnail)), 90);
  EXPECT_EQ(HeightOf(ViewOf(thumbnail)), 80);
}

TEST_F(EvalCommand, TheWorstFrameComesFirstInTheReport) {
  fs::create_directories(Path("mixed"));
  fs::copy(Path("set/training/disp_occ_0/000000_10.png"), Path("mixed/000000_10.png"));
  fs::copy(Path("set/training/disp_occ_0/000000_10.png"), Path("mixed/000001_10.png"));  // of another frame
  const ProgramResult result =
      RunParallax({"eval", Path("set"), "--estimates", Path("mixed"), "--report", Path("report")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::string html = ReadFile(Path("report/index.html"));
  EXPECT_LT(html.find(">000001_10</a>"), html.find(">000000_10</a>"));
}

TEST_F(EvalCommand, CloudsOfTheTruthItselfAreWithoutError) {
  const ProgramResult result =
      RunParallax({"eval", Path("set"), "--estimates", TruthAsEstimates(), "--cloud", "--cloud-thresholds",
                   "0.1,0.02", "--emd-points", "200", "--json", Path("out.json"), "--csv", Path("out.csv"),
                   "--report", Path("report")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("cloud against the truth's"), HasSubstr("F 0.02m"), HasSubstr("EMD from")));
  const std::string json = ReadFile(Path("out.json"));
  for (const char* key :
       {"cloud_chamfer_sum_m", "cloud_hausdorff_m", "cloud_depth_bias_m", "cloud_depth_rms_m"}) {
    EXPECT_NEAR(TotalOf(json, key), 0, 1e-5) << key;
  }
  for (const char* key : {"cloud_precision_0.1m", "cloud_recall_0.02m", "cloud_f_0.02m"}) {
    EXPECT_EQ(TotalOf(json, key), 100) << key;
  }
  EXPECT_EQ(TotalOf(json, "cloud_judged_points"), TotalOf(json, "cloud_truth_points"));
  EXPECT_GT(TotalOf(json, "cloud_geodesic_pairs"), 0);
  EXPECT_EQ(TotalOf(json, "cloud_geodesic_ratio"), 1);
  EXPECT_EQ(TotalOf(json, "cloud_geodesic_shortcuts"), 0);
  EXPECT_EQ(TotalOf(json, "cloud_geodesic_torn"), 0);
  // Different points of the same cloud: as far apart as two draws of the truth, within a factor.
  EXPECT_GT(TotalOf(json, "cloud_emd_lower_m"), 0.4 * TotalOf(json, "cloud_emd_draws_m"));
  EXPECT_LT(TotalOf(json, "cloud_emd_upper_m"), 2.5 * TotalOf(json, "cloud_emd_draws_m"));
  EXPECT_EQ(NumberIn(json, "cloud", "emd_points"), 200);
  EXPECT_THAT(ReadFile(Path("out.csv")), HasSubstr("cloud_f_0.1m"));
}

TEST_F(EvalCommand, CloudsOfWrongDisparitiesAreOffByTheDepthTheyMean) {
  // Half the disparity is twice the depth: all points lie farther than the truth by its own depth.
  fs::create_directories(Path("half"));
  for (const char* name : {"000000_10", "000001_10"}) {
    HostImage<float> disparity =
        ReadDisparityPng(fs::path(TruthAsEstimates()) / (std::string(name) + ".png"));
    for (int y = 0; y < disparity.height(); ++y) {
      for (int x = 0; x < disparity.width(); ++x) disparity(x, y) *= 0.5F;
    }
    WritePfm(fs::path(Path("half")) / (std::string(name) + ".pfm"), disparity.ConstView());
  }
  const ProgramResult result =
      RunParallax({"eval", Path("set"), "--estimates", Path("half"), "--cloud", "--emd-points", "0", "--set",
                   "reprojection.max_depth_m=1000", "--json", Path("out.json")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, Not(HasSubstr("EMD")));
  const std::string json = ReadFile(Path("out.json"));
  EXPECT_GT(TotalOf(json, "cloud_depth_bias_m"), 1);
  EXPECT_NEAR(TotalOf(json, "cloud_depth_bias_m"), TotalOf(json, "cloud_depth_mean_abs_m"), 1e-9);
  EXPECT_GT(TotalOf(json, "cloud_accuracy_m"), 0.1);
  EXPECT_LT(TotalOf(json, "cloud_f_0.02m"), 50);
}

TEST_F(EvalCommand, CloudsNeedACalibration) {
  fs::remove_all(Path("set/training/calib_cam_to_cam"));
  const ProgramResult result =
      RunParallax({"eval", Path("set"), "--estimates", TruthAsEstimates(), "--cloud"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("no cloud scores of 2 frames, first 000000_10: "));
  const std::string truth = TruthAsEstimates() + "/000000_10.png";
  const ProgramResult files =
      RunParallax({"eval", "--truth", truth, "--estimate", truth, "--metric", "kitti2015", "--cloud"});
  EXPECT_EQ(files.exit_code, 2);
  EXPECT_THAT(files.err, HasSubstr("--cloud needs a SOURCE"));
}

TEST_F(EvalCommand, SyntheticScenesHaveEveryKindOfFigure) {
  const ProgramResult result = RunParallax({"eval", "synthetic:slanted,width=120,height=60,objects=0",
                                            "--json", Path("s.json"), "--metric", "middlebury"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::string json = ReadFile(Path("s.json"));
  EXPECT_LT(TotalOf(json, "rms_nonocc"), 0.5);
  EXPECT_THAT(result.out, Not(HasSubstr("KITTI")));
}

// A pair of files that do not belong together: the message names both.
TEST(EvalFiles, FilesOfDifferentSizesAreNamed) {
  const TemporaryFolder folder;
  const std::string small = (folder.path() / "small.pfm").string();
  const std::string large = (folder.path() / "large.pfm").string();
  WritePfm(small, HostImage<float>(4, 3, 1.0F).ConstView());
  WritePfm(large, HostImage<float>(5, 3, 1.0F).ConstView());
  const ProgramResult result =
      RunParallax({"eval", "--truth", small, "--estimate", large, "--metric", "kitti2012"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.err, "parallax: " + large +
                            ": the estimate is 5x3 but the truth is 4x3: both must have the same size (" +
                            small + ")\n");
}

TEST(EvalUsage, WrongUsageIsOneLineAndTwo) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"eval"},
        {"eval", "--truth", "a.pfm"},
        {"eval", "--truth", "a.pfm", "--estimate", "b.pfm", "--metric", "best"},
        {"eval", "synthetic:planes", "--metric", "best"},
        {"eval", "synthetic:planes", "--estimate", "b.pfm"},
        {"eval", "synthetic:planes,frames=2", "--truth", "a.pfm"},
        {"eval", "synthetic:planes", "--backend", "abacus"},
        {"eval", "--truth", "a.pfm", "--estimate", "b.pfm", "--metric", "eth3d", "--max-disparity", "-5"},
        {"eval", "--round=maybe"}}) {
    const ProgramResult result = RunParallax(arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments.back() << ": " << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(result.out, "");
  }
  const ProgramResult missing =
      RunParallax({"eval", "--truth", "/no/gt.pfm", "--estimate", "/no/est.pfm", "--metric", "eth3d"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.err, HasSubstr("/no/gt.pfm"));
}

TEST_F(EvalCommand, NeitherTruthNorEstimatesAreWrittenOver) {
  fs::copy(TruthAsEstimates(), Path("estimates"));
  for (const std::string& file :
       {Path("set/training/disp_occ_0/000001_10.png"), Path("set/training/obj_map/000000_10.png"),
        Path("estimates/000001_10.png")}) {
    const std::string before = ReadFile(file);
    const ProgramResult result =
        RunParallax({"eval", Path("set"), "--estimates", Path("estimates"), "--csv", file});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr("is read and would be overwritten"));
    EXPECT_EQ(ReadFile(file), before);
  }
}

}  // namespace
}  // namespace parallax::test
