#include "app/view/panes/pane_picture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>

#include "app/pictures/colormap.h"
#include "app/view/panes/pane_choices.h"
#include "app/view/panes/pixel_info.h"
#include "pipeline/cloud/reprojection.h"
#include "tests/support/nan.h"

namespace parallax::app {
namespace {

const StereoRig kPaneRig{.fx_px = 721.5, .cx_px = 3.2, .cy_px = 1.7, .baseline_m = 0.54, .doffs_px = 0};

// 8 x 4: disparities 10 + x + y / 2, the last column without a value; B's are all 20.
std::shared_ptr<const MatchedFrame> Matched() {
  auto matched = std::make_shared<MatchedFrame>();
  matched->frame.name = "f";
  HostImage<Rgb8> left(8, 4);
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 8; ++x)
      left(x, y) = {static_cast<std::uint8_t>(x * 30), static_cast<std::uint8_t>(y * 60), 7};
  }
  matched->frame.right = left.Clone();
  matched->frame.left = std::move(left);
  matched->frame.rig = kPaneRig;
  matched->frame.truth.emplace();
  matched->frame.truth->disparity = HostImage<float>(8, 4, kNan);
  matched->frame.truth->disparity(2, 1) = 14;
  DisparityMap& map = matched->map.Own();
  map.disparity = HostImage<float>(8, 4);
  map.validity = HostImage<std::uint8_t>(8, 4, std::uint8_t{kValid});
  map.confidence = HostImage<std::uint8_t>(8, 4, std::uint8_t{99});
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 8; ++x)
      map.disparity(x, y) = 10 + static_cast<float>(x) + 0.5F * static_cast<float>(y);
    map.disparity(7, y) = kNan;
    map.validity(7, y) = kOccluded | kSpeckle;
  }
  map.validity(0, 0) = kMismatched | kFilled;
  return matched;
}

ShownFrame WithB() {
  ShownFrame frame = MakeShownFrame(Matched(), "cpu");
  const auto disparity = std::make_shared<const HostImage<float>>(8, 4, 20.0F);
  frame.b = MakeShownSet(disparity->ConstView(), {}, {}, kPaneRig, {}, disparity);
  return frame;
}

TEST(ShownFrame, HasWhatTheMatchedFrameHas) {
  const ShownFrame frame = MakeShownFrame(Matched(), "cpu");
  EXPECT_EQ(frame.width, 8);
  EXPECT_DOUBLE_EQ(frame.a.density_percent, 87.5);
  EXPECT_EQ(frame.left(2, 1), (Rgb8{60, 60, 7}));
  EXPECT_EQ(ViewsOf(frame).size(), kNumPaneViews - 2);  // no difference, no sigma
  EXPECT_EQ(ViewsOf(WithB()).size(), kNumPaneViews - 1);
}

TEST(PixelInfo, IsToTheBitThePointOfTheCloud) {
  const ShownFrame frame = MakeShownFrame(Matched(), "cpu");
  const PointCloud cloud = CloudFromDepth(frame.a.depth_m.ConstView(), frame.left.ConstView(), kPaneRig);
  const std::size_t point = 1 * 7 + 2;  // seven of eight a row have a depth
  const PixelInfo info = PixelInfoAt(frame, false, 2, 1);
  EXPECT_EQ((Point3f{info.x_m, info.y_m, info.z_m}), cloud.points[point]);
  EXPECT_EQ(info.disparity_px, 12.5F);
  EXPECT_EQ(info.error_px, -1.5F);
  EXPECT_EQ(info.confidence, 99);
  EXPECT_EQ(info.validity, "matched");
  EXPECT_EQ(PixelInfoAt(frame, false, 0, 0).validity, "mismatched, filled");
  const PixelInfo none = PixelInfoAt(frame, false, 7, 3);
  EXPECT_TRUE(std::isnan(none.z_m));
  EXPECT_EQ(TextOf(none), "(7, 3)   confidence 99   occluded, speckle");
}

TEST(DrawPane, PixelsAreSquaresOfOneColor) {
  const ShownFrame frame = MakeShownFrame(Matched(), "cpu");
  PictureZoom zoom;
  zoom.SetSizes(80, 48, 8, 4);
  FixedRanges ranges;
  ranges[PaneView::kDisparity] = ValueRange{10, 20};
  const PanePicture what{.frame = frame, .zoom = zoom, .ranges = ranges, .marks = {}, .show_filled = true};
  const HostImage<Rgb8> left = DrawPane(what, {PaneView::kLeft, false}, 80, 48);
  EXPECT_EQ(left(0, 0), what.background);  // 4 rows above and below
  EXPECT_EQ(left(0, 4), frame.left(0, 0));
  EXPECT_EQ(left(29, 23), frame.left(2, 1));
  EXPECT_EQ(left(30, 24), frame.left(3, 2));
  const HostImage<Rgb8> disparity = DrawPane(what, {PaneView::kDisparity, false}, 80, 48);
  EXPECT_EQ(disparity(5, 5), ColorOf(0));
  EXPECT_EQ(disparity(75, 5), kInvalidColor);
}

TEST(DrawPane, AWipeShowsOneAtEachSideAndABlendBoth) {
  const ShownFrame frame = WithB();
  PictureZoom zoom;
  zoom.SetSizes(80, 40, 8, 4);
  const PanePicture what{.frame = frame, .zoom = zoom, .ranges = {}, .marks = {}};
  const PaneChoice left{PaneView::kLeft, false}, b{PaneView::kDisparity, true};
  const HostImage<Rgb8> only_left = DrawPane(what, left, 80, 40), only_b = DrawPane(what, b, 80, 40);
  const HostImage<Rgb8> wiped = DrawPane(what, left, b, PaneMode::kWipe, 0.5F, 80, 40);
  EXPECT_EQ(wiped(39, 7), only_left(39, 7));
  EXPECT_EQ(wiped(41, 7), only_b(41, 7));
  const HostImage<Rgb8> blend = DrawPane(what, left, b, PaneMode::kBlend, 0.5F, 80, 40);
  EXPECT_NEAR(blend(10, 10).r, (only_left(10, 10).r + only_b(10, 10).r) / 2, 1);
  EXPECT_EQ(DrawPane(what, left, b, PaneMode::kBlend, 0, 80, 40)(3, 3), only_left(3, 3));
  EXPECT_EQ(DrawPane(what, left, b, PaneMode::kBlend, 1, 80, 40)(3, 3), only_b(3, 3));
}

TEST(DrawPane, EveryViewOfEverySizeIsDrawn) {
  const ShownFrame frame = WithB();
  for (const PaneView view : ViewsOf(frame)) {
    for (const int size : {1, 5, 300}) {
      PictureZoom zoom;
      zoom.SetSizes(size, size, 8, 4);
      const PaneMarks marks{.picked = PixelPosition{7, 3}, .hovered = PixelPosition{0, 0}};
      const PanePicture what{.frame = frame, .zoom = zoom, .ranges = {}, .marks = marks};
      EXPECT_EQ(DrawPane(what, {view, true}, size, size).width(), size) << InfoOf(view).name;
      zoom.ZoomAt({0, 0}, 100);
      EXPECT_EQ(DrawPane(what, {view, false}, size, size).height(), size) << InfoOf(view).name;
    }
  }
}

TEST(ValueAt, TheDifferenceIsOfBothSets) {
  const ShownFrame frame = WithB();
  EXPECT_EQ(ValueAt(frame, {PaneView::kDifference, false}, 2, 1), -7.5F);
  EXPECT_EQ(ValueAt(frame, {PaneView::kDisparity, true}, 7, 1), 20);
  EXPECT_TRUE(std::isnan(ValueAt(frame, {PaneView::kDifference, false}, 7, 1)));
  EXPECT_TRUE(std::isnan(ValueAt(frame, {PaneView::kDisparity, false}, -1, 0)));
}

TEST(PanesFor, ShowsWhatTheFrameHas) {
  const ShownFrame frame = MakeShownFrame(Matched(), "cpu");
  PaneChoices choices;
  EXPECT_EQ(PanesFor(choices, frame).second->view, PaneView::kDisparity);
  choices.second.view = PaneView::kDifference;  // no set B
  EXPECT_EQ(PanesFor(choices, frame).second->view, PaneView::kDisparity);
  choices.mode = PaneMode::kSingle;
  EXPECT_FALSE(PanesFor(choices, frame).second);
  ShownFrame image;
  image.left = HostImage<Rgb8>(3, 2, Rgb8{});
  image.width = 3, image.height = 2;
  choices.mode = PaneMode::kSide;
  EXPECT_EQ(PanesFor(choices, image).first->view, PaneView::kLeft);
  EXPECT_FALSE(PanesFor(choices, image).second);
}

}  // namespace
}  // namespace parallax::app
