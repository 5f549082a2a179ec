// What a recording says about a frame beyond ROS's messages, so a replay gives the same bytes: a text on a
// separate topic, one line for each fact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pipeline/calibration/rectifier.h"
#include "pipeline/types/frame.h"

namespace parallax {

// Topics with the names of ROS's stereo pipelines.
inline constexpr std::string_view kLeftImageTopic = "/left/image_rect";
inline constexpr std::string_view kRightImageTopic = "/right/image_rect";
inline constexpr std::string_view kLeftInfoTopic = "/left/camera_info";
inline constexpr std::string_view kRightInfoTopic = "/right/camera_info";
inline constexpr std::string_view kDepthTopic = "/depth/image_rect";
inline constexpr std::string_view kDepthMmTopic = "/depth/image_rect_raw";
inline constexpr std::string_view kDepthInfoTopic = "/depth/camera_info";
inline constexpr std::string_view kDisparityTopic = "/disparity";
inline constexpr std::string_view kCloudTopic = "/points2";
inline constexpr std::string_view kFrameTopic = "/parallax/frame";
inline constexpr std::string_view kRigTopic = "/parallax/rig";  // JSON, after each measurement of the rig
inline constexpr std::string_view kParametersTopic = "/parallax/parameters";  // one text, of the whole run
inline constexpr std::string_view kLeftSeenTopic = "/parallax/left_seen";
inline constexpr std::string_view kRightSeenTopic = "/parallax/right_seen";

struct RecordedFrame {
  std::string name;
  std::optional<double> timestamp_s;
  std::optional<StereoRig> rig;
  std::optional<int> num_disparities_hint;
  bool has_borders = false;    // which no camera saw: those of the last masks before it (kLeftSeenTopic)
  RightTurn_urad turn_urad{};  // that rectification corrected in the right image
};

// Writes the frame as text, with enough digits to keep the bits of its numbers.
std::string TextOf(const RecordedFrame& frame);
// Ignores unknown lines and lines with invalid numbers.
RecordedFrame ParseRecordedFrame(std::string_view text);

// Writes a turn as "X Z" and reads it again; nullopt for any other text and for turns above a radian.
std::string TextOf(const RightTurn_urad& turn);
std::optional<RightTurn_urad> ParseTurn(std::string_view text);

// The time of a frame's messages: its own, or a tenth of a second times its index.
std::int64_t RecordedTime_ns(const StereoFrame& frame, std::size_t index);

}  // namespace parallax
