// JPEG files through libjpeg's own interface: OpenCV prints its warnings and takes the damaged picture.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

#include "pipeline/types/frame.h"

namespace parallax {

// Gray or RGB, 8 bits, the pixels that OpenCV gives. nullopt where the bytes are no JPEG, or one of four
// inks, whose data were whole. Throws Error, with what libjpeg has to say, on damaged data: its warnings,
// too.
std::optional<CameraImage> DecodeJpeg(const std::filesystem::path& path, std::span<const std::uint8_t> bytes);

}  // namespace parallax
