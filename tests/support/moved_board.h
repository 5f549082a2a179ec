// A chessboard of 9x6 corners that somebody moves about before two cameras.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <utility>
#include <vector>

#include "tests/support/raw_rigs.h"
#include "tests/support/recordings.h"
#include "tests/support/rendered_board.h"

namespace parallax::test {

inline constexpr double kMovedSquare_m = 0.04;

using GrayPair = std::pair<HostImage<std::uint8_t>, HostImage<std::uint8_t>>;

// Of WideRig(): a pair without the board, then the board in so many places, twice in each.
inline std::vector<GrayPair> MovedBoard(int num_places) {
  const RawRig rig = WideRig();
  const BoardCamera left(rig.left), right(rig.right);
  const PlaneGray gray = ChessboardGray(kMovedSquare_m, 9, 6);
  std::vector<GrayPair> pairs;
  pairs.emplace_back(HostImage<std::uint8_t>(640, 480, 90), HostImage<std::uint8_t>(640, 480, 90));
  std::uint32_t seed = 1;
  for (const BoardPose& pose : BoardPoses(num_places, 8 * kMovedSquare_m, 5 * kMovedSquare_m, 0.55, 0.25)) {
    for (int i = 0; i < 2; ++i) {
      auto a = left.Picture(pose, gray, 2, seed++),
           b = right.Picture(InRightCamera(rig, pose), gray, 2, seed++);
      pairs.emplace_back(std::move(a), std::move(b));
    }
  }
  return pairs;
}

// As an MCAP recording of 30 pairs a second.
inline void RecordPairs(const std::filesystem::path& file, const std::vector<GrayPair>& pairs) {
  const std::vector<RecordedTopic> topics = {{"/left/image_raw", kRosImage}, {"/right/image_raw", kRosImage}};
  WriteRecording(file, topics, [&](McapWriter& writer) {
    std::int64_t time_ns = 1'000'000'000;
    for (const auto& [left, right] : pairs) {
      writer.Write(0, static_cast<std::uint64_t>(time_ns), EncodeImage(time_ns, left.ConstView()));
      writer.Write(1, static_cast<std::uint64_t>(time_ns), EncodeImage(time_ns, right.ConstView()));
      time_ns += 33'000'000;
    }
  });
}

}  // namespace parallax::test
