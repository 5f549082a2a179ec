#include "app/view/window/mailbox.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace parallax::app {
namespace {

TEST(Mailbox, TheLatestFrameWinsAndIsTakenOnce) {
  Mailbox mailbox(false);
  EXPECT_FALSE(mailbox.Take());
  mailbox.Put({.name = "first"});
  mailbox.Put({.name = "second"});
  const auto taken = mailbox.Take();
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->first, 2);
  EXPECT_EQ(taken->second.name, "second");
  EXPECT_FALSE(mailbox.Take());
}

TEST(Mailbox, PausedItLetsTheFirstFrameAndOneAStepPass) {
  Mailbox mailbox(true);
  EXPECT_TRUE(mailbox.WaitForTurn(nullptr));  // the first
  std::atomic<int> num_passed = 0;
  const auto pass_frames = [&] {
    while (mailbox.WaitForTurn(nullptr)) {
      ++num_passed;
      num_passed.notify_one();
    }
  };
  const auto wait_for = [&](int expected) {
    for (int passed = num_passed; passed < expected; passed = num_passed) num_passed.wait(passed);
  };
  std::jthread matching(pass_frames);
  mailbox.Step();
  wait_for(1);
  mailbox.Step();
  wait_for(2);
  mailbox.SetClosed();
  matching.join();
  EXPECT_EQ(num_passed, 2);
  EXPECT_FALSE(mailbox.WaitForTurn(nullptr));
}

TEST(Mailbox, ResumedItLetsEveryFramePass) {
  Mailbox mailbox(true);
  EXPECT_TRUE(mailbox.WaitForTurn(nullptr));
  mailbox.TogglePause();
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(mailbox.WaitForTurn(nullptr));
}

TEST(Mailbox, AStepPausesARunningSequence) {
  Mailbox mailbox(false);
  EXPECT_TRUE(mailbox.WaitForTurn(nullptr));
  EXPECT_TRUE(mailbox.WaitForTurn(nullptr));
  mailbox.Step();
  EXPECT_TRUE(mailbox.paused());
  EXPECT_TRUE(mailbox.WaitForTurn(nullptr));
  const std::atomic<bool> give_up = true;
  EXPECT_FALSE(mailbox.WaitForTurn(&give_up));
}

TEST(Mailbox, WaitingEndsWhenItIsGivenUp) {
  Mailbox mailbox(true);
  EXPECT_TRUE(mailbox.WaitForTurn(nullptr));
  std::atomic<bool> give_up = false;
  std::jthread interrupt([&] { give_up = true; });
  EXPECT_FALSE(mailbox.WaitForTurn(&give_up));
}

TEST(Mailbox, AScreenshotWaitsForTheFramePutLast) {
  Mailbox mailbox(false);
  mailbox.Put({.name = "first"});
  mailbox.Put({.name = "second"});
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
