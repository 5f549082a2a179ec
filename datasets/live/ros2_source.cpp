#include "datasets/live/ros2_source.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "datasets/formats/file_bytes.h"
#include "datasets/live/live_source.h"
#include "datasets/live/ros2_node.h"
#include "datasets/live/ros_pair.h"
#include "parallax/error.h"

namespace parallax {
namespace {

constexpr std::size_t kMostWaitingImages = 4;               // images of a topic
constexpr std::chrono::milliseconds kForCalibration{1000};  // after the first image

struct Ros2Spec {
  std::array<std::string, 2> images, infos;  // left, right
  std::optional<int> domain;
  bool is_reliable = false;
};

[[noreturn]] void Refuse(const std::string& spec, const std::string& why) {
  throw InvalidArgument(
      "'" + Printable(spec) + "': " + why +
      "; name topics as ros2:left=/stereo/left/image_raw,right=/stereo/right/image_raw, with "
      "domain=N, reliable=1, left_info=TOPIC or right_info=TOPIC after that");
}

Ros2Spec ParseTopics(const std::string& spec) {
  Ros2Spec parsed;
  std::string_view list = std::string_view(spec).substr(spec.find(':') + 1);
  while (!list.empty()) {
    const std::string_view word = list.substr(0, list.find(','));
    list.remove_prefix(std::min(word.size() + 1, list.size()));
    const std::size_t equals = word.find('=');
    const std::string_view key = word.substr(0, equals);
    const std::string_view value = equals == std::string_view::npos ? "" : word.substr(equals + 1);
    if (key == "domain") {
      const auto domain = ParseCount(value);
      if (!domain || *domain > kMaxRosDomain)
        Refuse(spec, "'" + Printable(value) + "' is not a domain from 0 to 232");
      parsed.domain = static_cast<int>(*domain);
      continue;
    }
    if (key == "reliable" && (value == "0" || value == "1")) {
      parsed.is_reliable = value == "1";
      continue;
    }
    const int side = key.starts_with("right") ? 1 : 0;
    const bool is_info = key.ends_with("_info");
    if (key != "left" && key != "right" && key != "left_info" && key != "right_info")
      Refuse(spec, "'" + Printable(word) + "' is unknown");
    (is_info ? parsed.infos : parsed.images)[static_cast<std::size_t>(side)] =
        RosTopicName(value, "'" + Printable(spec) + "'");
  }
  if (parsed.images[0].empty() || parsed.images[1].empty()) Refuse(spec, "names no left or no right topic");
  if (parsed.images[0] == parsed.images[1]) Refuse(spec, "left and right are the same topic");
  for (std::size_t side = 0; side < 2; ++side) {
    if (parsed.infos[side].empty()) parsed.infos[side] = InfoTopicOf(parsed.images[side]);
  }
  return parsed;
}

double UnixNow_s() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// The last camera_info of both cameras, and the clock of their stamps. Thread-safe.
class PairInfo {
 public:
  explicit PairInfo(std::string left_topic)
      : info_{.left_topic = std::move(left_topic), .whose = "the topics'"} {}
  void Set(std::size_t side, RosCameraInfo camera) {
    const std::scoped_lock lock(mutex_);
    (side == 0 ? info_.left : info_.right) = std::move(camera);
  }
  bool IsComplete() const {
    const std::scoped_lock lock(mutex_);
    return info_.left && info_.right;
  }
  // A stamp on the system's monotonic clock. Stamps of another clock than this system's (a simulation, a recording)
  // count from the arrival of the first.
  double MonotonicOf(double stamp_s) {
    constexpr double kMostAge_s = 60;
    const std::scoped_lock lock(mutex_);
    const double now_s = MonotonicNow_s();
    const auto fits = [&](double shift_s) { return std::abs(stamp_s - shift_s - now_s) <= kMostAge_s; };
    if (!shift_s_ || !fits(*shift_s_)) {
      const double of_system_s = UnixNow_s() - now_s;
      shift_s_ = fits(of_system_s) ? of_system_s : stamp_s - now_s;
    }
    return stamp_s - *shift_s_;
  }
  // A source without any keeps the note of cameras.
  void AddTo(StereoFrame& frame) const {
    const std::scoped_lock lock(mutex_);
    if (info_.left || info_.right) AddRosCalibration(info_, frame);
  }

 private:
  mutable std::mutex mutex_;
  RosPairInfo info_;
  std::optional<double> shift_s_;  // stamps less the monotonic clock
};

// The images of one topic, and the calibration of their camera.
class Ros2Device final : public LiveDevice {
 public:
  Ros2Device(const Ros2Spec& spec, std::size_t side, std::shared_ptr<PairInfo> info)
      : topic_(spec.images[side]),
        type_(topic_.ends_with("/compressed") ? kRosCompressedImage : kRosImage),
        is_reliable_(spec.is_reliable),
        info_(std::move(info)),
        node_(Ros2Node::Join(spec.domain)) {
    readers_[0] = node_->Subscribe(topic_, type_, spec.is_reliable,
                                   [this](RosMessage message) { Take(std::move(message)); });
    readers_[1] = node_->Subscribe(spec.infos[side], kRosCameraInfo, false,
                                   [this, side, topic = spec.infos[side]](const RosMessage& message) {
                                     try {
                                       info_->Set(side, DecodeCameraInfo(message));
                                     } catch (const Error& error) {
                                       const std::scoped_lock lock(mutex_);
                                       failure_ = topic + ": " + error.what();
                                     }
                                   });
  }
  ~Ros2Device() override {
    for (auto& reader : readers_) {
      const DdsGuid guid = reader->guid();
      reader.reset();
      node_->Forget(guid);
    }
  }
  Ros2Device(const Ros2Device&) = delete;
  Ros2Device& operator=(const Ros2Device&) = delete;

  std::optional<LivePicture> Next(std::chrono::milliseconds longest) override {
    RosMessage message;
    {
      std::unique_lock lock(mutex_);
      arrived_.wait_for(lock, longest, [this] { return !waiting_.empty() || !failure_.empty(); });
      if (!failure_.empty()) throw Error(failure_);
      if (!waiting_.empty()) {
        message = std::move(waiting_.front());
        waiting_.pop_front();
      }
    }
    if (message.empty()) {
      LookForTopic();
      return std::nullopt;
    }
    if (!begin_) begin_ = std::chrono::steady_clock::now();
    if (!info_->IsComplete() && std::chrono::steady_clock::now() - *begin_ < kForCalibration)
      return std::nullopt;
    return PictureOf(std::move(message));
  }
  std::size_t num_damaged() const override { return num_damaged_ + readers_[0]->num_lost(); }
  std::size_t num_overrun() const override { return num_overrun_; }
  bool has_capture_times() const override { return has_stamps_; }
  std::string advice() const override {
    if (readers_[0]->num_lost() > 0) return ": images are lost on the way: " + LossAdvice(is_reliable_);
    return back_s_ > 0 ? ": the stamps went back, first by " + SecondsOf(back_s_) +
                             " (a recording that begins again, or a clock that was set): pairs are made "
                             "anew from there"
                       : "";
  }

 private:
  static std::string SecondsOf(double seconds) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.3f s", seconds);
    return text.data();
  }

  // Called in a thread of DDS.
  void Take(RosMessage message) {
    {
      const std::scoped_lock lock(mutex_);
      if (waiting_.size() == kMostWaitingImages) {
        waiting_.pop_front();
        ++num_overrun_;
      }
      waiting_.push_back(std::move(message));
    }
    arrived_.notify_one();
  }

  void LookForTopic() {
    if (begin_) return;
    if (const std::string fault = node_->Fault(topic_, type_); !fault.empty()) throw Error(fault);
  }

  std::optional<LivePicture> PictureOf(RosMessage message) {
    try {
      const RosImage header = DecodeHeader(message);
      LivePicture picture;
      has_stamps_ = header.stamp_ns != 0;
      const double stamp_s = static_cast<double>(header.stamp_ns) * 1e-9;
      picture.time_s = has_stamps_ ? info_->MonotonicOf(stamp_s) : MonotonicNow_s();
      if (has_stamps_) picture.stamp_ns = header.stamp_ns;
      picture.frame_id = header.frame_id;
      if (last_s_ && *last_s_ > stamp_s && back_s_ == 0) back_s_ = *last_s_ - stamp_s;
      last_s_ = stamp_s;
      picture.decode = [message = std::move(message), topic = topic_, type = type_,
                        succeeded = has_decoded_]() -> std::optional<CameraImage> {
        try {
          RosImage decoded = type == kRosImage ? DecodeImage(message) : DecodeCompressedImage(message);
          *succeeded = true;
          return std::move(decoded.image);
        } catch (const Error& error) {
          if (*succeeded) return std::nullopt;
          throw Error(topic + ": " + error.what());
        }
      };
      return picture;
    } catch (const Error& error) {
      if (!*has_decoded_) throw Error(topic_ + ": " + error.what());
      ++num_damaged_;
      return std::nullopt;
    }
  }

  const std::string topic_;
  const std::string_view type_;
  const bool is_reliable_;
  const std::shared_ptr<PairInfo> info_;
  const std::shared_ptr<Ros2Node> node_;
  std::optional<std::chrono::steady_clock::time_point> begin_;  // of the images
  bool has_stamps_ = true;
  std::size_t num_damaged_ = 0;
  // A damaged image is an error only before the first whole one.
  const std::shared_ptr<std::atomic<bool>> has_decoded_ = std::make_shared<std::atomic<bool>>(false);
  std::optional<double> last_s_;
  double back_s_ = 0;

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<RosMessage> waiting_;  // the oldest first
  std::string failure_;
  std::atomic<std::size_t> num_overrun_ = 0;
  std::array<std::unique_ptr<DdsReader>, 2> readers_;  // images, camera_info; last: they call this
};

}  // namespace

std::unique_ptr<FrameSource> OpenRos2(const std::string& spec, const LiveOptions& options) {
  const Ros2Spec parsed = ParseTopics(spec);
  const auto info = std::make_shared<PairInfo>(parsed.images[0]);
  const auto silence_text = [node = Ros2Node::Join(parsed.domain)] {
    const std::string others = node->ImageTopics();
    return "is the silent topic published in domain " + std::to_string(node->domain()) + "? " +
           (others.empty() ? "No images are published there" : "Images are published as " + others);
  };
  std::vector<LiveFeed> feeds;
  for (std::size_t side = 0; side < 2; ++side) {
    const auto open = [parsed, side, info]() -> std::unique_ptr<LiveDevice> {
      return std::make_unique<Ros2Device>(parsed, side, info);
    };
    feeds.push_back({.label = parsed.images[side],
                     .open = open,
                     .device = open(),
                     .describe = [info](StereoFrame& frame) { info->AddTo(frame); },
                     .silence_text = silence_text});
  }
  return MakeLiveSource("ros2", std::move(feeds), options);
}

}  // namespace parallax
