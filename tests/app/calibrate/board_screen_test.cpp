#include "app/calibrate/board_screen.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>

#include "pipeline/types/frame.h"
#include "tests/support/moved_board.h"

namespace parallax::app {
namespace {

using test::GrayPair;

HostImage<Rgb8> InColor(const HostImage<std::uint8_t>& gray) {
  HostImage<Rgb8> color(gray.width(), gray.height());
  for (int y = 0; y < gray.height(); ++y) {
    for (int x = 0; x < gray.width(); ++x) color(x, y) = {gray(x, y), gray(x, y), gray(x, y)};
  }
  return color;
}

bool IsGreen(Rgb8 c) { return c.g > c.r + 15 && c.g > c.b + 15; }
bool IsYellow(Rgb8 c) { return c.r > 150 && c.g > 120 && c.b < c.g - 60; }

template <typename Predicate>
std::size_t Count(const HostImage<Rgb8>& picture, int x0, int y0, int x1, int y1, const Predicate& is_it) {
  std::size_t count = 0;
  for (int y = y0; y < y1; ++y)
    count += static_cast<std::size_t>(std::count_if(&picture(x0, y), &picture(x0, y) + (x1 - x0), is_it));
  return count;
}

TEST(BoardScreen, ShowsBothImagesCoverageCornersAndWhatIsMissing) {
  const std::vector<GrayPair> pairs = test::MovedBoard(3);
  BoardSession session({.columns = 9, .rows = 6, .square_m = test::kMovedSquare_m});
  double time_s = 0;
  const auto screen = [&](std::size_t i) {
    session.Look("pair", pairs[i].first.ConstView(), pairs[i].second.ConstView(), time_s += 0.033);
    return BoardScreen(InColor(pairs[i].first), InColor(pairs[i].second), session);
  };
  constexpr int kImage = 716, kHeight = 537, kRight = 724;  // widths and heights of the images' places
  const HostImage<Rgb8> empty = screen(0);
  ASSERT_EQ(empty.width(), 1440);
  ASSERT_EQ(empty.height(), kHeight + 240);
  EXPECT_EQ(Count(empty, 0, 0, 1440, kHeight, IsGreen), 0U);
  EXPECT_GT(Count(empty, 0, 0, 1440, kHeight, IsYellow), 1000U) << "where the board should go";
  const HostImage<Rgb8> moves = screen(1);
  EXPECT_EQ(Count(moves, 0, 0, 1440, kHeight, IsGreen), 0U);
  for (const int x : {0, kRight})  // 54 circles
    EXPECT_GT(Count(moves, x, 0, x + kImage, kHeight, IsYellow),
              Count(empty, x, 0, x + kImage, kHeight, IsYellow) + 54 * 15);
  const HostImage<Rgb8> later =
      BoardScreen(InColor(pairs[2].first), InColor(pairs[2].second), session, false);
  EXPECT_LE(Count(later, 0, 0, 1440, kHeight, IsYellow), Count(empty, 0, 0, 1440, kHeight, IsYellow))
      << "corners of a pair before do not look like those of this one";
  const HostImage<Rgb8> taken = screen(2);
  for (const int x : {0, kRight})  // cells of the image
    EXPECT_GT(Count(taken, x, 0, x + kImage, kHeight, IsGreen),
              static_cast<std::size_t>(kImage * kHeight / 20));
  // Bars grow below.
  EXPECT_EQ(Count(moves, 0, kHeight + 100, 1440, kHeight + 140, IsYellow), 0U);
  EXPECT_GT(Count(taken, 0, kHeight + 100, 1440, kHeight + 140, IsYellow), 200U);
}

TEST(BoardScreen, ShowsLinesInPlaceOfWhatIsMissing) {
  const HostImage<Rgb8> image(64, 48, Rgb8{90, 90, 90});
  const BoardSession session({.columns = 9, .rows = 6, .square_m = 0.04});
  std::string text;
  for (int i = 0; i < 20; ++i) text += "a line of figures\n";
  const HostImage<Rgb8> verdict = BoardScreen(image, image, session, true, "good", text);
  const auto is_text = [](Rgb8 c) { return c.r > 100; };
  EXPECT_GT(Count(verdict, 0, verdict.height() - 40, 1440, verdict.height(), is_text), 50U)
      << "the last line, too";
  // Nothing was read.
  const HostImage<Rgb8> nothing = BoardScreen({}, {}, session, true, "there is no rig", "because");
  EXPECT_GT(Count(nothing, 0, 0, 1440, nothing.height(), is_text), 100U);
}

}  // namespace
}  // namespace parallax::app
