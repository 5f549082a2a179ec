// The plain kinds of PNG (ISO/IEC 15948), in a third of libpng's time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

#include "pipeline/types/frame.h"

namespace parallax {

// Decodes 8- and 16-bit gray and 8-bit RGB without interlacing and transparency. nullopt for everything else,
// which the general decoder reads or refuses. `bytes` have passed CheckImageIsWhole, including the checksums.
// Throws Error, naming the path, when the pixel data do not unpack to the pixels of the header.
std::optional<CameraImage> DecodePlainPng(const std::filesystem::path& path,
                                          std::span<const std::uint8_t> bytes);

}  // namespace parallax
