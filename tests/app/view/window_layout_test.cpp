#include "app/view/window_layout.h"

#include <gtest/gtest.h>

#include <vector>

namespace parallax::app {
namespace {

constexpr int kCaption = 32;

long Area(const PaneFrame& frame) {
  return frame.Empty() ? 0 : static_cast<long>(frame.width) * static_cast<long>(frame.height);
}

// The panes cover the area and none overlaps another: each lies inside and their areas sum up.
void ExpectTiles(const PaneFrame& area, const WindowLayout& layout) {
  for (const PaneFrame& pane : {layout.image, layout.disparity, layout.cloud}) {
    if (pane.Empty()) continue;
    EXPECT_GE(pane.x, area.x);
    EXPECT_GE(pane.y, area.y);
    EXPECT_LE(pane.x + pane.width, area.x + area.width);
    EXPECT_LE(pane.y + pane.height, area.y + area.height);
  }
  EXPECT_EQ(Area(layout.image) + Area(layout.disparity) + Area(layout.cloud), Area(area));
}

TEST(LayOutWindow, AlwaysTilesTheAreaAndShowsWhatIsThere) {
  for (const PaneFrame& area :
       {PaneFrame{0, 0, 1440, 860}, PaneFrame{3, 5, 401, 803}, PaneFrame{0, 0, 200, 170}}) {
    for (const float aspect : {0.2f, 1.0f, 1.33f, 1.89f, 1.91f, 3.3f, 50.0f}) {
      for (int bits = 0; bits < 8; ++bits) {
        const WindowParts parts{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, aspect};
        const WindowLayout layout = LayOutWindow(area, parts, kCaption);
        ExpectTiles(area, layout);
        EXPECT_EQ(!layout.image.Empty(), parts.image) << bits;
        EXPECT_EQ(!layout.disparity.Empty(), parts.disparity) << bits;
        EXPECT_EQ(!layout.cloud.Empty(), parts.cloud || bits == 0) << bits;
      }
    }
  }
}

TEST(LayOutWindow, WidePicturesStandSideBySideAboveTheCloud) {
  const WindowLayout layout = LayOutWindow({0, 0, 1440, 860}, {true, true, true, 1242.0f / 375}, kCaption);
  EXPECT_EQ(layout.image.width, 720);
  EXPECT_EQ(layout.disparity.x, 720);
  EXPECT_EQ(layout.image.height, 217 + kCaption);  // 720 * 375 / 1242 = 217.4
  EXPECT_EQ(layout.cloud.y, layout.image.height);
  EXPECT_EQ(layout.cloud.width, 1440);
}

TEST(LayOutWindow, OtherPicturesAreStackedAtTheLeftOfTheCloud) {
  const WindowLayout layout = LayOutWindow({0, 0, 1440, 860}, {true, true, true, 4.0f / 3}, kCaption);
  EXPECT_EQ(layout.image.width, 531);  // (430 - 32) * 4 / 3 = 530.7
  EXPECT_EQ(layout.image.height, 430);
  EXPECT_EQ(layout.disparity.y, 430);
  EXPECT_EQ(layout.cloud.x, 531);
  EXPECT_EQ(layout.cloud.height, 860);
}

TEST(LayOutWindow, WithoutACloudThePicturesTakeTheWindow) {
  const WindowLayout wide = LayOutWindow({0, 0, 1000, 800}, {true, true, false, 3}, kCaption);
  EXPECT_EQ(wide.image.width, 1000);
  EXPECT_EQ(wide.disparity.y, 400);
  const WindowLayout square = LayOutWindow({0, 0, 1000, 800}, {true, true, false, 1}, kCaption);
  EXPECT_EQ(square.image.height, 800);
  EXPECT_EQ(square.disparity.x, 500);
}

}  // namespace
}  // namespace parallax::app
