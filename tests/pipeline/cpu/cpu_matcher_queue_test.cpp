// Several frames in flight give what one at a time gives, in order.
#include "pipeline/cpu/cpu_matcher_queue.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "parallax/error.h"
#include "pipeline/cpu/cpu_matcher.h"
#include "pipeline/frames/wakeup.h"
#include "tests/support/images.h"
#include "tests/support/plain_parameters.h"

namespace parallax {
namespace {

using test::ImageFrom;
using test::NoiseAt;

constexpr int kWidth = 93, kHeight = 41;

// Frame i: noise that is shifted by i px in its right image.
HostImage<std::uint8_t> LeftOf(int i) {
  return ImageFrom<std::uint8_t>(kWidth, kHeight,
                                 [&](int x, int y) { return NoiseAt(x, y, static_cast<std::uint32_t>(i)); });
}
HostImage<std::uint8_t> RightOf(int i) {
  return ImageFrom<std::uint8_t>(
      kWidth, kHeight, [&](int x, int y) { return NoiseAt(x + i % 20, y, static_cast<std::uint32_t>(i)); });
}

Parameters SmallParameters() {
  Parameters parameters = test::PlainParameters();
  parameters.matching_cost.num_disparities = 24;
  return parameters;
}

void ExpectFrame(int i, const DisparityMapView& view, StereoMatcher& matcher) {
  DisparityMap expected;
  matcher.Compute(LeftOf(i).ConstView(), RightOf(i).ConstView(), expected);
  EXPECT_TRUE(test::SamePixels(view.disparity, expected.disparity.ConstView())) << "frame " << i;
  EXPECT_TRUE(test::SamePixels(view.validity, expected.validity.ConstView())) << "frame " << i;
  EXPECT_TRUE(test::SamePixels(view.confidence, expected.confidence.ConstView())) << "frame " << i;
}

TEST(CpuMatcherQueue, FramesComeOutInOrderWithTheBitsOfOneAtATime) {
  const auto matcher = MakeCpuMatcher(SmallParameters(), {.width = kWidth, .height = kHeight});
  for (const int at_a_time : {1, 2, 5}) {
    const auto queue = MakeCpuMatcherQueue(SmallParameters(),
                                           {.width = kWidth, .height = kHeight, .num_threads = 3}, at_a_time);
    EXPECT_EQ(queue->capacity(), 2U * static_cast<std::size_t>(at_a_time));
    int collected = 0;
    const auto collect = [&] {
      if (collected % 3 == 0) {
        const DisparityMap map = queue->Take();
        ExpectFrame(collected, ViewOf(map), *matcher);
      } else {
        ExpectFrame(collected, queue->Collect(), *matcher);
      }
      EXPECT_GT(queue->times()[Stage::kAggregation], 0);
      ++collected;
    };
    for (int i = 0; i < 23; ++i) {
      if (queue->in_flight() == queue->capacity()) collect();
      // The pixels are gone as soon as Submit returns.
      queue->Submit(LeftOf(i).ConstView(), RightOf(i).ConstView());
    }
    while (queue->in_flight() > 0) collect();
    EXPECT_EQ(collected, 23);
  }
}

TEST(CpuMatcherQueue, FramesInFlightMayDifferInSize) {
  const auto parameters = SmallParameters();
  const auto queue =
      MakeCpuMatcherQueue(parameters, {.width = kWidth, .height = kHeight, .num_threads = 2}, 2);
  const std::size_t memory_bytes = queue->memory_bytes();
  const auto frame_of = [](int i, int shift) {
    return ImageFrom<std::uint8_t>(kWidth - i * 5 % 17, kHeight - i * 7 % 11, [&](int x, int y) {
      return NoiseAt(x + shift, y, static_cast<std::uint32_t>(i));
    });
  };
  int collected = 0;
  const auto collect = [&] {
    const int i = collected++;
    const HostImage<std::uint8_t> left = frame_of(i, 0), right = frame_of(i, i % 20);
    DisparityMap expected;
    MakeCpuMatcher(parameters, {.width = left.width(), .height = left.height()})
        ->Compute(left.ConstView(), right.ConstView(), expected);
    const DisparityMapView view = queue->Collect();
    EXPECT_TRUE(test::SamePixels(view.disparity, expected.disparity.ConstView())) << "frame " << i;
    EXPECT_TRUE(test::SamePixels(view.validity, expected.validity.ConstView())) << "frame " << i;
    EXPECT_TRUE(test::SamePixels(view.confidence, expected.confidence.ConstView())) << "frame " << i;
  };
  for (int i = 0; i < 30; ++i) {
    if (queue->in_flight() == queue->capacity()) collect();
    queue->Submit(frame_of(i, 0).ConstView(), frame_of(i, i % 20).ConstView());
  }
  while (queue->in_flight() > 0) collect();
  EXPECT_EQ(queue->memory_bytes(), memory_bytes);
}

// The pixels of a frame stay while those after it are matched.
TEST(CpuMatcherQueue, OneThreadSubmitsAndAnotherCollects) {
  const auto matcher = MakeCpuMatcher(SmallParameters(), {.width = kWidth, .height = kHeight});
  const auto queue = MakeCpuMatcherQueue(SmallParameters(), {.width = kWidth, .height = kHeight}, 2);
  std::jthread submitter([&] {
    for (int i = 0; i < 40; ++i) queue->Submit(LeftOf(i).ConstView(), RightOf(i).ConstView());
  });
  for (int i = 0; i < 40; ++i) {
    while (queue->in_flight() == 0) std::this_thread::yield();
    ExpectFrame(i, queue->Collect(), *matcher);
  }
}

TEST(CpuMatcherQueue, TellsWhenTheOldestFrameIsDone) {
  const auto matcher = MakeCpuMatcher(SmallParameters(), {.width = kWidth, .height = kHeight});
  const auto queue = MakeCpuMatcherQueue(SmallParameters(), {.width = kWidth, .height = kHeight}, 3);
  EXPECT_TRUE(queue->oldest_is_done()) << "there is none to wait for";
  Wakeup wakeup;
  queue->SetDoneCallback([&] { wakeup.Notify(); });
  for (int submitted = 0, collected = 0; collected < 40;) {
    if (submitted < 40 && queue->in_flight() < queue->capacity()) {
      queue->Submit(LeftOf(submitted).ConstView(), RightOf(submitted).ConstView());
      ++submitted;
    } else if (queue->oldest_is_done()) {
      ExpectFrame(collected++, queue->Collect(), *matcher);
    } else {
      wakeup.WaitFor(std::chrono::hours(1));  // the test hangs where it is not told
    }
  }
}

TEST(CpuMatcherQueue, WhatDoesNotFitIsRefusedAndTheRestGoesOn) {
  const auto queue = MakeCpuMatcherQueue(SmallParameters(), {.width = kWidth, .height = kHeight}, 2);
  EXPECT_THROW(queue->Collect(), Error);
  const HostImage<std::uint8_t> wide(kWidth + 1, kHeight, std::uint8_t{0});
  EXPECT_THROW(queue->Submit(wide.ConstView(), wide.ConstView()), InvalidArgument);
  EXPECT_EQ(queue->in_flight(), 0U);
  queue->Submit(LeftOf(3).ConstView(), RightOf(3).ConstView());  // left in flight at the end
}

TEST(CpuMatcherQueue, FramesShareTheMemoryLimit) {
  MatcherOptions options{.width = 400, .height = 200};
  const Parameters parameters = test::PlainParameters();
  const std::size_t one = MakeCpuMatcher(parameters, options)->memory_bytes();
  options.memory_limit_bytes = 2 * one;
  EXPECT_LE(MakeCpuMatcherQueue(parameters, options, 2)->memory_bytes(), 2 * one);
  EXPECT_LE(MakeCpuMatcherQueue(parameters, options, 4)->memory_bytes(), 2 * one);
  options.memory_limit_bytes = 1'000'000;
  EXPECT_THROW(MakeCpuMatcherQueue(parameters, options, 2), InvalidArgument);
}

}  // namespace
}  // namespace parallax
