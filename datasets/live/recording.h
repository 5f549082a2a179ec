// What a recording says of a frame beyond ROS's messages, so that a replay gives the same bytes: a text on a
// topic of its own, a line a fact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pipeline/types/frame.h"

namespace parallax {

// Topics as ROS's stereo pipelines name them.
inline constexpr std::string_view kLeftImageTopic = "/left/image_rect";
inline constexpr std::string_view kRightImageTopic = "/right/image_rect";
inline constexpr std::string_view kLeftInfoTopic = "/left/camera_info";
inline constexpr std::string_view kRightInfoTopic = "/right/camera_info";
inline constexpr std::string_view kFrameTopic = "/parallax/frame";
inline constexpr std::string_view kLeftSeenTopic = "/parallax/left_seen";
inline constexpr std::string_view kRightSeenTopic = "/parallax/right_seen";

struct RecordedFrame {
  std::string name;
  std::optional<double> timestamp_s;
  std::optional<StereoRig> rig;
  std::optional<int> num_disparities_hint;
  bool has_borders = false;  // that no camera saw: those of the last masks before it (kLeftSeenTopic)
};

// Numbers with all their bits.
std::string TextOf(const RecordedFrame& frame);
// Lines that are not known, or hold no numbers where they should, are passed over.
RecordedFrame ParseRecordedFrame(std::string_view text);

// The time that a frame's messages have: its own or, where it has none, the tenth of a second of its index.
std::int64_t RecordedTime_ns(const StereoFrame& frame, std::size_t index);

}  // namespace parallax
