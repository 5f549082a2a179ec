// The PNG files that DecodePlainPng leaves alone (palettes, transparency, fewer than 8 bits, interlacing,
// 16-bit colour), through libpng's own interface: OpenCV prints its warnings and takes what there is.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

#include "pipeline/types/frame.h"

namespace parallax {

// Palettes are resolved, transparency is dropped, gray of fewer than 8 bits is spread over 0 to 255, 16-bit
// colour is rounded to 8 bits. nullopt where the bytes are no PNG. Throws Error, with what libpng has to say,
// on damaged data: its warnings, too.
std::optional<CameraImage> DecodeRarePng(const std::filesystem::path& path,
                                         std::span<const std::uint8_t> bytes);

}  // namespace parallax
