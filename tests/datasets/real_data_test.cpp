// Every data set of the real data: counted, named, measured against the figures its README states.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "datasets/calibration/calibration_file.h"
#include "datasets/source.h"
#include "pipeline/calibration/rectification.h"
#include "tests/datasets/test_files.h"

namespace parallax {
namespace {

std::vector<StereoFrame> ReadAll(const std::string& folder, SourceKind kind) {
  const auto source = OpenSource({(test::RealData() / folder).string()}, {.kind = "", .with_truth = true});
  EXPECT_EQ(source->kind(), kind) << folder;
  std::vector<StereoFrame> frames;
  while (const auto name = source->NextName()) {
    frames.push_back(source->Read());
    EXPECT_EQ(frames.back().name, *name);
  }
  EXPECT_EQ(source->num_frames(), frames.size());
  return frames;
}

struct TruthRange {
  float min_px = 1e9F, max_px = -1e9F;
  double percent = 0;  // of all pixels
};

// Over the pixels that are known and, with a mask, 255 in it.
TruthRange RangeOf(const HostImage<float>& truth, const HostImage<std::uint8_t>& mask = {}) {
  TruthRange range;
  double count = 0;
  for (int y = 0; y < truth.height(); ++y) {
    for (int x = 0; x < truth.width(); ++x) {
      if (std::isnan(truth(x, y)) || (!mask.Empty() && mask(x, y) != 255)) continue;
      range.min_px = std::min(range.min_px, truth(x, y));
      range.max_px = std::max(range.max_px, truth(x, y));
      ++count;
    }
  }
  range.percent = 100 * count / truth.width() / truth.height();
  return range;
}

// What a README line says of a frame; percent < 0: not stated.
struct Expected {
  const char* name;
  int width, height;
  double min_px, max_px, percent;
};

void ExpectFrame(const StereoFrame& frame, const Expected& expected) {
  SCOPED_TRACE(expected.name);
  EXPECT_EQ(frame.name, expected.name);
  EXPECT_EQ(WidthOf(ViewOf(frame.left)), expected.width);
  EXPECT_EQ(HeightOf(ViewOf(frame.right)), expected.height);
  EXPECT_TRUE(frame.rectified);
  ASSERT_TRUE(frame.truth) << frame.truth_note;
  const TruthRange range = RangeOf(frame.truth->disparity, frame.truth->nonoccluded);
  EXPECT_NEAR(range.min_px, expected.min_px, 0.06);
  EXPECT_NEAR(range.max_px, expected.max_px, 0.06);
  if (expected.percent >= 0) {
    EXPECT_NEAR(range.percent, expected.percent, 0.051);
  }
}

void ExpectRig(const StereoFrame& frame, const StereoRig& expected) {
  ASSERT_TRUE(frame.rig) << frame.name << ": " << frame.rig_note;
  EXPECT_NEAR(frame.rig->fx_px, expected.fx_px, 1e-4);
  EXPECT_NEAR(frame.rig->cx_px, expected.cx_px, 1e-4);
  EXPECT_NEAR(frame.rig->cy_px, expected.cy_px, 1e-4);
  EXPECT_NEAR(frame.rig->baseline_m, expected.baseline_m, 1e-4);
  EXPECT_NEAR(frame.rig->doffs_px, expected.doffs_px, 1e-4);
}

TEST(RealData, Kitti2012) {
  PARALLAX_NEEDS_REAL_DATA();
  const Expected table[] = {
      {"000000_10", 1226, 370, 4.4, 69.8, 35.1},  {"000003_10", 1242, 375, 4.6, 82.9, 29.2},
      {"000026_10", 1238, 374, 4.8, 88.9, 29.7},  {"000030_10", 1242, 375, 33.9, 122.0, 26.1},
      {"000043_10", 1242, 375, 5.3, 191.9, 17.3}, {"000061_10", 1241, 376, 4.6, 118.3, 26.2},
      {"000133_10", 1241, 376, 4.8, 151.8, 28.3}, {"000147_10", 1241, 376, 5.8, 74.1, 32.9},
      {"000173_10", 1226, 370, 4.6, 82.7, 30.3}};
  const auto frames = ReadAll("kitti2012", SourceKind::kKitti2012);
  ASSERT_EQ(frames.size(), std::size(table));
  for (std::size_t i = 0; i < frames.size(); ++i) {
    ExpectFrame(frames[i], table[i]);
    EXPECT_TRUE(frames[i].truth->only_nonoccluded);  // there is no disp_occ
    if (frames[i].name == "000026_10") {
      EXPECT_FALSE(frames[i].rig);
      EXPECT_THAT(frames[i].rig_note, testing::HasSubstr("calib/000026.txt does not exist"));
    } else {
      ASSERT_TRUE(frames[i].rig);
      EXPECT_NEAR(frames[i].rig->baseline_m, 0.5372, 1e-4);
    }
  }
  ExpectRig(frames[1], {721.5377, 609.5593, 172.854, 0.5372, 0});
  ExpectRig(frames[5], {718.856, 607.1928, 185.2157, 0.5372, 0});
  ExpectRig(frames[0], {707.0912, 601.8873, 183.1104, 0.5372, 0});
  EXPECT_EQ(ReadAll("kitti2012/training", SourceKind::kKitti2012).size(), std::size(table));
}

TEST(RealData, Kitti2015) {
  PARALLAX_NEEDS_REAL_DATA();
  const auto frames = ReadAll("kitti2015", SourceKind::kKitti2015);
  ASSERT_EQ(frames.size(), 1U);
  ExpectFrame(frames[0], {"000046_10", 1242, 375, 4.9, 65.7, 11.8});
  ExpectRig(frames[0], {721.5377, 609.5593, 172.854, 0.53272, 0});
  EXPECT_TRUE(std::holds_alternative<HostImage<Rgb8>>(frames[0].left));
  EXPECT_TRUE(frames[0].truth->nonoccluded.Empty());
  EXPECT_FALSE(frames[0].truth->only_nonoccluded);
}

TEST(RealData, KittiOdometryAtEveryLevel) {
  PARALLAX_NEEDS_REAL_DATA();
  for (const char* level : {"kitti_odometry", "kitti_odometry/dataset", "kitti_odometry/dataset/sequences"}) {
    const auto frames = ReadAll(level, SourceKind::kKittiOdometry);
    ASSERT_EQ(frames.size(), 9U) << level;
    EXPECT_EQ(frames[0].name, "A_000000");
    EXPECT_EQ(frames[6].name, "B_000000");
    EXPECT_EQ(WidthOf(ViewOf(frames[0].left)), 1226);
    EXPECT_EQ(WidthOf(ViewOf(frames[8].left)), 1241);
    EXPECT_NEAR(frames[5].timestamp_s.value(), 0.5, 1e-9);
    ExpectRig(frames[0], {707.0912, 601.8873, 183.1104, 0.5372, 0});
    EXPECT_FALSE(frames[0].truth);
    EXPECT_FALSE(frames[0].truth_note.empty());
  }
  const auto frames = ReadAll("kitti_odometry/dataset/sequences/B/", SourceKind::kKittiOdometry);
  ASSERT_EQ(frames.size(), 3U);
  EXPECT_EQ(frames[2].name, "B_000002");
}

TEST(RealData, KittiRawUnrectifiedIsReadAndMarked) {
  PARALLAX_NEEDS_REAL_DATA();
  const std::string drive = "2011_09_26_drive_unknown_extract";
  for (const std::string& level :
       {std::string("kitti_raw"), std::string("kitti_raw/2011_09_26"), "kitti_raw/2011_09_26/" + drive}) {
    const auto frames = ReadAll(level, SourceKind::kKittiRaw);
    ASSERT_EQ(frames.size(), 2U) << level;
    EXPECT_EQ(frames[0].name, drive + "_0000000013");
    EXPECT_EQ(WidthOf(ViewOf(frames[0].left)), 1392);
    EXPECT_FALSE(frames[0].rectified);
    EXPECT_FALSE(frames[0].rig);
    ASSERT_TRUE(frames[0].raw_rig);
    EXPECT_NEAR(frames[0].raw_rig->baseline_m(), 0.5372, 1e-4);
    EXPECT_EQ(frames[0].raw_rig->left.width_px, 1392);
    // Line 14 and 15 of 401: 14:05:36.844... the step is a tenth of a second.
    EXPECT_NEAR(*frames[1].timestamp_s - *frames[0].timestamp_s, 0.1, 0.01);
  }
}

TEST(RealData, EurocIsRawWithItsCameras) {
  PARALLAX_NEEDS_REAL_DATA();
  const auto frames = ReadAll("euroc", SourceKind::kEuroc);
  ASSERT_EQ(frames.size(), 3U);
  EXPECT_EQ(frames[0].name, "1403715273262142976");
  EXPECT_NEAR(*frames[1].timestamp_s - *frames[0].timestamp_s, 0.05, 0.001);
  EXPECT_FALSE(frames[0].rectified);
  ASSERT_TRUE(frames[0].raw_rig);
  EXPECT_NEAR(frames[0].raw_rig->baseline_m(), 0.11008, 1e-4);
}

// What KITTI's own rectification shows at a depth, ours shows at the same.
TEST(RealData, KittiRawComesOutAsKittiRectifiesIt) {
  PARALLAX_NEEDS_REAL_DATA();
  const Calibration kitti =
      ReadCalibration((test::RealData() / "kitti_raw/2011_09_26/calib_cam_to_cam.txt").string());
  ASSERT_TRUE(kitti.raw && kitti.rectified);
  const Rectification ours = MakeRectification(*kitti.raw);
  const StereoRig& theirs = kitti.rectified->rig;
  EXPECT_NEAR(ours.rig.baseline_m, theirs.baseline_m, 5e-5);
  // Their rectified frame is the left camera's turned by R_rect_00.
  const Matrix3 rect_00{{9.999239e-01, 9.837760e-03, -7.445048e-03, -9.869795e-03, 9.999421e-01,
                         -4.278459e-03, 7.402527e-03, 4.351614e-03, 9.999631e-01}};
  for (const double z_m : {5.0, 20.0, 60.0}) {
    for (const double x : {-0.6, 0.0, 0.6}) {
      const Vector3 in_theirs{x * z_m, 0.1 * z_m, z_m};
      const Vector3 p = ours.rectified_from_left * (Transposed(rect_00) * in_theirs);
      const Vector3 q =
          ours.rectified_from_right *
          (kitti.raw->right_from_left * (Transposed(rect_00) * in_theirs) + kitti.raw->translation_m);
      const double disparity = ours.rig.fx_px * (p.x / p.z - q.x / q.z);
      EXPECT_NEAR(p.y / p.z, q.y / q.z, 1e-7);
      const double depth = ours.rig.fx_px * ours.rig.baseline_m / disparity;
      // Along their axis.
      const Vector3 point = (depth / p.z) * p;
      EXPECT_NEAR((rect_00 * (Transposed(ours.rectified_from_left) * point)).z, z_m, 0.005 * z_m);
    }
  }
}

TEST(RealData, MiddleburyV3) {
  PARALLAX_NEEDS_REAL_DATA();
  const Expected table[] = {{"Adirondack", 718, 496, 9.5, 63.0, -1},
                            {"ArtL", 347, 277, 19.3, 55.5, -1},
                            {"Motorcycle", 741, 497, 9.4, 62.9, -1},
                            {"Piano", 707, 481, 10.3, 51.4, -1},
                            {"Teddy", 450, 375, 15.0, 52.8, -1}};
  const int ndisp[] = {73, 64, 70, 65, 64};
  for (const char* level : {"middlebury/MiddEval3", "middlebury/MiddEval3/trainingQ"}) {
    const auto frames = ReadAll(level, SourceKind::kMiddleburyV3);
    ASSERT_EQ(frames.size(), std::size(table));
    for (std::size_t i = 0; i < frames.size(); ++i) {
      ExpectFrame(frames[i], table[i]);
      EXPECT_EQ(frames[i].num_disparities_hint, ndisp[i]);
      EXPECT_FALSE(frames[i].truth->nonoccluded.Empty());
    }
    ExpectRig(frames[2], {999.421, 294.182, 252.932, 0.193001, 32.778});
    ExpectRig(frames[1], {935, 148, 138, 0.160, 50});
  }
  EXPECT_EQ(ReadAll("middlebury/MiddEval3/trainingQ/Piano", SourceKind::kMiddleburyV3)[0].name, "Piano");
}

TEST(RealData, Middlebury2001) {
  PARALLAX_NEEDS_REAL_DATA();
  const auto frames = ReadAll("middlebury/scenes2001", SourceKind::kMiddleburyClassic);
  ASSERT_EQ(frames.size(), 2U);
  // Tsukuba: integer truth 5..14, unknown in a border of 18 px: (384-36) x (288-36) of 384 x 288 pixels.
  ExpectFrame(frames[0], {"tsukuba", 384, 288, 5, 14, 79.297});
  EXPECT_EQ(frames[0].num_disparities_hint, 16);
  EXPECT_TRUE(std::isnan(frames[0].truth->disparity(17, 100)));
  EXPECT_FALSE(std::isnan(frames[0].truth->disparity(18, 18)));
  EXPECT_EQ(frames[1].name, "venus");
  EXPECT_EQ(WidthOf(ViewOf(frames[1].left)), 434);
  EXPECT_NEAR(RangeOf(frames[1].truth->disparity).max_px, 19.75, 0.01);
  EXPECT_FALSE(frames[1].rig);
  EXPECT_FALSE(frames[1].rig_note.empty());
}

TEST(RealData, Middlebury2003) {
  PARALLAX_NEEDS_REAL_DATA();
  const auto frames = ReadAll("middlebury/scenes2003", SourceKind::kMiddleburyClassic);
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[0].name, "cones");
  EXPECT_EQ(frames[1].name, "teddy");
  for (const StereoFrame& frame : frames) {
    EXPECT_FALSE(frame.truth->nonoccluded.Empty());
    EXPECT_LE(RangeOf(frame.truth->disparity).max_px, 55.0F);  // scale 4
    EXPECT_GE(RangeOf(frame.truth->disparity).max_px, 50.0F);
  }
}

TEST(RealData, Middlebury2005And2006) {
  PARALLAX_NEEDS_REAL_DATA();
  const auto frames = ReadAll("middlebury/scenes2005", SourceKind::kMiddleburyClassic);
  ASSERT_EQ(frames.size(), 4U);
  EXPECT_EQ(frames[0].name, "Art");
  // The same scene as MiddEval3's ArtL, whose calib.txt says f 935, doffs 50 at a quarter of the size.
  ExpectRig(frames[0], {3740.0 / 3, (WidthOf(ViewOf(frames[0].left)) - 1) / 2.0, 184.5, 0.160, 200.0 / 3});
  EXPECT_EQ(frames[0].num_disparities_hint, 86);
  const float art_q =
      RangeOf(ReadAll("middlebury/MiddEval3/trainingQ/ArtL", SourceKind::kMiddleburyV3)[0].truth->disparity)
          .max_px;
  EXPECT_NEAR(RangeOf(frames[0].truth->disparity).max_px / 4 * 3, art_q, 1.0F);

  const auto scenes = ReadAll("middlebury/scenes2006", SourceKind::kMiddleburyClassic);
  const auto cloth = std::find_if(scenes.begin(), scenes.end(),
                                  [](const StereoFrame& frame) { return frame.name == "Cloth3"; });
  ASSERT_NE(cloth, scenes.end());
  EXPECT_EQ(cloth->num_disparities_hint, 128);  // half size, scale 2
  EXPECT_FALSE(cloth->rig);
  EXPECT_THAT(cloth->rig_note, testing::HasSubstr("dmin.txt does not exist"));
}

TEST(RealData, Eth3dWithTruthInTheFolderBeside) {
  PARALLAX_NEEDS_REAL_DATA();
  for (const char* level : {"eth3d", "eth3d/two_view_training", "eth3d/two_view_training/playground_1l"}) {
    const auto frames = ReadAll(level, SourceKind::kEth3d);
    ASSERT_EQ(frames.size(), 1U) << level;
    ExpectFrame(frames[0], {"playground_1l", 941, 490, 2.1, 20.0, -1});
    ExpectRig(frames[0], {542.019, 541.836, 255.198, 0.0595549, 0});
    EXPECT_FALSE(frames[0].num_disparities_hint);
    EXPECT_TRUE(frames[0].truth->nonoccluded.Empty());
  }
}

TEST(RealData, FoldersThatHoldSeveralOrNoneSaySo) {
  PARALLAX_NEEDS_REAL_DATA();
  EXPECT_THAT(test::ErrorOf([] { OpenSource({(test::RealData() / "middlebury").string()}); }),
              testing::HasSubstr("several data sets"));
  const std::string none = test::ErrorOf([] { OpenSource({(test::RealData() / "eval_truth").string()}); });
  EXPECT_THAT(none, testing::HasSubstr("looked for kitti2012: "));
  EXPECT_THAT(none, testing::HasSubstr("eth3d: "));
}

}  // namespace
}  // namespace parallax
