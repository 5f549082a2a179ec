// Whether an image file is whole. OpenCV's decoders fill up a damaged JPEG with gray without a word, and
// believe any size a header states.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

namespace parallax {

// Walks the structure of a PNG, JPEG, PGM/PPM or BMP file: every chunk and its checksum (PNG), the end
// marker (JPEG), the length that the size demands. Throws Error for a truncated or damaged file and for a
// header whose size the file cannot hold. TIFF passes unchecked, other formats are refused.
// Returns the bytes that its pixels take when they are decoded, at most; of TIFF, the file's.
std::uint64_t CheckImageIsWhole(const std::filesystem::path& path, std::span<const std::uint8_t> bytes);

}  // namespace parallax
