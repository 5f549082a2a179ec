#include "app/view/window/mailbox.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

namespace parallax::app {
namespace {

TEST(Mailbox, TheLatestFrameWinsAndIsTakenOnce) {
  Mailbox<std::string> mailbox(false);
  EXPECT_FALSE(mailbox.Take());
  mailbox.Put("first");
  mailbox.Put("second");
  const auto taken = mailbox.Take();
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->first, 2);
  EXPECT_EQ(taken->second, "second");
  EXPECT_FALSE(mailbox.Take());
}

TEST(Mailbox, PausedItLetsTheFirstFrameAndOneAStepPass) {
  Mailbox<int> mailbox(true);
  EXPECT_TRUE(mailbox.WaitForTurn(nullptr));  // the first
  std::atomic<int> num_passed = 0;
  {
    std::jthread matching([&] {
      while (mailbox.WaitForTurn(nullptr)) ++num_passed;
    });
    const auto wait_for = [&](int expected) {
      for (int i = 0; i < 5000 && num_passed < expected; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return num_passed.load();
    };
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(num_passed, 0);
    mailbox.Step();
    EXPECT_EQ(wait_for(1), 1);
    mailbox.Step();
    EXPECT_EQ(wait_for(2), 2);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(num_passed, 2);
    mailbox.TogglePause();  // resumes
    EXPECT_GE(wait_for(100), 100);
    mailbox.SetClosed();
  }
  EXPECT_FALSE(mailbox.WaitForTurn(nullptr));
}

TEST(Mailbox, AStepPausesARunningSequence) {
  Mailbox<int> mailbox(false);
  EXPECT_TRUE(mailbox.WaitForTurn(nullptr));
  EXPECT_TRUE(mailbox.WaitForTurn(nullptr));
  mailbox.Step();
  EXPECT_TRUE(mailbox.paused());
  EXPECT_TRUE(mailbox.WaitForTurn(nullptr));
  const std::atomic<bool> give_up = true;
  EXPECT_FALSE(mailbox.WaitForTurn(&give_up));
}

TEST(Mailbox, WaitingEndsWhenItIsGivenUp) {
  Mailbox<int> mailbox(true);
  EXPECT_TRUE(mailbox.WaitForTurn(nullptr));
  std::atomic<bool> give_up = false;
  std::jthread interrupt([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    give_up = true;
  });
  EXPECT_FALSE(mailbox.WaitForTurn(&give_up));
}

TEST(Mailbox, AScreenshotWaitsForTheFramePutLast) {
  Mailbox<int> mailbox(false);
  mailbox.Put(1);
  mailbox.Put(2);
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
