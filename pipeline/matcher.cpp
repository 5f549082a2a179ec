#include "pipeline/matcher.h"

#include <string>

#include "pipeline/error.h"

namespace parallax {
namespace {

std::string SizeText(int width, int height) { return std::to_string(width) + "x" + std::to_string(height); }

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
  for (const CameraImageView* image : {&left, &right}) {
    if (WidthOf(*image) != width || HeightOf(*image) != height) {
      throw InvalidArgument(std::string(image == &left ? "left" : "right") + " image is " +
                            SizeText(WidthOf(*image), HeightOf(*image)) + ", the matcher was made for " +
                            SizeText(width, height));
    }
  }
}

}  // namespace parallax
