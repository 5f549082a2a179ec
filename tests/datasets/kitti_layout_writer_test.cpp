#include "datasets/kitti_layout_writer.h"

#include <limits>

#include "datasets/formats/disparity_png.h"
#include "datasets/formats/image_file.h"
#include "tests/datasets/synthetic_frames.h"
#include "tests/datasets/test_files.h"

namespace parallax {
namespace {

using test::ErrorOf;
using testing::HasSubstr;

TEST(KittiLayoutWriter, WritesAllFilesOf2015) {
  const test::TempDir folder;
  const StereoFrame frame = test::RenderFrame("boxes,width=90,height=50,color=1");
  KittiLayoutWriter(folder.path(), SourceKind::kKitti2015).Write(frame);
  const auto training = folder / "training";
  EXPECT_TRUE(test::SamePixels(std::get<HostImage<Rgb8>>(ReadImage(training / "image_2/000000_10.png")),
                               std::get<HostImage<Rgb8>>(frame.left)));
  EXPECT_TRUE(test::SamePixels(std::get<HostImage<Rgb8>>(ReadImage(training / "image_3/000000_10.png")),
                               std::get<HostImage<Rgb8>>(frame.right)));
  EXPECT_TRUE(test::SamePixels(ReadGray8(training / "obj_map/000000_10.png"), frame.truth->objects));
  const auto occ = ReadDisparityPng(training / "disp_occ_0/000000_10.png");
  const auto noc = ReadDisparityPng(training / "disp_noc_0/000000_10.png");
  for (int y = 0; y < 50; ++y) {
    for (int x = 0; x < 90; ++x) {
      const float d = frame.truth->disparity(x, y);
      ASSERT_LE(occ(x, y), d);
      ASSERT_GT(occ(x, y), d - 1.F / 256);
      if (frame.truth->nonoccluded(x, y) == 255) {
        ASSERT_EQ(noc(x, y), occ(x, y));
      } else {
        ASSERT_TRUE(std::isnan(noc(x, y)));
      }
    }
  }
  const std::string calibration = test::ReadText(training / "calib_cam_to_cam/000000.txt");
  for (const char* key : {"S_rect_02:", "P_rect_00:", "P_rect_01:", "P_rect_02:", "P_rect_03:"}) {
    EXPECT_THAT(calibration, HasSubstr(key));
  }
}

TEST(KittiLayoutWriter, WritesAllFilesOf2012) {
  const test::TempDir folder;
  const StereoFrame frame = test::RenderFrame("drive,width=90,height=50,frames=2", 1);
  KittiLayoutWriter(folder.path(), SourceKind::kKitti2012).Write(frame);
  const auto training = folder / "training";
  EXPECT_TRUE(test::SamePixels(ReadGray8(training / "image_0/000001_10.png"), test::Gray(frame.left)));
  EXPECT_TRUE(test::SamePixels(ReadGray8(training / "image_1/000001_10.png"), test::Gray(frame.right)));
  EXPECT_TRUE(std::filesystem::exists(training / "disp_noc/000001_10.png"));
  EXPECT_TRUE(std::filesystem::exists(training / "disp_occ/000001_10.png"));
  EXPECT_FALSE(std::filesystem::exists(training / "obj_map"));
  EXPECT_THAT(test::ReadText(training / "calib/000001.txt"), HasSubstr("P3: "));
}

TEST(KittiLayoutWriter, RefusesWhatTheLayoutCannotHold) {
  const test::TempDir folder;
  KittiLayoutWriter writer(folder.path(), SourceKind::kKitti2015);
  StereoFrame negative = test::RenderFrame("shift,width=9,height=5,shift=-2");
  EXPECT_THAT(ErrorOf([&] { writer.Write(negative); }), HasSubstr("doffs"));
  negative.rig.reset();
  EXPECT_THAT(ErrorOf([&] { writer.Write(negative); }), HasSubstr("-2.0"));
  EXPECT_THAT(ErrorOf([&] { writer.Write(test::RenderFrame("shift,width=9,height=5,shift=256")); }),
              HasSubstr("256"));
  EXPECT_FALSE(std::filesystem::exists(folder / "training/image_2/000000_10.png")) << "nothing half done";
  EXPECT_THAT(ErrorOf([&] { KittiLayoutWriter(folder.path(), SourceKind::kEth3d); }), HasSubstr("KITTI"));
}

TEST(KittiLayoutWriter, SaysWhichFolderCannotBeMade) {
  const test::TempDir folder;
  test::WriteText(folder / "file", "in the way");
  EXPECT_THAT(ErrorOf([&] { KittiLayoutWriter(folder / "file", SourceKind::kKitti2012); }),
              HasSubstr("file/training"));
}

}  // namespace
}  // namespace parallax
