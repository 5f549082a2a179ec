// Planes whose noise is known, as maps and as pictures.
#include "app/quality/flat_target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numbers>
#include <random>
#include <string>

#include "datasets/formats/image_file.h"
#include "parallax/error.h"
#include "tests/support/run_program.h"

namespace parallax::test {
namespace {

namespace fs = std::filesystem;
using app::FlatTarget;
using app::FlatTargetFigures;
using app::ImageRegion;
using app::ParseRegion;
using ::testing::HasSubstr;

constexpr int kWidth = 120, kHeight = 90;
const StereoRig kRig{.fx_px = 500, .cx_px = 58, .cy_px = 47, .baseline_m = 0.1, .doffs_px = 3};
constexpr ImageRegion kRegion{10, 20, 80, 60};
constexpr double kTilt = 0.2;  // radians, the right side further away

// Sums of uniform numbers: the same on every machine.
class Noise {
 public:
  explicit Noise(std::uint32_t seed) : random_(seed) {}
  double operator()() {
    double sum = 0;
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(random_() & 0xFFFFU) / 65536 - 0.5;
    return sum;
  }

 private:
  std::mt19937 random_;
};

// A plane 2 m away where the optical axis meets it, turned about y.
double DisparityAt(int x) {
  const double u = (x - kRig.cx_px) / kRig.fx_px;
  const double z = 2 / (1 - u * std::tan(kTilt));  // Z = 2 + X tan
  return kRig.fx_px * kRig.baseline_m / z - kRig.doffs_px;
}

DisparityMap PlaneMap(const auto& noise_at) {
  DisparityMap map{HostImage<float>(kWidth, kHeight), HostImage<std::uint8_t>(kWidth, kHeight),
                   HostImage<std::uint8_t>(kWidth, kHeight)};
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      map.disparity(x, y) = static_cast<float>(DisparityAt(x) + noise_at(x, y));
      map.validity(x, y) = kValid;
    }
  }
  return map;
}

TEST(FlatTarget, FindsThePlaneAndItsNoise) {
  FlatTarget target(kRig, kWidth, kHeight, kRegion);
  Noise fixed_noise(1), noise(2);
  HostImage<float> fixed(kWidth, kHeight);  // the same in every frame: sigma 0.05 px
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) fixed(x, y) = static_cast<float>(0.05 * fixed_noise());
  for (int i = 0; i < 40; ++i) {  // and 0.1 px that changes
    DisparityMap map =
        PlaneMap([&](int x, int y) { return static_cast<double>(fixed(x, y)) + 0.1 * noise(); });
    for (int x = 10; x < 90; ++x) {  // two of 60 rows: one empty, one filled
      map.disparity(x, 30) = std::numeric_limits<float>::quiet_NaN();
      map.validity(x, 40) = kMismatched | kFilled;
      map.disparity(x, 40) = 3;
    }
    map.disparity(50, 50) += 20;  // one wild pixel
    target.Add(map);
  }
  const FlatTargetFigures f = target.Figures();
  EXPECT_EQ(f.num_frames, 40);
  EXPECT_NEAR(f.fill_percent, 100 * 58 / 60.0, 1e-9);
  EXPECT_NEAR(f.least_fill_percent, 100 * 58 / 60.0, 1e-9);
  EXPECT_NEAR(f.filled_percent, 100 * 59 / 60.0, 1e-9);
  EXPECT_NEAR(f.outlier_percent, 100 / (58 * 80.0), 0.002);
  const double u = (49.5 - kRig.cx_px) / kRig.fx_px, z = 2 / (1 - u * std::tan(kTilt));
  EXPECT_NEAR(f.distance_m, z, 0.001);
  EXPECT_NEAR(f.tilt_right_degrees, kTilt * 180 / std::numbers::pi, 0.15);
  EXPECT_NEAR(f.tilt_down_degrees, 0, 0.15);
  EXPECT_NEAR(f.tilt_degrees, kTilt * 180 / std::numbers::pi, 0.15);
  EXPECT_NEAR(f.plane_rms_px, std::hypot(0.05, 0.1), 0.002);
  EXPECT_NEAR(f.temporal_px, 0.1, 0.002);
  EXPECT_NEAR(f.fixed_px, std::hypot(0.05, 0.1 / std::sqrt(40.0)), 0.002);
  // Z^2 / (fx baseline) metres a pixel; across the plane, the cosine of that.
  const double m_per_px = z * z / (kRig.fx_px * kRig.baseline_m);
  EXPECT_NEAR(f.temporal_m, 0.1 * m_per_px, 0.03 * 0.1 * m_per_px);
  EXPECT_NEAR(f.plane_rms_m, f.plane_rms_px * m_per_px * std::cos(kTilt), 0.03 * f.plane_rms_px * m_per_px);
  EXPECT_GT(f.temporal_p95_m, 1.1 * f.temporal_m);
  EXPECT_LT(f.temporal_p95_m, 1.4 * f.temporal_m);
}

TEST(FlatTarget, APerfectPlaneIsPerfect) {
  FlatTarget target(kRig, kWidth, kHeight, app::MiddleOf(kWidth, kHeight));
  target.Add(PlaneMap([](int, int) { return 0.0; }));
  const FlatTargetFigures f = target.Figures();
  EXPECT_EQ(f.fill_percent, 100);
  EXPECT_EQ(f.outlier_percent, 0);
  EXPECT_LT(f.plane_rms_px, 1e-5);
  EXPECT_TRUE(std::isnan(f.temporal_m));  // one frame tells no noise
  EXPECT_NEAR(f.tilt_right_degrees, kTilt * 180 / std::numbers::pi, 1e-3);
  const app::QualityReport report{kWidth, kHeight, app::MiddleOf(kWidth, kHeight), f, 2.0};
  EXPECT_THAT(QualityText(report), HasSubstr("needs several frames"));
  EXPECT_THAT(QualityJson(report), HasSubstr("\"temporal_noise_m\": null"));
}

// Half of the region on one surface and half on another leave no outliers.
TEST(FlatTarget, TwoSurfacesAreNoTarget) {
  FlatTarget target(kRig, kWidth, kHeight, app::MiddleOf(kWidth, kHeight));
  target.Add(PlaneMap([](int x, int) { return x < kWidth / 2 ? 0.0 : 12.0; }));
  const app::QualityReport report{kWidth, kHeight, app::MiddleOf(kWidth, kHeight), target.Figures(), {}};
  EXPECT_GT(report.figures.plane_rms_px, 1);
  EXPECT_THAT(QualityText(report), HasSubstr("does the whole region show one flat target?"));
}

TEST(FlatTarget, SaysWhatIsNone) {
  EXPECT_EQ(ParseRegion("1,2,30,40"), (ImageRegion{1, 2, 30, 40}));
  for (const char* wrong : {"", "1,2,3", "1,2,3,4,5", "1,2,3,-4", "a,b,c,d", "1,2,3,4,", "1;2;3;4"})
    EXPECT_THROW(ParseRegion(wrong), InvalidArgument) << wrong;
  for (const ImageRegion& wrong : {ImageRegion{-1, 0, 20, 20}, ImageRegion{110, 0, 20, 20},
                                   ImageRegion{0, 0, 5, 5}, ImageRegion{0, 0, 0, 20}})
    EXPECT_THROW(FlatTarget(kRig, kWidth, kHeight, wrong), InvalidArgument) << wrong.x;
  FlatTarget target(kRig, kWidth, kHeight, kRegion);
  DisparityMap empty = PlaneMap([](int, int) { return std::nan(""); });
  EXPECT_THROW(target.Add(empty), Error);
  const DisparityMap small{HostImage<float>(9, 9), HostImage<std::uint8_t>(9, 9),
                           HostImage<std::uint8_t>(9, 9)};
  EXPECT_THROW(target.Add(small), Error);
  EXPECT_EQ(target.Figures().num_frames, 0);
}

// A wall 1.5 m away: pictures of rough texture, noise of 3 of 255.
TEST(QualityCommand, MeasuresAWall) {
  const TemporaryFolder folder;
  constexpr int kPictureWidth = 160, kPictureHeight = 100, kDisparity = 20;
  Noise texture(3), noise(4);
  HostImage<std::uint8_t> wall(kPictureWidth + kDisparity, kPictureHeight);
  for (int y = 0; y < wall.height(); ++y) {
    for (int x = 0; x < wall.width(); ++x)
      wall(x, y) = static_cast<std::uint8_t>(std::clamp(128 + 40 * texture(), 10.0, 245.0));
  }
  for (int i = 0; i < 5; ++i) {
    for (const bool right : {false, true}) {
      HostImage<std::uint8_t> picture(kPictureWidth, kPictureHeight);
      for (int y = 0; y < kPictureHeight; ++y) {
        for (int x = 0; x < kPictureWidth; ++x)
          picture(x, y) = static_cast<std::uint8_t>(wall(right ? x + kDisparity : x, y) + 3 * noise());
      }
      fs::create_directories(folder.path() / (right ? "right" : "left"));
      WritePng(folder.path() / (right ? "right" : "left") / ("f" + std::to_string(i) + ".png"),
               picture.ConstView());
    }
  }
  std::vector<std::string> arguments{"quality",
                                     (folder.path() / "left").string(),
                                     (folder.path() / "right").string(),
                                     "--rig",
                                     "300,80,50,0.1",  // 1.5 m
                                     "--set",
                                     "matching_cost.num_disparities=32",
                                     "--distance",
                                     "1.475",
                                     "--json",
                                     (folder.path() / "wall.json").string()};
  const ProgramResult result = RunParallax(arguments);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("frames      5, region 64x40 at 48,30 of 160x100"));
  EXPECT_THAT(result.out, HasSubstr("Z accuracy  +2"));  // some 25 mm
  const std::string json = ReadText(folder.path() / "wall.json");
  EXPECT_THAT(json, HasSubstr("\"z_error_m\": 0.0"));
  EXPECT_THAT(json, HasSubstr("\"fill_percent\": "));

  arguments[4] = "300,80,50,-0.1";
  EXPECT_EQ(RunParallax(arguments).exit_code, 2);
  arguments[3] = "--region";
  arguments[4] = "100,50,80,20";
  const ProgramResult outside = RunParallax(arguments);
  EXPECT_EQ(outside.exit_code, 1);
  EXPECT_THAT(outside.err, HasSubstr("no calibration: image pairs carry none: name it with --rig"));
}

}  // namespace
}  // namespace parallax::test
