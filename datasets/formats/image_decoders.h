// Decoders of the rarer image formats, and an encoder. OpenCV's libraries for them need about 230 others, which
// take 110 ms to load. A module (datasets/media/) links them and is loaded for such a file only. PNG and JPEG are read
// without it.
#pragma once

#include <cstdint>
#include <filesystem>

#include "datasets/formats/file_bytes.h"
#include "parallax/image.h"
#include "pipeline/types/frame.h"

namespace parallax {

// The order of a Bayer pattern's colours in its first two rows.
enum class MosaicBegin { kRggb, kBggr, kGbrg, kGrbg };

// Each decodes a whole file (`path` is for messages), with the results of ReadImage, ReadGray8 and ReadGray16
// in image_file.h. They throw Error.
struct ImageDecoders {
  CameraImage (*any)(const std::filesystem::path& path, const FileBytes& bytes);
  HostImage<std::uint8_t> (*gray8)(const std::filesystem::path& path, const FileBytes& bytes);
  HostImage<std::uint16_t> (*gray16)(const std::filesystem::path& path, const FileBytes& bytes);
  // A WebP file with losses; quality: 1 .. 100.
  FileBytes (*encode_webp)(HostImageView<const Rgb8> picture, int quality);
  // Convert a Bayer pattern: to colour, or to gray with all bits. Missing colours become the mean of their neighbours.
  // Images smaller than 3x3 px become black.
  HostImage<Rgb8> (*mosaic8)(HostImageView<const std::uint8_t> mosaic, MosaicBegin begin);
  HostImage<std::uint16_t> (*mosaic16)(HostImageView<const std::uint16_t> mosaic, MosaicBegin begin);
};

// Loads the module at the first call. May be called from any thread. Throws Error if it cannot be loaded.
const ImageDecoders& LoadedImageDecoders();
// A function that the module exports; throws what LoadedImageDecoders throws.
void* FunctionOfMedia(const char* name);

}  // namespace parallax

extern "C" const parallax::ImageDecoders* ParallaxImageDecoders();
