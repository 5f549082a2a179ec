#include "pipeline/matchers/stereo_matcher.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <variant>

#include "parallax/error.h"

namespace parallax {
namespace {

std::string SizeText(int width, int height) { return std::to_string(width) + "x" + std::to_string(height); }
std::string SizeText(const CameraImageView& image) { return SizeText(WidthOf(image), HeightOf(image)); }

// Rows that reach into one another, or whose pixels a load of their type cannot begin at.
void CheckRows(const CameraImageView& image, const std::string& side) {
  std::visit(
      [&]<typename T>(const HostImageView<T>& view) {
        const std::ptrdiff_t row_bytes = view.width * static_cast<std::ptrdiff_t>(sizeof(T));
        const std::ptrdiff_t stride_bytes = std::abs(view.stride_bytes);
        const bool aligned = stride_bytes % static_cast<std::ptrdiff_t>(alignof(T)) == 0 &&
                             reinterpret_cast<std::uintptr_t>(view.data) % alignof(T) == 0;
        if (view.height <= 1 || (stride_bytes >= row_bytes && aligned)) return;
        throw InvalidArgument(side + " image has rows of " + std::to_string(row_bytes) +
                              " bytes that begin " + std::to_string(view.stride_bytes) +
                              " bytes apart: state the stride in bytes, a multiple of a value's size");
      },
      image);
}

}  // namespace

void CheckMatcherSize(const MatcherOptions& options) {
  if (options.width < 1 || options.height < 1) {
    throw InvalidArgument("matcher asked for images of " + SizeText(options.width, options.height) +
                          ": width and height must be at least 1");
  }
}

void CheckMatcherInput(const CameraImageView& left, const CameraImageView& right, int width, int height) {
  if (left.index() != right.index()) {
    throw InvalidArgument(
        "left and right image differ in pixel type: give both as 8-bit gray, 16-bit gray or colour");
  }
  if (WidthOf(left) != WidthOf(right) || HeightOf(left) != HeightOf(right)) {
    throw InvalidArgument("left image is " + SizeText(left) + ", right image is " + SizeText(right) +
                          ": give two of one size");
  }
  if (WidthOf(left) < 1 || HeightOf(left) < 1 || WidthOf(left) > width || HeightOf(left) > height) {
    throw InvalidArgument("images are " + SizeText(left) + ", but the matcher was made for at most " +
                          SizeText(width, height) + " and at least 1x1");
  }
  CheckRows(left, "left");
  CheckRows(right, "right");
}

}  // namespace parallax
