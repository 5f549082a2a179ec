#include "datasets/live/recording_source.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "datasets/formats/file_bytes.h"
#include "datasets/formats/mcap_reader.h"
#include "datasets/formats/ros_messages.h"
#include "datasets/live/recording.h"
#include "datasets/live/ros_pair.h"
#include "datasets/system/file_identity.h"
#include "datasets/system/paths.h"
#include "parallax/error.h"
#include "pipeline/calibration/rectifier.h"

namespace parallax {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxWaiting = 16;  // images of one side that wait for the other's
constexpr std::pair<std::string_view, std::string_view> kSides[] = {
    {"left", "right"}, {"cam0", "cam1"}, {"camera0", "camera1"}, {"infra1", "infra2"}};

// The topics of a stereo pair; ids of channels.
struct StereoTopics {
  std::string left_name;
  std::uint16_t left = 0, right = 0;
  std::optional<std::uint16_t> left_info{}, right_info{}, frame{}, left_seen{}, right_seen{};
};

bool IsOfType(const McapReader& reader, const McapChannel& channel, std::string_view type) {
  const auto schema = reader.schemas().find(channel.schema_id);
  return schema != reader.schemas().end() && schema->second.name == type;
}

const McapChannel* FindTopic(const McapReader& reader, std::string_view topic, std::string_view type) {
  for (const auto& [id, channel] : reader.channels()) {
    if (channel.topic == topic && IsOfType(reader, channel, type)) return &channel;
  }
  return nullptr;
}

// The right camera's topic; empty if this is not a left camera's.
std::string OtherSide(const std::string& topic, const std::pair<std::string_view, std::string_view>& sides) {
  std::string other;
  std::size_t from = 0;
  for (std::size_t at = topic.find(sides.first); at != std::string::npos;
       at = topic.find(sides.first, from)) {
    other.append(topic, from, at - from).append(sides.second);
    from = at + sides.first.size();
  }
  return from == 0 ? "" : other.append(topic, from);
}

// The lower, the sooner it is taken.
int RankOf(std::string_view topic) {
  if (topic.ends_with("/image_rect")) return 0;
  if (IsRectifiedTopic(topic)) return 1;
  return topic.ends_with("/image_raw") ? 2 : 3;
}

std::optional<StereoTopics> FindTopics(const McapReader& reader) {
  std::optional<StereoTopics> best;
  for (const auto& [id, channel] : reader.channels()) {
    if (!IsOfType(reader, channel, kRosImage)) continue;
    for (const auto& sides : kSides) {
      const std::string other = OtherSide(channel.topic, sides);
      const McapChannel* right = other.empty() ? nullptr : FindTopic(reader, other, kRosImage);
      if (right == nullptr || (best && RankOf(best->left_name) <= RankOf(channel.topic))) continue;
      best = StereoTopics{.left_name = channel.topic, .left = id, .right = right->id};
      const auto id_of = [](const McapChannel* found) {
        return found == nullptr ? std::nullopt : std::optional(found->id);
      };
      best->left_info = id_of(FindTopic(reader, InfoTopicOf(channel.topic), kRosCameraInfo));
      best->right_info = id_of(FindTopic(reader, InfoTopicOf(other), kRosCameraInfo));
    }
  }
  if (best) {
    const auto id_of = [&](std::string_view topic, std::string_view type) {
      const McapChannel* found = FindTopic(reader, topic, type);
      return found == nullptr ? std::nullopt : std::optional(found->id);
    };
    best->frame = id_of(kFrameTopic, kRosString);
    best->left_seen = id_of(kLeftSeenTopic, kRosImage);
    best->right_seen = id_of(kRightSeenTopic, kRosImage);
  }
  return best;
}

std::string TopicList(const McapReader& reader) {
  constexpr std::size_t kMaxListed = 8;
  std::string list;
  std::size_t count = 0;
  for (const auto& [id, channel] : reader.channels()) {
    if (++count > kMaxListed) continue;
    const auto schema = reader.schemas().find(channel.schema_id);
    list += (list.empty() ? "" : ", ") + Printable(channel.topic);
    if (schema != reader.schemas().end()) list += " (" + Printable(schema->second.name) + ")";
  }
  if (count > kMaxListed) list += " and " + std::to_string(count - kMaxListed) + " more";
  return list;
}

StereoTopics RequireTopics(McapReader& reader, const std::string& file) {
  std::optional<StereoTopics> topics = FindTopics(reader);
  if (!topics) {  // no summary names the topics: the chunks do
    const std::size_t known = reader.channels().size();
    bool ends = false;
    while (!topics && !ends) {
      try {
        ends = !reader.Next();
      } catch (const Error&) {
        continue;  // reported when frames are read
      }
      if (reader.channels().size() > known) topics = FindTopics(reader);
    }
    reader.Rewind();
  }
  if (!topics) {
    if (reader.channels().empty() && reader.is_cut())
      throw Error(file + ": was truncated before any part of it was complete: it has nothing to read");
    throw Error(file + ": contains no stereo images (" + std::string(kRosImage) +
                " on two topics that differ in left and right); its topics: " +
                (reader.channels().empty() ? "none" : TopicList(reader)));
  }
  for (const std::uint16_t id : {topics->left, topics->right}) {
    const McapChannel& channel = reader.channels().at(id);
    if (channel.encoding != "cdr") {
      throw Error(file + ": " + Printable(channel.topic) + " is encoded as '" + Printable(channel.encoding) +
                  "', but only ROS 2's cdr can be read: convert the recording");
    }
  }
  return *topics;
}

class RecordingSource final : public FrameSource {
 public:
  explicit RecordingSource(std::string file)
      : file_(std::move(file)),
        reader_(file_),
        topics_(RequireTopics(reader_, file_)),
        stem_(FileNameSafe(fs::path(file_).stem().string())),
        infos_{.left_topic = topics_.left_name, .whose = "the recording's"} {}

  SourceKind kind() const override { return SourceKind::kRecording; }
  std::optional<std::size_t> num_frames() const override {
    const auto left = reader_.NumMessages(topics_.left), right = reader_.NumMessages(topics_.right);
    if (!left || !right) return std::nullopt;
    return static_cast<std::size_t>(std::min(*left, *right));
  }
  std::optional<std::string> NextName() override {
    Advance();
    if (!ready_) return std::nullopt;
    return ready_->frame.name;
  }
  StereoFrame Read() override {
    Advance();
    if (!ready_) throw Error(file_ + ": has no further frame");
    Ready ready = std::move(*ready_);
    ready_.reset();
    if (!ready.error.empty()) throw Error(file_ + ": " + ready.error);
    return std::move(ready.frame);
  }
  void Skip() override {
    Advance();
    ready_.reset();
  }
  std::string NextOrigin() override {
    Advance();
    return ready_ ? ready_->frame.origin : "";
  }
  std::vector<std::string> InputFiles() const override { return {file_}; }
  void Cancel() override { cancelled_ = true; }

 private:
  // What Read hands out next.
  struct Ready {
    StereoFrame frame;
    std::string error;  // instead of it, without the file's name
  };

  // Reads until a frame is ready, or to the end.
  void Advance() {
    while (!ready_ && !ended_) {
      if (cancelled_) throw Cancelled();
      MakePair();
      if (ready_) return;
      try {
        if (const std::optional<McapMessage> message = reader_.Next()) {
          Take(*message);
        } else {
          ended_ = true;
          MakePair();
        }
      } catch (const Error& error) {
        // Begins with the file's name.
        Fail(std::string(error.what()).substr(file_.size() + 2));
      }
    }
    if (!ready_ && num_ready_ == 0) ThrowWithoutFrames();
  }

  void Take(const McapMessage& message) {
    try {
      if (message.channel == topics_.left || message.channel == topics_.right) {
        TakeImage(message.channel == topics_.left, DecodeImage(message.data));
      } else if (message.channel == topics_.frame) {
        texts_.emplace_back(static_cast<std::int64_t>(message.time_ns),
                            ParseRecordedFrame(DecodeText(message.data)));
        if (texts_.size() > kMaxWaiting) texts_.pop_front();
      } else if (message.channel == topics_.left_seen) {
        left_seen_ = std::move(DecodeImage(message.data).image);
        seen_.reset();
      } else if (message.channel == topics_.right_seen) {
        TakeSeen(std::move(DecodeImage(message.data).image));
      } else if (message.channel == topics_.left_info) {
        infos_.left = DecodeCameraInfo(message.data);
      } else if (message.channel == topics_.right_info) {
        infos_.right = DecodeCameraInfo(message.data);
      }
    } catch (const Error& error) {
      Fail(Printable(reader_.channels().at(message.channel).topic) + ": " + error.what());
    }
  }

  static void AddTurn(const RightTurn_urad& turn, std::shared_ptr<const SeenPixelsOfPair>& seen) {
    if (turn == (seen ? seen->turn_urad : RightTurn_urad{})) return;
    auto turned = std::make_shared<SeenPixelsOfPair>();
    if (seen) turned->left = seen->left.Clone(), turned->right = seen->right.Clone();
    turned->all = !seen;
    turned->turn_urad = turn;
    seen = std::move(turned);
  }

  // The right mask; the left one came before it.
  void TakeSeen(CameraImage right) {
    auto* const left_mask = std::get_if<HostImage<std::uint8_t>>(&left_seen_);
    auto* const right_mask = std::get_if<HostImage<std::uint8_t>>(&right);
    if (left_mask == nullptr || right_mask == nullptr || !SameSize(left_mask->View(), right_mask->View()))
      throw Error("the masks of left and right do not belong together");
    SeenPixelsOfPair seen;
    seen.left = std::move(*left_mask);
    seen.right = std::move(*right_mask);
    seen_ = std::make_shared<const SeenPixelsOfPair>(std::move(seen));
  }

  void TakeImage(bool is_left, RosImage image) {
    ++(is_left ? num_left_ : num_right_);
    if (is_left) {
      if (last_left_ns_ && *last_left_ns_ != image.stamp_ns)
        tolerance_ns_ = std::abs(image.stamp_ns - *last_left_ns_) / 2;
      last_left_ns_ = image.stamp_ns;
    }
    std::deque<RosImage>& waiting = is_left ? left_ : right_;
    waiting.push_back(std::move(image));
    if (waiting.size() > kMaxWaiting) DropOldest(waiting);
  }

  void DropOldest(std::deque<RosImage>& waiting) {
    waiting.pop_front();
    ++num_unpaired_;
  }

  // Whether something is worth waiting for before a pair is a frame: a queue that is full is not kept
  // waiting.
  bool AwaitsCalibration() const {
    const bool lacks = (topics_.left_info && !infos_.left) || (topics_.right_info && !infos_.right);
    return lacks && !ended_ && left_.size() < kMaxWaiting && right_.size() < kMaxWaiting;
  }

  void MakePair() {
    while (!ready_ && !left_.empty() && !right_.empty()) {
      const std::int64_t apart_ns = left_.front().stamp_ns - right_.front().stamp_ns;
      if (apart_ns != 0) {
        // How often images come is not known before the second left one.
        if (!tolerance_ns_ && !ended_ && left_.size() < 2 && right_.size() < kMaxWaiting) return;
        if (!tolerance_ns_ || std::abs(apart_ns) > *tolerance_ns_) {
          DropOldest(apart_ns < 0 ? left_ : right_);
          continue;
        }
      }
      if (AwaitsCalibration()) return;
      MakeFrame();
      left_.pop_front();
      right_.pop_front();
    }
  }

  // Makes a frame of the oldest images of both sides.
  void MakeFrame() {
    RosImage &left = left_.front(), &right = right_.front();
    StereoFrame frame;
    frame.timestamp_s = static_cast<double>(left.stamp_ns) * 1e-9;
    frame.stamp_ns = left.stamp_ns;
    frame.frame_id = left.frame_id;
    frame.truth_note = "recordings have no ground truth";
    std::string name;
    std::string error;
    const std::optional<RecordedFrame> recorded = TextFor(left.stamp_ns);
    if (recorded) {
      name = FileNameSafe(recorded->name);
      frame.timestamp_s = recorded->timestamp_s;
      frame.rig = recorded->rig;
      frame.num_disparities_hint = recorded->num_disparities_hint;
      if (!frame.rig) frame.rig_note = "no calibration: the recording was made without one";
      if (recorded->has_borders) {
        if (seen_) AddTurn(recorded->turn_urad, seen_);
        frame.seen = seen_;
        if (!seen_ || seen_->left.width() != WidthOf(ViewOf(left.image)) ||
            seen_->left.height() != HeightOf(ViewOf(left.image)))
          error = "the masks of borders are missing or of another size";
      }
      if (!recorded->has_borders) AddTurn(recorded->turn_urad, frame.seen);
    }
    if (left.image.index() != right.image.index() ||
        WidthOf(ViewOf(left.image)) != WidthOf(ViewOf(right.image)) ||
        HeightOf(ViewOf(left.image)) != HeightOf(ViewOf(right.image))) {
      error = "the left and right images of a pair differ in size or encoding";
    }
    frame.left = std::move(left.image);
    frame.right = std::move(right.image);
    if (!recorded) {
      try {
        AddRosCalibration(infos_, frame);
      } catch (const Error& bad_calibration) {
        error = bad_calibration.what();
      }
    }
    if (num_unpaired_ > 0) {
      frame.note = std::to_string(num_unpaired_) + " images before it had no other half within " +
                   std::to_string(tolerance_ns_.value_or(0) / 1000) + " us and were skipped";
      num_unpaired_ = 0;
    }
    SetReady(std::move(frame), std::move(name), std::move(error));
  }

  // A frame in the place of what cannot be read.
  void Fail(std::string why) { SetReady({}, "", std::move(why)); }

  void SetReady(StereoFrame frame, std::string name, std::string error) {
    std::array<char, 32> number{};
    std::snprintf(number.data(), number.size(), "_%06zu", num_ready_);
    if (name.empty()) name = stem_ + number.data();
    if (!names_.insert(name).second) {
      name += number.data();
      names_.insert(name);
    }
    frame.name = std::move(name);
    frame.origin = StampOf({file_}) + " #" + std::to_string(num_ready_);
    if (num_ready_ == 0 && reader_.is_cut()) {
      frame.note = "the recording is truncated: it is read up to its last whole chunk" +
                   (frame.note.empty() ? "" : "; " + frame.note);
    }
    ++num_ready_;
    ready_ = Ready{std::move(frame), std::move(error)};
  }

  std::optional<RecordedFrame> TextFor(std::int64_t stamp_ns) {
    while (!texts_.empty() && texts_.front().first != stamp_ns) texts_.pop_front();
    if (texts_.empty()) return std::nullopt;
    RecordedFrame text = std::move(texts_.front().second);
    texts_.pop_front();
    return text;
  }

  [[noreturn]] void ThrowWithoutFrames() const {
    if (num_left_ + num_right_ > 0) {
      throw Error(file_ + ": no pair can be made of its " + std::to_string(num_left_) + " left and " +
                  std::to_string(num_right_) + " right images: their times are too far apart");
    }
    if (reader_.is_cut())
      throw Error(file_ + ": was truncated before its first chunk was complete: it has no frame to read");
    throw Error(file_ + ": contains no frames");
  }

  const std::string file_;
  McapReader reader_;
  const StereoTopics topics_;
  const std::string stem_;
  std::atomic<bool> cancelled_ = false;

  std::deque<RosImage> left_, right_;  // that wait for each other
  std::deque<std::pair<std::int64_t, RecordedFrame>> texts_;
  RosPairInfo infos_;
  CameraImage left_seen_;  // a mask that waits for the right one
  std::shared_ptr<const SeenPixelsOfPair> seen_;
  std::optional<std::int64_t> last_left_ns_, tolerance_ns_;
  std::size_t num_left_ = 0, num_right_ = 0, num_unpaired_ = 0;

  std::optional<Ready> ready_;
  std::size_t num_ready_ = 0;  // so far
  std::set<std::string> names_;
  bool ended_ = false;
};

}  // namespace

bool IsRecording(const fs::path& path) {
  if (EndingOf(path) == ".mcap") return true;
  std::array<char, kMcapMagic.size()> magic{};
  std::ifstream file(path, std::ios::binary);
  file.read(magic.data(), magic.size());
  return file && std::equal(magic.begin(), magic.end(), reinterpret_cast<const char*>(kMcapMagic.data()));
}

std::unique_ptr<FrameSource> OpenRecording(const std::string& file) {
  return std::make_unique<RecordingSource>(file);
}

}  // namespace parallax
