#include <tiffio.h>

#include <cstdarg>
#include <cstdio>
#include <new>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "datasets/formats/file_bytes.h"
#include "datasets/media/functions.h"
#include "datasets/system/process_memory.h"
#include "parallax/error.h"

namespace parallax::media {
namespace {

using std::string_view_literals::operator""sv;

template <typename T>
constexpr int kMatType = 0;
template <>
constexpr int kMatType<std::uint8_t> = CV_8UC1;
template <>
constexpr int kMatType<std::uint16_t> = CV_16UC1;
template <>
constexpr int kMatType<Rgb8> = CV_8UC3;

// OpenCV's header for our pixels; nothing is copied.
template <typename T>
cv::Mat WrapPixels(HostImageView<T> view) {
  using Pixel = std::remove_const_t<T>;
  return cv::Mat(view.height, view.width, kMatType<Pixel>, const_cast<Pixel*>(view.data),
                 static_cast<std::size_t>(view.stride_bytes));
}

// libtiff's last error in this thread; its messages go to standard error otherwise. No std::string: a thread-local
// object with a destructor ends the program where memory for it is refused.
thread_local char t_tiff_error[128];
void OnTiffError(const char* /*module*/, const char* format, va_list arguments) {
  std::vsnprintf(t_tiff_error, sizeof t_tiff_error, format, arguments);
}
void OnTiffWarning(const char* /*module*/, const char* /*format*/, va_list /*arguments*/) {}

// OpenCV's decoders print nothing from now on: our error says it. It sets libtiff's handlers when it first
// decodes, so these come after that.
void KeepDecodersQuiet() {
  static const bool done = [] {
    constexpr std::uint64_t kRoomForTheirTables_bytes = 64 << 20;  // GDAL prints where it is refused memory
    RequireMemory(kRoomForTheirTables_bytes, "reading an image by OpenCV",
                  "use PNG or JPEG, or raise the limit");
    cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
    cv::imdecode(FileBytes{'I', 'I', '*', 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0}, cv::IMREAD_GRAYSCALE);
    TIFFSetErrorHandler(OnTiffError);
    TIFFSetWarningHandler(OnTiffWarning);
    return true;
  }();
  static_cast<void>(done);
}

// The position of the byte that holds the orientation of a TIFF (tag 274); nullopt if there is no such tag.
std::optional<std::size_t> PlaceOfOrientation(const FileBytes& bytes) {
  const std::string_view head = AsText(bytes).substr(0, 4);
  const bool is_little = head == "II*\0"sv || head == "II+\0"sv,
             is_long = head == "II+\0"sv || head == "MM\0+"sv;
  if (!is_little && head != "MM\0*"sv && head != "MM\0+"sv) return std::nullopt;
  const auto number = [&](std::size_t at, std::size_t size) {  // 0 beyond the end
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size && at < bytes.size() && size <= bytes.size() - at; ++i)
      value = value << 8 | bytes[at + (is_little ? size - 1 - i : i)];
    return value;
  };
  const std::size_t table = is_long ? number(8, 8) : number(4, 4), field_bytes = is_long ? 20 : 12;
  const std::size_t num_fields = number(table, is_long ? 8 : 2);
  std::size_t field = table + (is_long ? 8 : 2);
  for (std::size_t i = 0; i < num_fields && field < bytes.size() && field_bytes <= bytes.size() - field;
       ++i) {
    if (number(field, 2) == 274) return field + (is_long ? 12 : 8) + (is_little ? 0 : 1);
    field += field_bytes;
  }
  return std::nullopt;
}

cv::Mat Decode(const std::filesystem::path& path, const FileBytes& bytes) {
  constexpr std::uint8_t kAsStored = 1;
  if (const auto place = PlaceOfOrientation(bytes); place && bytes[*place] != kAsStored) {
    FileBytes not_turned = bytes;  // OpenCV turns a TIFF whatever the flags say
    not_turned[*place] = kAsStored;
    return Decode(path, not_turned);
  }
  KeepDecodersQuiet();
  t_tiff_error[0] = '\0';
  cv::Mat decoded;
  try {
    // ANYDEPTH | ANYCOLOR: palettes resolved, no turning by EXIF (it would break the rig).
    decoded = cv::imdecode(bytes, cv::IMREAD_ANYDEPTH | cv::IMREAD_ANYCOLOR | cv::IMREAD_IGNORE_ORIENTATION);
  } catch (const cv::Exception& error) {
    if (error.code == cv::Error::StsNoMem) throw std::bad_alloc();
    decoded.release();
  }
  if (t_tiff_error[0] != '\0') {
    throw Error(path.string() + ": the image is truncated or damaged (TIFF: " + Printable(t_tiff_error, 100) +
                "); fetch or write it again");
  }
  if (decoded.empty()) {
    throw Error(path.string() +
                ": is not a readable image (PNG, JPEG, PGM, PPM, BMP or TIFF), or is damaged");
  }
  return decoded;
}

template <typename T>
HostImage<T> CopyPixels(const cv::Mat& decoded) {
  HostImage<T> image(decoded.cols, decoded.rows);
  cv::Mat target = WrapPixels(image.View());
  if constexpr (std::is_same_v<T, Rgb8>) {
    cv::cvtColor(decoded, target, cv::COLOR_BGR2RGB);
  } else {
    decoded.copyTo(target);
  }
  return image;
}

template <typename T>
HostImage<T> DecodeOneChannel(const std::filesystem::path& path, const FileBytes& bytes, const char* wanted) {
  cv::Mat decoded = Decode(path, bytes);
  if (decoded.channels() == 3) {
    std::vector<cv::Mat> channels;
    cv::split(decoded, channels);
    const bool gray = cv::norm(channels[0], channels[1], cv::NORM_INF) == 0 &&
                      cv::norm(channels[0], channels[2], cv::NORM_INF) == 0;
    if (gray) decoded = channels[0];
  }
  if (decoded.type() != kMatType<T>) {
    throw Error(path.string() + ": is " + std::to_string(8 * decoded.elemSize1()) + "-bit " +
                (decoded.channels() == 1 ? "gray" : "colour") + ", not " + wanted +
                " gray: name another file, or convert it");
  }
  return CopyPixels<T>(decoded);
}

template <typename To, typename From>
HostImage<To> FromMosaic(HostImageView<const From> mosaic, int code) {
  HostImage<To> image(mosaic.width, mosaic.height);
  cv::Mat target = WrapPixels(image.View());
  cv::cvtColor(WrapPixels(mosaic), target, code);
  return image;
}

}  // namespace

CameraImage DecodeImage(const std::filesystem::path& path, const FileBytes& bytes) {
  cv::Mat decoded = Decode(path, bytes);
  if (decoded.type() == CV_16UC3) decoded.convertTo(decoded, CV_8UC3, 1.0 / 257);  // 65535 becomes 255
  switch (decoded.type()) {
    case CV_8UC1:
      return CopyPixels<std::uint8_t>(decoded);
    case CV_16UC1:
      return CopyPixels<std::uint16_t>(decoded);
    case CV_8UC3:
      return CopyPixels<Rgb8>(decoded);
    default:
      throw Error(path.string() + ": has " + std::to_string(8 * decoded.elemSize1()) +
                  "-bit pixels that are not 8- or 16-bit unsigned integers: convert it to PNG");
  }
}

HostImage<std::uint8_t> DecodeGray8(const std::filesystem::path& path, const FileBytes& bytes) {
  return DecodeOneChannel<std::uint8_t>(path, bytes, "8-bit");
}
HostImage<std::uint16_t> DecodeGray16(const std::filesystem::path& path, const FileBytes& bytes) {
  return DecodeOneChannel<std::uint16_t>(path, bytes, "16-bit");
}

FileBytes EncodeWebp(HostImageView<const Rgb8> picture, int quality) {
  cv::Mat as_bgr;
  cv::cvtColor(WrapPixels(picture), as_bgr, cv::COLOR_RGB2BGR);
  FileBytes bytes;
  if (!cv::imencode(".webp", as_bgr, bytes, {cv::IMWRITE_WEBP_QUALITY, quality}))
    throw Error("a picture could not be written as WebP: is OpenCV built without it?");
  return bytes;
}

// OpenCV names a mosaic by the second and third pixel of its second row.
HostImage<Rgb8> ColorsOfMosaic(HostImageView<const std::uint8_t> mosaic, MosaicBegin begin) {
  constexpr int kCodes[] = {cv::COLOR_BayerBG2RGB, cv::COLOR_BayerRG2RGB, cv::COLOR_BayerGR2RGB,
                            cv::COLOR_BayerGB2RGB};
  return FromMosaic<Rgb8>(mosaic, kCodes[static_cast<int>(begin)]);
}
HostImage<std::uint16_t> GrayOfMosaic(HostImageView<const std::uint16_t> mosaic, MosaicBegin begin) {
  constexpr int kCodes[] = {cv::COLOR_BayerBG2GRAY, cv::COLOR_BayerRG2GRAY, cv::COLOR_BayerGR2GRAY,
                            cv::COLOR_BayerGB2GRAY};
  return FromMosaic<std::uint16_t>(mosaic, kCodes[static_cast<int>(begin)]);
}

}  // namespace parallax::media
