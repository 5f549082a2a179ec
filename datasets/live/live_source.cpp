#include "datasets/live/live_source.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "datasets/layouts/frame_list.h"
#include "datasets/layouts/picture_halves.h"
#include "datasets/live/pair_maker.h"
#include "pipeline/frames/source_reader.h"

namespace parallax {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kBetweenQuestions{20};  // whether to stop
constexpr std::chrono::milliseconds kPatience{200};         // with a device that is closed

std::string SecondsText(double seconds) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.*f s", seconds < 10 ? 1 : 0, seconds);
  return text;
}
std::string SecondsText(Clock::duration time) {
  return SecondsText(std::chrono::duration<double>(time).count());
}
std::string MillisecondsText(double seconds) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f ms", seconds * 1000);
  return text;
}

// What the devices' threads share with the source, and may outlive it.
struct Shared {
  Shared(const LiveOptions& options, const LiveTimings& timings_)
      : timings(timings_),
        monitor(options.monitor ? options.monitor : std::make_shared<LiveMonitor>()),
        image_memory(options.image_memory),
        pairs(options.pair_tolerance_ms / 1000) {}

  const LiveTimings timings;
  const std::shared_ptr<LiveMonitor> monitor;
  const std::shared_ptr<HostMemory> image_memory;
  std::atomic<bool> stop = false;
  std::vector<std::string> labels;  // of each side
  bool is_pair = false;             // two streams

  std::mutex mutex;
  std::condition_variable changed;
  PairMaker pairs;
  std::optional<PicturePair> newest;    // the right one is empty if pictures hold both
  std::size_t num_seen = 0;             // where pictures hold both
  std::size_t num_running = 0;          // threads
  std::vector<std::string> waited_for;  // of each side, why its device is waited for; else empty
  std::exception_ptr fatal;

  void Add(LivePicture picture) {
    std::size_t num_replaced = 0;
    std::array<std::size_t, 2> num_unpaired{};
    {
      const std::scoped_lock lock(mutex);
      std::optional<PicturePair> pair;
      if (is_pair) {
        pair = pairs.Add(std::move(picture));
        num_unpaired = pairs.num_unpaired();
      } else {
        ++num_seen;
        pair.emplace();
        pair->left = std::move(picture);
      }
      if (!pair) return CountUnpaired(num_unpaired);
      num_replaced = newest ? 1 : 0;
      newest = std::move(pair);
    }
    changed.notify_all();
    monitor->Count([&](LiveCounts& counts) {
      ++counts.num_pairs;
      counts.num_replaced += num_replaced;
      counts.num_unpaired = num_unpaired;
    });
  }
  void CountUnpaired(const std::array<std::size_t, 2>& num_unpaired) const {
    monitor->Count([&](LiveCounts& counts) { counts.num_unpaired = num_unpaired; });
  }
};

// The thread of a device.
class FeedReader {
 public:
  FeedReader(std::shared_ptr<Shared> shared, LiveFeed feed, int first_side)
      : shared_(std::move(shared)),
        feed_(std::move(feed)),
        first_side_(first_side),
        delay_(shared_->timings.first_delay) {}

  void Run() {
    const UseHostMemory use(shared_->image_memory);
    while (!shared_->stop) {
      try {
        if (!feed_.device) feed_.device = feed_.open();
        if (!ReadPictures()) break;
      } catch (const std::exception& error) {
        feed_.device.reset();
        if (shared_->stop) break;
        if (!has_given_) {
          const std::scoped_lock lock(shared_->mutex);
          shared_->fatal = std::current_exception();
          break;
        }
        WaitAfter(error.what());
      }
    }
    feed_.device.reset();
    {
      const std::scoped_lock lock(shared_->mutex);
      --shared_->num_running;
    }
    shared_->changed.notify_all();
  }

 private:
  // False at the device's own end, and when the source stops.
  bool ReadPictures() {
    Clock::time_point last = Clock::now();
    std::size_t num_damaged = 0, num_overrun = 0;
    while (!shared_->stop) {
      std::optional<LivePicture> picture = feed_.device->Next(kBetweenQuestions);
      const auto now = Clock::now();
      shared_->monitor->Count([&](LiveCounts& counts) {
        counts.num_damaged +=
            feed_.device->num_damaged() - std::exchange(num_damaged, feed_.device->num_damaged());
        counts.num_replaced +=
            feed_.device->num_overrun() - std::exchange(num_overrun, feed_.device->num_overrun());
      });
      if (picture) {
        last = now;
        if (!has_given_ && !feed_.device->has_capture_times())
          shared_->monitor->Tell(feed_.label + " gives no capture times; arrival times are used");
        has_given_ = true;
        ReportAdvice();
        if (lost_at_) ReportReturn(now);
        picture->side += first_side_;
        shared_->Add(std::move(*picture));
      } else if (feed_.device->HasEnded()) {
        return false;
      } else if (has_given_ && now - last > shared_->timings.longest_silence) {
        throw Error(feed_.label + ": gave no picture for " + SecondsText(now - last));
      }
    }
    return false;
  }

  void ReportAdvice() {
    const std::string advice = feed_.device->advice();
    if (!advice.empty() && advice != advised_) shared_->monitor->Tell(feed_.label + advice);
    if (!advice.empty()) advised_ = advice;
  }

  void ReportReturn(Clock::time_point now) {
    const double lost_s = std::chrono::duration<double>(now - *lost_at_).count();
    lost_at_.reset();
    delay_ = shared_->timings.first_delay;
    {
      const std::scoped_lock lock(shared_->mutex);
      for (int i = 0; i < feed_.num_streams; ++i) shared_->waited_for[Side(i)].clear();
    }
    shared_->monitor->Count([&](LiveCounts& counts) {
      ++counts.num_reopened;
      counts.lost_s += lost_s;
    });
    shared_->monitor->Tell(feed_.label + ": gives pictures again after " + SecondsText(lost_s) + ", opened " +
                           std::to_string(num_tries_) + (num_tries_ == 1 ? " time" : " times"));
  }

  void WaitAfter(const std::string& why) {
    {
      const std::scoped_lock lock(shared_->mutex);
      for (int i = 0; i < feed_.num_streams; ++i) {
        if (shared_->is_pair) shared_->pairs.Forget(first_side_ + i);
        shared_->waited_for[Side(i)] = why;
      }
    }
    if (!lost_at_) {
      lost_at_ = Clock::now();
      num_tries_ = 0;
      shared_->monitor->Count([](LiveCounts& counts) { ++counts.num_losses; });
      shared_->monitor->Tell(why + "; it is opened again until it answers");
    }
    ++num_tries_;
    std::unique_lock lock(shared_->mutex);
    shared_->changed.wait_for(lock, delay_, [this] { return shared_->stop.load(); });
    delay_ = std::min(2 * delay_, shared_->timings.longest_delay);
  }

  std::size_t Side(int stream) const { return static_cast<std::size_t>(first_side_ + stream); }

  const std::shared_ptr<Shared> shared_;
  LiveFeed feed_;
  const int first_side_;
  bool has_given_ = false;
  std::string advised_;  // the last advice that was reported
  std::optional<Clock::time_point> lost_at_;
  std::chrono::milliseconds delay_;
  int num_tries_ = 0;
};

class LiveSource final : public FrameSource {
 public:
  LiveSource(std::string stem, std::vector<LiveFeed> feeds, const LiveOptions& options,
             const LiveTimings& timings)
      : stem_(std::move(stem)),
        layout_(options.layout.value_or(PictureLayout::kSideBySide)),
        deadline_ms_(options.deadline_ms),
        shared_(std::make_shared<Shared>(options, timings)) {
    for (const LiveFeed& feed : feeds) {
      for (int i = 0; i < feed.num_streams; ++i)
        shared_->labels.push_back(feed.num_streams == 1 ? feed.label
                                                        : feed.label + (i == 0 ? ", left" : ", right"));
    }
    shared_->is_pair = shared_->labels.size() == 2;
    shared_->waited_for.resize(shared_->labels.size());
    shared_->num_running = feeds.size();
    int side = 0;
    for (LiveFeed& feed : feeds) {
      const int num_streams = feed.num_streams;
      if (feed.describe) describe_ = feed.describe;
      if (feed.silence_text) silence_text_ = feed.silence_text;
      threads_.emplace_back(
          [reader = std::make_shared<FeedReader>(shared_, std::move(feed), side)] { reader->Run(); });
      side += num_streams;
    }
  }

  // A device may be waiting in a library, when it is opened or closed: then its thread is left behind.
  ~LiveSource() override {
    Cancel();
    bool have_ended = false;
    {
      std::unique_lock lock(shared_->mutex);
      have_ended = shared_->changed.wait_for(lock, kPatience, [this] { return shared_->num_running == 0; });
    }
    for (std::thread& thread : threads_) {
      if (have_ended) {
        thread.join();
      } else {
        CountReaderLeftBehind();
        thread.detach();
      }
    }
  }

  SourceKind kind() const override { return SourceKind::kCamera; }
  bool is_live() const override { return true; }
  std::optional<std::size_t> num_frames() const override { return std::nullopt; }

  void Cancel() override {
    {
      const std::scoped_lock lock(shared_->mutex);
      shared_->stop = true;
    }
    shared_->changed.notify_all();
  }

  std::optional<std::string> NextName() override {
    if (!current_ && !AwaitPair()) return std::nullopt;
    CheckPair();
    char number[32];
    std::snprintf(number, sizeof(number), "_%06zu", next_);
    return stem_ + number;
  }

  void Skip() override {
    current_.reset();
    ++next_;
  }

  StereoFrame Read() override {
    StereoFrame frame;
    frame.name = NextName().value_or("");
    if (frame.name.empty()) throw Error(shared_->labels.front() + ": gives no more pictures");
    frame.timestamp_s = current_->left.time_s + unix_less_monotonic_s_;
    frame.stamp_ns = current_->left.stamp_ns;
    if (frame.stamp_ns) frame.timestamp_s = static_cast<double>(*frame.stamp_ns) * 1e-9;
    frame.frame_id = std::move(current_->left.frame_id);
    if (shared_->is_pair) {
      frame.left = std::move(current_->left.image);
      frame.right = std::move(current_->right.image);
    } else {
      SplitPicture(current_->left.image, layout_, frame);
    }
    current_.reset();
    ++next_;
    if (describe_) describe_(frame);
    return frame;
  }

 private:
  // False when no picture will come any more.
  bool AwaitPair() {
    const Clock::time_point begin = Clock::now();
    auto told_after = shared_->timings.longest_without_pair;
    while (true) {
      std::string told;
      {
        std::unique_lock lock(shared_->mutex);
        shared_->changed.wait_for(lock, kBetweenQuestions, [this] {
          return shared_->newest || shared_->fatal || shared_->stop || shared_->num_running == 0;
        });
        if (shared_->stop) throw Cancelled();
        if (shared_->fatal) std::rethrow_exception(shared_->fatal);
        current_ = std::exchange(shared_->newest, std::nullopt);
        if (!current_ && shared_->num_running == 0) return false;
        if (!current_ && Clock::now() - begin > told_after) {
          told = ReceivedText(Clock::now() - begin);
          told_after *= 2;
        }
      }
      if (!told.empty()) shared_->monitor->Tell(told);
      if (!current_) continue;
      const double age_ms = (MonotonicNow_s() - current_->left.time_s) * 1e3;
      if (shared_->monitor->IsLate(age_ms, deadline_ms_)) {
        current_.reset();
        if (Clock::now() - begin <= told_after) continue;
        told_after *= 2;
        shared_->monitor->Tell(
            "no pair meets the deadline of " + std::to_string(static_cast<int>(deadline_ms_)) +
            " ms: the last one was " + std::to_string(static_cast<int>(age_ms)) +
            " ms old when it could be matched; allow more time, or choose a faster preset");
        continue;
      }
      if (Decode(current_->left) && Decode(current_->right)) return true;
      shared_->monitor->Count([](LiveCounts& counts) { ++counts.num_damaged; });
      current_.reset();
    }
  }

  // Returns false if the picture is damaged.
  static bool Decode(LivePicture& picture) {
    if (!picture.decode) return true;
    std::optional<CameraImage> image = picture.decode();
    if (image) picture.image = std::move(*image);
    return image.has_value();
  }

  // Called with the mutex held.
  std::string ReceivedText(Clock::duration waited) const {
    if (!shared_->is_pair) {
      std::string text = "no picture for " + SecondsText(waited) + ": " + shared_->labels[0] + " has given " +
                         std::to_string(shared_->num_seen) + " so far";
      return text + (shared_->waited_for[0].empty() ? "; is it sending?"
                                                    : ", and is opened again "
                                                      "repeatedly");
    }
    std::string text = "no pair for " + SecondsText(waited) + ":";
    for (int side = 0; side < 2; ++side) text += SideSeen(side) + (side == 0 ? "," : "");
    if (const std::optional<double> nearest = shared_->pairs.nearest_s()) {
      const double tolerance_s = shared_->pairs.tolerance_s().value_or(0);
      const double distance_s = std::abs(*nearest);
      text += "; the nearest two are " + MillisecondsText(distance_s) + " apart, the right one " +
              (*nearest > 0 ? "later" : "earlier") + ", and " + MillisecondsText(tolerance_s) +
              " are allowed: let one clock trigger both cameras";
      if (distance_s < 1)
        text +=
            ", or allow a difference of " + std::to_string(static_cast<int>(distance_s * 1000) + 2) + " ms";
    } else {
      text += "; " + (silence_text_ ? silence_text_()
                                    : "is the silent one connected, and not used by another program?");
    }
    return text;
  }
  std::string SideSeen(int side) const {
    const auto i = static_cast<std::size_t>(side);
    std::string text = std::string(side == 0 ? " left" : " right") + " (" + shared_->labels[i] + ") gave " +
                       std::to_string(shared_->pairs.num_seen()[i]);
    const double interval_s = shared_->pairs.interval_s(side);
    if (interval_s > 0) text += " pictures, one every " + MillisecondsText(interval_s);
    if (!shared_->waited_for[i].empty()) text += " and is opened again repeatedly";
    return text;
  }

  void CheckPair() const {
    const CameraImageView left = ViewOf(current_->left.image);
    if (shared_->is_pair) {
      CheckSamePair(current_->left.image, current_->right.image, shared_->labels[0], shared_->labels[1]);
    } else {
      CheckHalves(WidthOf(left), HeightOf(left), layout_, shared_->labels[0]);
    }
  }

  const std::string stem_;
  const PictureLayout layout_;
  const double deadline_ms_;
  const double unix_less_monotonic_s_ =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count() -
      MonotonicNow_s();
  const std::shared_ptr<Shared> shared_;
  std::function<void(StereoFrame&)> describe_;
  std::function<std::string()> silence_text_;
  std::vector<std::thread> threads_;
  std::optional<PicturePair> current_;  // that Read gives
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<FrameSource> MakeLiveSource(std::string stem, std::vector<LiveFeed> feeds,
                                            const LiveOptions& options, const LiveTimings& timings) {
  return std::make_unique<LiveSource>(std::move(stem), std::move(feeds), options, timings);
}

}  // namespace parallax
