// Frames that are read side by side come out as if they had been read one after the other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "pipeline/frames/frame_pipeline.h"
#include "tests/support/counted_memory.h"
#include "tests/support/plain_parameters.h"

namespace parallax {
namespace {

using ::testing::ElementsAre;

// Frames f0, f1, ... that may be read side by side. `group` of them wait for one another before any of them ends, and
// the later ones then end first.
class DeferringSource : public FrameSource {
 public:
  DeferringSource(int num_frames, int group) : num_frames_(num_frames), group_(group) {}
  SourceKind kind() const override { return SourceKind::kPair; }
  std::optional<std::size_t> num_frames() const override { return static_cast<std::size_t>(num_frames_); }
  std::optional<std::string> NextName() override {
    if (next_ == lost_at_) throw Error("the source is lost");
    if (next_ >= num_frames_) return std::nullopt;
    return "f" + std::to_string(next_);
  }
  StereoFrame Read() override {
    CountAsRead();
    return FrameOf(next_++);
  }
  std::function<StereoFrame()> Defer() override {
    if (in_turn_.contains(next_)) return {};
    ++num_deferred_;
    return [this, index = next_++] {
      {
        std::unique_lock lock(mutex_);
        ++num_begun_;
        begun_.notify_all();
        const int last_of_group = std::min((index / group_ + 1) * group_, num_frames_);
        begun_.wait(lock, [&] { return num_begun_ >= last_of_group; });
        // of a group, the last one ends first
        const int num_before = last_of_group - 1 - index;
        begun_.wait(lock, [&] { return num_ended_ >= index / group_ * group_ + num_before; });
        ++num_ended_;
        begun_.notify_all();
      }
      return FrameOf(index);
    };
  }
  void Skip() override {
    CountAsRead();
    ++next_;
  }

  std::set<int> bad_, in_turn_;
  int lost_at_ = -1;
  std::atomic<int> num_deferred_ = 0;

 private:
  StereoFrame FrameOf(int index) const {
    if (bad_.contains(index)) throw Error("f" + std::to_string(index) + ".png: truncated");
    StereoFrame frame;
    frame.name = "f" + std::to_string(index);
    frame.left = HostImage<std::uint8_t>(5, 3, static_cast<std::uint8_t>(index));
    frame.right = HostImage<std::uint8_t>(5, 3, static_cast<std::uint8_t>(index));
    return frame;
  }

  void CountAsRead() {
    const std::scoped_lock lock(mutex_);
    ++num_begun_, ++num_ended_;
    begun_.notify_all();
  }

  const int num_frames_, group_;
  int next_ = 0, num_begun_ = 0, num_ended_ = 0;
  std::mutex mutex_;
  std::condition_variable begun_;
};

class NoMatcher : public StereoMatcher {
 public:
  void Compute(const CameraImageView& left, const CameraImageView& /*right*/, DisparityMap& result,
               StageTimes* /*times*/, StageResults* /*stages*/) override {
    result.disparity = HostImage<float>(WidthOf(left), HeightOf(left), 1.0F);
    result.validity = HostImage<std::uint8_t>(WidthOf(left), HeightOf(left), kValid);
  }
  std::string_view backend() const override { return "none"; }
};

struct Seen {
  std::vector<std::string> in_order;  // matched
  std::set<std::string> failed, skipped;
};

FrameSteps StepsInto(Seen& seen) {
  FrameSteps steps;
  steps.parameters_for = [](const StereoFrame&) { return test::PlainParameters(); };
  steps.make_matcher = [](const Parameters&, const MatcherOptions&) {
    return MakeQueueOfOne(std::make_unique<NoMatcher>());
  };
  steps.observe = [&seen](const auto& frame) {
    EXPECT_EQ(frame->frame.name, "f" + std::to_string(frame->index));
    seen.in_order.push_back(frame->frame.name);
  };
  steps.report = [&seen](const FrameReport& report) {
    if (report.outcome == FrameOutcome::kFailed) seen.failed.insert(report.name + ": " + report.error);
    if (report.outcome == FrameOutcome::kSkipped) seen.skipped.insert(report.name);
  };
  return steps;
}

std::vector<std::string> Names(int begin, int end) {
  std::vector<std::string> names;
  for (int i = begin; i < end; ++i) names.push_back("f" + std::to_string(i));
  return names;
}

TEST(SideBySideReading, KeepsTheOrderOfTheSource) {
  for (const int num_readers : {2, 4, 16}) {
    Seen seen;
    RunFrames(std::make_shared<DeferringSource>(40, num_readers), StepsInto(seen),
              {.num_readers = num_readers});
    EXPECT_EQ(seen.in_order, Names(0, 40)) << num_readers;
  }
}

// Two frames: f0 is read a moment after f1 has begun, f1 once f0 is matched.
class ChainedSource : public FrameSource {
 public:
  SourceKind kind() const override { return SourceKind::kPair; }
  std::optional<std::size_t> num_frames() const override { return 2; }
  std::optional<std::string> NextName() override {
    if (next_ == 2) return std::nullopt;
    return "f" + std::to_string(next_);
  }
  StereoFrame Read() override { throw Error("reads frames side by side only"); }
  void Skip() override { ++next_; }
  std::function<StereoFrame()> Defer() override {
    return [this, index = next_++] {
      std::unique_lock lock(mutex_);
      if (index == 0) {
        changed_.wait(lock, [this] { return has_begun_; });
        lock.unlock();
        std::this_thread::sleep_for(std::chrono::milliseconds(30));  // the reader waits for this frame by now
      } else {
        has_begun_ = true;
        changed_.notify_all();
        is_in_time_ = changed_.wait_for(lock, std::chrono::seconds(20), [this] { return is_matched_; });
      }
      StereoFrame frame;
      frame.name = "f" + std::to_string(index);
      frame.left = HostImage<std::uint8_t>(5, 3, 1);
      frame.right = HostImage<std::uint8_t>(5, 3, 1);
      return frame;
    };
  }
  void TellMatched() {
    const std::scoped_lock lock(mutex_);
    is_matched_ = true;
    changed_.notify_all();
  }
  bool is_in_time() const { return is_in_time_; }

 private:
  int next_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool has_begun_ = false, is_matched_ = false, is_in_time_ = false;
};

TEST(SideBySideReading, AFrameThatIsReadDoesNotWaitForTheNext) {
  Seen seen;
  const auto source = std::make_shared<ChainedSource>();
  FrameSteps steps = StepsInto(seen);
  steps.observe = [&](const auto&) { source->TellMatched(); };
  RunFrames(source, steps, {.num_readers = 2});
  EXPECT_TRUE(source->is_in_time());
}

TEST(SideBySideReading, OneReaderReadsInTurn) {
  Seen seen;
  const auto source = std::make_shared<DeferringSource>(9, 9);
  RunFrames(source, StepsInto(seen), {.num_readers = 1});
  EXPECT_EQ(seen.in_order, Names(0, 9));
  EXPECT_EQ(source->num_deferred_, 0);
}

TEST(SideBySideReading, AFailureIsOneFramesOnly) {
  Seen seen;
  const auto source = std::make_shared<DeferringSource>(12, 3);
  source->bad_ = {0, 4, 11};
  RunFrames(source, StepsInto(seen), {.num_readers = 3});
  EXPECT_THAT(seen.failed,
              ElementsAre("f0: f0.png: truncated", "f11: f11.png: truncated", "f4: f4.png: truncated"));
  EXPECT_EQ(seen.in_order.size(), 9U);
  EXPECT_EQ(seen.in_order.front(), "f1");
  EXPECT_EQ(seen.in_order.back(), "f10");
}

TEST(SideBySideReading, FramesThatAreReadInTurnKeepTheirPlace) {
  Seen seen;
  const auto source = std::make_shared<DeferringSource>(10, 1);
  source->in_turn_ = {0, 1, 5};
  RunFrames(source, StepsInto(seen), {.num_readers = 4});
  EXPECT_EQ(seen.in_order, Names(0, 10));
  EXPECT_EQ(source->num_deferred_, 7);
}

TEST(SideBySideReading, PassesOverWhatIsDone) {
  Seen seen;
  const auto source = std::make_shared<DeferringSource>(10, 1);
  FrameSteps steps = StepsInto(seen);
  steps.is_done = [](const std::string& name, const StereoFrame* frame) {
    return name == "f3" || (name == "f4" && frame != nullptr);
  };
  RunFrames(source, steps, {.num_readers = 4});
  EXPECT_THAT(seen.skipped, ElementsAre("f3", "f4"));
  EXPECT_EQ(seen.in_order.size(), 8U);
}

TEST(SideBySideReading, TakesAtMostMaxFrames) {
  Seen seen;
  const auto source = std::make_shared<DeferringSource>(10, 1);
  RunFrames(source, StepsInto(seen), {.max_frames = 5, .num_readers = 4});
  EXPECT_EQ(seen.in_order, Names(0, 5));
  EXPECT_EQ(source->num_deferred_, 5);
}

TEST(SideBySideReading, ReadsTwoSmallFramesAheadForEachReader) {
  Seen seen;
  const auto source = std::make_shared<DeferringSource>(100, 1);
  FrameSteps steps = StepsInto(seen);
  steps.observe = [&](const auto& frame) {
    if (frame->index != 20) return;
    // This one, two that wait to be matched, one that waits to join them, and those of the readers.
    constexpr int kNumAhead = 4 + 2 * 4;
    const auto start = std::chrono::steady_clock::now();
    while (source->num_deferred_ < 20 + kNumAhead &&
           std::chrono::steady_clock::now() - start < std::chrono::seconds(10)) {
      std::this_thread::yield();
    }
    EXPECT_GE(source->num_deferred_, 20 + kNumAhead);
    EXPECT_LE(source->num_deferred_, 20 + kNumAhead + 1);
  };
  RunFrames(source, steps, {.num_readers = 4});
}

TEST(SideBySideReading, ALostSourceEndsTheLoopAfterTheFramesOnTheirWay) {
  Seen seen;
  const auto source = std::make_shared<DeferringSource>(10, 1);
  source->lost_at_ = 6;
  EXPECT_THROW(RunFrames(source, StepsInto(seen), {.num_readers = 4}), Error);
  EXPECT_EQ(seen.in_order, Names(0, 6));
}

TEST(SideBySideReading, AStopLeavesNoThreadBehind) {
  Seen seen;
  std::atomic<bool> stop = false;
  FrameSteps steps = StepsInto(seen);
  const auto observe = steps.observe;
  steps.observe = [&](const auto& frame) {
    observe(frame);
    if (frame->index == 3) stop = true;
  };
  RunFrames(std::make_shared<DeferringSource>(1000, 1), steps,
            {.num_readers = 4, .stop_requested = [&] { return stop.load(); }});
  EXPECT_GE(seen.in_order.size(), 4U);
  EXPECT_LE(seen.in_order.size(), 4U + 2 + 2 + 4);  // read ahead, being handed over, being read
  EXPECT_EQ(seen.in_order, Names(0, static_cast<int>(seen.in_order.size())));
  EXPECT_EQ(NumReadersLeftBehind(), 0);
}

// Those that are read in turn, too, and no others.
TEST(SideBySideReading, ImagesLieWhereTheStepsSay) {
  const auto memory = std::make_shared<test::CountedMemory>();
  const auto source = std::make_shared<DeferringSource>(10, 1);
  source->in_turn_ = {3, 4};
  Seen seen;
  FrameSteps steps = StepsInto(seen);
  steps.image_memory = memory;
  steps.observe = [&](const std::shared_ptr<const MatchedFrame>& frame) {
    EXPECT_TRUE(memory->Holds(std::get<HostImage<std::uint8_t>>(frame->frame.left).Row(0)));
    EXPECT_TRUE(memory->Holds(std::get<HostImage<std::uint8_t>>(frame->frame.right).Row(2)));
  };
  RunFrames(source, steps, {.num_readers = 3});
  EXPECT_EQ(memory->num_taken(), 40);  // both images and the two of the map of ten frames
  EXPECT_EQ(memory->num_lent(), 0);
}

}  // namespace
}  // namespace parallax
