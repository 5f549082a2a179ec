#include "datasets/live/players.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "datasets/live/camera_source.h"
#include "datasets/source.h"
#include "tests/datasets/test_files.h"
#include "tests/support/avi_video.h"

namespace parallax {
namespace {

using test::AviVideo;
using test::ErrorOf;
using test::TemporaryFolder;
using test::WriteText;
using testing::HasSubstr;

// An uncompressed gray video (YUV4MPEG2): in frame i the left half is 40 + 20 i, the right half 235.
std::string GrayVideo(int width, int height, int num_frames) {
  std::string video =
      "YUV4MPEG2 W" + std::to_string(width) + " H" + std::to_string(height) + " F10:1 Ip A1:1 Cmono\n";
  for (int i = 0; i < num_frames; ++i) {
    video += "FRAME\n";
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) video += static_cast<char>(x < width / 2 ? 40 + 20 * i : 235);
    }
  }
  return video;
}

bool HasVideo() {
  const TemporaryFolder dir;
  try {
    return OpenVideo({WriteText(dir / "a.y4m", GrayVideo(64, 32, 1)).string()})->NextName().has_value();
  } catch (const Error&) {
    return false;
  }
}

#define NEEDS_VIDEO() \
  if (!HasVideo()) GTEST_SKIP() << "built without PARALLAX_VIDEO, or OpenCV cannot read .y4m here"

int GreenAt(const CameraImage& image, int x, int y) { return std::get<HostImage<Rgb8>>(image)(x, y).g; }

TEST(OpenVideo, SideBySideIsSplitInTheMiddle) {
  NEEDS_VIDEO();
  const TemporaryFolder dir;
  const auto source = OpenSource({WriteText(dir / "my clip.y4m", GrayVideo(64, 32, 4)).string()});
  EXPECT_EQ(source->kind(), SourceKind::kVideo);
  for (int i = 0; i < 4; ++i) {
    const std::string name = "my_clip_00000" + std::to_string(i);
    ASSERT_EQ(source->NextName(), name);
    ASSERT_EQ(source->NextName(), name);  // asking does not move on
    if (i == 2) {
      source->Skip();
      continue;
    }
    const StereoFrame frame = source->Read();
    EXPECT_EQ(frame.name, name);
    EXPECT_EQ(WidthOf(ViewOf(frame.left)), 32);
    EXPECT_EQ(WidthOf(ViewOf(frame.right)), 32);
    EXPECT_EQ(HeightOf(ViewOf(frame.left)), 32);
    for (const int x : {0, 31}) {
      EXPECT_NEAR(GreenAt(frame.left, x, 5), 40 + 20 * i, 2);
      EXPECT_NEAR(GreenAt(frame.right, x, 5), 235, 2);
    }
    EXPECT_NEAR(frame.timestamp_s.value(), 0.1 * i, 1e-6);
    EXPECT_FALSE(frame.rig);
    EXPECT_FALSE(frame.rig_note.empty());
  }
  EXPECT_EQ(source->NextName(), std::nullopt);
  EXPECT_THAT(ErrorOf([&] { source->Read(); }), HasSubstr("after 4 frames"));
}

TEST(OpenVideo, TwoFilesEndWithTheShorter) {
  NEEDS_VIDEO();
  const TemporaryFolder dir;
  const auto source = OpenSource({WriteText(dir / "l.y4m", GrayVideo(64, 32, 3)).string(),
                                  WriteText(dir / "r.y4m", GrayVideo(64, 32, 2)).string()});
  EXPECT_EQ(source->kind(), SourceKind::kVideo);
  int count = 0;
  for (; source->NextName(); ++count) EXPECT_EQ(WidthOf(ViewOf(source->Read().right)), 64);
  EXPECT_EQ(count, 2);
}

TEST(OpenVideo, TellsWhatTheLongerOneHasBeyondTheShorter) {
  NEEDS_VIDEO();
  const TemporaryFolder dir;
  const auto open = [&](int num_right) {
    return OpenVideo(
        {WriteText(dir / "l.avi", AviVideo(6, 6)).string(),
         WriteText(dir / "r.avi", AviVideo(static_cast<std::uint32_t>(num_right), num_right)).string()});
  };
  const auto source = open(4);
  EXPECT_THAT(source->Read().note, testing::MatchesRegex("the last 2 of the 6 pictures of .*l.avi are left "
                                                         "out: .*r.avi has 4"));
  EXPECT_EQ(source->Read().note, "");
  EXPECT_EQ(open(6)->Read().note, "");
}

TEST(OpenVideo, AFileThatIsCutShortIsToldAfterItsPictures) {
  NEEDS_VIDEO();
  const TemporaryFolder dir;
  const auto num_read = [](FrameSource& source) {
    int count = 0;
    for (; count < 99 && source.NextName(); ++count) source.Read();
    return count;
  };
  const auto whole = OpenVideo({WriteText(dir / "whole.avi", AviVideo(10, 10)).string()});
  EXPECT_EQ(whole->num_frames(), 10U);
  EXPECT_EQ(num_read(*whole), 10);
  EXPECT_EQ(num_read(*OpenVideo({WriteText(dir / "nearly.avi", AviVideo(10, 9)).string()})), 9);
  const auto cut = OpenVideo({WriteText(dir / "cut.avi", AviVideo(10, 4)).string()});
  EXPECT_THAT(ErrorOf([&] { num_read(*cut); }),
              HasSubstr("cut.avi: ends after 4 of the 10 pictures that its header states"));
  EXPECT_EQ(cut->NextName(), std::nullopt);  // said once
}

TEST(OpenVideo, BadInputIsNamed) {
  NEEDS_VIDEO();
  const TemporaryFolder dir;
  EXPECT_THAT(ErrorOf([&] { OpenVideo({(dir / "none.mp4").string()}); }),
              HasSubstr("none.mp4: no such file"));
  EXPECT_THAT(ErrorOf([&] { OpenVideo({WriteText(dir / "bad.mp4", "no video").string()}); }),
              HasSubstr("bad.mp4: cannot be opened as a video"));
  const auto odd = OpenVideo({WriteText(dir / "odd.y4m", GrayVideo(63, 32, 1)).string()});
  EXPECT_THAT(ErrorOf([&] { odd->NextName(); }), HasSubstr("63 px wide cannot hold two images"));
  const auto unequal = OpenVideo({WriteText(dir / "l.y4m", GrayVideo(64, 32, 1)).string(),
                                  WriteText(dir / "r.y4m", GrayVideo(64, 30, 1)).string()});
  EXPECT_THAT(ErrorOf([&] { unequal->NextName(); }),
              testing::AllOf(HasSubstr("l.y4m is 64x32"), HasSubstr("r.y4m is 64x30")));
}

TEST(OpenVideo, TopBottomIsSplitInTheMiddle) {
  NEEDS_VIDEO();
  const TemporaryFolder dir;
  const auto source = OpenSource({WriteText(dir / "a.y4m", GrayVideo(64, 32, 2)).string()},
                                 {.kind = "", .live = {.layout = PictureLayout::kTopBottom}});
  const StereoFrame frame = source->Read();
  for (const CameraImage* image : {&frame.left, &frame.right}) {
    EXPECT_EQ(WidthOf(ViewOf(*image)), 64);
    EXPECT_EQ(HeightOf(ViewOf(*image)), 16);
    EXPECT_NEAR(GreenAt(*image, 0, 15), 40, 2);
    EXPECT_NEAR(GreenAt(*image, 63, 0), 235, 2);
  }
  const auto odd =
      OpenVideo({WriteText(dir / "odd.y4m", GrayVideo(64, 31, 1)).string()}, PictureLayout::kTopBottom);
  EXPECT_THAT(ErrorOf([&] { odd->Read(); }), HasSubstr("31 px high cannot hold two images"));
}

TEST(OpenCamera, BadSpecIsNamed) {
  for (const char* spec : {"camera:", "camera:x", "camera:0,", "camera:0,1,2", "camera:-1",
                           "camera:999999999", "camera:0,0", "camera:0,size=640", "camera:0,fps=x",
                           "camera:0,format=", "camera:0,bits=8", "camera:size=3x3", "camera:0,zoom=2"}) {
    EXPECT_FALSE(ErrorOf([&] { OpenSource({spec}); }).empty()) << spec;
  }
  EXPECT_THAT(ErrorOf([&] { OpenSource({"camera:x"}); }), HasSubstr("camera:LEFT,RIGHT"));
  EXPECT_THAT(ErrorOf([&] { OpenSource({"camera:987"}); }),
              HasSubstr("camera 987 (/dev/video987): there is no /dev/video987"));
}

TEST(OpenCamera, WhatIsNoCameraIsNamed) {
  const TemporaryFolder dir;
  const auto error_of = [](const std::filesystem::path& device) {
    return ErrorOf([&] { OpenSource({"camera:" + device.string()}); });
  };
  EXPECT_THAT(error_of(WriteText(dir / "file", "no camera")),
              HasSubstr("is not a camera that gives pictures"));
  EXPECT_THAT(error_of(dir / "none"), HasSubstr("there is no " + (dir / "none").string()));
  ASSERT_EQ(mkfifo((dir / "fifo").c_str(), 0600), 0);
  EXPECT_THAT(error_of(dir / "fifo"), HasSubstr("is not a camera that gives pictures"));
}

}  // namespace
}  // namespace parallax
