#include "app/view/play/timeline.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "app/view/play/played_source.h"
#include "datasets/source.h"

namespace parallax::app {
namespace {

// Takes the next order, as a source does, and shows it, as the window does.
std::size_t Deliver(Timeline& timeline) {
  const PlayOrder order = timeline.Next().value_or(PlayOrder{.number = 99999});
  timeline.SetShown(order);
  return order.number;
}

TEST(Timeline, PlaysInOrderAndStaysAtTheEnd) {
  Timeline timeline(3, false);
  EXPECT_FALSE(timeline.shown());
  EXPECT_EQ(Deliver(timeline), 0u);
  EXPECT_EQ(Deliver(timeline), 1u);
  EXPECT_FALSE(timeline.at_end());
  EXPECT_EQ(Deliver(timeline), 2u);
  EXPECT_TRUE(timeline.at_end());
  timeline.TogglePause();
  timeline.TogglePause();  // plays again, from the beginning
  EXPECT_EQ(Deliver(timeline), 0u);
}

TEST(Timeline, PausedDeliversTheFirstFrameAndThenWhatIsAskedFor) {
  Timeline timeline(10, true);
  EXPECT_EQ(Deliver(timeline), 0u);
  timeline.Seek(7);
  EXPECT_EQ(timeline.current(), 7u);
  EXPECT_EQ(Deliver(timeline), 7u);
  timeline.Step(-2);
  EXPECT_EQ(Deliver(timeline), 5u);
  timeline.Step(-9);
  EXPECT_EQ(Deliver(timeline), 0u);
  timeline.Step(1);
  timeline.Step(1);  // counts on from what is asked for, not from what is shown
  EXPECT_EQ(Deliver(timeline), 2u);
  timeline.Seek(1000);
  EXPECT_EQ(Deliver(timeline), 9u);
  timeline.Seek(4);
  EXPECT_EQ(Deliver(timeline), 4u);
  timeline.TogglePause();
  EXPECT_EQ(Deliver(timeline), 5u);
}

TEST(Timeline, WhatWasOnItsWayIsOldAfterAnOrder) {
  Timeline timeline(100, false);
  Deliver(timeline);
  const PlayOrder on_its_way = *timeline.Next();
  EXPECT_TRUE(timeline.IsWanted(on_its_way));
  timeline.TogglePause();
  EXPECT_FALSE(timeline.IsWanted(on_its_way));
  EXPECT_EQ(timeline.current(), 0u);
  timeline.Step(1);
  EXPECT_EQ(Deliver(timeline), 1u);  // the frame after the one that is shown
  timeline.Stop();
  EXPECT_FALSE(timeline.Next());
}

TEST(Timeline, AtTheSourcesPaceLateFramesAreLeftOut) {
  Timeline timeline(1000, false);
  timeline.SetPace(Pace::kSource);
  const PlayOrder first = *timeline.Next();
  EXPECT_TRUE(timeline.AwaitDue(first, 100.0));
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  EXPECT_TRUE(timeline.AwaitDue(*timeline.Next(), 100.01));  // late by five frames and more
  EXPECT_GT(timeline.Next()->number, 5u);
}

TEST(Timeline, AFrameThatIsNotDueYetWaitsButNotPastAnOrder) {
  Timeline timeline(1000, false);
  timeline.SetPace(Pace::kSource);
  EXPECT_TRUE(timeline.AwaitDue(*timeline.Next(), 0.0));
  const PlayOrder far_ahead = *timeline.Next();
  std::atomic<bool> was_wanted = true;
  std::thread source([&] { was_wanted = timeline.AwaitDue(far_ahead, 1000.0); });
  timeline.Seek(3);
  source.join();
  EXPECT_FALSE(was_wanted);
}

TEST(EndlessTimeline, PausedItLetsTheFirstFrameAndOneAStepPass) {
  Timeline timeline(Timeline::kEndless, true);
  EXPECT_TRUE(timeline.WaitForTurn(nullptr));  // the first
  std::atomic<int> num_passed = 0;
  const auto pass_frames = [&] {
    while (timeline.WaitForTurn(nullptr)) {
      ++num_passed;
      num_passed.notify_one();
    }
  };
  const auto wait_for = [&](int expected) {
    for (int passed = num_passed; passed < expected; passed = num_passed) num_passed.wait(passed);
  };
  std::jthread matching(pass_frames);
  timeline.Step(1);
  wait_for(1);
  timeline.Step(1);
  wait_for(2);
  timeline.Stop();
  matching.join();
  EXPECT_EQ(num_passed, 2);
  EXPECT_FALSE(timeline.WaitForTurn(nullptr));
}

TEST(EndlessTimeline, ResumedItLetsEveryFramePass) {
  Timeline timeline(Timeline::kEndless, true);
  EXPECT_TRUE(timeline.WaitForTurn(nullptr));
  timeline.TogglePause();
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(timeline.WaitForTurn(nullptr));
}

TEST(EndlessTimeline, AStepPausesARunningSequence) {
  Timeline timeline(Timeline::kEndless, false);
  EXPECT_TRUE(timeline.WaitForTurn(nullptr));
  EXPECT_TRUE(timeline.WaitForTurn(nullptr));
  timeline.Step(1);
  EXPECT_TRUE(timeline.paused());
  EXPECT_TRUE(timeline.WaitForTurn(nullptr));
  const std::atomic<bool> give_up = true;
  EXPECT_FALSE(timeline.WaitForTurn(&give_up));
}

TEST(EndlessTimeline, WaitingEndsWhenItIsGivenUp) {
  Timeline timeline(Timeline::kEndless, true);
  EXPECT_TRUE(timeline.WaitForTurn(nullptr));
  std::atomic<bool> give_up = false;
  std::jthread interrupt([&] { give_up = true; });
  EXPECT_FALSE(timeline.WaitForTurn(&give_up));
}

TEST(PlayedSource, DeliversAnyFrameInAnyOrder) {
  const auto open = [] { return OpenSource({"synthetic:drive,width=64,height=32,frames=6"}); };
  std::vector<std::string> names;
  for (const auto source = open(); const auto name = source->NextName(); source->Skip())
    names.push_back(*name);
  ASSERT_EQ(names.size(), 6u);

  const auto timeline = std::make_shared<Timeline>(6, true);
  PlayedSource source(open(), open, timeline);
  std::size_t index = 0;
  for (const std::size_t wanted : {0, 4, 1, 1, 5, 0}) {
    if (index > 0) timeline->Seek(wanted);
    ASSERT_EQ(source.NextName(), names[wanted]);
    const StereoFrame frame = source.Read();
    EXPECT_EQ(frame.name, names[wanted]);
    EXPECT_EQ(source.OrderOf(index).number, wanted);
    timeline->SetShown(source.OrderOf(index++));
  }
  timeline->TogglePause();
  ASSERT_EQ(source.NextName(), names[1]);
  source.Cancel();
  EXPECT_FALSE(source.NextName());
}

}  // namespace
}  // namespace parallax::app
