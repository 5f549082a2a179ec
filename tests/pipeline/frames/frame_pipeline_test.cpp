// The frame pipeline with a source and a matcher of its own: every frame goes through once, in order where
// order is promised, and nothing that happens to one frame ends the others.
#include "pipeline/frames/frame_pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <future>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "parallax/error.h"
#include "tests/support/plain_parameters.h"

namespace parallax {
namespace {

using ::testing::ElementsAre;
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
    const int width = width_of_ ? width_of_(index) : 5;
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
  std::function<int(int index)> width_of_;
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
    EXPECT_LE(WidthOf(left), options_.width);
    EXPECT_LE(HeightOf(left), options_.height);
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
    return ViewOf(held_);
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

FrameSteps StepsInto(Log& log) {
  FrameSteps steps;
  steps.parameters_for = [](const StereoFrame&) { return test::PlainParameters(); };
  steps.make_matcher = [&](const Parameters&, const MatcherOptions& options) {
    ++log.num_matchers;
    return MakeQueueOfOne(std::make_unique<FakeMatcher>(options));
  };
  steps.observe = [&](const auto& frame) { log.observed.push_back(frame->frame.name); };
  steps.write = [&](const MatchedFrame& frame, FrameReport&) {
    const std::scoped_lock lock(log.mutex);
    log.written[frame.frame.name] = frame.map.disparity()(0, 0);
  };
  steps.report = [&](FrameReport report) {
    const std::string name = report.name;
    EXPECT_TRUE(log.reports.emplace(name, std::move(report)).second) << name << " was reported twice";
  };
  return steps;
}

TEST(FramePipeline, EveryFrameGoesThroughOnceWhateverTheNumberOfWriters) {
  for (const int num_writers : {1, 2, 7}) {
    Log log;
    const auto source = std::make_shared<FakeSource>(100);
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
    EXPECT_GT(log.reports.at("f0").match_ms, 0);
  }
}

TEST(FramePipeline, WritersAreToldHowLongReadingTook) {
  Log log;
  FrameSteps steps = StepsInto(log);
  const auto source = std::make_shared<FakeSource>(1);
  source->width_of_ = [](int) {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    return 5;
  };
  double read_ms = 0;
  steps.write = [&](const MatchedFrame& frame, FrameReport&) { read_ms = frame.read_ms; };
  RunFrames(source, steps);
  EXPECT_GE(read_ms, 3);
}

TEST(FramePipeline, CountsPixelsUnlessTheWriterHas) {
  Log log;
  FrameSteps steps = StepsInto(log);
  const auto write = steps.write;
  steps.write = [&](const MatchedFrame& frame, FrameReport& report) {
    write(frame, report);
    if (frame.frame.name == "f1") report.num_valid = 3;
  };
  RunFrames(std::make_shared<FakeSource>(2), steps);
  EXPECT_EQ(log.reports.at("f0").num_valid, 15U);
  EXPECT_EQ(log.reports.at("f0").density_percent, 100);
  EXPECT_EQ(log.reports.at("f1").density_percent, 20);
}

TEST(FramePipeline, AFailureIsOneFramesOnly) {
  Log log;
  const auto source = std::make_shared<FakeSource>(20, std::set<int>{0, 7});
  FrameSteps steps = StepsInto(log);
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

TEST(FramePipeline, RawCameraImagesAreNotMatched) {
  Log log;
  const auto source = std::make_shared<FakeSource>(3);
  source->unrectified_at_ = 1;
  RunFrames(source, StepsInto(log));
  EXPECT_EQ(log.reports.at("f1").outcome, FrameOutcome::kFailed);
  EXPECT_EQ(log.reports.at("f1").error,
            "the images are not rectified, so rows do not match: take the other folder");
  EXPECT_EQ(log.written.size(), 2U);
}

TEST(FramePipeline, PassesOverWhatIsDone) {
  Log log;
  const auto source = std::make_shared<FakeSource>(10);
  FrameSteps steps = StepsInto(log);
  // f3 is known to be done by its name, f4 only once it was read.
  steps.is_done = [](const std::string& name, const StereoFrame* frame) {
    return name == "f3" || (name == "f4" && frame != nullptr);
  };
  RunFrames(source, steps);
  EXPECT_EQ(source->num_read(), 9);
  EXPECT_EQ(log.reports.at("f3").outcome, FrameOutcome::kSkipped);
  EXPECT_EQ(log.reports.at("f4").outcome, FrameOutcome::kSkipped);
  EXPECT_EQ(log.written.size(), 8U);
}

TEST(FramePipeline, TakesAtMostMaxFrames) {
  Log log;
  const auto source = std::make_shared<FakeSource>(10);
  RunFrames(source, StepsInto(log), {.max_frames = 4});
  EXPECT_THAT(log.observed, ElementsAre("f0", "f1", "f2", "f3"));
  EXPECT_EQ(source->num_read(), 4);
}

TEST(FramePipeline, MakesAnotherMatcherForAnotherSize) {
  Log log;
  const auto source = std::make_shared<FakeSource>(10);
  source->width_of_ = [](int index) { return index < 6 ? 5 : 50; };
  RunFrames(source, StepsInto(log));
  EXPECT_EQ(log.num_matchers, 2);
  EXPECT_EQ(log.written.size(), 10U);
}

TEST(FramePipeline, OneMatcherServesSizesThatAreAlike) {
  Log log;
  const auto source = std::make_shared<FakeSource>(100);
  source->width_of_ = [](int index) { return 100 + index * 7 % 5; };
  std::size_t most_in_flight = 0;
  FrameSteps steps = StepsInto(log);
  steps.make_matcher = [&](const Parameters&, const MatcherOptions& options) {
    ++log.num_matchers;
    return std::make_unique<FakeQueue>(options, 3, most_in_flight);
  };
  RunFrames(source, steps);
  EXPECT_EQ(log.num_matchers, 3) << "for a width of 100, then of 102, then of 104";
  EXPECT_EQ(log.written.size(), 98U);
}

TEST(FramePipeline, AMatcherOfAMuchLargerSizeIsNotUsed) {
  Log log;
  const auto source = std::make_shared<FakeSource>(10);
  source->width_of_ = [](int index) { return index % 2 == 0 ? 1000 : 10; };
  RunFrames(source, StepsInto(log));
  EXPECT_EQ(log.num_matchers, 2);
}

TEST(FramePipeline, MakesAnotherMatcherForOtherParameters) {
  Log log;
  const auto source = std::make_shared<FakeSource>(6);
  FrameSteps steps = StepsInto(log);
  steps.parameters_for = [](const StereoFrame& frame) {
    Parameters parameters = test::PlainParameters();
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
  const auto source = std::make_shared<FakeSource>(20);
  FrameSteps steps = StepsInto(log);
  steps.parameters_for = [num_kinds](const StereoFrame& frame) {
    Parameters parameters = test::PlainParameters();
    parameters.matching_cost.num_disparities = 16 + std::stoi(frame.name.substr(1)) % num_kinds;
    return parameters;
  };
  RunFrames(source, steps);
  return log.num_matchers;
}

TEST(FramePipeline, KeepsTheLastFourMatchers) {
  EXPECT_EQ(NumMatchersOfTurns(1), 1);
  EXPECT_EQ(NumMatchersOfTurns(4), 4);
  EXPECT_EQ(NumMatchersOfTurns(5), 20) << "the one that is needed next is the one that was given up";
}

TEST(FramePipeline, FramesInFlightComeOutInOrder) {
  for (const std::size_t capacity : {1U, 2U, 5U}) {
    Log log;
    const auto source = std::make_shared<FakeSource>(60);
    source->width_of_ = [](int index) {
      return index < 31 ? 5 : 50;
    };  // another queue: what is in flight in the first comes out before
    FrameSteps steps = StepsInto(log);
    std::size_t most_in_flight = 0;
    steps.make_matcher = [&](const Parameters&, const MatcherOptions& options) {
      ++log.num_matchers;
      return std::make_unique<FakeQueue>(options, capacity, most_in_flight);
    };
    const auto parameters_for = steps.parameters_for;
    steps.parameters_for = [&](const StereoFrame& frame) {
      // The reader is ahead: when it reads the next frame but one, the next one is there.
      const int index = std::stoi(frame.name.substr(1));
      while (source->num_read() < std::min(index + 3, 60)) std::this_thread::yield();
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

TEST(FramePipeline, AFrameInFlightDoesNotWaitForOneThatHasNotCome) {
  Log log;
  const auto source = std::make_shared<FakeSource>(3);
  std::atomic<int> num_observed = 0;
  FrameSteps steps = StepsInto(log);
  std::size_t most_in_flight = 0;
  steps.make_matcher = [&](const Parameters&, const MatcherOptions& options) {
    return std::make_unique<FakeQueue>(options, 4, most_in_flight);
  };
  steps.observe = [&](const auto&) {
    ++num_observed;
    num_observed.notify_all();
  };
  // A camera: the next frame comes when the one before has been seen. Where that is held back, this does not
  // end.
  steps.is_done = [&](const std::string& name, const StereoFrame* frame) {
    const int index = std::stoi(name.substr(1));
    if (frame != nullptr) return false;
    for (int seen = num_observed; seen < index; seen = num_observed) num_observed.wait(seen);
    return false;
  };
  RunFrames(source, steps);
  EXPECT_EQ(num_observed, 3);
}

TEST(FramePipeline, StopsCleanly) {
  Log log;
  const auto source = std::make_shared<FakeSource>(1000);
  std::atomic<bool> stop = false;
  FrameSteps steps = StepsInto(log);
  steps.observe = [&](const auto& frame) {
    if (frame->frame.name == "f5") stop = true;
  };
  RunFrames(source, steps, {.stop_requested = [&] { return stop.load(); }});
  EXPECT_GE(log.written.size(), 6U);  // f5 itself was on its way and ended
  EXPECT_LT(log.written.size(), 30U);
  EXPECT_EQ(log.reports.size(), static_cast<std::size_t>(source->num_read()));
}

TEST(FramePipeline, StopsWithoutTheFramesThatAreReadWhereThatIsAsked) {
  Log log;
  const auto source = std::make_shared<FakeSource>(1000);
  bool stop = false;
  FrameSteps steps = StepsInto(log);
  steps.observe = [&](const auto& frame) {
    log.observed.push_back(frame->frame.name);
    stop = frame->frame.name == "f5";
  };
  RunFrames(source, steps, {.stop_requested = [&] { return stop; }, .finish_read_frames = false});
  EXPECT_EQ(log.observed.back(), "f5");
  EXPECT_EQ(log.written.size(), 6U);
}

TEST(FramePipeline, ALostSourceEndsTheLoopAfterTheFramesOnTheirWay) {
  Log log;
  const auto source = std::make_shared<FakeSource>(10);
  source->fail_at_ = 4;
  EXPECT_THROW(RunFrames(source, StepsInto(log)), Error);
  EXPECT_EQ(log.written.size(), 4U);
  EXPECT_EQ(log.reports.size(), 4U);
  for (const auto& [name, report] : log.reports) EXPECT_EQ(report.outcome, FrameOutcome::kDone) << name;
}

TEST(FramePipeline, NoFramesIsNoWork) {
  Log log;
  const auto source = std::make_shared<FakeSource>(0);
  RunFrames(source, StepsInto(log));
  EXPECT_THAT(log.reports, IsEmpty());
}

TEST(FramePipeline, ASlowWriterHoldsBackTheReaderNotTheMemory) {
  Log log;
  const auto source = std::make_shared<FakeSource>(200);
  FrameSteps steps = StepsInto(log);
  int most_ahead = 0;
  steps.write = [&](const MatchedFrame& frame, FrameReport&) {
    // Ends when the reader is far ahead: every queue between them fills.
    const int index = static_cast<int>(frame.index);
    while (source->num_read() < std::min(index + 8, 200)) std::this_thread::yield();
    most_ahead = std::max(most_ahead, source->num_read() - index);
  };
  RunFrames(source, steps, {.num_writers = 1});
  EXPECT_GE(most_ahead, 8);
  EXPECT_LT(most_ahead, 20);
}

TEST(FramePipeline, TheOrderedStepSeesEveryFrameInOrderAndMayChangeIt) {
  Log log;
  const auto source = std::make_shared<FakeSource>(12, std::set<int>{3});
  FrameSteps steps = StepsInto(log);
  std::size_t most_in_flight = 0;
  steps.make_matcher = [&](const Parameters&, const MatcherOptions& options) {
    return std::make_unique<FakeQueue>(options, 4, most_in_flight);
  };
  float sum = 0;  // what one frame leaves for the next
  steps.refine_in_order = [&](MatchedFrame& frame) {
    if (frame.frame.name == "f5") throw Error("no memory of the frame before");
    sum += frame.map.disparity()(0, 0);
    frame.map.Own().disparity(0, 0) = sum;
  };
  RunFrames(source, steps);
  EXPECT_THAT(log.observed, ElementsAre("f0", "f1", "f2", "f4", "f6", "f7", "f8", "f9", "f10", "f11"));
  EXPECT_EQ(log.written.at("f4"), 0 + 1 + 2 + 4);
  EXPECT_EQ(log.written.at("f6"), 0 + 1 + 2 + 4 + 6);
  EXPECT_EQ(log.reports.at("f5").error, "no memory of the frame before");
}

// Two frames, then none that ever comes: Read() waits until it is cancelled or, where it is deaf, released.
class SilentSource : public FrameSource {
 public:
  explicit SilentSource(bool is_deaf) : is_deaf_(is_deaf) {}
  ~SilentSource() override { gone_.set_value(); }
  SourceKind kind() const override { return SourceKind::kCamera; }
  bool is_live() const override { return true; }
  std::optional<std::size_t> num_frames() const override { return std::nullopt; }
  std::optional<std::string> NextName() override { return "f" + std::to_string(next_); }
  void Skip() override { ++next_; }
  StereoFrame Read() override {
    StereoFrame frame;
    frame.name = "f" + std::to_string(next_);
    if (next_ >= 2) {
      std::unique_lock lock(mutex_);
      is_silent_ = true;
      changed_.notify_all();
      changed_.wait(lock, [this] { return is_released_ || (is_cancelled_ && !is_deaf_); });
      if (is_cancelled_ && !is_deaf_) throw Cancelled();
    }
    ++next_;
    frame.left = HostImage<std::uint8_t>(5, 3, 1);
    frame.right = HostImage<std::uint8_t>(5, 3, 1);
    return frame;
  }
  void Cancel() override {
    const std::scoped_lock lock(mutex_);
    is_cancelled_ = true;
    changed_.notify_all();
  }
  void Release() {
    const std::scoped_lock lock(mutex_);
    is_released_ = true;
    changed_.notify_all();
  }
  bool is_silent() {
    const std::scoped_lock lock(mutex_);
    return is_silent_;
  }
  std::future<void> gone() { return gone_.get_future(); }

 private:
  const bool is_deaf_;
  int next_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_silent_ = false, is_cancelled_ = false, is_released_ = false;
  std::promise<void> gone_;
};

TEST(FramePipeline, ASourceThatWaitsIsCancelled) {
  for (const WhichFrames which : {WhichFrames::kEvery, WhichFrames::kNewest}) {
    Log log;
    const auto source = std::make_shared<SilentSource>(false);
    RunFrames(source, StepsInto(log),
              {.which_frames = which, .stop_requested = [&] { return source->is_silent(); }});
    EXPECT_EQ(NumReadersLeftBehind(), 0);
    if (which == WhichFrames::kEvery) {
      EXPECT_THAT(log.observed, ElementsAre("f0", "f1"));
    }
    for (const auto& [name, report] : log.reports) EXPECT_EQ(report.outcome, FrameOutcome::kDone) << name;
  }
}

TEST(FramePipeline, ASourceThatCannotBeCancelledIsLeftBehind) {
  Log log;
  auto source = std::make_shared<SilentSource>(true);
  SilentSource& silent = *source;
  std::future<void> gone = silent.gone();
  {
    const auto kept = std::make_unique<int>(7);  // what the steps refer to goes with them
    FrameSteps steps = StepsInto(log);
    steps.is_done = [&](const std::string&, const StereoFrame*) { return *kept == 0; };
    // Returns though the source never does.
    RunFrames(std::move(source), steps, {.stop_requested = [&] { return silent.is_silent(); }});
  }
  const std::size_t num_reports = log.reports.size();
  EXPECT_EQ(NumReadersLeftBehind(), 1);
  EXPECT_EQ(gone.wait_for(std::chrono::seconds(0)), std::future_status::timeout) << "it is still in use";
  silent.Release();
  gone.wait();  // its thread destroys it
  while (NumReadersLeftBehind() > 0) std::this_thread::yield();
  EXPECT_EQ(log.reports.size(), num_reports) << "no step is called any more";
}

TEST(FramePipeline, AnErrorOfThePipelineLeavesASilentSourceToo) {
  Log log;
  const auto source = std::make_shared<SilentSource>(false);
  FrameSteps steps = StepsInto(log);
  steps.report = [](const FrameReport&) { throw Error("no room for the report"); };
  EXPECT_THROW(RunFrames(source, steps), Error);
}

// A camera that is never behind: frames come as fast as they are read. Each is 256 KB.
class FastCamera : public FrameSource {
 public:
  explicit FastCamera(int num_frames) : num_frames_(num_frames) {}
  SourceKind kind() const override { return SourceKind::kCamera; }
  bool is_live() const override { return true; }
  std::optional<std::size_t> num_frames() const override { return std::nullopt; }
  std::optional<std::string> NextName() override {
    const std::scoped_lock lock(mutex_);
    num_handed_over_ = next_;  // all before are with the frame pipeline
    changed_.notify_all();
    if (next_ == num_frames_) return std::nullopt;
    return "f" + std::to_string(next_);
  }
  void Skip() override { ++next_; }
  StereoFrame Read() override {
    StereoFrame frame;
    frame.name = "f" + std::to_string(next_);
    frame.left = HostImage<std::uint8_t>(512, 256, static_cast<std::uint8_t>(next_ % 10));
    frame.right = HostImage<std::uint8_t>(512, 256, 0);
    ++next_;
    return frame;
  }
  // Waits until so many frames came, or the last one. Returns how many did.
  int AwaitFrames(int number) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return num_handed_over_ >= std::min(number, num_frames_); });
    return num_handed_over_;
  }

 private:
  const int num_frames_;
  int next_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  int num_handed_over_ = 0;
};

long PeakMemory_kb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST(FramePipeline, ASlowTakerOfALiveSourceSeesTheNewestFrameInConstantMemory) {
  constexpr int kNumFrames = 10'000, kWhileWriting = 100;
#ifdef __SANITIZE_ADDRESS__
  constexpr long kMost_kb = (64 + 256) << 10;  // it keeps what was freed last
#else
  constexpr long kMost_kb = 64 << 10;
#endif
  for (const bool in_flight : {false, true}) {
    Log log;
    const auto camera = std::make_shared<FastCamera>(kNumFrames);
    FrameSteps steps = StepsInto(log);
    std::size_t most_in_flight = 0;
    if (in_flight) {
      steps.make_matcher = [&](const Parameters&, const MatcherOptions& options) {
        return std::make_unique<FakeQueue>(options, 2, most_in_flight);
      };
    }
    int num_written = 0, num_come = 0;
    std::set<std::size_t> stale;
    steps.write = [&](const MatchedFrame& frame, FrameReport&) {
      if (static_cast<int>(frame.index) + 1 < num_come) stale.insert(frame.index);
      ++num_written;
      num_come = camera->AwaitFrames(static_cast<int>(frame.index) + kWhileWriting);
    };
    const long before_kb = PeakMemory_kb();
    const PipelineTotals totals = RunFrames(camera, steps, {.num_writers = 1});
    EXPECT_LT(PeakMemory_kb() - before_kb, kMost_kb) << "all of them are 2.6 GB";
    EXPECT_THAT(stale, IsEmpty());
    EXPECT_EQ(num_written + static_cast<int>(totals.num_dropped), kNumFrames) << "drops are counted";
    EXPECT_EQ(log.reports.size(), static_cast<std::size_t>(num_written));
    EXPECT_LE(num_written, kNumFrames / kWhileWriting * 3);
  }
}

TEST(FramePipeline, EveryFrameOfALiveSourceWhereThatIsAskedFor) {
  Log log;
  const auto camera = std::make_shared<FastCamera>(50);
  const PipelineTotals totals = RunFrames(camera, StepsInto(log), {.which_frames = WhichFrames::kEvery});
  EXPECT_EQ(log.reports.size(), 50U);
  EXPECT_EQ(totals.num_dropped, 0U);
}

TEST(FramePipeline, MaxFramesOfALiveSourceAreThoseThatAreTaken) {
  Log log;
  const auto camera = std::make_shared<FastCamera>(1 << 30);  // has no end
  FrameSteps steps = StepsInto(log);
  steps.observe = [&](const std::shared_ptr<const MatchedFrame>& frame) {
    log.observed.push_back(frame->frame.name);
    camera->AwaitFrames(static_cast<int>(frame->index) + 20);
  };
  RunFrames(camera, steps, {.max_frames = 5});
  EXPECT_EQ(log.observed.size(), 5U);
}

}  // namespace
}  // namespace parallax
