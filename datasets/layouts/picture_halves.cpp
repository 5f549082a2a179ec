#include "datasets/layouts/picture_halves.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "parallax/error.h"

namespace parallax {
namespace {

template <typename T>
HostImage<T> CopyOfPart(HostImageView<const T> image, int left, int top, int width, int height) {
  HostImage<T> part(width, height);
  for (int y = 0; y < height; ++y) std::copy_n(image.Row(top + y) + left, width, part.Row(y));
  return part;
}

}  // namespace

void CheckHalves(int width, int height, PictureLayout layout, const std::string& label) {
  const std::string size = std::to_string(width) + "x" + std::to_string(height);
  if (IsSideBySide(layout) && width % 2 != 0) {
    throw Error(label + ": a picture of " + size + " px, " + std::to_string(width) +
                " px wide cannot hold two images of equal width side by side; the images may be one above "
                "the other, or in two videos or cameras");
  }
  if (!IsSideBySide(layout) && height % 2 != 0) {
    throw Error(label + ": a picture of " + size + " px, " + std::to_string(height) +
                " px high cannot hold two images of equal height one above the other; the images may be side "
                "by side");
  }
}

void SplitPicture(const CameraImage& picture, PictureLayout layout, StereoFrame& frame) {
  std::visit(
      [&](const auto& image) {
        const bool beside = IsSideBySide(layout);
        const int width = beside ? image.width() / 2 : image.width();
        const int height = beside ? image.height() : image.height() / 2;
        frame.left = CopyOfPart(image.View(), 0, 0, width, height);
        frame.right = CopyOfPart(image.View(), beside ? width : 0, beside ? 0 : height, width, height);
      },
      picture);
  if (layout == PictureLayout::kRightLeft || layout == PictureLayout::kBottomTop)
    std::swap(frame.left, frame.right);
}

}  // namespace parallax
