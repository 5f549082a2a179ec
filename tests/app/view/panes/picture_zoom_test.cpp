#include "app/view/panes/picture_zoom.h"

#include <gtest/gtest.h>

namespace parallax::app {
namespace {

TEST(PictureZoom, ShowsTheWholePictureAtFirst) {
  PictureZoom zoom;
  zoom.SetSizes(800, 300, 400, 100);
  EXPECT_TRUE(zoom.fits());
  EXPECT_DOUBLE_EQ(zoom.scale(), 2);
  EXPECT_DOUBLE_EQ(zoom.ToPicture({0, 50}).u, 0);
  EXPECT_DOUBLE_EQ(zoom.ToPicture({0, 50}).v, 0);  // 50 rows of background above
  EXPECT_DOUBLE_EQ(zoom.ToPane({400, 100}).u, 800);
  zoom.SetSizes(400, 300, 400, 100);
  EXPECT_DOUBLE_EQ(zoom.scale(), 1);
}

TEST(PictureZoom, WhatLiesUnderTheMouseStaysThere) {
  PictureZoom zoom;
  zoom.SetSizes(801, 303, 1242, 375);
  const PicturePoint mouse{123.5, 77.5};
  const PicturePoint before = zoom.ToPicture(mouse);
  for (int i = 0; i < 100; ++i) zoom.ZoomAt(mouse, 1.25);
  EXPECT_DOUBLE_EQ(zoom.scale(), PictureZoom::kLargestScale);
  EXPECT_NEAR(zoom.ToPicture(mouse).u, before.u, 1e-9);
  EXPECT_NEAR(zoom.ToPicture(mouse).v, before.v, 1e-9);
  zoom.Pan(64, -128);
  EXPECT_NEAR(zoom.ToPicture(mouse).u, before.u - 1, 1e-9);
  EXPECT_NEAR(zoom.ToPicture(mouse).v, before.v + 2, 1e-9);
}

TEST(PictureZoom, StaysAsZoomedForPicturesOfOneSizeOnly) {
  PictureZoom zoom;
  zoom.SetSizes(100, 100, 50, 50);
  zoom.PixelToPixel();
  zoom.Pan(1000, 0);  // no further than its border
  EXPECT_DOUBLE_EQ(zoom.centre().u, 0);
  zoom.SetSizes(120, 100, 50, 50);
  EXPECT_DOUBLE_EQ(zoom.scale(), 1);
  EXPECT_DOUBLE_EQ(zoom.centre().u, 0);
  zoom.SetSizes(120, 100, 60, 50);
  EXPECT_TRUE(zoom.fits());
  EXPECT_DOUBLE_EQ(zoom.scale(), 2);
}

}  // namespace
}  // namespace parallax::app
