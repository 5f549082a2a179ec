// Image files: PNG, JPEG, PGM/PPM, BMP, TIFF.
#pragma once

#include <cstdint>
#include <filesystem>

#include "datasets/formats/file_bytes.h"
#include "parallax/image.h"
#include "pipeline/types/frame.h"

namespace parallax {

// Reads 8- or 16-bit gray or 8-bit colour; palettes are resolved, alpha is dropped, 16-bit colour is reduced
// to 8 bits. Throws Error on a file that is missing, damaged, truncated or of another kind.
CameraImage ReadImage(const std::filesystem::path& path);
// The same of a file's bytes; name: in messages.
CameraImage DecodeImageFile(const std::filesystem::path& name, const FileBytes& bytes);

// Reads an image of one channel and 8 (16) bits, such as a mask. Colour whose channels are equal counts as
// gray. Throws Error on any other.
HostImage<std::uint8_t> ReadGray8(const std::filesystem::path& path);
HostImage<std::uint16_t> ReadGray16(const std::filesystem::path& path);

// Writes a PNG of the same depth and channels, atomically. Throws Error, InvalidArgument for an empty image.
void WritePng(const std::filesystem::path& path, HostImageView<const std::uint8_t> image);
void WritePng(const std::filesystem::path& path, HostImageView<const std::uint16_t> image);
void WritePng(const std::filesystem::path& path, HostImageView<const Rgb8> image);

}  // namespace parallax
