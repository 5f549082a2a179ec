// parallax cloud, driven as a user does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "datasets/formats/cloud_file.h"
#include "datasets/formats/image_file.h"
#include "tests/support/built_paths.h"
#include "tests/support/json_text.h"
#include "tests/support/nan.h"
#include "tests/support/npy.h"
#include "tests/support/run_program.h"

namespace parallax::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class CloudCommand : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return (folder_.path() / name).string(); }
  std::string Write(const std::string& name, const std::vector<Point3f>& points) const {
    WriteCloud(Path(name), {points, {}});
    return Path(name);
  }
  // A square grid of num x num points, step metres apart, at depth z; point y * num + x.
  static std::vector<Point3f> Grid(int num, float step, float z = 4) {
    std::vector<Point3f> points;
    for (int y = 0; y < num; ++y) {
      for (int x = 0; x < num; ++x)
        points.push_back({step * static_cast<float>(x), step * static_cast<float>(y), z});
    }
    return points;
  }
  // One line on standard error, nothing else said, and the exit code.
  static void ExpectError(const std::vector<std::string>& arguments, int exit_code,
                          const std::string& words) {
    const ProgramResult result = RunParallax(arguments);
    EXPECT_EQ(result.exit_code, exit_code) << result.err;
    EXPECT_THAT(result.err, AllOf(StartsWith("parallax: "), HasSubstr(words)));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
  // One line on standard error at the end of work that was done, and exit code 1.
  static void ExpectErrorAfterOutput(const std::vector<std::string>& arguments, const std::string& words) {
    const ProgramResult result = RunParallax(arguments);
    EXPECT_NE(result.out, "");
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.err, AllOf(StartsWith("parallax: "), HasSubstr(words)));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
  // What the program says in a file.
  std::string JsonOf(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--json", Path("out.json")});
    const ProgramResult result = RunParallax(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    return ReadText(Path("out.json"));
  }

  TemporaryFolder folder_;
};

TEST_F(CloudCommand, HelpListsTheCommandsAndExamples) {
  const ProgramResult help = RunParallax({"cloud", "--help"});
  EXPECT_EQ(help.exit_code, 0);
  for (const char* command : {"density", "clean", "compare", "emd", "distances", "geodesic", "examples:"})
    EXPECT_THAT(help.out, HasSubstr(command));
  for (const char* command : {"density", "clean", "compare", "emd", "distances", "geodesic"}) {
    EXPECT_THAT(RunParallax({"cloud", command, "--help"}).out,
                AllOf(HasSubstr("examples:"), HasSubstr("--json")));
  }
  ExpectError({"cloud"}, 2, "parallax cloud --help");
  ExpectError({"cloud", "densty"}, 2, "unknown command 'densty': there are density");
  ExpectError({"cloud", "density"}, 2, "parallax cloud density --help");
}

TEST_F(CloudCommand, BadFilesAreOneLineEach) {
  const std::string good = Write("good.ply", Grid(4, 1));
  for (const std::string command : {"density", "geodesic"}) {
    const auto with = [&](const std::string& file) {
      std::vector<std::string> arguments = {"cloud", command, file};
      if (command == "geodesic") arguments.insert(arguments.end(), {"--from", "0"});
      return arguments;
    };
    ExpectError(with(Path("missing.ply")), 1, "missing.ply");
    ExpectError(with(Path("cloud.xyz")), 2, "clouds are .ply or .pcd files");
    ExpectError(with(Write("empty.ply", {})), 1, "empty.ply: holds no points");
    ExpectError(with(Write("nan.pcd", {{kNan, 0, 1}, {0, kNan, 1}})), 1, "none of its 2 points is finite");
    ExpectError(with(Write("few.ply", {{0, 0, 1}, {1, 0, 1}})), 1, "too few for 8 neighbours");
    const std::string whole = ReadText(good);
    test::WriteText(Path("cut.ply"), whole.substr(0, whole.size() - 5));
    ExpectError(with(Path("cut.ply")), 1, "truncated");
    std::string lying = whole;
    lying.replace(lying.find("vertex 16"), 9, "vertex 99999999999");
    test::WriteText(Path("lying.ply"), lying);
    ExpectError(with(Path("lying.ply")), 1, "its header says 99999999999 points");
    std::vector<std::string> arguments = with(good);
    arguments.insert(arguments.end(), {"--output", Path("a.jpg")});
    ExpectError(arguments, 2, ".ply");
    arguments.back() = Path("no/such/folder/a.ply");
    ExpectError(arguments, 1, "does not exist");
    arguments = with(good);
    arguments.insert(arguments.end(), {"--backend", "reference"});
    ExpectError(arguments, 2, "does not measure clouds");
  }
}

// The back end reference matches, but measures no clouds: nothing may propose it here.
TEST_F(CloudCommand, ABackEndThatCannotBeUsedNamesThoseThatMeasureClouds) {
  const std::string grid = Write("grid.ply", Grid(4, 1));
  const ProgramResult unknown = RunParallax({"cloud", "density", grid, "--backend", "gpu"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, AllOf(HasSubstr("use one of auto, "), HasSubstr("cpu"),  // cuda, where it is built
                                 Not(HasSubstr("reference"))));
  const ProgramResult cuda = RunParallax({"cloud", "density", grid, "--backend", "cuda"});
  if (cuda.exit_code == 0) GTEST_SKIP() << "there is a CUDA device: the refusal of cuda cannot be seen";
  EXPECT_EQ(cuda.exit_code, 1);
  EXPECT_THAT(cuda.err, AllOf(HasSubstr("use the back end cpu (see"), Not(HasSubstr("reference"))));
}

TEST_F(CloudCommand, DensityOfAGrid) {
  // Inside a grid of 0.1 m the four nearest neighbours are 0.1 m away: 4 / (pi 0.01) points a square metre.
  const std::string grid = Write("grid.ply", Grid(30, 0.1F));
  const std::string json = JsonOf({"cloud", "density", grid, "--k", "4", "--output", Path("density.ply")});
  EXPECT_NEAR(NumberIn(json, "mean_distance_m", "median"), 0.1, 1e-6);
  EXPECT_NEAR(NumberIn(json, "density_per_m2", "median"), 4 / (std::acos(-1.0) * 0.01), 0.01);
  EXPECT_EQ(NumberIn(json, "", "num_points"), 900);
  const PointCloud colored = ReadCloud(Path("density.ply"));
  EXPECT_EQ(colored.points, Grid(30, 0.1F));
  EXPECT_EQ(colored.colors.size(), 900U);
  EXPECT_THAT(ReadText(Path("density.ply")), HasSubstr("property float quality"));

  const std::string volume = JsonOf({"cloud", "density", grid, "--k", "4", "--kind", "volume"});
  EXPECT_NEAR(NumberIn(volume, "density_per_m3", "median"), 4 / (4 * std::acos(-1.0) / 3 * 0.001), 0.1);
}

TEST_F(CloudCommand, DensityByDepthSeesThatNearPointsAreDenser) {
  std::vector<Point3f> points = Grid(20, 0.01F, 1);
  const std::vector<Point3f> far = Grid(20, 0.1F, 9.5F);
  points.insert(points.end(), far.begin(), far.end());
  const std::string json = JsonOf({"cloud", "density", Write("two.ply", points)});
  const std::string bins = json.substr(json.find("\"by_depth\""));
  EXPECT_NEAR(NumberIn(bins, "", "num_points"), 400, 0);
  EXPECT_GT(NumberIn(bins, "", "density"),
            50 * NumberIn(bins.substr(bins.rfind("from_m") - 1), "", "density"));
}

TEST_F(CloudCommand, PointsThatAreNotFiniteAreLeftOutAndSaid) {
  std::vector<Point3f> points = Grid(5, 1);
  points.insert(points.begin() + 1, {kNan, 0, 0});
  const std::string file = Write("some.ply", points);
  const ProgramResult result = RunParallax({"cloud", "density", file});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("26 points (1 not finite, left out)"));
  // Numbers of points stay those of the file.
  ExpectError({"cloud", "geodesic", file, "--from", "1"}, 2, "point 1 of " + file + " is not finite");
  const std::string json = JsonOf({"cloud", "geodesic", file, "--k", "4", "--from", "2", "--to", "5"});
  EXPECT_NEAR(NumberIn(json, "paths", "geodesic_m"), 3, 1e-6);
}

// Squares of such distances are infinite, which would be printed as figures of the whole cloud.
TEST_F(CloudCommand, PointsTooFarForSinglePrecisionAreRefusedAndCleanLeavesThemOut) {
  std::vector<Point3f> points = Grid(20, 0.1F);
  const std::string truth = Write("truth.ply", points);
  points.insert(points.begin(), {kNan, 0, 0});
  points.insert(points.begin() + 7, {0, -3e38F, 0});
  const std::string file = Write("far.ply", points);
  for (const std::vector<std::string>& command : {std::vector<std::string>{"density", file},
                                                  {"compare", file, truth},
                                                  {"compare", truth, file},
                                                  {"emd", file, truth},
                                                  {"distances", file, truth},
                                                  {"geodesic", file, "--from", "1"}}) {
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.begin(), "cloud");
    ExpectError(arguments, 1,
                "far.ply: point 7 holds -3e+38: distances of numbers beyond 3.8e+18 do not fit single "
                "precision; parallax cloud clean leaves such points out");
  }
  const ProgramResult cleaned =
      RunParallax({"cloud", "clean", file, Path("near.ply"), "--statistical", "8,5"});
  EXPECT_EQ(cleaned.exit_code, 0) << cleaned.err;
  EXPECT_THAT(cleaned.out, HasSubstr("402 points (2 not finite or beyond 3.8e+18 m, left out)"));
  EXPECT_EQ(ReadCloud(Path("near.ply")).points, Grid(20, 0.1F));
  // As far as can be: opposite corners of the space that is left.
  const std::string a = Write("a.ply", {{3.7e18F, 3.7e18F, 3.7e18F}});
  const std::string b = Write("b.ply", {{-3.7e18F, -3.7e18F, -3.7e18F}});
  EXPECT_NEAR(NumberIn(JsonOf({"cloud", "compare", a, b}), "", "hausdorff_m") / (2 * std::sqrt(3) * 3.7e18),
              1, 1e-6);
  test::WriteText(Path("rows.csv"), "1,2,3,4,5,6,7,8\n0,0,0,0,0,0,0,-1e19\n");
  ExpectError({"cloud", "distances", Path("rows.csv"), Path("rows.csv")}, 1, "rows.csv: row 1 holds -1e+19");
}

TEST_F(CloudCommand, CleanKeepsOrderAndColours) {
  PointCloud cloud{Grid(20, 0.1F), {}};
  cloud.points.insert(cloud.points.begin() + 7, {50, 50, 50});  // far from all others
  cloud.points.insert(cloud.points.begin() + 9, {kNan, 0, 0});
  for (std::size_t i = 0; i < cloud.size(); ++i)
    cloud.colors.push_back({static_cast<std::uint8_t>(i % 251), 1, 2});
  WriteCloud(Path("in.ply"), cloud);
  const std::string json = JsonOf({"cloud", "clean", Path("in.ply"), Path("out.pcd"), "--statistical", "8,3",
                                   "--removed", Path("gone.ply")});
  EXPECT_EQ(NumberIn(json, "", "num_points"), 402);
  EXPECT_EQ(NumberIn(json, "", "num_kept"), 400);
  EXPECT_EQ(NumberIn(json, "", "num_removed"), 2);
  const PointCloud kept = ReadCloud(Path("out.pcd"));
  EXPECT_EQ(kept.points, Grid(20, 0.1F));
  EXPECT_EQ(kept.colors[6], cloud.colors[6]);
  EXPECT_EQ(kept.colors[7], cloud.colors[8]);
  EXPECT_EQ(kept.colors[8], cloud.colors[10]);
  EXPECT_EQ(ReadCloud(Path("gone.ply")).points, (std::vector<Point3f>{{50, 50, 50}}));

  // Corners of the grid have 2 neighbours within 0.12 m, sides 3, the rest 4.
  const std::string radius =
      JsonOf({"cloud", "clean", Path("in.ply"), Path("out.ply"), "--radius", "0.12,4"});
  EXPECT_EQ(NumberIn(radius, "", "num_kept"), 18 * 18);
  // 0.1 m steps from 0 on in voxels of 1 m.
  const std::string voxels =
      JsonOf({"cloud", "clean", Path("in.ply"), Path("out.ply"), "--voxel", "1.05", "--radius", "2,1"});
  EXPECT_EQ(NumberIn(voxels, "", "num_kept"), 4);
}

TEST_F(CloudCommand, CleanRefusesWhatItCannotDo) {
  const std::string file = Write("in.ply", Grid(4, 1)), out = Path("out.ply");
  ExpectError({"cloud", "clean", file, out}, 2, "nothing to do");
  for (const char* wrong : {"8", "8,", "8,-1", "0,2", "65,1", "8,2,3", "x,1", "8,nan"}) {
    ExpectError({"cloud", "clean", file, out, "--statistical", wrong}, 2, "is not K,RATIO");
  }
  ExpectError({"cloud", "clean", file, out, "--radius", "0,3"}, 2, "is not RADIUS,MIN");
  ExpectError({"cloud", "clean", file, out, "--voxel", "-1"}, 2, "'-1' is not a number above 0");
  ExpectError({"cloud", "clean", file, Path("out.xyz"), "--voxel", "1"}, 2, ".ply or .pcd");
  ExpectError({"cloud", "clean", file, out, "--radius", "1,1", "--means"}, 2, "--means needs --voxel");
  ExpectError({"cloud", "clean", file, out, "--voxel", "1e-20"}, 2, "2^20 voxels of 1e-20 m away");
  ExpectError({"cloud", "clean", file, out, "--voxel", "1", "--removed", Path("./out.ply")}, 2,
              "two results would be written there");
  ExpectError({"cloud", "clean", file, out, "--radius", "0.1,1"}, 1, "no point would remain");
  EXPECT_FALSE(std::filesystem::exists(out));
}

// Files are compared, not their names; nothing is written.
TEST_F(CloudCommand, NoResultGoesOverAnotherOrOverAnInput) {
  const std::string a = Write("a.ply", Grid(10, 1)), b = Write("b.ply", Grid(10, 1));
  const std::string before = ReadText(a);
  const std::string q = Path("q.ply"), twice = "two results would be written there",
                    over = "would be overwritten";
  std::filesystem::create_hard_link(a, Path("hard.ply"));
  std::filesystem::create_symlink("q.ply", Path("soft.ply"));
  ExpectError({"cloud", "clean", a, Path("x.ply"), "--voxel", "2", "--removed", Path("./x.ply")}, 2, twice);
  ExpectError({"cloud", "clean", a, Path("x.ply"), "--voxel", "2", "--removed", a}, 2, over);
  ExpectError({"cloud", "clean", a, Path("hard.ply"), "--voxel", "2"}, 2, over);
  ExpectError({"cloud", "density", a, "--output", q, "--json", q}, 2, twice);
  ExpectError({"cloud", "density", a, "--json", a}, 2, over);
  ExpectError({"cloud", "geodesic", a, "--from", "0", "--to", "5", "--path", q, "--output", q}, 2, twice);
  ExpectError({"cloud", "geodesic", a, "--from", "0", "--to", "5", "--path", Path("soft.ply"), "--output", q},
              2, twice);
  ExpectError({"cloud", "compare", a, b, "--output", b}, 2, over);
  ExpectError({"cloud", "emd", a, b, "--match", b}, 2, over);
  ExpectError({"cloud", "distances", a, b, "--nearest", "--csv", q, "--json", Path("./q.ply")}, 2, twice);
  EXPECT_EQ(ReadText(a), before);
  EXPECT_FALSE(std::filesystem::exists(q));
  const auto nowhere = RunParallax({"cloud", "density", a, "--json", "/dev/null", "--output", q});
  EXPECT_EQ(nowhere.exit_code, 0) << nowhere.err;
}

TEST_F(CloudCommand, CompareOfShiftedGrids) {
  std::vector<Point3f> shifted = Grid(10, 1);
  for (Point3f& p : shifted) p.z += 0.1F;
  shifted.push_back({0, 0, 7});  // 3 m from the truth
  const std::string estimate = Write("estimate.ply", shifted), truth = Write("truth.ply", Grid(10, 1));
  const std::string json = JsonOf(
      {"cloud", "compare", estimate, truth, "--thresholds", "0.05,0.5", "--output", Path("error.ply")});
  EXPECT_NEAR(NumberIn(json, "accuracy", "mean_m"), (100 * 0.1 + 3) / 101, 1e-6);
  EXPECT_NEAR(NumberIn(json, "completeness", "mean_m"), 0.1, 1e-6);
  EXPECT_NEAR(NumberIn(json, "", "chamfer_sum_m"), 0.1 + 13.0 / 101, 1e-6);
  EXPECT_NEAR(NumberIn(json, "", "hausdorff_m"), 3, 1e-6);
  const std::string thresholds = json.substr(json.find("\"thresholds\""));
  EXPECT_EQ(NumberIn(thresholds, "", "precision"), 0);
  EXPECT_NEAR(NumberIn(thresholds.substr(thresholds.find("0.5")), "", "precision"), 100.0 / 101, 1e-9);
  EXPECT_EQ(ReadCloud(Path("error.ply")).points, shifted);
  EXPECT_THAT(ReadText(Path("error.ply")),
              HasSubstr("comment quality: distance to the nearest point of the truth, m"));
  ExpectError({"cloud", "compare", estimate, truth, "--thresholds", "0.1,0"}, 2,
              "'0' is not a number above 0");
  ExpectError({"cloud", "compare", estimate, Path("no.ply")}, 1, "no.ply: no such file");
}

TEST_F(CloudCommand, EmdOfAShiftIsTheShift) {
  // Moving every point by the same vector is the best match where that vector is shorter than half a step.
  std::vector<Point3f> shifted = Grid(12, 1);
  for (Point3f& p : shifted) p = {p.x + 0.3F, p.y, p.z + 0.4F};
  const std::string a = Write("a.ply", shifted), b = Write("b.ply", Grid(12, 1));
  const std::string json = JsonOf({"cloud", "emd", a, b, "--gap", "0.001", "--match", Path("match.ply")});
  EXPECT_EQ(NumberIn(json, "", "num_matched"), 144);
  EXPECT_LE(NumberIn(json, "", "lower_m"), 0.5 + 1e-6);
  EXPECT_GE(NumberIn(json, "", "upper_m"), 0.5 - 1e-6);
  EXPECT_LE(NumberIn(json, "", "upper_m") - NumberIn(json, "", "lower_m"), 0.001 * 0.51);
  EXPECT_THAT(ReadText(Path("match.ply")), HasSubstr("element edge 144\n"));
  const std::string exact = JsonOf({"cloud", "emd", a, b, "--exact"});
  EXPECT_NEAR(NumberIn(exact, "", "upper_m"), 0.5, 1e-6);
  EXPECT_THAT(exact, HasSubstr("\"stop\": \"exact\""));
}

TEST_F(CloudCommand, EmdOfUnequalCloudsDrawsAndSaysSo) {
  const std::string a = Write("a.ply", Grid(12, 1)), b = Write("b.ply", Grid(9, 1));
  const ProgramResult result = RunParallax({"cloud", "emd", a, b});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("144 points, 81 drawn with seed 0"), HasSubstr("81 points, all"),
                                HasSubstr("the clouds differ in size: 81 points of each"),
                                HasSubstr("81 of 81 matched")));
  const std::vector<std::string> drawn = {"cloud", "emd", a, b, "--points", "50", "--seed", "7"};
  EXPECT_THAT(RunParallax(drawn).out, AllOf(HasSubstr("a.ply: 144 points, 50 drawn with seed 7"),
                                            HasSubstr("b.ply: 81 points, 50 drawn with seed 8")));
  const std::string first = JsonOf(drawn), second = JsonOf(drawn);
  EXPECT_EQ(NumberIn(first, "", "num_matched"), 50);
  EXPECT_EQ(NumberIn(first, "", "upper_m"), NumberIn(second, "", "upper_m"));
  EXPECT_GT(NumberIn(first, "draws_of_b", "upper_m"), 0);
  EXPECT_EQ(NumberIn(JsonOf({"cloud", "emd", a, b, "--points", "200"}), "", "num_matched"), 200);
}

TEST_F(CloudCommand, EmdRefusesWhatItCannotDo) {
  const std::string a = Write("a.ply", Grid(4, 1));
  ExpectError({"cloud", "emd", a}, 2, "b is required");
  ExpectError({"cloud", "emd", a, Write("empty.ply", {})}, 1, "holds no points");
  ExpectError({"cloud", "emd", a, a, "--gap", "0"}, 2, "--gap: '0' is not a number in 1e-9 .. 1");
  ExpectError({"cloud", "emd", a, a, "--gap", "nan"}, 2, "--gap: 'nan' is not a number in 1e-9 .. 1");
  ExpectError({"cloud", "emd", a, a, "--device", "-1"}, 2, "--device: Value -1 not in range");
  ExpectError({"cloud", "emd", a, a, "--time-limit", "-1"}, 2, "--time-limit");
  ExpectError({"cloud", "emd", a, a, "--seed", "-1"}, 2, "--seed");
  ExpectError({"cloud", "emd", a, a, "--exact", "--points", "9000"}, 2, "--exact takes at most 8192 points");
  ExpectError({"cloud", "emd", a, a, "--match", Path("m.pcd")}, 2, "lines are written as .ply files");
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which take all addresses there are
TEST_F(CloudCommand, MorePointsThanFitIntoMemoryAreRefusedWithTheFigure) {
  const std::string a = Write("a.ply", Grid(5, 0.1F)), b = Write("b.ply", Grid(5, 0.1F, 5));
  const ProgramResult result = RunProgram("/bin/sh", {"-c", "ulimit -v 2000000; exec \"$0\" \"$@\"", kProgram,
                                                      "cloud", "emd", a, b, "--points", "1000000000"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err,
              AllOf(StartsWith("parallax: matching 1 000 000 000 points needs 100000 MB at least, more than"),
                    HasSubstr("ulimit -v"), HasSubstr("use fewer --points\n")));
}
#endif

TEST_F(CloudCommand, DistancesOfTwoGrids) {
  // Two grids of 3 x 3, the second 1 m behind: 9 pairs at 1 m, 24 at sqrt 2, 16 at sqrt 3, ...
  const std::string a = Write("a.ply", Grid(3, 1)), b = Write("b.pcd", Grid(3, 1, 5));
  const std::string nearest = JsonOf({"cloud", "distances", a, b, "--csv", Path("nearest.csv")});
  EXPECT_EQ(NumberIn(nearest, "nearest_m", "largest"), 1);
  EXPECT_EQ(NumberIn(nearest, "nearest_m", "mean"), 1);
  EXPECT_THAT(ReadText(Path("nearest.csv")),
              AllOf(StartsWith("a,b,distance_m\n0,0,1\n1,1,1\n"), HasSubstr("8,8,1\n")));
  const std::string smallest = JsonOf({"cloud", "distances", a, b, "--k", "3", "--csv", Path("three.csv")});
  EXPECT_NEAR(NumberIn(smallest, "mean_of_k_m", "median"), (1 + 2 * std::sqrt(2.0)) / 3, 1e-6);
  EXPECT_THAT(ReadText(Path("three.csv")), StartsWith("a,b,distance_m\n0,0,1\n0,1,1.414"));
  for (const char* method : {"auto", "direct"}) {
    const std::string json = JsonOf({"cloud", "distances", a, b, "--histogram", "4,2", "--method", method});
    // [0, 0.5), [0.5, 1), [1, 1.5), [1.5, 2): 9 at 1 and 24 at 1.414 in the third, 16 at 1.732 in the last.
    EXPECT_THAT(json, HasSubstr("0,\n      0,\n      33,\n      16\n"));
    EXPECT_EQ(NumberIn(json, "histogram", "beyond"), 81 - 33 - 16);
  }
  for (const char* wrong : {"4", "0,2", "4,0", "4,-1", "4,inf", "a,b", "9999999,1"}) {
    ExpectError({"cloud", "distances", a, b, "--histogram", wrong}, 2, "is not BINS,LARGEST");
  }
  // Options are looked at before files are read.
  ExpectError({"cloud", "distances", Path("none.ply"), b, "--histogram", "4"}, 2, "is not BINS,LARGEST");
  ExpectError({"cloud", "distances", a, b, "--histogram", "4,2", "--csv", Path("h.csv")}, 2,
              "--csv writes neighbours, not the histogram");
  EXPECT_FALSE(std::filesystem::exists(Path("h.csv")));
  ExpectError({"cloud", "distances", a, b, "--csv", Path("no/folder/a.csv")}, 1, "does not exist");
  ExpectError({"cloud", "distances", a, b, "--method", "magic"}, 2, "--method");
  ExpectError({"cloud", "distances", a, b, "--k", "10"}, 2, "--k 10");
}

TEST_F(CloudCommand, DistancesOfTheRowsOfMatrices) {
  // Corners of a square in five dimensions; the second of a is no number and left out, so the third is row 2.
  test::WriteText(Path("a.csv"), "# f0..f4\n0,0,0,0,0\nnan,0,0,0,0\n0,0,0,4,3\n");
  test::WriteText(Path("b.txt"), "0 0 0 0 3\n0 0 0 4 0\n");
  const ProgramResult text = RunParallax({"cloud", "distances", Path("a.csv"), Path("b.txt")});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("a.csv: 3 rows of 5 numbers (1 not finite, left out)"),
                              HasSubstr("nearest row of B for every row of A"), Not(HasSubstr(", m"))));
  const std::string json =
      JsonOf({"cloud", "distances", Path("a.csv"), Path("b.txt"), "--k", "2", "--csv", Path("two.csv")});
  EXPECT_EQ(NumberIn(json, "kth", "median"), 4);
  EXPECT_EQ(NumberIn(json, "mean_of_k", "median"), 3.5);
  EXPECT_EQ(ReadText(Path("two.csv")), "a,b,distance\n0,0,3\n0,1,4\n2,1,3\n2,0,4\n");
  // The same numbers from numpy.save, as doubles, and from a cloud.
  const std::string npy = Npy<double>(NpyDictionary("<f8", "(2, 3)"), {0, 0, 4, 1, 1, 4});
  test::WriteText(Path("c.npy"), npy);
  const std::string grid = Write("grid.ply", Grid(2, 1, 6));
  EXPECT_EQ(NumberIn(JsonOf({"cloud", "distances", Path("c.npy"), grid}), "nearest", "largest"), 2);
  ExpectError({"cloud", "distances", Path("a.csv"), grid}, 2, "has 5 numbers in each row");
  ExpectError({"cloud", "distances", Path("a.csv"), Path("b.txt"), "--k", "3"}, 2, "has only 2 finite rows");
  ExpectError({"cloud", "distances", Path("a.xyz"), grid}, 2, "matrices .npy, .csv or .txt");
  test::WriteText(Path("ragged.csv"), "1,2\n3\n");
  ExpectError({"cloud", "distances", Path("ragged.csv"), grid}, 1,
              "ragged.csv: line 2 has 1 number, line 1 has 2");
  test::WriteText(Path("cut.npy"), npy.substr(0, npy.size() - 1));
  ExpectError({"cloud", "distances", Path("cut.npy"), grid}, 1, "it is truncated");
  test::WriteText(Path("none.csv"), "nan,1,2\n");
  ExpectError({"cloud", "distances", Path("none.csv"), grid}, 1, "none of its 1 row is finite");
}

TEST_F(CloudCommand, GeodesicsGoAroundTheGap) {
  // A 9 x 9 grid with a wall of missing points at x = 4 that leaves y = 8 open.
  std::vector<Point3f> points;
  for (const Point3f& p : Grid(9, 1)) {
    if (p.x != 4 || p.y == 8) points.push_back(p);
  }
  const std::string file = Write("gap.ply", points);
  const std::vector<std::string> command = {"cloud", "geodesic",       file, "--graph", "voxel", "--voxel",
                                            "1",     "--connectivity", "6",  "--from",  "3,0,4", "--to",
                                            "5,0,4"};
  std::vector<std::string> arguments = command;
  arguments.insert(arguments.end(), {"--path", Path("path.ply"), "--output", Path("distance.ply")});
  const std::string json = JsonOf(arguments);
  EXPECT_NEAR(NumberIn(json, "paths", "geodesic_m"), 18, 1e-5);  // 8 down, 2 across, 8 up
  EXPECT_NEAR(NumberIn(json, "paths", "straight_m"), 2, 1e-6);
  EXPECT_EQ(NumberIn(json, "sources", "num_reached"), static_cast<double>(points.size()));
  const std::string path = ReadText(Path("path.ply"));
  EXPECT_THAT(path, AllOf(HasSubstr("element vertex 19\n"), HasSubstr("element edge 18\n")));
  EXPECT_EQ(ReadCloud(Path("path.ply")).points.front(), (Point3f{3, 0, 4}));
  EXPECT_EQ(ReadCloud(Path("path.ply")).points.back(), (Point3f{5, 0, 4}));
  EXPECT_EQ(ReadCloud(Path("distance.ply")).size(), points.size());

  arguments = command;
  arguments.insert(arguments.end(), {"--range", "10"});
  const ProgramResult short_range = RunParallax(arguments);
  EXPECT_EQ(short_range.exit_code, 0);
  EXPECT_THAT(short_range.out, HasSubstr("> 10"));

  arguments = command;
  arguments.insert(arguments.end(), {"--backend", "cpu", "--algorithm", "heap"});
  EXPECT_NEAR(NumberIn(JsonOf(arguments), "paths", "geodesic_m"), 18, 1e-5);
  arguments.back() = "frontier";
  ExpectError(arguments, 2, "the cpu back end has only heap");
  arguments.back() = "bellman-ford";
  ExpectError(arguments, 2, "--algorithm");
}

// What the error advises joins the parts.
TEST_F(CloudCommand, UnreachableTargetsAreReachedAsTheErrorAdvises) {
  std::vector<Point3f> points = Grid(10, 0.1F);
  for (const Point3f& p : Grid(10, 0.1F)) points.push_back({p.x + 2.5F, p.y, p.z});
  const std::string file = Write("parts.ply", points);
  std::vector<std::string> arguments = {"cloud", "geodesic", file, "--from", "0", "--to", "150"};
  ExpectErrorAfterOutput(
      arguments,
      "1 of 1 paths do not exist: the graph has 2 unconnected parts: --graph voxel --voxel 2 "
      "connects them");
  arguments.insert(arguments.end(), {"--graph", "voxel", "--voxel", "2"});
  EXPECT_EQ(RunParallax(arguments).exit_code, 0);
}

// What a user who copies the README has.
TEST_F(CloudCommand, TheExampleWorksForACloudOfRun) {
  const ProgramResult run = RunParallax(
      {"run", "synthetic:drive,width=310,height=94,frames=1", "--write", "cloud", "--output", Path("out")});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::string cloud = std::filesystem::directory_iterator(Path("out/cloud"))->path();
  const ProgramResult result = RunParallax(
      {"cloud", "geodesic", cloud, "--from", "-1.5,1.5,8", "--to", "1.5,1.5,12", "--path", Path("path.ply")});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(std::filesystem::exists(Path("path.ply")));
}

TEST_F(CloudCommand, EndingsMayBeInUpperCase) {
  const std::string upper = Write("A.PLY", Grid(5, 0.1F));
  EXPECT_EQ(RunParallax({"cloud", "clean", upper, Path("B.PCD"), "--voxel", "0.05"}).exit_code, 0);
  EXPECT_EQ(RunParallax({"cloud", "density", Path("B.PCD"), "--output", Path("C.PLY")}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(Path("C.PLY")));
}

TEST_F(CloudCommand, UnreachableTargetsAndPlacesOutsideAreSaid) {
  std::vector<Point3f> points = Grid(4, 1);
  for (Point3f p : Grid(4, 1)) points.push_back({p.x + 100, p.y, p.z});
  const std::string file = Write("two.ply", points);
  const ProgramResult result = RunParallax(
      {"cloud", "geodesic", file, "--k", "4", "--from", "0", "--to", "5", "20", "--json", Path("out.json")});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, HasSubstr("unreachable"));
  EXPECT_THAT(result.err, HasSubstr("1 of 2 paths do not exist: the graph has 2 unconnected parts: --graph "
                                    "voxel --voxel 100 connects them"));
  const std::string json = ReadText(Path("out.json"));
  EXPECT_THAT(json, AllOf(HasSubstr("\"reachable\": true"), HasSubstr("\"reachable\": false")));

  // What is proposed can be done, and helps.
  points = Grid(9, 1);
  for (Point3f p : Grid(9, 1)) points.push_back({p.x + 100, p.y, p.z});
  const std::string wide = Write("wide.ply", points);
  const std::string advice = "2 unconnected parts: --graph voxel --voxel 100 connects them";
  ExpectErrorAfterOutput({"cloud", "geodesic", wide, "--k", "64", "--from", "0", "--to", "90"}, advice);
  const std::vector<std::string> voxels = {"cloud",  "geodesic", wide,   "--graph", "voxel",
                                           "--from", "0",        "--to", "90",      "--voxel"};
  const auto with = [&](const char* size) {
    std::vector<std::string> arguments = voxels;
    arguments.emplace_back(size);
    return arguments;
  };
  ExpectErrorAfterOutput(with("5"), advice);
  EXPECT_EQ(RunParallax(with("100")).exit_code, 0);

  ExpectError({"cloud", "geodesic", file, "--from", "32"}, 2, "has points 0 to 31");
  ExpectError({"cloud", "geodesic", file, "--from", "-1"}, 2, "has points 0 to 31");
  ExpectError({"cloud", "geodesic", file, "--from", "0", "--to", "0,0,400"}, 2, "is outside the cloud");
  // The diagonal is 103.04 m long.
  ExpectError({"cloud", "geodesic", file, "--from", "0", "--to", "0,0,14.4"}, 2,
              "10.4 m away, more than 10.3 m (--snap)");
  EXPECT_EQ(RunParallax({"cloud", "geodesic", file, "--k", "4", "--from", "0,0,14.2"}).exit_code, 0);
  for (const char* nonsense : {"a", "1,2", "1,2,3,4", "1.5", "0,0,nan", ","}) {
    ExpectError({"cloud", "geodesic", file, "--from", nonsense}, 2, "is neither a point's number nor x,y,z");
  }
  ExpectError({"cloud", "geodesic", file, "--from", "0", "--path", Path("a.ply")}, 2, "--path needs targets");
  ExpectError({"cloud", "geodesic", file, "--k", "4"}, 2, "--from is required");
  ExpectError({"cloud", "geodesic", file, "--from", "0", "--to", "5", "--path", Path("no/a.ply")}, 1,
              "does not exist: make it first");
}

}  // namespace
}  // namespace parallax::test
