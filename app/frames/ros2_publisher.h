// parallax run --ros2 NAMESPACE: the results of a run as topics of ROS 2.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "datasets/live/ros2_node.h"
#include "pipeline/frames/bounded_queue.h"
#include "pipeline/frames/frame_pipeline.h"
#include "pipeline/uncertainty/uncertainty.h"

namespace parallax::app {

// Publishes in its own thread, in the order of the frames, what somebody subscribes to: below the namespace
// disparity, depth/image_rect, depth/image_rect_raw, depth/camera_info, points2, left/camera_info and
// right/camera_info, each with the stamp of its frame; and once a second /diagnostics.
class Ros2Publisher {
 public:
  struct Options {
    std::string name_space;               // "/stereo"
    std::string frame_id;                 // empty = that of the source, or ROS's usual name
    bool show_filled = false;             // filled pixels become points, too
    bool is_live = false;                 // frames that come too fast are dropped, not waited for
    UncertaintyParameters uncertainty{};  // of the points
  };

  // Throws InvalidArgument for a namespace that ROS does not allow, Error if DDS is missing or fails.
  explicit Ros2Publisher(Options options);
  ~Ros2Publisher() { Finish(); }
  Ros2Publisher(const Ros2Publisher&) = delete;
  Ros2Publisher& operator=(const Ros2Publisher&) = delete;

  void Publish(std::shared_ptr<const MatchedFrame> frame) { frames_.Push(std::move(frame)); }
  // status: returns what /diagnostics publishes; called in the thread of this object. Empty: nothing is published
  // any more. When this function returns, no call of the previous status is in progress.
  void ReportStatus(std::function<RosStatus()> status) {
    const std::scoped_lock lock(status_mutex_);
    status_ = std::move(status);
  }
  // Publishes the remaining frames; no frame may follow. Safe to call again.
  void Finish();
  // Returns one line on what was published. Called after Finish. Throws Error if publishing failed.
  std::string Text() const;

 private:
  enum Topic : std::size_t {
    kDisparity,
    kDepth,
    kDepthMm,
    kDepthInfo,
    kCloud,
    kLeftInfo,
    kRightInfo,
    kDiagnostics,
    kNumTopics
  };
  void PublishFrames();
  void PublishStatus();
  void PublishFrame(const MatchedFrame& matched);

  const Options options_;
  std::shared_ptr<Ros2Node> node_;
  std::array<std::unique_ptr<DdsWriter>, kNumTopics> writers_;
  BoundedQueue<std::shared_ptr<const MatchedFrame>> frames_;
  std::size_t num_frames_ = 0, num_messages_ = 0, num_without_calibration_ = 0;
  std::exception_ptr failure_;
  std::mutex status_mutex_;
  std::function<RosStatus()> status_;
  std::thread thread_;  // declared last, because its thread uses the other members
};

}  // namespace parallax::app
