// The PNG files that DecodePlainPng does not handle (palettes, transparency, fewer than 8 bits, interlacing,
// 16-bit colour), through libpng's own interface: OpenCV only prints its warnings and accepts what there is.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

#include "pipeline/types/frame.h"

namespace parallax {

// Palettes are resolved, transparency is dropped, gray of fewer than 8 bits is spread over 0 to 255, 16-bit
// colour is rounded to 8 bits. nullopt if the bytes are not a PNG. Throws Error with libpng's text for
// damaged data, including its warnings.
std::optional<CameraImage> DecodeRarePng(const std::filesystem::path& path,
                                         std::span<const std::uint8_t> bytes);

}  // namespace parallax
