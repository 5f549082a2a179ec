#include "datasets/formats/ros_messages.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <variant>

#include "datasets/formats/image_decoders.h"
#include "datasets/formats/image_file.h"
#include "datasets/formats/packed_pixels.h"
#include "datasets/formats/ros_cdr.h"
#include "parallax/error.h"

namespace parallax {
namespace {

constexpr std::int64_t kSecond_ns = 1'000'000'000;
constexpr std::string_view kNoDistortion = "plumb_bob";
constexpr int kMaxSide_px = 65536;

// Types and fields as ROS 2 names them (common_interfaces, rcl_interfaces).
constexpr std::string_view kTimeFields = "int32 sec\nuint32 nanosec\n";
constexpr std::string_view kHeaderFields = "builtin_interfaces/Time stamp\nstring frame_id\n";
constexpr std::string_view kImageFields =
    "std_msgs/Header header\nuint32 height\nuint32 width\nstring encoding\nuint8 is_bigendian\nuint32 step\n"
    "uint8[] data\n";
constexpr std::string_view kRegionFields =
    "uint32 x_offset\nuint32 y_offset\nuint32 height\nuint32 width\nbool do_rectify\n";
constexpr std::string_view kCameraInfoFields =
    "std_msgs/Header header\nuint32 height\nuint32 width\nstring distortion_model\nfloat64[] d\nfloat64[9] "
    "k\n"
    "float64[9] r\nfloat64[12] p\nuint32 binning_x\nuint32 binning_y\nsensor_msgs/RegionOfInterest roi\n";
constexpr std::string_view kDisparityFields =
    "std_msgs/Header header\nsensor_msgs/Image image\nfloat32 f\nfloat32 t\n"
    "sensor_msgs/RegionOfInterest valid_window\nfloat32 min_disparity\nfloat32 max_disparity\nfloat32 "
    "delta_d\n";
constexpr std::string_view kPointFieldFields =
    "uint8 INT8=1\nuint8 UINT8=2\nuint8 INT16=3\nuint8 UINT16=4\nuint8 INT32=5\nuint8 UINT32=6\nuint8 "
    "FLOAT32=7\n"
    "uint8 FLOAT64=8\nstring name\nuint32 offset\nuint8 datatype\nuint32 count\n";
constexpr std::string_view kCloudFields =
    "std_msgs/Header header\nuint32 height\nuint32 width\nsensor_msgs/PointField[] fields\nbool "
    "is_bigendian\n"
    "uint32 point_step\nuint32 row_step\nuint8[] data\nbool is_dense\n";

std::string WithTypes(std::string_view fields,
                      std::initializer_list<std::pair<std::string_view, std::string_view>> types) {
  std::string text(fields);
  for (const auto& [name, type_fields] : types) {
    text.append(80, '=').append("\nMSG: ").append(name).append("\n").append(type_fields);
  }
  return text;
}

void WriteHeader(CdrWriter& cdr, const RosHeader& header) {
  cdr.Number(static_cast<std::int32_t>(header.stamp_ns / kSecond_ns));
  cdr.Number(static_cast<std::uint32_t>(header.stamp_ns % kSecond_ns));
  cdr.Text(header.frame_id);
}

RosImage ReadHeader(CdrReader& cdr) {
  const auto seconds = cdr.Number<std::int32_t>();
  const auto nanoseconds = cdr.Number<std::uint32_t>();
  return {seconds * kSecond_ns + nanoseconds, std::string(cdr.Text()), {}};
}

// Header and all but the pixels of an image; returns where these go, row by row.
template <typename T>
std::span<std::uint8_t> WriteImageHead(CdrWriter& cdr, const RosHeader& header, HostImageView<const T> image,
                                       std::string_view encoding) {
  WriteHeader(cdr, header);
  const std::size_t step = static_cast<std::size_t>(image.width) * sizeof(T);
  cdr.Number(static_cast<std::uint32_t>(image.height)).Number(static_cast<std::uint32_t>(image.width));
  cdr.Text(encoding).Number(std::uint8_t{0}).Number(static_cast<std::uint32_t>(step));
  return cdr.ByteSequence(step * static_cast<std::size_t>(image.height));
}

// convert: from a pixel to what stands in the message.
template <typename T, typename Convert>
void WriteImage(CdrWriter& cdr, const RosHeader& header, HostImageView<const T> image,
                std::string_view encoding, const Convert& convert) {
  using Stored = decltype(convert(T{}));
  HostImageView<const Stored> stored(nullptr, image.width, image.height);
  std::uint8_t* to = WriteImageHead(cdr, header, stored, encoding).data();
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x, to += sizeof(Stored)) {
      const Stored value = convert(image(x, y));
      std::memcpy(to, &value, sizeof(value));
    }
  }
}

template <typename T>
RosMessage PlainImage(const RosHeader& header, HostImageView<const T> image, std::string_view encoding) {
  CdrWriter cdr;
  std::uint8_t* to = WriteImageHead(cdr, header, image, encoding).data();
  const std::size_t step = static_cast<std::size_t>(image.width) * sizeof(T);
  for (int y = 0; y < image.height && step > 0; ++y, to += step) std::memcpy(to, image.Row(y), step);
  return cdr.Take();
}

void WriteRegion(CdrWriter& cdr, int width, int height) {
  cdr.Number(std::uint32_t{0}).Number(std::uint32_t{0});
  cdr.Number(static_cast<std::uint32_t>(height)).Number(static_cast<std::uint32_t>(width));
  cdr.Number(false);
}

void WriteNumbers(CdrWriter& cdr, std::initializer_list<double> numbers) {
  for (const double number : numbers) cdr.Number(number);
}

// Bytes of an image in a message.
struct StoredImage {
  int width = 0, height = 0;
  std::size_t step = 0;
  bool is_big_endian = false;
  std::span<const std::uint8_t> bytes;
};

enum class RosLayout { kGray, kRgb, kBgr, kYuyv, kUyvy, kMosaic };
struct RosEncoding {
  std::string_view name;
  RosLayout layout;
  std::size_t pixel_bytes;
  MosaicBegin begin = {};
};
constexpr RosEncoding kReadEncodings[] = {
    {"mono8", RosLayout::kGray, 1},
    {"8UC1", RosLayout::kGray, 1},
    {"mono16", RosLayout::kGray, 2},
    {"16UC1", RosLayout::kGray, 2},
    {"rgb8", RosLayout::kRgb, 3},
    {"rgba8", RosLayout::kRgb, 4},
    {"bgr8", RosLayout::kBgr, 3},
    {"bgra8", RosLayout::kBgr, 4},
    {"yuv422", RosLayout::kUyvy, 2},
    {"uyvy", RosLayout::kUyvy, 2},
    {"yuv422_yuy2", RosLayout::kYuyv, 2},
    {"yuyv", RosLayout::kYuyv, 2},
    {"bayer_rggb8", RosLayout::kMosaic, 1, MosaicBegin::kRggb},
    {"bayer_bggr8", RosLayout::kMosaic, 1, MosaicBegin::kBggr},
    {"bayer_gbrg8", RosLayout::kMosaic, 1, MosaicBegin::kGbrg},
    {"bayer_grbg8", RosLayout::kMosaic, 1, MosaicBegin::kGrbg},
    {"bayer_rggb16", RosLayout::kMosaic, 2, MosaicBegin::kRggb},
    {"bayer_bggr16", RosLayout::kMosaic, 2, MosaicBegin::kBggr},
    {"bayer_gbrg16", RosLayout::kMosaic, 2, MosaicBegin::kGbrg},
    {"bayer_grbg16", RosLayout::kMosaic, 2, MosaicBegin::kGrbg},
};

HostImage<std::uint16_t> Words(const StoredImage& stored) {
  auto image = GrayFrom<std::uint16_t>(stored.bytes, stored.width, stored.height, stored.step);
  for (int y = 0; y < stored.height && stored.is_big_endian; ++y) {
    std::uint16_t* row = image.Row(y);
    std::transform(row, row + stored.width, row,
                   [](unsigned word) { return static_cast<std::uint16_t>(word << 8 | word >> 8); });
  }
  return image;
}

CameraImage PixelsOf(const StoredImage& stored, std::string_view name) {
  const auto* const encoding = std::find_if(std::begin(kReadEncodings), std::end(kReadEncodings),
                                            [&](const RosEncoding& known) { return known.name == name; });
  if (encoding == std::end(kReadEncodings)) {
    throw Error(
        "an image in encoding '" + Printable(name) +
        "' cannot be read (mono, rgb, bgr, rgba, bgra, yuv422 and bayer can): convert it with image_proc");
  }
  const bool is_yuv = encoding->layout == RosLayout::kUyvy || encoding->layout == RosLayout::kYuyv;
  const auto width = static_cast<std::size_t>(stored.width), height = static_cast<std::size_t>(stored.height);
  const std::size_t row_bytes = (width + (is_yuv ? width % 2 : 0)) * encoding->pixel_bytes;
  if (stored.step < row_bytes || stored.bytes.size() < (height - 1) * stored.step + row_bytes) {
    throw Error("an image of " + std::to_string(width) + "x" + std::to_string(height) + " " +
                std::string(name) + " has only " + std::to_string(stored.bytes.size()) + " bytes, " +
                std::to_string(stored.step) + " per row");
  }
  const bool has_words = encoding->pixel_bytes == 2;
  switch (encoding->layout) {
    case RosLayout::kGray:
      if (has_words) return Words(stored);
      return GrayFrom<std::uint8_t>(stored.bytes, stored.width, stored.height, stored.step);
    case RosLayout::kMosaic:
      if (has_words) return LoadedImageDecoders().mosaic16(Words(stored).ConstView(), encoding->begin);
      return LoadedImageDecoders().mosaic8(
          {stored.bytes.data(), stored.width, stored.height, static_cast<std::ptrdiff_t>(stored.step)},
          encoding->begin);
    case RosLayout::kRgb:
    case RosLayout::kBgr:
      return RgbFrom(stored.bytes, stored.width, stored.height, stored.step, encoding->pixel_bytes,
                     encoding->layout == RosLayout::kBgr);
    default:
      return RgbFromYuv(stored.bytes, stored.width, stored.height, stored.step,
                        encoding->layout == RosLayout::kYuyv);
  }
}

}  // namespace

std::string RosDefinition(std::string_view type) {
  const std::pair<std::string_view, std::string_view> header{"std_msgs/Header", kHeaderFields};
  const std::pair<std::string_view, std::string_view> time{"builtin_interfaces/Time", kTimeFields};
  const std::pair<std::string_view, std::string_view> region{"sensor_msgs/RegionOfInterest", kRegionFields};
  if (type == kRosImage) return WithTypes(kImageFields, {header, time});
  if (type == kRosCameraInfo) return WithTypes(kCameraInfoFields, {header, time, region});
  if (type == kRosDisparityImage)
    return WithTypes(kDisparityFields, {header, time, {"sensor_msgs/Image", kImageFields}, region});
  if (type == kRosPointCloud2)
    return WithTypes(kCloudFields, {header, time, {"sensor_msgs/PointField", kPointFieldFields}});
  if (type == kRosString) return "string data\n";
  throw InvalidArgument("there is no definition of the message type " + std::string(type));
}

RosMessage EncodeImage(const RosHeader& header, const CameraImageView& image) {
  constexpr std::string_view kEncodings[] = {"mono8", "mono16", "rgb8"};  // in the order of the variant
  return std::visit([&](const auto& i) { return PlainImage(header, i, kEncodings[image.index()]); }, image);
}

RosMessage EncodeDepth(const RosHeader& header, HostImageView<const float> depth_m) {
  return PlainImage(header, depth_m, "32FC1");
}

RosMessage EncodeDepthInMm(const RosHeader& header, HostImageView<const float> depth_m) {
  CdrWriter cdr;
  WriteImage(cdr, header, depth_m, "16UC1", [](float z) {
    const float mm = std::round(z * 1000.0F);
    return mm >= 1.0F && mm <= 65535.0F ? static_cast<std::uint16_t>(mm) : std::uint16_t{0};
  });
  return cdr.Take();
}

RosMessage EncodeCameraInfo(const RosHeader& header, int width, int height,
                            const std::optional<StereoRig>& rig, StereoSide side) {
  CdrWriter cdr;
  WriteHeader(cdr, header);
  cdr.Number(static_cast<std::uint32_t>(height))
      .Number(static_cast<std::uint32_t>(width))
      .Text(kNoDistortion);
  cdr.Number(std::uint32_t{5});
  WriteNumbers(cdr, {0, 0, 0, 0, 0});
  const bool is_right = side == StereoSide::kRight;
  const double f = rig ? rig->fx_px : 0, one = rig ? 1 : 0;
  const double cx = rig ? rig->cx_px + (is_right ? rig->doffs_px : 0) : 0, cy = rig ? rig->cy_px : 0;
  const double shift = rig && is_right ? -f * rig->baseline_m : 0;
  WriteNumbers(cdr, {f, 0, cx, 0, f, cy, 0, 0, one});
  WriteNumbers(cdr, {1, 0, 0, 0, 1, 0, 0, 0, 1});
  WriteNumbers(cdr, {f, 0, cx, shift, 0, f, cy, 0, 0, 0, one, 0});
  cdr.Number(std::uint32_t{0}).Number(std::uint32_t{0});  // no binning
  WriteRegion(cdr, 0, 0);                                 // the whole image
  return cdr.Take();
}

RosMessage EncodeDisparity(const RosHeader& header, HostImageView<const float> disparity,
                           const std::optional<StereoRig>& rig, int min_disparity, int num_disparities) {
  const auto doffs = static_cast<float>(rig ? rig->doffs_px : 0);
  const float least = static_cast<float>(min_disparity) + doffs;
  CdrWriter cdr;
  WriteHeader(cdr, header);
  WriteImage(cdr, header, disparity, "32FC1",
             [&](float d) { return std::isfinite(d) ? d + doffs : least - 1.0F; });
  cdr.Number(static_cast<float>(rig ? rig->fx_px : 0)).Number(static_cast<float>(rig ? rig->baseline_m : 0));
  WriteRegion(cdr, disparity.width, disparity.height);
  cdr.Number(least).Number(least + static_cast<float>(num_disparities - 1));
  cdr.Number(1.0F / 256);  // the step of disparity files; the values are finer
  return cdr.Take();
}

RosMessage EncodeCloud(const RosHeader& header, const PointCloudView& cloud,
                       std::initializer_list<RosPointField> additional) {
  constexpr std::uint8_t kFloat32 = 7;
  std::vector<std::string_view> names = {"x", "y", "z"};
  if (!cloud.colors.empty()) names.emplace_back("rgb");
  for (const RosPointField& field : additional) names.push_back(field.name);
  CdrWriter cdr;
  WriteHeader(cdr, header);
  const auto num_points = static_cast<std::uint32_t>(cloud.size());
  const auto num_fields = static_cast<std::uint32_t>(names.size()), point_bytes = 4 * num_fields;
  cdr.Number(std::uint32_t{1}).Number(num_points);
  cdr.Number(num_fields);
  for (std::uint32_t i = 0; i < num_fields; ++i)
    cdr.Text(names[i]).Number(4 * i).Number(kFloat32).Number(std::uint32_t{1});
  cdr.Number(false).Number(point_bytes).Number(point_bytes * num_points);
  std::uint8_t* to = cdr.ByteSequence(std::size_t{point_bytes} * num_points).data();
  const auto put = [&](const auto& value) {
    std::memcpy(to, &value, sizeof(value));
    to += sizeof(value);
  };
  for (std::size_t i = 0; i < num_points; ++i) {
    put(cloud.points[i]);
    if (!cloud.colors.empty()) {
      const Rgb8 color = cloud.colors[i];
      put(std::uint32_t{color.r * 65536U + color.g * 256U + color.b});
    }
    for (const RosPointField& field : additional) put(field.values[i]);
  }
  cdr.Number(true);  // every point is one
  return cdr.Take();
}

RosMessage EncodeText(std::string_view text) {
  CdrWriter cdr;
  cdr.Text(text);
  return cdr.Take();
}

RosMessage EncodeDiagnostics(const RosHeader& header, const RosStatus& status) {
  CdrWriter cdr;
  WriteHeader(cdr, header);
  cdr.Number(std::uint32_t{1}).Number(static_cast<std::uint8_t>(status.level));
  cdr.Text(status.name).Text(status.message).Text(status.hardware_id);
  cdr.Number(static_cast<std::uint32_t>(status.values.size()));
  for (const auto& [key, value] : status.values) cdr.Text(key).Text(value);
  return cdr.Take();
}

RosMessage EncodeNode(const RosNode& node, std::size_t gid_bytes) {
  CdrWriter cdr;
  const auto write_gid = [&](const std::array<std::uint8_t, 16>& gid) {
    for (std::size_t i = 0; i < gid_bytes; ++i) cdr.Number(i < gid.size() ? gid[i] : std::uint8_t{0});
  };
  write_gid(node.participant);
  cdr.Number(std::uint32_t{1}).Text(node.name_space).Text(node.name);
  for (const auto* gids : {&node.readers, &node.writers}) {
    cdr.Number(static_cast<std::uint32_t>(gids->size()));
    for (const auto& gid : *gids) write_gid(gid);
  }
  return cdr.Take();
}

RosImage DecodeImage(std::span<const std::uint8_t> message) {
  CdrReader cdr(message);
  RosImage decoded = ReadHeader(cdr);
  const auto height = cdr.Number<std::uint32_t>(), width = cdr.Number<std::uint32_t>();
  const std::string_view encoding = cdr.Text();
  StoredImage stored;
  stored.is_big_endian = cdr.Number<std::uint8_t>() != 0;
  stored.step = cdr.Number<std::uint32_t>();
  stored.bytes = cdr.ByteSequence();
  if (width < 1 || height < 1 || width > kMaxSide_px || height > kMaxSide_px)
    throw Error("an image of " + std::to_string(width) + "x" + std::to_string(height) + " px is impossible");
  stored.width = static_cast<int>(width);
  stored.height = static_cast<int>(height);
  decoded.image = PixelsOf(stored, encoding);
  return decoded;
}

RosImage DecodeCompressedImage(std::span<const std::uint8_t> message) {
  CdrReader cdr(message);
  RosImage decoded = ReadHeader(cdr);
  const std::string format = Printable(cdr.Text());
  const std::span<const std::uint8_t> file = cdr.ByteSequence();
  decoded.image = DecodeImageFile("a compressed image (" + format + ")", {file.begin(), file.end()});
  return decoded;
}

RosImage DecodeHeader(std::span<const std::uint8_t> message) {
  CdrReader cdr(message);
  return ReadHeader(cdr);
}

RosCameraInfo DecodeCameraInfo(std::span<const std::uint8_t> message) {
  constexpr std::uint32_t kMaxDistortion = 14;
  CdrReader cdr(message);
  RosCameraInfo info;
  ReadHeader(cdr);
  const auto height = cdr.Number<std::uint32_t>(), width = cdr.Number<std::uint32_t>();
  if (width > kMaxSide_px || height > kMaxSide_px) throw Error("the camera_info has an impossible size");
  info.width = static_cast<int>(width);
  info.height = static_cast<int>(height);
  info.model = cdr.Text();
  const auto num_distortion = cdr.Number<std::uint32_t>();
  if (num_distortion > kMaxDistortion)
    throw Error("the camera_info has " + std::to_string(num_distortion) + " distortion coefficients");
  for (std::uint32_t i = 0; i < num_distortion; ++i) info.distortion.push_back(cdr.Number<double>());
  for (double& number : info.k) number = cdr.Number<double>();
  for (double& number : info.r) number = cdr.Number<double>();
  for (double& number : info.p) number = cdr.Number<double>();
  return info;
}

std::string DecodeText(std::span<const std::uint8_t> message) {
  return std::string(CdrReader(message).Text());
}

}  // namespace parallax
