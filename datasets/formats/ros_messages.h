// The ROS 2 messages of recordings and topics, in CDR.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parallax/cloud.h"
#include "parallax/image.h"
#include "parallax/rig.h"
#include "pipeline/types/frame.h"

namespace parallax {

using RosMessage = std::vector<std::uint8_t>;

inline constexpr std::string_view kRosImage = "sensor_msgs/msg/Image";
inline constexpr std::string_view kRosCompressedImage = "sensor_msgs/msg/CompressedImage";
inline constexpr std::string_view kRosCameraInfo = "sensor_msgs/msg/CameraInfo";
inline constexpr std::string_view kRosDisparityImage = "stereo_msgs/msg/DisparityImage";
inline constexpr std::string_view kRosPointCloud2 = "sensor_msgs/msg/PointCloud2";
inline constexpr std::string_view kRosDiagnosticArray = "diagnostic_msgs/msg/DiagnosticArray";
inline constexpr std::string_view kRosString = "std_msgs/msg/String";

// The definition of one of those types in MCAP's encoding "ros2msg": followed by the types that it uses.
std::string RosDefinition(std::string_view type);

enum class StereoSide { kLeft, kRight };

inline constexpr std::string_view kRosFrameId = "left_camera_optical_frame";

// All messages have one coordinate frame, the left camera's (x right, y down, z forward), as ROS requires for a
// rectified pair.
struct RosHeader {
  // stamp_ns: 0 to below 2^31 s. frame_id: empty = kRosFrameId.
  RosHeader(std::int64_t stamp_ns_, std::string_view frame_id_ = {})
      : stamp_ns(stamp_ns_), frame_id(frame_id_.empty() ? kRosFrameId : frame_id_) {}
  std::int64_t stamp_ns;
  std::string_view frame_id;
};

// mono8, mono16 or rgb8, all bits kept.
RosMessage EncodeImage(const RosHeader& header, const CameraImageView& image);
// 32FC1, metres, NaN = none.
RosMessage EncodeDepth(const RosHeader& header, HostImageView<const float> depth_m);
// 16UC1, millimetres, rounded; 0 = none or beyond 65.535 m.
RosMessage EncodeDepthInMm(const RosHeader& header, HostImageView<const float> depth_m);
// K, P and no distortion; P of the right camera has the baseline: P[3] = -fx * baseline. Zeros without a rig,
// which mean an uncalibrated camera.
RosMessage EncodeCameraInfo(const RosHeader& header, int width, int height,
                            const std::optional<StereoRig>& rig, StereoSide side);
// Disparities with doffs added, as the message requires; none: one less than the least possible one.
RosMessage EncodeDisparity(const RosHeader& header, HostImageView<const float> disparity,
                           const std::optional<StereoRig>& rig, int min_disparity, int num_disparities);
// An additional field of a cloud: a name, and one value for every point.
struct RosPointField {
  std::string_view name;
  std::span<const float> values;
};
// The fields are x, y, z, then rgb if the cloud has colours, then the additional ones.
RosMessage EncodeCloud(const RosHeader& header, const PointCloudView& cloud,
                       std::initializer_list<RosPointField> additional = {});
RosMessage EncodeText(std::string_view text);

// The state of one part of a robot, for /diagnostics.
enum class RosLevel : std::uint8_t { kOk, kWarning, kError };
struct RosStatus {
  RosLevel level = RosLevel::kOk;
  std::string name, message{}, hardware_id{};
  std::vector<std::pair<std::string, std::string>> values{};
};
RosMessage EncodeDiagnostics(const RosHeader& header, const RosStatus& status);

// rmw_dds_common/msg/ParticipantEntitiesInfo: a participant with one node. gids: of gid_bytes each, the identity
// of DDS (16 bytes) and zeros.
struct RosNode {
  std::string name_space, name;  // "/", "parallax"
  std::array<std::uint8_t, 16> participant{};
  std::vector<std::array<std::uint8_t, 16>> readers{}, writers{};
};
RosMessage EncodeNode(const RosNode& node, std::size_t gid_bytes);

// The following throw Error, in one line, for messages that are cut short or have impossible values.

struct RosImage {
  std::int64_t stamp_ns = 0;
  std::string frame_id;
  CameraImage image;
};
// mono8, mono16, rgb8, bgr8, rgba8, bgra8, 8UC1, 16UC1; yuv422 (uyvy), yuv422_yuy2 (yuyv) the four bayer_*8
// as colour, the four bayer_*16 as gray with all bits. Others are refused by name.
RosImage DecodeImage(std::span<const std::uint8_t> message);
// The same of a CompressedImage that holds a JPEG or PNG file.
RosImage DecodeCompressedImage(std::span<const std::uint8_t> message);
// The header alone, with an empty image; of any message that begins with one.
RosImage DecodeHeader(std::span<const std::uint8_t> message);

struct RosCameraInfo {
  int width = 0, height = 0;
  std::string model;               // of the distortion: "plumb_bob"
  std::vector<double> distortion;  // at most 14 numbers
  std::array<double, 9> k{}, r{};
  std::array<double, 12> p{};
};
RosCameraInfo DecodeCameraInfo(std::span<const std::uint8_t> message);
std::string DecodeText(std::span<const std::uint8_t> message);

}  // namespace parallax
