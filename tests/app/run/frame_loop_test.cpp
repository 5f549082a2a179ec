// The frame loop with a source and a matcher of its own: every frame goes through once, in order where order
// is promised, and nothing that happens to one frame ends the others.
#include "app/run/frame_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "pipeline/error.h"

namespace parallax::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Frames f0, f1, ...; the pixels of frame i have the value i. Frames in `bad` cannot be read.
class FakeSource : public FrameSource {
 public:
  explicit FakeSource(int num_frames, std::set<int> bad = {})
      : num_frames_(num_frames), bad_(std::move(bad)) {}
  SourceKind kind() const override { return SourceKind::kPair; }
  std::optional<std::size_t> num_frames() const override { return static_cast<std::size_t>(num_frames_); }
  std::optional<std::string> NextName() override {
    if (next_ == fail_at_) throw Error("camera lost");
    if (next_ >= num_frames_) return std::nullopt;
    return "f" + std::to_string(next_);
  }
  StereoFrame Read() override {
    const int index = next_++;
    ++num_read_;
    if (bad_.contains(index)) throw Error("f" + std::to_string(index) + ".png: truncated");
    StereoFrame frame;
    frame.name = "f" + std::to_string(index);
    const int width = index >= wider_from_ ? 6 : 5;
    frame.left = HostImage<std::uint8_t>(width, 3, static_cast<std::uint8_t>(index));
    frame.right = HostImage<std::uint8_t>(width, 3, static_cast<std::uint8_t>(index));
    if (index == unrectified_at_) {
      frame.rectified = false;
      frame.rig_note = "take the other folder";
    }
    return frame;
  }
  void Skip() override { ++next_; }

  int num_read() const { return num_read_; }
  int wider_from_ = 1 << 30;
  int fail_at_ = -1;
  int unrectified_at_ = -1;

 private:
  const int num_frames_;
  const std::set<int> bad_;
  int next_ = 0;
  std::atomic<int> num_read_ = 0;
};

// The disparity is the gray value of the left image.
class FakeMatcher : public StereoMatcher {
 public:
  explicit FakeMatcher(MatcherOptions options) : options_(options) {}
  void Compute(const CameraImageView& left, const CameraImageView& /*right*/, DisparityMap& result,
               StageTimes* times, StageResults* /*stages*/) override {
    EXPECT_EQ(WidthOf(left), options_.width);
    const auto& gray = std::get<HostImageView<const std::uint8_t>>(left);
    if (gray(0, 0) == 13) throw std::bad_alloc();
    result.disparity = HostImage<float>(gray.width, gray.height, static_cast<float>(gray(0, 0)));
    result.validity = HostImage<std::uint8_t>(gray.width, gray.height, kValid);
    (*times)[Stage::kAggregation] = 1;
  }
  std::string_view backend() const override { return "fake"; }

 private:
  MatcherOptions options_;
};

// The same with frames in flight. Frame 17 is lost on its way.
class FakeQueue : public MatcherQueue {
 public:
  FakeQueue(MatcherOptions options, std::size_t capacity, std::size_t& most_in_flight)
      : matcher_(options), capacity_(capacity), most_in_flight_(most_in_flight) {}
  ~FakeQueue() override { EXPECT_TRUE(flying_.empty()) << "frames were left behind"; }
  void Submit(const CameraImageView& left, const CameraImageView& right) override {
    if (flying_.size() == capacity_) throw Error("the loop must collect first");
    DisparityMap map;
    StageTimes times;
    matcher_.Compute(left, right, map, &times, nullptr);
    flying_.push_back(std::move(map));
    most_in_flight_ = std::max(most_in_flight_, flying_.size());
  }
  DisparityMapView Collect() override {
    held_ = std::move(flying_.front());
    flying_.pop_front();
    if (held_.disparity(0, 0) == 17) throw Error("device lost");
    return {held_.disparity.ConstView(), held_.validity.ConstView(), held_.confidence.ConstView()};
  }
  std::size_t in_flight() const override { return flying_.size(); }
  std::size_t capacity() const override { return capacity_; }
  std::size_t memory_bytes() const override { return 0; }

 private:
  FakeMatcher matcher_;
  const std::size_t capacity_;
  std::size_t& most_in_flight_;
  std::deque<DisparityMap> flying_;
  DisparityMap held_;
};

// What the loop did.
struct Log {
  std::map<std::string, FrameReport> reports;
  std::map<std::string, float> written;  // name -> its disparity
  std::vector<std::string> observed;
  int num_matchers = 0;
  std::mutex mutex;
};

FrameLoopSteps StepsInto(Log& log) {
  FrameLoopSteps steps;
  steps.parameters_for = [](const StereoFrame&) { return Parameters{}; };
  steps.make_matcher = [&](const Parameters&, const MatcherOptions& options) {
    ++log.num_matchers;
    return std::make_unique<FakeMatcher>(options);
  };
  steps.observe = [&](const auto& frame) { log.observed.push_back(frame->frame.name); };
  steps.write = [&](const MatchedFrame& frame, FrameReport&) {
    const std::scoped_lock lock(log.mutex);
    log.written[frame.frame.name] = frame.disparity.disparity(0, 0);
  };
  steps.report = [&](FrameReport report) {
    const std::string name = report.name;
    EXPECT_TRUE(log.reports.emplace(name, std::move(report)).second) << name << " was reported twice";
  };
  return steps;
}

TEST(FrameLoop, EveryFrameGoesThroughOnceWhateverTheNumberOfWriters) {
  for (const int num_writers : {1, 2, 7}) {
    Log log;
    FakeSource source(100);
    std::vector<std::string> names;
    for (int i = 0; i < 100; ++i) names.push_back(std::string("f").append(std::to_string(i)));
    RunFrames(source, StepsInto(log), {.num_writers = num_writers});
    EXPECT_EQ(log.reports.size(), 100U);
    EXPECT_EQ(log.num_matchers, 1);
    EXPECT_EQ(log.written.size(), 99U);  // all but the one that ran out of memory
    for (const auto& [name, disparity] : log.written)
      EXPECT_EQ(std::string("f").append(std::to_string(int(disparity))), name);
    names.erase(names.begin() + 13);
    EXPECT_EQ(log.observed, names);
    EXPECT_EQ(log.reports.at("f0").width, 5);
    EXPECT_EQ(log.reports.at("f0").density_percent, 100);
    EXPECT_EQ(log.reports.at("f0").times[Stage::kAggregation], 1);
  }
}

TEST(FrameLoop, AFailureIsOneFramesOnly) {
  Log log;
  FakeSource source(20, {0, 7});
  FrameLoopSteps steps = StepsInto(log);
  const auto write = steps.write;
  steps.write = [&](const MatchedFrame& frame, FrameReport& report) {
    if (frame.frame.name == "f9") throw Error("disk full");
    write(frame, report);
  };
  RunFrames(source, steps);
  EXPECT_EQ(log.reports.size(), 20U);
  std::vector<std::string> failed;
  for (const auto& [name, report] : log.reports) {
    if (report.outcome == FrameOutcome::kFailed) failed.push_back(name);
  }
  EXPECT_THAT(failed, ElementsAre("f0", "f13", "f7", "f9"));
  EXPECT_EQ(log.reports.at("f7").error, "f7.png: truncated");
  EXPECT_EQ(log.reports.at("f9").error, "disk full");
  EXPECT_EQ(log.written.size(), 16U);
}

TEST(FrameLoop, RawCameraImagesAreNotMatched) {
  Log log;
  FakeSource source(3);
  source.unrectified_at_ = 1;
  RunFrames(source, StepsInto(log));
  EXPECT_EQ(log.reports.at("f1").outcome, FrameOutcome::kFailed);
  EXPECT_EQ(log.reports.at("f1").error,
            "the images are not rectified, so rows do not correspond: take the other folder");
  EXPECT_EQ(log.written.size(), 2U);
}

TEST(FrameLoop, PassesOverWhatIsDone) {
  Log log;
  FakeSource source(10);
  FrameLoopSteps steps = StepsInto(log);
  // f3 is known to be done by its name, f4 only once it was read.
  steps.is_done = [](const std::string& name, const StereoFrame* frame) {
    return name == "f3" || (name == "f4" && frame != nullptr);
  };
  RunFrames(source, steps);
  EXPECT_EQ(source.num_read(), 9);
  EXPECT_EQ(log.reports.at("f3").outcome, FrameOutcome::kSkipped);
  EXPECT_EQ(log.reports.at("f4").outcome, FrameOutcome::kSkipped);
  EXPECT_EQ(log.written.size(), 8U);
}

TEST(FrameLoop, TakesAtMostMaxFrames) {
  Log log;
  FakeSource source(10);
  RunFrames(source, StepsInto(log), {.max_frames = 4});
  EXPECT_THAT(log.observed, ElementsAre("f0", "f1", "f2", "f3"));
  EXPECT_EQ(source.num_read(), 4);
}

TEST(FrameLoop, MakesAnotherMatcherForAnotherSize) {
  Log log;
  FakeSource source(10);
  source.wider_from_ = 6;
  RunFrames(source, StepsInto(log));
  EXPECT_EQ(log.num_matchers, 2);
  EXPECT_EQ(log.written.size(), 10U);
}

TEST(FrameLoop, MakesAnotherMatcherForOtherParameters) {
  Log log;
  FakeSource source(6);
  FrameLoopSteps steps = StepsInto(log);
  steps.parameters_for = [](const StereoFrame& frame) {
    Parameters parameters;
    if (frame.name == "f2") parameters.matching_cost.num_disparities = 16;
    return parameters;
  };
  RunFrames(source, steps);
  EXPECT_EQ(log.num_matchers, 2) << "the first is kept";
  EXPECT_EQ(log.reports.at("f2").num_disparities, 16);
  EXPECT_EQ(log.reports.at("f3").num_disparities, 128);
}

// Matchers made for 20 frames whose parameters take turns.
int NumMatchersOfTurns(int num_kinds) {
  Log log;
  FakeSource source(20);
  FrameLoopSteps steps = StepsInto(log);
  steps.parameters_for = [num_kinds](const StereoFrame& frame) {
    Parameters parameters;
    parameters.matching_cost.num_disparities = 16 + std::stoi(frame.name.substr(1)) % num_kinds;
    return parameters;
  };
  RunFrames(source, steps);
  return log.num_matchers;
}

TEST(FrameLoop, KeepsTheLastFourMatchers) {
  EXPECT_EQ(NumMatchersOfTurns(1), 1);
  EXPECT_EQ(NumMatchersOfTurns(4), 4);
  EXPECT_EQ(NumMatchersOfTurns(5), 20) << "the one that is needed next is the one that was given up";
}

TEST(FrameLoop, FramesInFlightComeOutInOrder) {
  for (const std::size_t capacity : {1U, 2U, 5U}) {
    Log log;
    FakeSource source(60);
    source.wider_from_ = 31;  // another queue: what is in flight in the first comes out before
    FrameLoopSteps steps = StepsInto(log);
    std::size_t most_in_flight = 0;
    steps.make_queue = [&](const Parameters&, const MatcherOptions& options) {
      ++log.num_matchers;
      return std::make_unique<FakeQueue>(options, capacity, most_in_flight);
    };
    const auto parameters_for = steps.parameters_for;
    steps.parameters_for = [&](const StereoFrame& frame) {
      // So slow that the reader is ahead and the next frame is always there.
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return parameters_for(frame);
    };
    RunFrames(source, steps);
    EXPECT_EQ(log.reports.size(), 60U);
    EXPECT_EQ(log.num_matchers, 2);
    std::vector<std::string> names;
    for (int i = 0; i < 60; ++i) {
      if (i != 13 && i != 17) names.push_back(std::string("f").append(std::to_string(i)));
    }
    EXPECT_EQ(log.observed, names);
    EXPECT_EQ(log.reports.at("f13").outcome, FrameOutcome::kFailed);
    EXPECT_EQ(log.reports.at("f17").error, "device lost");
    for (const auto& [name, disparity] : log.written)
      EXPECT_EQ(std::string("f").append(std::to_string(int(disparity))), name);
    EXPECT_EQ(most_in_flight, capacity);
  }
}

TEST(FrameLoop, AFrameInFlightDoesNotWaitForOneThatHasNotCome) {
  Log log;
  FakeSource source(3);
  std::atomic<int> num_observed = 0;
  FrameLoopSteps steps = StepsInto(log);
  std::size_t most_in_flight = 0;
  steps.make_queue = [&](const Parameters&, const MatcherOptions& options) {
    return std::make_unique<FakeQueue>(options, 4, most_in_flight);
  };
  steps.observe = [&](const auto&) { ++num_observed; };
  // A camera: the next frame comes when the one before has been seen. Nobody must wait for the other.
  steps.is_done = [&](const std::string& name, const StereoFrame* frame) {
    const int index = std::stoi(name.substr(1));
    for (int i = 0; frame == nullptr && num_observed < index && i < 2000; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_GE(num_observed, index) << "the frame before was held back";
    return false;
  };
  RunFrames(source, steps);
  EXPECT_EQ(num_observed, 3);
}

TEST(FrameLoop, StopsCleanly) {
  Log log;
  FakeSource source(1000);
  std::atomic<bool> stop = false;
  FrameLoopSteps steps = StepsInto(log);
  steps.observe = [&](const auto& frame) {
    if (frame->frame.name == "f5") stop = true;
  };
  RunFrames(source, steps, {.stop = &stop});
  EXPECT_GE(log.written.size(), 6U);  // f5 itself was on its way and ended
  EXPECT_LT(log.written.size(), 30U);
  EXPECT_EQ(log.reports.size(), static_cast<std::size_t>(source.num_read()));
}

TEST(FrameLoop, ALostSourceEndsTheLoopAfterTheFramesOnTheirWay) {
  Log log;
  FakeSource source(10);
  source.fail_at_ = 4;
  EXPECT_THROW(RunFrames(source, StepsInto(log)), Error);
  EXPECT_EQ(log.written.size(), 4U);
  EXPECT_EQ(log.reports.size(), 4U);
  for (const auto& [name, report] : log.reports) EXPECT_EQ(report.outcome, FrameOutcome::kDone) << name;
}

TEST(FrameLoop, NoFramesIsNoWork) {
  Log log;
  FakeSource source(0);
  RunFrames(source, StepsInto(log));
  EXPECT_THAT(log.reports, IsEmpty());
}

TEST(FrameLoop, ASlowWriterHoldsBackTheReaderNotTheMemory) {
  Log log;
  FakeSource source(200);
  FrameLoopSteps steps = StepsInto(log);
  int num_read_at_first_write = 0;
  std::atomic<bool> first = true;
  steps.write = [&](const MatchedFrame&, FrameReport&) {
    if (!first.exchange(false)) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    num_read_at_first_write = source.num_read();
  };
  RunFrames(source, steps, {.num_writers = 1});
  EXPECT_LT(num_read_at_first_write, 20);
}

}  // namespace
}  // namespace parallax::app
