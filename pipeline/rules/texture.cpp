#include "pipeline/rules/texture.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <variant>

namespace parallax {

bool IsConstant(const CameraImageView& image) {
  return std::visit(
      [](const auto& view) {
        const std::size_t pixel_bytes = sizeof(*view.data);
        const auto* first = reinterpret_cast<const char*>(view.Row(0));
        for (int y = 0; y < view.height; ++y) {
          // A row is constant if its first pixel equals the image's first and every pixel the next one.
          const auto* row = reinterpret_cast<const char*>(view.Row(y));
          const std::size_t others_bytes = (static_cast<std::size_t>(view.width) - 1) * pixel_bytes;
          if (std::memcmp(row, first, pixel_bytes) != 0 ||
              std::memcmp(row, row + pixel_bytes, others_bytes) != 0) {
            return false;
          }
        }
        return true;
      },
      image);
}

void ClearConfidenceOfConstantImages(const CameraImageView& left, const CameraImageView& right,
                                     HostImageView<std::uint8_t> confidence) {
  if (!IsConstant(left) && !IsConstant(right)) return;
  for (int y = 0; y < confidence.height; ++y) {
    std::fill_n(confidence.Row(y), confidence.width, std::uint8_t{0});
  }
}

}  // namespace parallax
