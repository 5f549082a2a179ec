// Frames dealt to several devices: queues that take times of their own and fail when they like.
#include "pipeline/matchers/device_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <random>
#include <set>
#include <thread>

#include "parallax/error.h"
#include "pipeline/frames/wakeup.h"

namespace parallax {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

// How a device behaves. Frames are recognised by their gray value.
struct Behaviour {
  int capacity = 2;
  int most_us = 0;                   // longest time of a frame
  int fails_making = 0;              // of the first so many queues
  int most_in_flight = 3;            // of a queue, else making it fails
  int fails_after = -1;              // frames; from then on every call of its queues does; < 0: never
  bool takes_what_is_begun = false;  // of a device that fails: frames that it has already come out
};

struct Counts {
  std::atomic<int> num_queues = 0, num_submitted = 0, num_taken = 0;
  std::atomic<const std::uint8_t*> last_pixels = nullptr;  // of an image that somebody holds
};

class FakePoolQueue final : public MatcherQueue {
 public:
  FakePoolQueue(const Behaviour& behaviour, Counts& counts, unsigned seed)
      : behaviour_(behaviour), counts_(counts), random_(seed) {}

  void Submit(const CameraImageView& left, const CameraImageView& right) override {
    const int gray = std::get<HostImageView<const std::uint8_t>>(left)(0, 0);
    EXPECT_EQ(std::get<HostImageView<const std::uint8_t>>(right)(0, 0), gray);
    if (gray == 255) throw InvalidArgument("white");
    if (gray == 254) throw std::bad_alloc();
    if (HasFailed()) throw Error("lost when it was handed a frame");
    const std::scoped_lock lock(mutex_);
    EXPECT_LT(flying_.size(), capacity()) << "a frame waits at a device that is not free";
    flying_.push_back(gray);
    ++counts_.num_submitted;
  }
  void SubmitWith(const CameraImageView& left, const CameraImageView& right, const ExtraWork& work) override {
    Submit(left, right);
    if (work.pixels) counts_.last_pixels = std::get<HostImageView<const std::uint8_t>>(left).data;
  }
  // As wide as the frame is bright.
  ExtraResults TakeExtraResults() override {
    ExtraResults extra;
    extra.reprojected.emplace().depth_m = {nullptr, static_cast<int>(map_.disparity(0, 0)), 1};
    return extra;
  }
  DisparityMapView Collect() override {
    int gray = 0;
    {
      const std::scoped_lock lock(mutex_);
      if (flying_.empty()) throw Error("nothing in flight");
      gray = flying_.front();
      flying_.pop_front();
      if (behaviour_.most_us > 0)
        std::this_thread::sleep_for(std::chrono::microseconds(random_() % behaviour_.most_us));
    }
    if (HasFailed() && !behaviour_.takes_what_is_begun) throw Error("lost on the way");
    ++counts_.num_taken;
    map_.disparity = HostImage<float>(1, 1, static_cast<float>(gray));
    map_.validity = HostImage<std::uint8_t>(1, 1, kValid);
    map_.confidence = HostImage<std::uint8_t>(1, 1, std::uint8_t{0});
    return ViewOf(map_);
  }
  StageTimes times() const override {
    StageTimes times;
    times[Stage::kFilter] = map_.disparity(0, 0);
    return times;
  }
  std::size_t in_flight() const override { return flying_.size(); }
  std::size_t capacity() const override { return static_cast<std::size_t>(behaviour_.capacity); }
  std::size_t memory_bytes() const override { return 7; }

 private:
  bool HasFailed() const {
    return behaviour_.fails_after >= 0 && counts_.num_submitted >= behaviour_.fails_after;
  }
  const Behaviour behaviour_;
  Counts& counts_;
  std::mt19937 random_;
  std::mutex mutex_;
  std::deque<int> flying_;
  DisparityMap map_;
};

// A pool of such devices, and what it said.
class DevicePoolTest : public ::testing::Test {
 protected:
  DevicePool& Pool(const std::vector<Behaviour>& devices, unsigned seed = 1) {
    std::vector<PooledDevice> pooled;
    counts_ = std::vector<Counts>(devices.size());
    for (std::size_t i = 0; i < devices.size(); ++i) {
      pooled.push_back(
          {"device " + std::to_string(i),
           [this, i, seed, device = devices[i]](const Parameters&, const MatcherOptions& options,
                                                int num_in_flight) -> std::unique_ptr<MatcherQueue> {
             if (options.width > 100) throw InvalidArgument("too wide");
             if (++counts_[i].num_queues <= device.fails_making || num_in_flight > device.most_in_flight)
               throw Error("needs more memory than device " + std::to_string(i) + " has");
             EXPECT_EQ(num_in_flight, device.most_in_flight);
             return std::make_unique<FakePoolQueue>(device, counts_[i], seed + static_cast<unsigned>(i));
           }});
    }
    pool_.emplace(std::move(pooled), [this](const std::string& line) {
      const std::scoped_lock lock(mutex_);
      said_.push_back(line);
    });
    return *pool_;
  }
  std::unique_ptr<MatcherQueue> Queue() { return pool_->MakeQueue({}, {.width = 4, .height = 4}, 3); }

  static void Submit(MatcherQueue& queue, int gray) {
    const HostImage<std::uint8_t> image(1, 1, static_cast<std::uint8_t>(gray));
    queue.Submit(image.ConstView(), image.ConstView());
  }
  // Hands in so many frames from one thread, as the frame pipeline does; the grays that come out, -1 for an error.
  static std::vector<int> Through(MatcherQueue& queue, int num_frames) {
    std::vector<int> grays;
    const auto collect = [&] {
      try {
        grays.push_back(static_cast<int>(queue.Take().disparity(0, 0)));
        EXPECT_EQ(queue.times()[Stage::kFilter], grays.back());
        EXPECT_EQ(queue.TakeExtraResults().reprojected->depth_m.width, grays.back());
        EXPECT_FALSE(queue.TakeExtraResults().reprojected.has_value());
      } catch (const Error&) {
        grays.push_back(-1);
      }
    };
    for (int i = 0; i < num_frames; ++i) {
      Submit(queue, i % 200);
      if (queue.in_flight() == queue.capacity()) collect();
    }
    while (queue.in_flight() > 0) collect();
    return grays;
  }
  static std::vector<int> InOrder(int num_frames) {
    std::vector<int> grays;
    for (int i = 0; i < num_frames; ++i) grays.push_back(i % 200);
    return grays;
  }

  std::vector<Counts> counts_;
  std::mutex mutex_;
  std::vector<std::string> said_;
  std::optional<DevicePool> pool_;
};

TEST_F(DevicePoolTest, FramesComeOutInOrderWhateverTheDevicesTake) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    std::vector<Behaviour> devices(1 + random() % 5);
    for (Behaviour& device : devices) {
      device.capacity = 1 + static_cast<int>(random() % 4);
      device.most_us = static_cast<int>(random() % 200);
    }
    Pool(devices, seed);
    EXPECT_EQ(Through(*Queue(), 150), InOrder(150));
    int num_taken = 0;
    for (const Counts& device : counts_) num_taken += device.num_taken;
    EXPECT_EQ(num_taken, 150);
  }
  EXPECT_THAT(said_, IsEmpty());
}

TEST_F(DevicePoolTest, ADeviceThatIsFreeDoesNotWaitForASlowOne) {
  Pool({{.most_us = 10}, {.most_us = 5000}});
  EXPECT_EQ(Through(*Queue(), 200), InOrder(200));
  EXPECT_GT(counts_[0].num_taken, counts_[1].num_taken);
}

TEST_F(DevicePoolTest, ADeviceThatIsLostIsLeftOutAndNoFrameIs) {
  std::size_t num_left_out = 0;
  for (unsigned seed = 1; seed <= 25; ++seed) {
    std::mt19937 random(seed);
    std::vector<Behaviour> devices(2 + random() % 4);
    const std::size_t survivor = random() % devices.size();
    std::size_t num_lost = 0;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      devices[i].capacity = 1 + static_cast<int>(random() % 3);
      devices[i].most_us = static_cast<int>(random() % 100);
      devices[i].takes_what_is_begun = random() % 2 == 0;
      if (i == survivor || random() % 3 == 0) continue;
      devices[i].fails_after = static_cast<int>(random() % 10);
      ++num_lost;
    }
    said_.clear();
    Pool(devices, seed);
    EXPECT_EQ(Through(*Queue(), 200), InOrder(200)) << "seed " << seed;
    EXPECT_LE(said_.size(), num_lost) << "seed " << seed;  // one that gets few frames does not fail
    EXPECT_EQ(pool_->num_left(), devices.size() - said_.size());
    std::vector<int> num_queues;
    for (const Counts& device : counts_) num_queues.push_back(device.num_queues);
    // A queue that is made later does without them, too.
    const std::size_t num_left = pool_->num_left();
    EXPECT_EQ(Through(*Queue(), 50), InOrder(50));
    std::size_t num_new = 0;
    for (std::size_t i = 0; i < devices.size(); ++i) num_new += counts_[i].num_queues > num_queues[i] ? 1 : 0;
    EXPECT_EQ(num_new, num_left);
    num_left_out += said_.size();
  }
  EXPECT_GT(num_left_out, 5U);
}

TEST_F(DevicePoolTest, TheLastDeviceStaysAndItsErrorsAreTheFrames) {
  Pool({{.fails_after = 0}, {.fails_after = 20}});
  const std::vector<int> grays = Through(*Queue(), 40);
  ASSERT_EQ(grays.size(), 40U);
  EXPECT_THAT(said_, SizeIs(1));
  EXPECT_EQ(pool_->num_left(), 1U);
  int num_done = 0;
  for (int i = 0; i < 40; ++i) {
    EXPECT_TRUE(grays[static_cast<std::size_t>(i)] == i || grays[static_cast<std::size_t>(i)] == -1);
    num_done += grays[static_cast<std::size_t>(i)] == i ? 1 : 0;
  }
  EXPECT_LE(num_done, 20);
  EXPECT_GE(num_done, 10);
}

TEST_F(DevicePoolTest, ADeviceWithoutTheMemoryIsLeftOutWithOneLine) {
  Pool({{.fails_making = 100}, {}, {}});
  const auto queue = Queue();
  EXPECT_THAT(said_, ElementsAre(AllOf(StartsWith("device 0 is left out; the others take its frames: "),
                                       HasSubstr("more memory than device 0 has"))));
  EXPECT_EQ(queue->memory_bytes(), 14U);
  EXPECT_EQ(queue->capacity(), 2U * (2 + 16));
  EXPECT_EQ(Through(*queue, 30), InOrder(30));
  Queue();
  EXPECT_THAT(said_, SizeIs(1));
  EXPECT_EQ(counts_[0].num_queues, 2) << "for three frames, then for one";
}

TEST_F(DevicePoolTest, ADeviceThatIsLostGivesItsMemoryBack) {
  Pool({{.fails_after = 0}, {}});
  const auto queue = Queue();
  EXPECT_EQ(queue->memory_bytes(), 14U);
  while (pool_->num_left() == 2) EXPECT_EQ(Through(*queue, 10), InOrder(10));  // until it got a frame
  while (queue->memory_bytes() == 14) std::this_thread::yield();               // its thread does it
  EXPECT_EQ(queue->memory_bytes(), 7U);
}

TEST_F(DevicePoolTest, FewLargeFramesWait) {
  Pool({{.capacity = 3}});
  EXPECT_EQ(pool_->MakeQueue({}, {.width = 100, .height = 100'000}, 3)->capacity(), 3U + 3);
  Pool({{.capacity = 1}});
  EXPECT_EQ(Queue()->capacity(), 1U + 1) << "a camera's newest frame does not wait behind others";
}

TEST_F(DevicePoolTest, ADeviceWithTheMemoryForOneFrameHasOne) {
  Pool({{.most_in_flight = 1}, {}});
  const auto queue = Queue();
  EXPECT_THAT(said_, IsEmpty());
  EXPECT_EQ(counts_[0].num_queues, 2);
  EXPECT_EQ(counts_[1].num_queues, 1);
  EXPECT_EQ(Through(*queue, 20), InOrder(20));
}

TEST_F(DevicePoolTest, WhereNoDeviceHasTheMemoryAllStay) {
  Pool({{.fails_making = 2}, {.fails_making = 2}});
  try {
    Queue();
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("needs more memory than device 0 has"));
  }
  EXPECT_THROW(pool_->MakeQueue({}, {.width = 101, .height = 4}, 3), InvalidArgument);
  EXPECT_THAT(said_, IsEmpty());
  EXPECT_EQ(pool_->num_left(), 2U);
  EXPECT_EQ(Through(*Queue(), 20), InOrder(20));
}

TEST_F(DevicePoolTest, AFrameThatCannotBeMatchedCostsNoDevice) {
  Pool({{}, {}});
  const auto queue = Queue();
  for (const int gray : {1, 255, 3, 254, 5}) Submit(*queue, gray);
  EXPECT_EQ(queue->in_flight(), 5U);
  EXPECT_EQ(queue->Collect().disparity(0, 0), 1);
  EXPECT_THROW(queue->Take(), InvalidArgument);
  EXPECT_EQ(queue->Take().disparity(0, 0), 3);
  EXPECT_THROW(queue->Take(), std::bad_alloc);
  EXPECT_EQ(queue->Take().disparity(0, 0), 5);
  EXPECT_EQ(pool_->num_left(), 2U);
  EXPECT_THROW(queue->Collect(), Error);
  const HostImage<std::uint8_t> wide(5, 1, std::uint8_t{1});
  EXPECT_THROW(queue->Submit(wide.ConstView(), wide.ConstView()), InvalidArgument);
  EXPECT_EQ(queue->in_flight(), 0U);
}

TEST_F(DevicePoolTest, PixelsThatSomebodyHoldsAreNotCopied) {
  Pool({{}});
  const auto queue = Queue();
  EXPECT_FALSE(queue->rectifies());
  const auto image = std::make_shared<const HostImage<std::uint8_t>>(1, 1, std::uint8_t{9});
  ExtraWork work;
  work.pixels = image;
  queue->SubmitWith(image->ConstView(), image->ConstView(), work);
  EXPECT_EQ(queue->Take().disparity(0, 0), 9);
  EXPECT_EQ(counts_[0].last_pixels, image->ConstView().data);
}

TEST_F(DevicePoolTest, OneThreadSubmitsAndAnotherCollects) {
  Pool({{.most_us = 50}, {.most_us = 20, .fails_after = 30}, {.most_us = 80}});
  const auto queue = Queue();
  std::jthread submitter([&] {
    for (int i = 0; i < 500; ++i) Submit(*queue, i % 200);
  });
  std::vector<int> grays;
  while (grays.size() < 500) {
    while (queue->in_flight() == 0) std::this_thread::yield();
    grays.push_back(static_cast<int>(queue->Take().disparity(0, 0)));
  }
  EXPECT_EQ(grays, InOrder(500));
}

TEST_F(DevicePoolTest, TellsWhenTheOldestFrameIsDone) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    Pool({{.most_us = 200}, {.most_us = 300, .fails_after = 20}, {.most_us = 100}}, seed);
    const auto queue = Queue();
    EXPECT_TRUE(queue->oldest_is_done()) << "there is none to wait for";
    Wakeup wakeup;
    queue->SetDoneCallback([&] { wakeup.Notify(); });
    std::vector<int> grays;
    for (int next = 0; grays.size() < 150;) {
      if (next < 150 && queue->in_flight() < queue->capacity()) {
        Submit(*queue, next++);
      } else if (queue->oldest_is_done()) {
        grays.push_back(static_cast<int>(queue->Take().disparity(0, 0)));
      } else {
        wakeup.WaitFor(std::chrono::hours(1));  // the test hangs where it is not told
      }
    }
    EXPECT_EQ(grays, InOrder(150));
  }
}

TEST_F(DevicePoolTest, MayBeLeftWithFramesInFlight) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Pool({{.most_us = 100}, {.most_us = 100, .fails_after = static_cast<int>(seed)}}, seed);
    const auto queue = Queue();
    for (int i = 0; i < static_cast<int>(seed % 8); ++i) Submit(*queue, i);
    if (seed % 8 > 2) queue->Take();
  }
}

TEST(DevicePool, NeedsADevice) { EXPECT_THROW(DevicePool({}, {}), InvalidArgument); }

}  // namespace
}  // namespace parallax
