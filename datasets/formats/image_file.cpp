#include "datasets/formats/image_file.h"

#include <optional>
#include <utility>
#include <variant>

#include "datasets/formats/file_bytes.h"
#include "datasets/formats/image_check.h"
#include "datasets/formats/image_decoders.h"
#include "datasets/formats/jpeg_reader.h"
#include "datasets/formats/png_reader.h"
#include "datasets/formats/png_writer.h"
#include "datasets/formats/rare_png_reader.h"
#include "datasets/system/atomic_file.h"
#include "datasets/system/process_memory.h"
#include "parallax/error.h"

namespace parallax {
namespace {

// Memory for a large image is requested in advance. A library that gets none while it reads prints warnings,
// or reports an intact file as damaged.
void RequireWholeImage(const std::filesystem::path& path, const FileBytes& bytes) {
  const std::uint64_t decoded_bytes = CheckImageIsWhole(path, bytes);
  constexpr std::uint64_t kLarge_bytes = 4 << 20, kCopies = 3;  // a decoder's own, its result, ours
  if (decoded_bytes >= kLarge_bytes) {
    RequireMemory(kCopies * decoded_bytes, path.string() + ": decoding its pixels",
                  "use smaller images, or raise the limit");
  }
}

FileBytes ReadWholeImage(const std::filesystem::path& path) {
  FileBytes bytes = ReadFileBytes(path);
  RequireWholeImage(path, bytes);
  return bytes;
}

// Our own decoders' image; nullopt if the module of media/ is to look at the file.
std::optional<CameraImage> DecodeOurselves(const std::filesystem::path& path, const FileBytes& bytes) {
  std::optional<CameraImage> image = DecodePlainPng(path, bytes);
  if (!image) image = DecodeRarePng(path, bytes);
  if (!image) image = DecodeJpeg(path, bytes);
  return image;
}

// Uses our own decoder if the file has the requested pixel type, otherwise the module's conversion.
template <typename T>
HostImage<T> ReadOneChannel(const std::filesystem::path& path,
                            HostImage<T> (*ImageDecoders::*decode)(const std::filesystem::path&,
                                                                   const FileBytes&)) {
  const FileBytes bytes = ReadWholeImage(path);
  if (std::optional<CameraImage> plain = DecodeOurselves(path, bytes)) {
    if (auto* image = std::get_if<HostImage<T>>(&*plain)) return std::move(*image);
  }
  return (LoadedImageDecoders().*decode)(path, bytes);
}

template <typename T>
void WritePngOf(const std::filesystem::path& path, HostImageView<const T> image) {
  if (image.Empty()) throw InvalidArgument(path.string() + ": an image without pixels cannot be written");
  WriteFileAtomically(path, EncodePng(image));
}

}  // namespace

CameraImage ReadImage(const std::filesystem::path& path) {
  return DecodeImageFile(path, ReadFileBytes(path));
}

CameraImage DecodeImageFile(const std::filesystem::path& name, const FileBytes& bytes) {
  RequireWholeImage(name, bytes);
  if (std::optional<CameraImage> plain = DecodeOurselves(name, bytes)) return std::move(*plain);
  return LoadedImageDecoders().any(name, bytes);
}

HostImage<std::uint8_t> ReadGray8(const std::filesystem::path& path) {
  return ReadOneChannel(path, &ImageDecoders::gray8);
}
HostImage<std::uint16_t> ReadGray16(const std::filesystem::path& path) {
  return ReadOneChannel(path, &ImageDecoders::gray16);
}

void WritePng(const std::filesystem::path& path, HostImageView<const std::uint8_t> image) {
  WritePngOf(path, image);
}
void WritePng(const std::filesystem::path& path, HostImageView<const std::uint16_t> image) {
  WritePngOf(path, image);
}
void WritePng(const std::filesystem::path& path, HostImageView<const Rgb8> image) { WritePngOf(path, image); }

}  // namespace parallax
