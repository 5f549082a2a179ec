#include "datasets/live/gstreamer_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/datasets/test_files.h"

namespace parallax {
namespace {

using test::ErrorOf;
using testing::HasSubstr;

std::unique_ptr<FrameSource> Open(const std::string& line, const LiveOptions& options = {}) {
  return OpenGstreamer("gst:" + line, options);
}

// Empty where pipelines with videotestsrc can be played, else why not.
std::string WhyNot() {
  try {
    Open("videotestsrc num-buffers=1 ! appsink");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

#define NEEDS_GSTREAMER() \
  if (const std::string why = WhyNot(); !why.empty()) GTEST_SKIP() << why

constexpr char kSmall[] = "video/x-raw,format=GRAY8,width=64,height=32,framerate=50/1";

std::string Images(const std::string& pattern, int num, const std::string& caps = kSmall) {
  return "videotestsrc pattern=" + pattern + " num-buffers=" + std::to_string(num) + " ! " + caps + " ! ";
}

int LevelAt(const CameraImage& image, int x, int y) { return std::get<HostImage<std::uint8_t>>(image)(x, y); }

TEST(OpenGstreamer, OneSinkHoldsBothImagesAndEndsWithItsSource) {
  NEEDS_GSTREAMER();
  const auto source = Open(Images("white", 20) + "appsink");
  EXPECT_EQ(source->kind(), SourceKind::kCamera);
  EXPECT_TRUE(source->is_live());
  std::optional<double> last_s;
  int num = 0;
  for (; source->NextName(); ++num) {
    const StereoFrame frame = source->Read();
    EXPECT_EQ(WidthOf(ViewOf(frame.left)), 32);
    EXPECT_EQ(HeightOf(ViewOf(frame.right)), 32);
    // By the buffers, not by when they came: a whole number of frames later.
    if (last_s) {
      const double frames = (frame.timestamp_s.value() - *last_s) * 50;
      EXPECT_GT(frames, 0.5);
      EXPECT_NEAR(frames, std::round(frames), 1e-3);
    }
    last_s = frame.timestamp_s;
  }
  EXPECT_GE(num, 1);
  EXPECT_EQ(source->NextName(), std::nullopt);
}

TEST(OpenGstreamer, TwoSinksByTheirNamesOrTheirOrder) {
  NEEDS_GSTREAMER();
  for (const auto& [first, second] : {std::pair{"", ""}, {" name=left", " name=right"}}) {
    const StereoFrame frame =
        Open(Images("white", 30) + "appsink" + first + " " + Images("black", 30) + "appsink" + second)
            ->Read();
    EXPECT_GT(LevelAt(frame.left, 5, 5), 200);
    EXPECT_LT(LevelAt(frame.right, 5, 5), 50);
    EXPECT_EQ(WidthOf(ViewOf(frame.right)), 64);
  }
  const StereoFrame exchanged =
      Open(Images("white", 30) + "appsink name=right " + Images("black", 30) + "appsink name=left")->Read();
  EXPECT_GT(LevelAt(exchanged.right, 5, 5), 200);
}

TEST(OpenGstreamer, Formats) {
  NEEDS_GSTREAMER();
  const auto left_of = [](const std::string& format) {
    return std::move(
        Open(Images("red", 3, "video/x-raw,format=" + format + ",width=66,height=30") + "appsink")
            ->Read()
            .left);
  };
  for (const char* format : {"RGB", "BGR", "I420", "NV12", "YUY2", "BGRx", "Y444"}) {
    const CameraImage image = left_of(format);
    ASSERT_TRUE(std::holds_alternative<HostImage<Rgb8>>(image)) << format;
    const Rgb8 pixel = std::get<HostImage<Rgb8>>(image)(20, 20);
    EXPECT_NEAR(pixel.r, 255, 3) << format;
    EXPECT_NEAR(pixel.g, 0, 3) << format;
  }
  EXPECT_TRUE(std::holds_alternative<HostImage<std::uint8_t>>(left_of("GRAY8")));
  EXPECT_TRUE(std::holds_alternative<HostImage<std::uint16_t>>(left_of("GRAY16_LE")));
}

TEST(OpenGstreamer, BadLinesAreNamed) {
  NEEDS_GSTREAMER();
  const auto error_of = [](const std::string& line) { return ErrorOf([&] { Open(line)->NextName(); }); };
  EXPECT_THAT(error_of("nosuchelement ! appsink"), HasSubstr("no element \"nosuchelement\": is it spelt so"));
  EXPECT_THAT(error_of("videotestsrc ! fakesink"), HasSubstr("has no appsink: end the pipeline in one"));
  EXPECT_THAT(error_of(""), HasSubstr("gst:"));
  EXPECT_THAT(error_of("videotestsrc ! appsink tee name=t ! appsink t. ! appsink"), HasSubstr("3 appsinks"));
  EXPECT_THAT(error_of("videotestsrc num-buffers=5 ! video/x-raw,width=33,height=20 ! appsink"),
              HasSubstr("33 px wide cannot hold two images"));
  EXPECT_THAT(error_of("tcpclientsrc port=1 ! appsink"), HasSubstr("refused: does it exist"));
  EXPECT_THAT(error_of("filesrc location=/no/such/file ! appsink"), HasSubstr("/no/such/file"));
  for (const char* line : {"videotestsrc !", "! appsink", "videotestsrc ! appsink foo=1", "(", "appsink"}) {
    EXPECT_EQ(error_of(line).find('\n'), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace parallax
