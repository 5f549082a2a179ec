#include "app/view/window/mailbox.h"

#include <gtest/gtest.h>

namespace parallax::app {
namespace {

ViewerFrame Named(const char* name) {
  ViewerFrame frame;
  frame.name = name;
  return frame;
}

TEST(Mailbox, TheLatestFrameWinsAndIsTakenOnce) {
  Mailbox mailbox;
  EXPECT_FALSE(mailbox.Take());
  mailbox.Put(Named("first"));
  mailbox.Put(Named("second"));
  const auto taken = mailbox.Take();
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->first, 2);
  EXPECT_EQ(taken->second.name, "second");
  EXPECT_FALSE(mailbox.Take());
}

TEST(Mailbox, AScreenshotWaitsForTheFramePutLast) {
  Mailbox mailbox;
  mailbox.Put(Named("first"));
  mailbox.Put(Named("second"));
  bool called = false;
  mailbox.RequestScreenshot([&](HostImage<Rgb8>) { called = true; });
  EXPECT_TRUE(mailbox.screenshot_wanted());
  EXPECT_FALSE(mailbox.TakeScreenshot(1));
  ScreenshotCallback done = mailbox.TakeScreenshot(2);
  ASSERT_TRUE(done);
  done({});
  EXPECT_TRUE(called);
  EXPECT_FALSE(mailbox.screenshot_wanted());
  EXPECT_FALSE(mailbox.TakeScreenshot(2));
}

}  // namespace
}  // namespace parallax::app
