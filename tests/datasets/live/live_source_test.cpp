#include "datasets/live/live_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/datasets/test_files.h"
#include "tests/support/fake_camera.h"

namespace parallax {
namespace {

using namespace std::chrono_literals;
using test::ErrorOf;
using test::FakeCamera;
using test::FeedOf;
using test::PictureAt;
using testing::HasSubstr;

constexpr LiveTimings kQuick{
    .first_delay = 10ms, .longest_delay = 40ms, .longest_silence = 100ms, .longest_without_pair = 60ms};

std::shared_ptr<FakeCamera::State> Camera(FakeCamera::Script next) {
  auto state = std::make_shared<FakeCamera::State>();
  state->next = std::move(next);
  return state;
}

// What a source tells.
class Told {
 public:
  LiveOptions Options(LiveOptions options = {}) {
    options.monitor = monitor_;
    monitor_->ReportTo([this](const std::string& line) {
      const std::scoped_lock lock(mutex_);
      lines_.push_back(line);
    });
    return options;
  }
  ~Told() { monitor_->ReportTo({}); }
  LiveCounts counts() const { return monitor_->counts(); }
  std::vector<std::string> lines() {
    const std::scoped_lock lock(mutex_);
    return lines_;
  }
  std::string AwaitLine(const std::string& part) {
    while (true) {
      for (const std::string& line : lines()) {
        if (line.find(part) != std::string::npos) return line;
      }
      std::this_thread::sleep_for(1ms);
    }
  }

 private:
  std::shared_ptr<LiveMonitor> monitor_ = std::make_shared<LiveMonitor>();
  std::mutex mutex_;
  std::vector<std::string> lines_;
};

int GrayAt(const CameraImage& image, int x, int y) { return std::get<HostImage<std::uint8_t>>(image)(x, y); }

TEST(LiveSource, GivesTheNewestPictureAndCountsTheOthers) {
  Told told;
  const auto camera = Camera([](std::size_t n) {
    return PictureAt(0.01 * static_cast<double>(n + 1), 0, 8, 4, static_cast<int>(n));
  });
  camera->ends_after = 200;
  std::vector<LiveFeed> feeds;
  feeds.push_back(FeedOf("camera 0", camera));
  const auto source = MakeLiveSource("camera", std::move(feeds), told.Options(), kQuick);
  EXPECT_TRUE(source->is_live());
  while (camera->num_open > 0) std::this_thread::sleep_for(1ms);
  ASSERT_EQ(source->NextName(), "camera_000000");
  ASSERT_EQ(source->NextName(), "camera_000000");  // asking does not move on
  const StereoFrame frame = source->Read();
  EXPECT_EQ(WidthOf(ViewOf(frame.left)), 4);
  EXPECT_EQ(GrayAt(frame.left, 0, 0), 199);
  EXPECT_EQ(source->NextName(), std::nullopt);
  EXPECT_EQ(told.counts().num_pairs, 200U);
  EXPECT_EQ(told.counts().num_replaced, 199U);
}

TEST(LiveSource, PairsThatWouldComeAfterTheDeadlineAreLeftOut) {
  Told told;
  // Old pictures and new ones in turn.
  const auto camera = Camera([](std::size_t n) {
    std::this_thread::sleep_for(2ms);
    return PictureAt(MonotonicNow_s() - (n % 2 == 0 ? 0.5 : 0), 0, 8, 4, static_cast<int>(n % 2));
  });
  std::vector<LiveFeed> feeds;
  feeds.push_back(FeedOf("camera 0", camera));
  LiveOptions options = told.Options();
  options.deadline_ms = 200;
  const auto source = MakeLiveSource("camera", std::move(feeds), options, kQuick);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(GrayAt(source->Read().left, 0, 0), 1);
  // Results take longer than the deadline: some pairs are left out, then one is tried.
  const std::size_t num_late = told.counts().num_late;
  options.monitor->NoteWork(300);
  EXPECT_EQ(GrayAt(source->Read().left, 0, 0), 1);
  EXPECT_GE(told.counts().num_late, num_late + 3);
}

TEST(LiveSource, LayoutsAndTimes) {
  const auto open = [](PictureLayout layout) {
    const auto camera = Camera([](std::size_t) {
      LivePicture picture = PictureAt(MonotonicNow_s(), 0, 8, 4);
      auto& image = std::get<HostImage<std::uint8_t>>(picture.image);
      for (int y = 0; y < 4; ++y) {
        for (int x = 0; x < 8; ++x) image(x, y) = static_cast<std::uint8_t>(10 * y + x);
      }
      return picture;
    });
    camera->ends_after = 1;
    std::vector<LiveFeed> feeds;
    feeds.push_back(FeedOf("camera 0", camera));
    return MakeLiveSource("camera", std::move(feeds), {.layout = layout}, kQuick)->Read();
  };
  const StereoFrame beside = open(PictureLayout::kSideBySide), above = open(PictureLayout::kTopBottom);
  EXPECT_EQ(GrayAt(beside.left, 3, 3), 33);
  EXPECT_EQ(GrayAt(beside.right, 0, 3), 34);
  EXPECT_EQ(GrayAt(above.left, 7, 1), 17);
  EXPECT_EQ(GrayAt(above.right, 0, 0), 20);
  EXPECT_EQ(GrayAt(open(PictureLayout::kRightLeft).left, 0, 3), 34);
  EXPECT_EQ(GrayAt(open(PictureLayout::kBottomTop).right, 7, 1), 17);
  const double now_s =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  EXPECT_NEAR(beside.timestamp_s.value(), now_s, 60);
}

TEST(LiveSource, TwoCamerasArePairedByTheirTimes) {
  Told told;
  // The right one gives every third picture only.
  const auto left = Camera(
      [](std::size_t n) { return PictureAt(0.1 * static_cast<double>(n), 0, 8, 4, static_cast<int>(n)); });
  const auto right = Camera([](std::size_t n) {
    return PictureAt(0.3 * static_cast<double>(n) + 0.02, 0, 8, 4, static_cast<int>(3 * n));
  });
  left->ends_after = 30;
  right->ends_after = 10;
  std::vector<LiveFeed> feeds;
  feeds.push_back(FeedOf("camera 0", left));
  feeds.push_back(FeedOf("camera 1", right));
  const auto source =
      MakeLiveSource("camera", std::move(feeds), told.Options({.pair_tolerance_ms = 50}), kQuick);
  while (source->NextName()) {
    const StereoFrame frame = source->Read();
    EXPECT_EQ(GrayAt(frame.left, 0, 0), GrayAt(frame.right, 0, 0));
  }
}

TEST(LiveSource, OnlyPairsThatAreTakenAreDecodedAndDamagedOnesAreCounted) {
  Told told;
  std::atomic<int> num_decoded = 0;
  const auto camera = [&num_decoded](bool is_damaged) {
    const auto made = Camera([&num_decoded, is_damaged](std::size_t n) {
      LivePicture picture = PictureAt(0.1 * static_cast<double>(n));
      picture.decode = [&num_decoded, is_damaged, n] {
        ++num_decoded;
        return is_damaged ? std::nullopt : std::optional(PictureAt(0, 0, 8, 4, static_cast<int>(n)).image);
      };
      return picture;
    });
    made->ends_after = 20;
    return made;
  };
  const auto open = [&](bool is_right_damaged) {
    std::vector<LiveFeed> feeds;
    feeds.push_back(FeedOf("camera 0", camera(false)));
    feeds.push_back(FeedOf("camera 1", camera(is_right_damaged)));
    return MakeLiveSource("camera", std::move(feeds), told.Options({.pair_tolerance_ms = 50}), kQuick);
  };
  const auto source = open(false);
  int num_read = 0;
  for (; source->NextName(); ++num_read) {
    const StereoFrame frame = source->Read();
    EXPECT_EQ(GrayAt(frame.left, 0, 0), GrayAt(frame.right, 0, 0));
  }
  EXPECT_EQ(num_decoded, 2 * num_read);
  EXPECT_EQ(told.counts().num_damaged, 0U);

  EXPECT_EQ(open(true)->NextName(), std::nullopt);
  EXPECT_GE(told.counts().num_damaged, 1U);
}

TEST(LiveSource, ALostCameraIsOpenedAgainWithGrowingDelays) {
  Told told;
  std::mutex mutex;
  std::vector<std::chrono::steady_clock::time_point> opened;
  const auto camera = Camera([](std::size_t n) -> std::optional<LivePicture> {
    if (n == 3) throw Error("camera 0: gives no more pictures (No such device): is it still plugged in?");
    return n > 6 ? std::nullopt
                 : std::optional(PictureAt(static_cast<double>(n), 0, 8, 4, static_cast<int>(n)));
  });
  LiveFeed feed = FeedOf("camera 0", camera);
  feed.open = [&]() -> std::unique_ptr<LiveDevice> {
    const std::scoped_lock lock(mutex);
    opened.push_back(std::chrono::steady_clock::now());
    if (opened.size() < 5) throw Error("camera 0: there is no /dev/video0");
    return std::make_unique<FakeCamera>(camera);
  };
  std::vector<LiveFeed> feeds;
  feeds.push_back(std::move(feed));
  LiveTimings timings = kQuick;
  timings.longest_silence = 1h;
  const auto source = MakeLiveSource("camera", std::move(feeds), told.Options(), timings);
  std::set<int> levels;
  while (!levels.contains(6)) {
    ASSERT_TRUE(source->NextName());
    levels.insert(GrayAt(source->Read().left, 0, 0));
  }
  EXPECT_THAT(told.AwaitLine("plugged"), HasSubstr("opened again until it answers"));
  EXPECT_THAT(told.AwaitLine("again after"), HasSubstr("opened 5 times"));
  EXPECT_EQ(told.counts().num_losses, 1U);
  EXPECT_EQ(told.counts().num_reopened, 1U);
  EXPECT_GT(told.counts().lost_s, 0.1);  // 10 + 20 + 40 + 40 + 40 ms
  ASSERT_EQ(opened.size(), 5U);
  EXPECT_GE(opened[2] - opened[1], 40ms);
}

TEST(LiveSource, ACameraThatFallsSilentIsOpenedAgain) {
  Told told;
  const auto camera = Camera([](std::size_t n) -> std::optional<LivePicture> {
    return n == 1            ? std::nullopt
           : n > 1 && n < 15 ? std::nullopt
                             : std::optional(PictureAt(static_cast<double>(n)));
  });
  std::vector<LiveFeed> feeds;
  feeds.push_back(FeedOf("camera 0", camera));
  LiveTimings timings = kQuick;
  timings.longest_silence = 20ms;
  const auto source = MakeLiveSource("camera", std::move(feeds), told.Options(), timings);
  source->Read();
  EXPECT_THAT(told.AwaitLine("gave no picture for"), HasSubstr("camera 0"));
  told.AwaitLine("gives pictures again");
}

TEST(LiveSource, WithoutAPairItSaysWhatWasSeenAndWhatToTry) {
  Told told;
  const auto paced = [](double offset_s) {
    return Camera([offset_s](std::size_t n) {
      std::this_thread::sleep_for(1ms);
      return PictureAt(0.04 * static_cast<double>(n) + offset_s);
    });
  };
  std::vector<LiveFeed> feeds;
  feeds.push_back(FeedOf("camera 0", paced(0)));
  feeds.push_back(FeedOf("camera 1", paced(1000)));
  auto source = MakeLiveSource("camera", std::move(feeds), told.Options(), kQuick);
  std::thread reader([&] { EXPECT_THROW(source->NextName(), Cancelled); });
  const std::string line = told.AwaitLine("no pair for");
  EXPECT_THAT(line, HasSubstr("left (camera 0) gave "));
  EXPECT_THAT(line, HasSubstr("pictures, one every 40.0 ms"));
  EXPECT_THAT(line, HasSubstr("the right one later, and 20.0 ms are allowed"));
  source->Cancel();  // at once, though it waits
  reader.join();

  Told silent;
  const auto nothing = Camera([](std::size_t) { return std::nullopt; });
  feeds.clear();
  feeds.push_back(FeedOf("camera 0", paced(0)));
  feeds.push_back(FeedOf("camera 1", nothing));
  source = MakeLiveSource("camera", std::move(feeds), silent.Options(), kQuick);
  std::thread other([&] { EXPECT_THROW(source->NextName(), Cancelled); });
  EXPECT_THAT(silent.AwaitLine("no pair for"),
              HasSubstr("right (camera 1) gave 0; is the silent one connected"));
  source->Cancel();
  other.join();
}

TEST(LiveSource, WhatCannotBeHalvedOrPairedEndsIt) {
  const auto error_of = [](int left_width, std::optional<int> right_width) {
    const auto camera_of = [](int width) {
      auto camera = Camera([width](std::size_t n) { return PictureAt(static_cast<double>(n), 0, width, 5); });
      camera->ends_after = 1;  // two that run freely may never be at the same picture
      return camera;
    };
    std::vector<LiveFeed> feeds;
    feeds.push_back(FeedOf("camera 0", camera_of(left_width)));
    if (right_width) feeds.push_back(FeedOf("camera 1", camera_of(*right_width)));
    const auto source = MakeLiveSource("camera", std::move(feeds), {.pair_tolerance_ms = 1}, kQuick);
    return ErrorOf([&] { source->NextName(); });
  };
  EXPECT_THAT(error_of(9, std::nullopt), HasSubstr("camera 0: a picture of 9x5 px, 9 px wide cannot hold"));
  EXPECT_THAT(error_of(9, 8), HasSubstr("camera 0 is 9x5, camera 1 is 8x5"));
}

TEST(LiveSource, ADeviceThatFailsBeforeItsFirstPictureIsAnError) {
  const auto camera =
      Camera([](std::size_t) -> std::optional<LivePicture> { throw Error("camera 0: cannot"); });
  std::vector<LiveFeed> feeds;
  feeds.push_back(FeedOf("camera 0", camera));
  const auto source = MakeLiveSource("camera", std::move(feeds), {}, kQuick);
  EXPECT_EQ(ErrorOf([&] { source->NextName(); }), "camera 0: cannot");
}

}  // namespace
}  // namespace parallax
