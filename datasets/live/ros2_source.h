// Pairs of images from topics of ROS 2.
#pragma once

#include <memory>
#include <string>

#include "datasets/live/live_options.h"
#include "pipeline/frames/frame_source.h"

namespace parallax {

// spec: "ros2:left=TOPIC,right=TOPIC", and after that domain=N (0 to 232; else ROS_DOMAIN_ID),
// left_info=TOPIC and right_info=TOPIC (else camera_info in the namespace of the images), reliable=1 (else
// best effort). Topics carry sensor_msgs/msg/Image; those that end in /compressed carry CompressedImage.
// Frames ros2_000000, ... have the stamps of the left images and the calibration of the camera_info. The
// source waits for topics that nobody publishes yet. Throws InvalidArgument for another spec, Error if DDS is
// missing (a program built without PARALLAX_DDS) or fails; NextName throws Error if a topic has another type
// or the first image another encoding.
std::unique_ptr<FrameSource> OpenRos2(const std::string& spec, const LiveOptions& options = {});

}  // namespace parallax
