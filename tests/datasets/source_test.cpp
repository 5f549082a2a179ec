// Recognition, names, and what is said of bad input, on layouts made by hand.
#include "datasets/source.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <optional>

#include "datasets/formats/disparity_png.h"
#include "datasets/formats/image_file.h"
#include "datasets/formats/pfm.h"
#include "tests/datasets/test_files.h"
#include "tests/support/calibration_texts.h"
#include "tests/support/images.h"

namespace parallax {
namespace {

using test::ErrorOf;
using test::TemporaryFolder;
using test::WriteText;
using testing::HasSubstr;
using namespace std::string_literals;

constexpr int kWidth = 6, kHeight = 4;
constexpr char kCalib[] =
    "P0: 700 0 600 0 0 700 180 0 0 0 1 0\nP1: 700 0 600 -350 0 700 180 0 0 0 1 0\n"
    "P2: 700 0 600 42 0 700 180 0 0 0 1 0\nP3: 700 0 600 -329 0 700 180 0 0 0 1 0\n";

std::filesystem::path WriteGray(const std::filesystem::path& path, int width = kWidth, int height = kHeight) {
  std::filesystem::create_directories(path.parent_path());
  WritePng(path, HostImage<std::uint8_t>(width, height, 50).ConstView());
  return path;
}

void WriteTruth(const std::filesystem::path& path, float value) {
  std::filesystem::create_directories(path.parent_path());
  HostImage<float> truth(kWidth, kHeight, value);
  truth(0, 0) = std::numeric_limits<float>::quiet_NaN();
  WriteDisparityPng(path, truth.ConstView());
}

std::unique_ptr<FrameSource> Open(const std::filesystem::path& folder, const std::string& kind = "") {
  return OpenSource({folder.string()}, {.kind = kind, .with_truth = true});
}

std::vector<std::string> NamesIn(FrameSource& source) {
  std::vector<std::string> names;
  for (; const auto name = source.NextName(); source.Skip()) names.push_back(*name);
  return names;
}

void WriteKitti2012(const TemporaryFolder& dir, const std::string& number) {
  WriteGray(dir / ("training/image_0/" + number + "_10.png"));
  WriteGray(dir / ("training/image_1/" + number + "_10.png"));
  WriteGray(dir / ("training/image_0/" + number + "_11.png"));
  WriteTruth(dir / ("training/disp_occ/" + number + "_10.png"), 9);
  WriteTruth(dir / ("training/disp_noc/" + number + "_10.png"), 9);
  WriteText(dir / ("training/calib/" + number + ".txt"), kCalib);
}

TEST(OpenSource, Kitti2012WithBothTruths) {
  const TemporaryFolder dir;
  WriteKitti2012(dir, "000002");
  WriteKitti2012(dir, "000010");
  for (const auto& level : {dir.path(), dir / "training"}) {
    const auto source = Open(level);
    EXPECT_EQ(source->kind(), SourceKind::kKitti2012);
    EXPECT_EQ(source->num_frames(), 2U);
    const StereoFrame frame = source->Read();
    ASSERT_TRUE(frame.truth);
    EXPECT_FALSE(frame.truth->only_nonoccluded);
    EXPECT_EQ(frame.truth->nonoccluded(0, 0), 0);
    EXPECT_EQ(frame.truth->nonoccluded(1, 0), 255);
    EXPECT_EQ(frame.truth->disparity(1, 0), 9.0F);
    EXPECT_EQ(frame.rig->baseline_m, 0.5);
    EXPECT_EQ(NamesIn(*source), std::vector<std::string>{"000010_10"});
  }
}

TEST(OpenSource, Kitti2012ColourTakesP2AndP3) {
  const TemporaryFolder dir;
  WriteGray(dir / "colored_0/000000_10.png");
  WriteGray(dir / "colored_1/000000_10.png");
  WriteText(dir / "calib/000000.txt", kCalib);
  const StereoFrame frame = Open(dir.path())->Read();
  EXPECT_DOUBLE_EQ(frame.rig->baseline_m, 371.0 / 700);
  EXPECT_FALSE(frame.truth);
  EXPECT_THAT(frame.truth_note, HasSubstr("no ground truth: neither"));
}

TEST(OpenSource, Kitti2015WithObjectMap) {
  const TemporaryFolder dir;
  WriteGray(dir / "image_2/000001_10.png");
  WriteGray(dir / "image_3/000001_10.png");
  WriteTruth(dir / "disp_occ_0/000001_10.png", 3);
  WriteTruth(dir / "disp_noc_0/000001_10.png", 3);
  WriteGray(dir / "obj_map/000001_10.png");
  const auto source = Open(dir.path());
  EXPECT_EQ(source->kind(), SourceKind::kKitti2015);
  const StereoFrame frame = source->Read();
  EXPECT_EQ(frame.truth->objects(2, 2), 50);
  EXPECT_FALSE(frame.truth->nonoccluded.Empty());
  EXPECT_FALSE(frame.rig);
  EXPECT_THAT(frame.rig_note, HasSubstr("000001.txt does not exist"));
}

TEST(OpenSource, RawSyncedIsRectifiedAndHasARig) {
  const TemporaryFolder dir;
  WriteGray(dir / "2011_09_26/2011_09_26_drive_0001_sync/image_02/data/0000000001.png");
  WriteGray(dir / "2011_09_26/2011_09_26_drive_0001_sync/image_03/data/0000000001.png");
  WriteText(dir / "2011_09_26/calib_cam_to_cam.txt",
            "P_rect_02: 700 0 600 42 0 700 180 0 0 0 1 0\nP_rect_03: 700 0 600 -329 0 700 180 0 0 0 1 0\n");
  const auto source = Open(dir.path());
  EXPECT_EQ(source->kind(), SourceKind::kKittiRaw);
  const StereoFrame frame = source->Read();
  EXPECT_EQ(frame.name, "2011_09_26_drive_0001_sync_0000000001");
  EXPECT_TRUE(frame.rectified);
  EXPECT_DOUBLE_EQ(frame.rig->baseline_m, 371.0 / 700);
  EXPECT_FALSE(frame.timestamp_s);
}

TEST(OpenSource, RawExtractedWithoutItsCamerasSaysWhatIsMissing) {
  const TemporaryFolder dir;
  WriteGray(dir / "day/day_drive_0001_extract/image_00/data/0000000001.png");
  WriteGray(dir / "day/day_drive_0001_extract/image_01/data/0000000001.png");
  const std::string file = (dir / "day/calib_cam_to_cam.txt").string();
  EXPECT_THAT(Open(dir.path())->Read().rig_note, HasSubstr(file + " does not exist; give the calibration"));
  WriteText(file, "P_rect_00: 700 0 600 42 0 700 180 0 0 0 1 0\n");
  EXPECT_THAT(Open(dir.path())->Read().rig_note, HasSubstr(file + " lacks the raw cameras (S, K, D, R, T);"));
}

TEST(OpenSource, NamesOfEurocImagesAreTimesWhereTheyAreNumbers) {
  const TemporaryFolder dir;
  for (const char* name : {"1403636579763555584", "-5", "first"}) {
    for (const char* camera : {"cam0", "cam1"})
      WriteGray(dir / (std::string("mav0/") + camera + "/data/" + name + ".png"));
  }
  WriteText(dir / "mav0/cam0/sensor.yaml", test::EurocText(-0.0216, -0.0647, 458));
  WriteText(dir / "mav0/cam1/sensor.yaml", test::EurocText(-0.0198, 0.0454, 457));
  std::map<std::string, std::optional<double>> times;
  const auto source = Open(dir.path());
  while (const auto name = source->NextName()) times[*name] = source->Read().timestamp_s;
  EXPECT_EQ(times.size(), 3U);
  EXPECT_NEAR(times["1403636579763555584"].value_or(0), 1403636579.763555584, 1e-6);
  EXPECT_FALSE(times["-5"]);
  EXPECT_FALSE(times["first"]);
}

TEST(OpenSource, AFolderOfSeveralDataSetsNamesThem) {
  const TemporaryFolder dir;
  WriteKitti2012(dir, "000002");
  WriteGray(dir / "mav0/cam0/data/1.png");
  WriteGray(dir / "mav0/cam1/data/1.png");
  WriteText(dir / "mav0/cam0/sensor.yaml", "");
  const std::string said = ErrorOf([&] { Open(dir.path()); });
  EXPECT_THAT(said, HasSubstr("holds several data sets: kitti2012 ("));
  EXPECT_THAT(said, HasSubstr("), euroc ("));
}

TEST(OpenSource, Eth3dAndMiddleburyAreToldByVminUnlessForced) {
  const TemporaryFolder dir;
  WriteGray(dir / "scene/im0.png");
  WriteGray(dir / "scene/im1.png");
  const std::string calib = "cam0=[9 0 2; 0 9 2; 0 0 1]\ndoffs=0\nbaseline=100\nndisp=6\n";
  WriteText(dir / "scene/calib.txt", calib);
  WritePfm(dir / "scene/disp0GT.pfm", HostImage<float>(kWidth, kHeight, 2.5F).ConstView());
  EXPECT_EQ(Open(dir.path())->kind(), SourceKind::kEth3d);
  EXPECT_FALSE(Open(dir.path())->Read().num_disparities_hint);
  EXPECT_EQ(Open(dir.path(), "middlebury_v3")->Read().num_disparities_hint, 6);
  EXPECT_EQ(Open(dir.path())->Read().truth->disparity(1, 1), 2.5F);
  WriteText(dir / "scene/calib.txt", calib + "vmin=1\n");
  EXPECT_EQ(Open(dir.path())->kind(), SourceKind::kMiddleburyV3);
}

TEST(OpenSource, ClassicOfUnknownSizeIsRefusedWithItsSize) {
  const TemporaryFolder dir;
  WriteGray(dir / "view1.png");
  WriteGray(dir / "view5.png");
  WriteGray(dir / "disp1.png");
  EXPECT_THAT(ErrorOf([&] { Open(dir.path())->Read(); }),
              HasSubstr("view1.png: 6x4 is not a size of Middlebury 2005"));
}

TEST(OpenSource, AFrameThatIsBadIsPassedOver) {
  const TemporaryFolder dir;
  for (const char* number : {"000000", "000001", "000002", "000003", "000004"}) WriteKitti2012(dir, number);
  std::filesystem::remove(dir / "training/image_1/000000_10.png");
  WriteGray(dir / "training/image_1/000001_10.png", kWidth + 1);
  WriteText(dir / "training/calib/000002.txt", "P0: 700 0 600 0 0 700 180 0 0 0 1 0\n");
  test::WriteBeginning(dir / "training/image_0/000004_10.png", dir / "training/image_0/000003_10.png", 60);
  const auto source = Open(dir.path());
  EXPECT_THAT(ErrorOf([&] { source->Read(); }), HasSubstr("image_1/000000_10.png: no such file"));
  EXPECT_THAT(ErrorOf([&] { source->Read(); }), testing::AllOf(HasSubstr("image_0/000001_10.png is 6x4"),
                                                               HasSubstr("image_1/000001_10.png is 7x4")));
  EXPECT_THAT(ErrorOf([&] { source->Read(); }), HasSubstr("calib/000002.txt: line P1: is missing"));
  EXPECT_THAT(ErrorOf([&] { source->Read(); }), HasSubstr("image_0/000003_10.png: the image is truncated"));
  EXPECT_EQ(source->NextName(), "000004_10");
  EXPECT_EQ(source->Read().name, "000004_10");
  EXPECT_EQ(source->NextName(), std::nullopt);
  EXPECT_THAT(ErrorOf([&] { source->Read(); }), HasSubstr("no frame after the last"));
}

TEST(OpenSource, TruthOfAnotherSizeIsAnError) {
  const TemporaryFolder dir;
  WriteKitti2012(dir, "000000");
  WriteDisparityPng(dir / "training/disp_occ/000000_10.png",
                    HostImage<float>(kWidth, kHeight + 1, 1.0F).ConstView());
  EXPECT_THAT(ErrorOf([&] { Open(dir.path())->Read(); }), HasSubstr("the true disparity map is 6x5, but"));
  EXPECT_NO_THROW(OpenSource({dir.path().string()}, {})->Read());  // not asked for the truth: not read
}

TEST(OpenSource, NamesCostNoDecoding) {
  const TemporaryFolder dir;
  for (const char* number : {"000000", "000001"}) {
    WriteText(dir / "image_2" / (std::string(number) + "_10.png"), "no image");
    WriteText(dir / "image_3" / (std::string(number) + "_10.png"), "no image");
  }
  EXPECT_EQ(NamesIn(*Open(dir.path())), (std::vector<std::string>{"000000_10", "000001_10"}));
}

TEST(OpenSource, PairsOfFilesGlobsAndFolders) {
  const TemporaryFolder dir;
  for (const char* name : {"l/a2.png", "l/a10.png", "r/b2.png", "r/b10.png"}) WriteGray(dir / name);
  const auto names_of = [&](const std::string& left, const std::string& right) {
    const auto source = OpenSource({(dir / left).string(), (dir / right).string()});
    EXPECT_EQ(source->kind(), SourceKind::kPair);
    return NamesIn(*source);
  };
  EXPECT_EQ(names_of("l/a2.png", "r/b2.png"), (std::vector<std::string>{"a2"}));
  EXPECT_EQ(names_of("l/*.png", "r/b*.png"), (std::vector<std::string>{"a2", "a10"}));
  EXPECT_EQ(names_of("l", "r"), (std::vector<std::string>{"a2", "a10"}));
  EXPECT_THAT(ErrorOf([&] { names_of("l/*.png", "r/b2.png"); }), HasSubstr("gives 2 images, but"));
  EXPECT_THAT(ErrorOf([&] { names_of("l/x*.png", "r/*.png"); }), HasSubstr("x*.png: no such image"));
  EXPECT_FALSE(OpenSource({(dir / "l").string(), (dir / "r").string()})->Read().rig_note.empty());
}

TEST(OpenSource, WithALayoutPicturesHoldBothImages) {
  const TemporaryFolder dir;
  for (const int i : {2, 10}) {
    const auto picture =
        test::ImageFrom<std::uint8_t>(8, 6, [&](int x, int y) { return 10 * y + x + i - 2; });
    WritePng(dir / (std::to_string(i) + ".png"), picture.ConstView());
  }
  const auto gray = [](const CameraImage& image) -> const HostImage<std::uint8_t>& {
    return std::get<HostImage<std::uint8_t>>(image);
  };
  for (const std::string& spec : {dir.path().string(), (dir / "*.png").string()}) {
    SourceOptions options;
    options.live.layout = PictureLayout::kTopBottom;
    const auto source = OpenSource({spec}, options);
    EXPECT_EQ(source->kind(), SourceKind::kPair);
    EXPECT_EQ(source->num_frames(), 2U);
    EXPECT_EQ(source->NextName(), "2");
    const StereoFrame frame = source->Read();
    EXPECT_EQ(gray(frame.left)(7, 2), 27);
    EXPECT_EQ(gray(frame.right)(0, 0), 30);
    options.live.layout = PictureLayout::kSideBySide;
    const StereoFrame beside = OpenSource({spec}, options)->Read();
    EXPECT_EQ(gray(beside.right)(0, 5), 54);
    EXPECT_NE(beside.origin, frame.origin);
  }
  WriteGray(dir / "odd.png", 5, 4);
  SourceOptions options;
  options.live.layout = PictureLayout::kSideBySide;
  EXPECT_THAT(ErrorOf([&] { OpenSource({(dir / "odd.png").string()}, options)->Read(); }),
              HasSubstr("5 px wide cannot hold two images"));
  EXPECT_THAT(ErrorOf([&] { OpenSource({(dir / "odd.png").string()}); }), HasSubstr("name the layout"));
}

TEST(OpenSource, PairsWithEqualNamesAreToldApartByFolder) {
  const TemporaryFolder dir;
  for (const char* scene : {"x", "y"}) {
    WriteGray(dir / scene / "im0.png");
    WriteGray(dir / scene / "im1.png");
  }
  const auto source = OpenSource({(dir / "*/im0.png").string(), (dir / "*/im1.png").string()});
  EXPECT_EQ(NamesIn(*source), (std::vector<std::string>{"x_im0", "y_im0"}));
}

TEST(OpenSource, GrayBesideColourIsAnError) {
  const TemporaryFolder dir;
  WriteGray(dir / "l.png");
  WritePng(dir / "r.png", HostImage<Rgb8>(kWidth, kHeight, Rgb8{1, 2, 3}).ConstView());
  EXPECT_THAT(ErrorOf([&] {
                OpenSource({(dir / "l.png").string(), (dir / "r.png").string()})->Read();
              }),
              testing::AllOf(HasSubstr("l.png is 8-bit gray"), HasSubstr("r.png is 8-bit colour")));
}

TEST(OpenSource, WhatIsNoSourceIsNamed) {
  const TemporaryFolder dir;
  const auto error = [](const std::vector<std::string>& spec, const std::string& kind = "") {
    return ErrorOf([&] { OpenSource(spec, {.kind = kind, .with_truth = false}); });
  };
  EXPECT_THAT(error({(dir / "none").string()}), HasSubstr("none: no such file or folder"));
  EXPECT_THAT(error({dir.path().string()}), HasSubstr("no data set recognised; looked for kitti2012: "));
  EXPECT_THAT(error({dir.path().string()}, "eth3d"), HasSubstr("looked for eth3d: "));
  EXPECT_THAT(error({dir.path().string()}, "video"), HasSubstr("a folder cannot be read as 'video'"));
  EXPECT_THAT(error({dir.path().string()}, "kitti"),
              HasSubstr("'kitti' is not a kind of source; use one of kitti2012, "));
  EXPECT_THAT(error({WriteGray(dir / "a.png").string()}), HasSubstr("need two arguments"));
  EXPECT_THAT(error({"left/*.png"}), HasSubstr("need two arguments"));
  EXPECT_THAT(error({WriteText(dir / "a.xyz", "?").string()}), HasSubstr("extension is unknown"));
  EXPECT_THAT(error({"rtsp://host/left"}),
              HasSubstr("is named by its pipeline: \"gst:uridecodebin uri=rtsp:"));
  for (const char* camera : {"0", "0,1", "/dev/video99"})
    EXPECT_THAT(error({camera}), HasSubstr("a camera is named camera:"s + camera)) << camera;
  for (const char* key :
       {"size=1", "size=x2", "size=0x2", "size=2x0", "size=32769x2", "size=2x32769", "fps=x", "fps=0",
        "fps=1001", "format=", "format=abcde", "bits=x", "bits=8", "bits=17"}) {
    EXPECT_THAT(error({"camera:0,"s + key}), HasSubstr("' is not a ")) << key;
  }
  EXPECT_THAT(error({""}), HasSubstr("no such file or folder; a source is a data-set folder"));
  const std::string text = WriteText(dir / "b.xyz", "?").string();  // what it is said to be
  EXPECT_THAT(error({text}, "recording"), HasSubstr("is not an MCAP recording"));
  EXPECT_THAT(error({text}, "eth3d"), HasSubstr("extension is unknown"));
  EXPECT_THAT(error({"a", "b", "c"}), HasSubstr("3 source arguments given"));
  EXPECT_THAT(error({}), HasSubstr("0 source arguments given"));
  EXPECT_THAT(error({"a.png", "b.png"}, "eth3d"), HasSubstr("only as pair or video"));
}

TEST(OpenSource, SyntheticScenesAreOpened) {
  EXPECT_EQ(OpenSource({"synthetic:planes"})->kind(), SourceKind::kSynthetic);
  EXPECT_FALSE(ErrorOf([] { OpenSource({"synthetic:no-such-scene"}); }).empty());
}

TEST(OpenSource, TwoScenesOfOneNameAreAnError) {
  const TemporaryFolder dir;
  for (const char* half : {"trainingQ", "trainingH"}) {
    WriteGray(dir / half / "Piano/im0.png");
    WriteGray(dir / half / "Piano/im1.png");
    WriteText(dir / half / "Piano/calib.txt", "vmin=1\n");
  }
  EXPECT_THAT(ErrorOf([&] { Open(dir.path()); }), HasSubstr("two scenes have the name Piano: "));
  EXPECT_EQ(Open(dir / "trainingQ")->num_frames(), 1U);
}

TEST(OpenSource, TheTraitsOfKindsStandInTheirOrder) {
  for (int i = 0; i <= static_cast<int>(SourceKind::kSynthetic); ++i) {
    const SourceTraits& traits = TraitsOf(static_cast<SourceKind>(i));
    EXPECT_EQ(static_cast<int>(traits.kind), i);
    EXPECT_TRUE(traits.metrics[0]) << traits.name;
  }
  EXPECT_EQ(NameOf(SourceKind::kEuroc), "euroc");
  EXPECT_EQ(TraitsOf(SourceKind::kKitti2015).rig_px, 0.5F);
  EXPECT_EQ(TraitsOf(SourceKind::kEth3d).rig_px, 0.2F);
}

}  // namespace
}  // namespace parallax
