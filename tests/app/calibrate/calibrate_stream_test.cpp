// parallax calibrate of what flows: recordings and videos in which a board is moved about.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "datasets/calibration/calibration_file.h"
#include "tests/support/avi_video.h"
#include "tests/support/moved_board.h"
#include "tests/support/run_program.h"

namespace parallax::test {
namespace {

using ::testing::HasSubstr;

constexpr int kPlaces = 8;

ProgramResult Calibrate(const std::string& source, const std::string& output, int num_boards) {
  return RunParallax({"calibrate", source, "--board", "chessboard:9x6", "--square", "0.04", "--output",
                      output, "--boards", std::to_string(num_boards)});
}

TEST(CalibrateStream, TakesARecordingsBoardsThatMoved) {
  const TemporaryFolder folder;
  RecordPairs(folder.path() / "board.mcap", MovedBoard(kPlaces));
  const std::string file = (folder.path() / "board.mcap").string(), out = (folder.path() / "out").string();
  const ProgramResult all = Calibrate(file, out, 40);
  ASSERT_EQ(all.exit_code, 0) << all.err;
  EXPECT_THAT(all.out, HasSubstr("8 boards in new positions taken from 17 frames; in 8 it moved"));
  EXPECT_NEAR(ReadCalibration(out + "/rig.yaml").raw->baseline_m(), WideRig().baseline_m(), 0.0005);
  const ProgramResult some = Calibrate(file, (folder.path() / "some").string(), 6);
  EXPECT_THAT(some.out + some.err, HasSubstr("6 boards in new positions taken from 13 frames"));
  EXPECT_EQ(Calibrate(file, (folder.path() / "few").string(), 2).exit_code, 2);
}

TEST(CalibrateStream, TakesAVideosBoardsThatMoved) {
  const TemporaryFolder folder;
  std::vector<std::string> pictures;
  for (const auto& [left, right] : MovedBoard(kPlaces)) {
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
  EXPECT_THAT(result.out, HasSubstr("8 boards in new positions taken from 17 frames; in 8 it moved"));
  EXPECT_NEAR(ReadCalibration(out + "/rig.yaml").raw->baseline_m(), WideRig().baseline_m(), 0.0005);
}

// Nobody held the board still: that is what the error says.
TEST(CalibrateStream, SaysThatTheBoardNeverStoodStill) {
  const TemporaryFolder folder;
  std::vector<GrayPair> moving;
  std::size_t number = 0;
  for (GrayPair& pair : MovedBoard(kPlaces)) {
    if (number++ % 2 == 0) moving.push_back(std::move(pair));
  }
  RecordPairs(folder.path() / "board.mcap", moving);
  const ProgramResult result =
      Calibrate((folder.path() / "board.mcap").string(), (folder.path() / "out").string(), 40);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("hold it still"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "out" / "rig.yaml"));
}

}  // namespace
}  // namespace parallax::test
