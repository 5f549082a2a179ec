// Whether an image file is complete. OpenCV's decoders silently fill up a damaged JPEG with gray, and believe
// any size in a header.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

namespace parallax {

// Walks the structure of a PNG, JPEG, PGM/PPM or BMP file: every chunk and its checksum (PNG), the end marker
// (JPEG), the length that the size demands. Throws Error for a truncated or damaged file and for a header
// whose size the file cannot hold. TIFF passes unchecked, other formats are refused. Returns the upper bound
// of the bytes of the decoded pixels; for TIFF, the file's size.
std::uint64_t CheckImageIsWhole(const std::filesystem::path& path, std::span<const std::uint8_t> bytes);

}  // namespace parallax
