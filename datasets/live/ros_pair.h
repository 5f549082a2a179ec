// Stereo pairs of ROS: names of topics, and the calibration of a frame.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "datasets/formats/ros_messages.h"
#include "pipeline/types/frame.h"

namespace parallax {

// Whether a topic's name says that its images are rectified ("/left/image_rect").
bool IsRectifiedTopic(std::string_view image_topic);
// Where ROS puts the calibration of an image's camera: "/left/image_raw" has "/left/camera_info", and so has
// "/left/image_raw/compressed".
std::string InfoTopicOf(std::string_view image_topic);

struct RosPairInfo {
  std::optional<RosCameraInfo> left{}, right{};
  std::string left_topic;  // of its images
  std::string whose;       // in messages: "the recording's"
};

// Gives a frame the rig that its camera_info states, or rig_note why there is none. Images are rectified by
// their topic's name, or where their cameras are those of a rectified pair; others become raw ones with their
// raw_rig. Throws what CalibrationOf throws.
void AddRosCalibration(const RosPairInfo& info, StereoFrame& frame);

}  // namespace parallax
