// parallax calibrate of what flows: recordings and videos in which a board is moved about.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "datasets/calibration/calibration_file.h"
#include "tests/support/avi_video.h"
#include "tests/support/raw_rigs.h"
#include "tests/support/recordings.h"
#include "tests/support/rendered_board.h"
#include "tests/support/run_program.h"

namespace parallax::test {
namespace {

using ::testing::HasSubstr;

constexpr double kSquare_m = 0.04;
constexpr int kPoses = 8;

using Pair = std::pair<HostImage<std::uint8_t>, HostImage<std::uint8_t>>;

// A frame without a board, then each pose of it twice.
std::vector<Pair> MovedBoard() {
  const RawRig rig = WideRig();
  const BoardCamera left(rig.left), right(rig.right);
  const auto gray = [](double x, double y) { return ChessboardGray(x, y, kSquare_m, 9, 6); };
  std::vector<Pair> pairs;
  pairs.emplace_back(HostImage<std::uint8_t>(640, 480, 90), HostImage<std::uint8_t>(640, 480, 90));
  std::uint32_t seed = 1;
  for (const BoardPose& pose : BoardPoses(kPoses, 8 * kSquare_m, 5 * kSquare_m, 0.55, 0.25)) {
    for (int i = 0; i < 2; ++i) {
      auto a = left.Picture(pose, gray, 2, seed++),
           b = right.Picture(InRightCamera(rig, pose), gray, 2, seed++);
      pairs.emplace_back(std::move(a), std::move(b));
    }
  }
  return pairs;
}

ProgramResult Calibrate(const std::string& source, const std::string& output, int num_boards) {
  return RunParallax({"calibrate", source, "--board", "chessboard:9x6", "--square", "0.04", "--output",
                      output, "--boards", std::to_string(num_boards)});
}

TEST(CalibrateStream, TakesARecordingsBoardsThatMoved) {
  const TemporaryFolder folder;
  const std::vector<RecordedTopic> topics = {{"/left/image_raw", kRosImage}, {"/right/image_raw", kRosImage}};
  const std::vector<Pair> pairs = MovedBoard();
  WriteRecording(folder.path() / "board.mcap", topics, [&](McapWriter& writer) {
    std::int64_t time_ns = 1'000'000'000;
    for (const auto& [left, right] : pairs) {
      writer.Write(0, static_cast<std::uint64_t>(time_ns), EncodeImage(time_ns, left.ConstView()));
      writer.Write(1, static_cast<std::uint64_t>(time_ns), EncodeImage(time_ns, right.ConstView()));
      time_ns += 33'000'000;
    }
  });
  const std::string file = (folder.path() / "board.mcap").string(), out = (folder.path() / "out").string();
  const ProgramResult all = Calibrate(file, out, 40);
  ASSERT_EQ(all.exit_code, 0) << all.err;
  EXPECT_THAT(all.out, HasSubstr("8 boards in new positions taken from 17 frames"));
  EXPECT_NEAR(ReadCalibration(out + "/rig.yaml").raw->baseline_m(), WideRig().baseline_m(), 0.0005);
  const ProgramResult some = Calibrate(file, (folder.path() / "some").string(), 6);
  EXPECT_THAT(some.out + some.err, HasSubstr("6 boards in new positions taken from 12 frames"));
  EXPECT_EQ(Calibrate(file, (folder.path() / "few").string(), 2).exit_code, 2);
}

TEST(CalibrateStream, TakesAVideosBoardsThatMoved) {
  const TemporaryFolder folder;
  std::vector<std::string> pictures;
  for (const auto& [left, right] : MovedBoard()) {
    std::string& picture = pictures.emplace_back();
    for (int y = 479; y >= 0; --y) {
      for (const auto* side : {&left, &right})
        for (int x = 0; x < 640; ++x) picture.append(3, static_cast<char>((*side)(x, y)));
    }
  }
  const std::string file = (folder.path() / "board.avi").string(), out = (folder.path() / "out").string();
  WriteText(file, AviVideo(static_cast<std::uint32_t>(pictures.size()), 1280, 480, pictures));
  const ProgramResult result = Calibrate(file, out, 40);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("8 boards in new positions taken from 17 frames"));
  EXPECT_NEAR(ReadCalibration(out + "/rig.yaml").raw->baseline_m(), WideRig().baseline_m(), 0.0005);
}

}  // namespace
}  // namespace parallax::test
