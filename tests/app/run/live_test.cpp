// parallax run of cameras and streams: a sender on this machine that dies and comes again, slow results,
// Ctrl-C, and cameras that are played by a library in the place of the system's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <opencv2/imgcodecs.hpp>
#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "datasets/source.h"
#include "tests/support/built_paths.h"
#include "tests/support/jpeg_server.h"
#include "tests/support/preload.h"
#include "tests/support/run_program.h"

namespace parallax::app {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

// Left and right image side by side, width x height each: dots, the right ones by 6 px further left.
std::vector<std::string> JpegPictures(int num, int width, int height) {
  std::vector<std::string> pictures;
  std::mt19937 random(1);
  for (int i = 0; i < num; ++i) {
    cv::Mat picture(height, 2 * width, CV_8UC1);
    for (int y = 0; y < height; ++y) {
      std::uint8_t* row = picture.ptr(y);
      for (int x = 0; x < width; ++x) row[x] = static_cast<std::uint8_t>(random() % 4 == 0 ? 220 : 40);
      for (int x = 0; x < width; ++x) row[width + x] = row[std::min(x + 6, width - 1)];
    }
    std::vector<std::uint8_t> bytes;
    cv::imencode(".jpg", picture, bytes);
    pictures.emplace_back(bytes.begin(), bytes.end());
  }
  return pictures;
}

std::string StreamOf(const test::JpegServer& server) {
  return "gst:tcpclientsrc host=127.0.0.1 port=" + std::to_string(server.port()) +
         " ! multipartdemux ! jpegdec ! appsink";
}

// An integer of summary.json.
long CountIn(const fs::path& summary, const std::string& key) {
  const std::string text = test::ReadText(summary);
  const std::size_t at = text.find('"' + key + '"');
  return at == std::string::npos ? -1 : std::stol(text.substr(text.find(':', at) + 1));
}

std::size_t NumFiles(const fs::path& folder) {
  std::error_code none;
  std::size_t num = 0;
  for (const auto& entry : fs::directory_iterator(folder, none)) num += entry.path().extension() == ".png";
  return num;
}

class LiveRun : public ::testing::Test {
 protected:
  void SetUp() override {
    const test::ProgramResult tried = test::RunParallax(
        {"run",
         "gst:videotestsrc num-buffers=9 ! video/x-raw,width=64,height=32 ! jpegenc ! jpegdec ! appsink",
         "--set", "matching_cost.num_disparities=16", "--output", (out() / "tried").string()});
    if (tried.exit_code != 0) GTEST_SKIP() << tried.err;
  }
  fs::path out() const { return folder_.path() / "out"; }
  fs::path told() const { return folder_.path() / "stdout"; }
  std::string Error() const { return test::ReadText(folder_.path() / "stderr"); }

  pid_t Start(std::vector<std::string> arguments, const std::string& disparities = "16") const {
    arguments.insert(arguments.begin(), "run");
    for (const std::string& more : {std::string("--set"), "matching_cost.num_disparities=" + disparities,
                                    std::string("--output"), out().string()})
      arguments.push_back(more);
    return test::StartProgram(test::kProgram, arguments, told(), folder_.path() / "stderr");
  }

  test::TemporaryFolder folder_;
};

TEST_F(LiveRun, ASenderThatDiesIsWaitedForAndNothingIsLost) {
  test::JpegServer server(JpegPictures(8, 80, 60));
  const pid_t child =
      Start({StreamOf(server), "--write", "disparity", "--record", (folder_.path() / "a.mcap").string()});
  const auto await_frames = [&](std::size_t num) {
    return test::AwaitWhileRunning(child, [&] { return NumFiles(out() / "disparity") >= num; });
  };
  ASSERT_TRUE(await_frames(5)) << Error();
  std::size_t so_far = 0;
  for (int times = 0; times < 2; ++times) {
    server.Kill();
    ASSERT_TRUE(test::AwaitWhileRunning(child, [&] {
      const std::string text = test::ReadText(told());
      std::size_t num = 0;
      for (std::size_t at = text.find("opened again until it answers"); at != std::string::npos;
           at = text.find("opened again until it answers", at + 1))
        ++num;
      return num > static_cast<std::size_t>(times);
    })) << Error();
    so_far = NumFiles(out() / "disparity");
    server.Start();
    ASSERT_TRUE(await_frames(so_far + 5)) << Error();
  }
  kill(child, SIGINT);
  EXPECT_EQ(test::WaitForProgram(child), 0) << Error();
  const std::string text = test::ReadText(told());
  EXPECT_THAT(text,
              AllOf(HasSubstr("gives pictures again after"), HasSubstr("stopped 2 times and resumed 2 times"),
                    HasSubstr("from capture to result: median")));
  EXPECT_EQ(CountIn(out() / "summary.json", "num_losses"), 2);
  EXPECT_EQ(CountIn(out() / "summary.json", "num_reopened"), 2);
  EXPECT_EQ(CountIn(out() / "summary.json", "num_failed"), 0);
  const long num_done = CountIn(out() / "summary.json", "num_done");
  EXPECT_EQ(static_cast<long>(NumFiles(out() / "disparity")), num_done);
  EXPECT_THAT(text, HasSubstr("recorded " + std::to_string(num_done) + " frames"));
}

TEST_F(LiveRun, SlowResultsDropFramesAndMemoryStays) {
  // 10,000 pictures as fast as they can be made, clouds of which few can be written.
  const pid_t child =
      Start({"gst:videotestsrc num-buffers=10000 pattern=snow ! "
             "video/x-raw,format=GRAY8,width=320,height=120 ! appsink sync=false",
             "--write", "disparity,density", "--rig", "100,80,60,0.1"});
  std::vector<std::size_t> resident_kb;
  test::AwaitWhileRunning(child, [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (NumFiles(out() / "disparity") < 3) return false;
    std::ifstream status("/proc/" + std::to_string(child) + "/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("VmRSS:")) resident_kb.push_back(std::stoul(line.substr(6)));
    }
    return false;
  });
  EXPECT_EQ(test::WaitForProgram(child), 0) << Error();
  const fs::path summary = out() / "summary.json";
  EXPECT_EQ(CountIn(summary, "num_done") + CountIn(summary, "num_dropped"), 10000);
  EXPECT_GT(CountIn(summary, "num_dropped"), 1000);
  ASSERT_GE(resident_kb.size(), 4U);
  const auto most_of = [&](std::size_t first, std::size_t last) {
    return *std::max_element(resident_kb.begin() + static_cast<std::ptrdiff_t>(first),
                             resident_kb.begin() + static_cast<std::ptrdiff_t>(last));
  };
  // The second half of the pictures, were they kept, would be 190 MB more. Clouds of changing sizes leave
  // gaps in the heap, up to 60 MB before it stays as it is.
  const std::size_t half = resident_kb.size() / 2;
  EXPECT_LT(most_of(half, resident_kb.size()), most_of(0, half) + 120'000);
}

// Calls of the system and of the heap that another picture costs, from two runs of different lengths.
TEST_F(LiveRun, AFurtherPictureOpensNoFileAndTakesLittleFromTheHeap) {
  if (!fs::exists(test::kFailingCalls)) GTEST_SKIP() << "not built: " << test::kFailingCalls;
  const auto counts_of = [&](int num_pictures) {
    const fs::path file = folder_.path() / "counts";
    setenv("PARALLAX_FAIL_COUNTS", file.c_str(), 1);
    const test::Preload counting(test::kFailingCalls);
    const pid_t child =
        Start({"gst:videotestsrc is-live=true num-buffers=" + std::to_string(num_pictures) +
                   " ! video/x-raw,format=GRAY8,width=320,height=120,framerate=30/1 ! appsink",
               "--config", "robot", "--write", "none", "--overwrite"});
    unsetenv("PARALLAX_FAIL_COUNTS");
    EXPECT_EQ(test::WaitForProgram(child), 0) << Error();
    std::map<std::string, long> counts;
    std::ifstream lines(file);
    std::string kind;
    for (long count = 0; lines >> kind >> count;) counts[kind] = count;
    return counts;
  };
  counts_of(1);  // with --overwrite there is now something to remove
  constexpr int kFew = 30, kMore = 120;
  const std::map<std::string, long> few = counts_of(kFew), more = counts_of(kMore);
  ASSERT_GT(few.at("malloc"), 0);
  for (const char* kind : {"open", "fsync", "rename", "unlink"})
    EXPECT_EQ(few.at(kind), more.at(kind)) << kind;
  // 55 while the run lasts, and its line of summary.json in the end.
  EXPECT_LT(static_cast<double>(more.at("malloc") - few.at("malloc")) / (kMore - kFew), 180);
}

TEST_F(LiveRun, CtrlCEndsARunThatWaitsForItsSender) {
  test::JpegServer server(JpegPictures(3, 80, 60));
  const pid_t child = Start({StreamOf(server), "--write", "disparity"});
  ASSERT_TRUE(test::AwaitWhileRunning(child, [&] { return NumFiles(out() / "disparity") >= 3; })) << Error();
  server.Kill();
  ASSERT_TRUE(test::AwaitWhileRunning(child, [&] {
    return test::ReadText(told()).find("opened again until it answers") != std::string::npos;
  }));
  const auto begin = std::chrono::steady_clock::now();
  kill(child, SIGINT);
  EXPECT_EQ(test::WaitForProgram(child), 0) << Error();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
  EXPECT_EQ(CountIn(out() / "summary.json", "num_done"), static_cast<long>(NumFiles(out() / "disparity")));
}

// The system's cameras are played by tests/support/fake_v4l2.cpp.
class CameraRun : public LiveRun {
 protected:
  void SetUp() override {
    if (!fs::exists(test::kFakeV4l2)) GTEST_SKIP() << "not built: " << test::kFakeV4l2;
    setenv("PARALLAX_FAKE_CAMERAS", folder_.path().c_str(), 1);
  }
  void Set(const std::string& state) const { std::ofstream(folder_.path() / state).put('x'); }
  void Unset(const std::string& state) const { fs::remove(folder_.path() / state); }
  pid_t StartFake(const std::vector<std::string>& arguments) const {
    const test::Preload fake(test::kFakeV4l2);
    return Start(arguments);
  }
  // Of whichever frame there was time for.
  cv::Mat AnyMap() const {
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(out() / "disparity", none))
      if (entry.path().extension() == ".png") return cv::imread(entry.path().string(), cv::IMREAD_UNCHANGED);
    return {};
  }
  // Why a run of this source fails.
  std::string ErrorOf(const std::string& source) const {
    EXPECT_EQ(test::WaitForProgram(StartFake({source, "--max-frames", "3", "--overwrite"})), 1);
    return Error();
  }
};

TEST_F(CameraRun, TwoCamerasArePairedByTheirDriversTimes) {
  ASSERT_EQ(test::WaitForProgram(
                StartFake({"camera:0,1,size=128x48", "--max-frames", "12", "--write", "disparity"})),
            0)
      << Error();
  EXPECT_EQ(NumFiles(out() / "disparity"), 12U);
  const std::string text = test::ReadText(told());
  EXPECT_THAT(text, HasSubstr("from capture to result"));
  // Every pixel that both see is 4 px further left on the right: 1024 in KITTI's form.
  const cv::Mat map = AnyMap();
  ASSERT_EQ(map.type(), CV_16UC1);
  EXPECT_NEAR(map.at<std::uint16_t>(24, 64), 4 * 256, 40);
}

// What the pictures of tests/support/fake_v4l2.cpp look like in the program: colours of limited range by
// BT.601.
TEST_F(CameraRun, EveryFormatOfPixelsIsReadAsItIs) {
  const auto level_at = [](int x, int y) {
    std::uint32_t hash = static_cast<std::uint32_t>(x) * 2654435761U ^ static_cast<std::uint32_t>(y) * 40503U;
    hash ^= hash >> 13;
    hash *= 1274126177U;
    return (hash >> 24) % 3 == 0 ? 220 : 30;
  };
  for (int camera = 0; camera < 2; ++camera) {
    cv::Mat picture(48, 128, CV_8UC1);
    for (int y = 0; y < 48; ++y) {
      for (int x = 0; x < 128; ++x)
        picture.at<std::uint8_t>(y, x) = static_cast<std::uint8_t>(level_at(x + 4 * camera, y));
    }
    cv::imwrite((folder_.path() / (std::to_string(camera) + ".jpg")).string(), picture,
                {cv::IMWRITE_JPEG_QUALITY, 100});
  }
  for (const std::string format : {"YUYV", "UYVY", "Y16 ", "RGB3", "BGR3", "MJPG"}) {
    SCOPED_TRACE(format);
    fs::remove_all(out());
    for (const char* camera : {"0.format", "1.format"}) std::ofstream(folder_.path() / camera) << format;
    const std::string recording = (folder_.path() / "formats.mcap").string();
    ASSERT_EQ(test::WaitForProgram(StartFake({"camera:0,1", "--max-frames", "3", "--write", "disparity",
                                              "--record", recording, "--overwrite"})),
              0)
        << Error();
    const cv::Mat map = AnyMap();
    ASSERT_EQ(map.type(), CV_16UC1);
    EXPECT_NEAR(map.at<std::uint16_t>(24, 64), 4 * 256, 40);
    const StereoFrame frame = OpenSource({recording})->Read();
    for (const auto& [x, y] : {std::pair{0, 0}, {1, 0}, {64, 24}, {65, 24}, {126, 47}, {127, 47}}) {
      const double level = level_at(x, y);
      if (format == "MJPG") {
        EXPECT_NEAR(std::get<HostImage<std::uint8_t>>(frame.left)(x, y), level, 3);
      } else if (format == "Y16 ") {
        EXPECT_EQ(std::get<HostImage<std::uint16_t>>(frame.left)(x, y), level * 257);
      } else {
        const Rgb8 seen = std::get<HostImage<Rgb8>>(frame.left)(x, y);
        const bool is_yuv = format[0] != 'R' && format[0] != 'B';
        const double luma = 255.0 / 219 * (level - 16), u = 255.0 / 224 * (90 - 128),
                     v = 255.0 / 224 * (170 - 128);
        const std::array<double, 3> expected =
            is_yuv ? std::array<double, 3>{luma + 1.402 * v, luma - 0.344 * u - 0.714 * v, luma + 1.772 * u}
                   : std::array<double, 3>{level, std::floor(level / 2), 255 - level};
        EXPECT_NEAR(seen.r, std::clamp(expected[0], 0.0, 255.0), 1.5);
        EXPECT_NEAR(seen.g, std::clamp(expected[1], 0.0, 255.0), 1.5);
        EXPECT_NEAR(seen.b, std::clamp(expected[2], 0.0, 255.0), 1.5);
      }
    }
  }
}

// Ten bits in words of sixteen: by the name of the format, by bits=10, or as they are, with a line about it.
TEST_F(CameraRun, TenBitsFillTheirWordsWhereThatIsKnown) {
  const auto level_of = [this](const std::string& format, const std::string& source) {
    for (const char* camera : {"0.format", "1.format"}) std::ofstream(folder_.path() / camera) << format;
    const std::string recording = (folder_.path() / "bits.mcap").string();
    EXPECT_EQ(test::WaitForProgram(StartFake({source, "--max-frames", "16", "--write", "disparity",
                                              "--record", recording, "--overwrite"})),
              0)
        << Error();
    const StereoFrame frame = OpenSource({recording})->Read();
    const auto& left = std::get<HostImage<std::uint16_t>>(frame.left);
    return *std::max_element(left.Row(0), left.Row(0) + left.width());
  };
  EXPECT_EQ(level_of("Y10 ", "camera:0,1"), 220 << 8);
  EXPECT_THAT(test::ReadText(told()), testing::Not(HasSubstr("bits=")));
  for (const char* camera : {"0.dim", "1.dim"}) Set(camera);
  EXPECT_EQ(level_of("Y16 ", "camera:0,1,bits=10"), 220 << 8);
  EXPECT_THAT(test::ReadText(told()), testing::Not(HasSubstr("bits=")));
  EXPECT_EQ(level_of("Y16 ", "camera:0,1"), 220 * 4);
  EXPECT_THAT(
      test::ReadText(told()),
      HasSubstr("camera 0 gives words of 16 bits, and none of its first 10 pictures has a value above 880: "
                "if its data have 10 bits, use camera:N,bits=10"));
  std::ofstream(folder_.path() / "0.format") << "RGB3";
  EXPECT_NE(test::WaitForProgram(StartFake({"camera:0,1,bits=10", "--max-frames", "1"})), 0);
  EXPECT_THAT(Error(), HasSubstr("bits=10 applies to 16-bit words, but it gives RGB3: leave bits out"));
}

TEST_F(CameraRun, ACameraThatIsUnpluggedIsWaitedFor) {
  const pid_t child = StartFake({"camera:0,1", "--write", "disparity"});
  const auto await_frames = [&](std::size_t num) {
    return test::AwaitWhileRunning(child, [&] { return NumFiles(out() / "disparity") >= num; });
  };
  ASSERT_TRUE(await_frames(3)) << Error();
  Set("1.gone");
  ASSERT_TRUE(test::AwaitWhileRunning(child, [&] {
    return test::ReadText(told()).find("opened again until it answers") != std::string::npos;
  }));
  const std::size_t before = NumFiles(out() / "disparity");
  Unset("1.gone");
  ASSERT_TRUE(await_frames(before + 5)) << Error();
  kill(child, SIGINT);
  EXPECT_EQ(test::WaitForProgram(child), 0) << Error();
  EXPECT_THAT(
      test::ReadText(told()),
      AllOf(HasSubstr(
                "camera 1 (/dev/video1): gives no more pictures (No such device): is it still plugged in?"),
            HasSubstr("camera 1: gives pictures again"), HasSubstr("stopped once and resumed once"),
            HasSubstr("right pictures have no counterpart")));
}

TEST_F(CameraRun, WithoutAPairItSaysSoWithinThreeSeconds) {
  Set("1.late");
  const pid_t child = StartFake({"camera:0,1", "--pair-tolerance", "5"});
  ASSERT_TRUE(test::AwaitWhileRunning(
      child, [&] { return test::ReadText(told()).find("no pair for 3.") != std::string::npos; }));
  kill(child, SIGINT);
  EXPECT_EQ(test::WaitForProgram(child), 1);
  EXPECT_THAT(test::ReadText(told()),
              AllOf(HasSubstr("left (camera 0) gave "), HasSubstr("pictures, one every 33.3 ms"),
                    HasSubstr("apart, the right one"), HasSubstr("and 5.0 ms are allowed"),
                    HasSubstr("allow a difference of 1")));
}

TEST_F(CameraRun, BadCamerasAreNamedInOneLine) {
  EXPECT_THAT(ErrorOf("camera:0,5"), HasSubstr("camera 5 (/dev/video5): there is no /dev/video5: there are "
                                               "/dev/video0 (Fake 0), /dev/video1 (Fake 1)"));
  EXPECT_THAT(
      ErrorOf("camera:0,size=64x48"),
      HasSubstr("has no pictures of 64x48 in a supported format; the nearest are YUYV 128x48, GREY 128x48"));
  Set("0.busy");
  EXPECT_THAT(ErrorOf("camera:0"), HasSubstr("(Device or resource busy): another program is using it"));
  Unset("0.busy");
  Set("1.denied");
  EXPECT_THAT(ErrorOf("camera:0,1"), HasSubstr("camera 1 (/dev/video1): access is denied: join the group"));
  const std::string error = Error();
  EXPECT_EQ(std::count(error.begin(), error.end(), '\n'), 1);
}

}  // namespace
}  // namespace parallax::app
