// JPEG files through libjpeg's own interface: OpenCV only prints its warnings and accepts the damaged
// picture.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

#include "pipeline/types/frame.h"

namespace parallax {

// Gray or RGB, 8 bits, with the pixels that OpenCV gives. nullopt if the bytes are not a JPEG, or one of four
// inks with complete data. Throws Error with libjpeg's text for damaged data, including its warnings.
std::optional<CameraImage> DecodeJpeg(const std::filesystem::path& path, std::span<const std::uint8_t> bytes);

}  // namespace parallax
