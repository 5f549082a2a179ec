#include "datasets/layouts/kitti_layout_writer.h"

#include <filesystem>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "datasets/formats/disparity_png.h"
#include "datasets/formats/image_file.h"
#include "tests/datasets/synthetic_frames.h"
#include "tests/datasets/test_files.h"

namespace parallax {
namespace {

using test::ErrorOf;
using testing::HasSubstr;

TEST(KittiLayoutWriter, WritesAllFilesOf2015) {
  const test::TemporaryFolder folder;
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
  const test::TemporaryFolder folder;
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

TEST(KittiLayoutWriter, ProjectionsByHand) {
  const test::TemporaryFolder folder;
  StereoFrame frame = test::RenderFrame("planes,width=20,height=10");
  frame.rig = StereoRig{.fx_px = 700, .cx_px = 10, .cy_px = 5, .baseline_m = 0.5, .doffs_px = 2};
  KittiLayoutWriter(folder.path(), SourceKind::kKitti2012).Write(frame);
  std::istringstream calibration(test::ReadText(folder / "training/calib/000000.txt"));
  for (const char* const key : {"P0:", "P1:", "P2:", "P3:"}) {
    const bool is_left = key[1] % 2 == 0;
    std::string word;
    calibration >> word;
    EXPECT_EQ(word, key);
    std::vector<double> numbers(12);
    for (double& number : numbers) calibration >> number;
    const double cx = is_left ? 10 : 12, offset = is_left ? 0 : -350;  // -700 * 0.5
    EXPECT_THAT(numbers, testing::ElementsAre(700, 0, cx, offset, 0, 700, 5, 0, 0, 0, 1, 0)) << key;
  }
}

TEST(KittiLayoutWriter, NamesTheFilesThatItWrites) {
  for (const SourceKind layout : {SourceKind::kKitti2012, SourceKind::kKitti2015}) {
    for (const bool with_rig : {true, false}) {
      const test::TemporaryFolder folder;
      StereoFrame frame = test::RenderFrame("boxes,width=20,height=10");
      if (!with_rig) frame.rig.reset();
      KittiLayoutWriter writer(folder.path(), layout);
      writer.Write(frame);
      std::vector<std::string> written;
      for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
        if (entry.is_regular_file())
          written.push_back(entry.path().lexically_relative(folder.path()).string());
      }
      EXPECT_THAT(writer.FilesOf(frame), testing::UnorderedElementsAreArray(written)) << with_rig;
    }
  }
}

// What was rendered comes back from the readers of the data sets: recognised, with the same rig and truth.
TEST(KittiLayoutWriter, ReadersGiveTheSameFramesBack) {
  struct Case {
    SourceKind layout;
    const char* spec;
  };
  for (const Case& c :
       {Case{SourceKind::kKitti2015, "drive,width=150,height=60,frames=2,color=1"},
        Case{SourceKind::kKitti2012, "drive,width=150,height=60,frames=2"},
        Case{SourceKind::kKitti2012, "planes,width=70,height=60,frames=3,doffs=-2.5,bits=16"}}) {
    const test::TemporaryFolder folder;
    const SourceOptions options{.kind = "", .with_truth = true};
    KittiLayoutWriter writer(folder.path(), c.layout);
    const auto rendered = OpenSyntheticSource(c.spec, options);
    while (rendered->NextName()) writer.Write(rendered->Read());

    const auto read = OpenSource({folder.path().string()}, options);
    EXPECT_EQ(read->kind(), c.layout) << c.spec;
    ASSERT_EQ(read->num_frames(), rendered->num_frames()) << c.spec;
    const auto again = OpenSyntheticSource(c.spec, options);
    while (again->NextName()) {
      ASSERT_EQ(read->NextName(), again->NextName());
      StereoFrame expected = again->Read(), got = read->Read();
      ASSERT_TRUE(got.rig && got.truth) << got.rig_note << got.truth_note;
      EXPECT_NEAR(got.rig->fx_px, expected.rig->fx_px, 1e-9);
      EXPECT_NEAR(got.rig->cx_px, expected.rig->cx_px, 1e-9);
      EXPECT_NEAR(got.rig->cy_px, expected.rig->cy_px, 1e-9);
      EXPECT_NEAR(got.rig->baseline_m, expected.rig->baseline_m, 1e-9);
      EXPECT_NEAR(got.rig->doffs_px, expected.rig->doffs_px, 1e-9);
      EXPECT_FALSE(got.truth->only_nonoccluded);
      // KITTI's files hold whole 1/256 px, cut off; and 0 means none, so that visible sky is no truth either.
      for (int y = 0; y < 60; ++y) {
        for (int x = 0; x < expected.truth->disparity.width(); ++x) {
          float& d = expected.truth->disparity(x, y);
          d = std::isnan(d) ? d : std::max(1.F, std::floor(d * 256)) / 256;
        }
      }
      if (c.layout == SourceKind::kKitti2012) got.truth->objects = expected.truth->objects.Clone();
      EXPECT_TRUE(test::SameFrame(got, expected)) << c.spec << ' ' << got.name;
    }
    EXPECT_EQ(read->NextName(), std::nullopt);
  }
}

TEST(KittiLayoutWriter, RefusesWhatTheLayoutCannotHold) {
  const test::TemporaryFolder folder;
  KittiLayoutWriter writer(folder.path(), SourceKind::kKitti2015);
  const StereoFrame negative = test::RenderFrame("shift,width=9,height=5,shift=-2");
  EXPECT_THAT(ErrorOf([&] { writer.Write(negative); }), HasSubstr("-2.0"));
  EXPECT_THAT(ErrorOf([&] { writer.Write(test::RenderFrame("shift,width=9,height=5,shift=256")); }),
              HasSubstr("256"));
  EXPECT_FALSE(std::filesystem::exists(folder / "training/image_2/000000_10.png")) << "nothing half done";
  EXPECT_THAT(ErrorOf([&] { KittiLayoutWriter(folder.path(), SourceKind::kEth3d); }), HasSubstr("KITTI"));
}

TEST(KittiLayoutWriter, SaysWhichFolderCannotBeMade) {
  const test::TemporaryFolder folder;
  test::WriteText(folder / "file", "in the way");
  EXPECT_THAT(ErrorOf([&] { KittiLayoutWriter(folder / "file", SourceKind::kKitti2012); }),
              HasSubstr("file/training"));
}

}  // namespace
}  // namespace parallax
