#include "app/frames/ros2_publisher.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "app/frames/frame_reprojection.h"
#include "datasets/formats/ros_messages.h"
#include "datasets/live/recording.h"
#include "parallax/error.h"

namespace parallax::app {
namespace {

constexpr std::size_t kFramesAwaiting = 2;
constexpr std::chrono::seconds kStatusEvery{1};
constexpr std::string_view kDiagnosticsTopic = "/diagnostics";  // shared by all nodes

// The confidence of every point, in the order of ValuesOfPoints.
std::vector<float> ConfidenceOf(HostImageView<const std::uint8_t> confidence,
                                HostImageView<const float> points_m) {
  std::vector<float> of_points;
  for (int y = 0; y < points_m.height; ++y) {
    for (int x = 0; x < points_m.width; ++x) {
      if (!std::isnan(points_m(x, y))) of_points.push_back(confidence(x, y));
    }
  }
  return of_points;
}

}  // namespace

Ros2Publisher::Ros2Publisher(Options options)
    : options_(std::move(options)),
      frames_(kFramesAwaiting, options_.is_live ? WhenFull::kDropOldest : WhenFull::kWait) {
  const std::string name_space = RosTopicName(options_.name_space, "--ros2");
  node_ = Ros2Node::Join(std::nullopt);
  const std::pair<std::string_view, std::string_view> topics[kNumTopics] = {
      {kDisparityTopic, kRosDisparityImage},
      {kDepthTopic, kRosImage},
      {kDepthMmTopic, kRosImage},
      {kDepthInfoTopic, kRosCameraInfo},
      {kCloudTopic, kRosPointCloud2},
      {kLeftInfoTopic, kRosCameraInfo},
      {kRightInfoTopic, kRosCameraInfo},
      {kDiagnosticsTopic, kRosDiagnosticArray}};
  for (std::size_t i = 0; i < kNumTopics; ++i) {
    const auto& [topic, type] = topics[i];
    writers_[i] = node_->Advertise((i == kDiagnostics ? "" : name_space) + std::string(topic), type);
  }
  thread_ = std::thread([this] { PublishFrames(); });
}

void Ros2Publisher::Finish() {
  frames_.Close();
  if (thread_.joinable()) thread_.join();
}

void Ros2Publisher::PublishFrames() {
  auto next_status = std::chrono::steady_clock::now();
  while (!frames_.IsClosedAndEmpty()) {
    const std::optional<std::shared_ptr<const MatchedFrame>> frame = frames_.PopUntil(next_status);
    try {
      if (frame && !failure_) PublishFrame(**frame);
      if (const auto now = std::chrono::steady_clock::now(); now >= next_status) {
        next_status = now + kStatusEvery;
        PublishStatus();
      }
    } catch (const std::exception&) {
      failure_ = std::current_exception();
    }
  }
}

void Ros2Publisher::PublishStatus() {
  if (!writers_[kDiagnostics]->HasReaders()) return;
  const std::scoped_lock lock(status_mutex_);
  if (!status_) return;
  RosStatus status = status_();
  status.name = "parallax: " + options_.name_space;
  status.values.emplace_back("frames not published in time", std::to_string(frames_.num_dropped()));
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  writers_[kDiagnostics]->Write(
      EncodeDiagnostics(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count(), status));
}

void Ros2Publisher::PublishFrame(const MatchedFrame& matched) {
  ++num_frames_;
  const StereoFrame& frame = matched.frame;
  const HostImageView<const float> disparity = matched.map.disparity();
  const RosHeader header(RecordedTime_ns(frame, matched.index),
                         options_.frame_id.empty() ? frame.frame_id : options_.frame_id);
  const auto is_wanted = [&](Topic topic) { return writers_[topic]->HasReaders(); };
  const auto publish = [&](Topic topic, const RosMessage& message) {
    writers_[topic]->Write(message);
    ++num_messages_;
  };
  const auto publish_info = [&](Topic topic, StereoSide side) {
    if (is_wanted(topic))
      publish(topic, EncodeCameraInfo(header, disparity.width, disparity.height, frame.rig, side));
  };
  publish_info(kLeftInfo, StereoSide::kLeft);
  publish_info(kRightInfo, StereoSide::kRight);
  if (is_wanted(kDisparity)) {
    const MatchingCostParameters& searched = matched.parameters.matching_cost;
    publish(kDisparity,
            EncodeDisparity(header, disparity, frame.rig, searched.min_disparity, searched.num_disparities));
  }
  const bool with_depth = is_wanted(kDepth), with_mm = is_wanted(kDepthMm), with_cloud = is_wanted(kCloud);
  publish_info(kDepthInfo, StereoSide::kLeft);
  if (!with_depth && !with_mm && !with_cloud) return;
  if (!frame.rig) {
    ++num_without_calibration_;
    return;
  }
  const FrameReprojection reprojection(matched, with_cloud, options_.show_filled);
  if (with_depth) publish(kDepth, EncodeDepth(header, reprojection.depth_m()));
  if (with_mm) publish(kDepthMm, EncodeDepthInMm(header, reprojection.depth_m()));
  if (!with_cloud) return;
  const HostImage<float> sigma_m =
      SigmaOfDepth(SigmaOfDisparity(options_.uncertainty, matched.map.View()).ConstView(),
                   reprojection.depth_m(), *frame.rig);
  const HostImageView<const float> points_m = reprojection.points_m();
  const std::vector<float> sigma_z = ValuesOfPoints(sigma_m.ConstView(), points_m),
                           confidence = ConfidenceOf(matched.map.confidence(), points_m);
  publish(kCloud,
          EncodeCloud(header, reprojection.cloud(), {{"confidence", confidence}, {"sigma_z", sigma_z}}));
}

std::string Ros2Publisher::Text() const {
  if (failure_) std::rethrow_exception(failure_);
  std::string text = fmt::format("published {} messages of {} frames below {}", num_messages_, num_frames_,
                                 options_.name_space);
  if (frames_.num_dropped() > 0)
    text += fmt::format("; {} frames were dropped, because publishing took longer than matching",
                        frames_.num_dropped());
  if (num_without_calibration_ > 0) {
    text +=
        fmt::format("; {} frames have no depth or cloud, because they have no calibration (--rig names one)",
                    num_without_calibration_);
  }
  return text;
}

}  // namespace parallax::app
