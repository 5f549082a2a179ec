#include "cuda/calibration/device_rectifier.h"

#include <atomic>
#include <string>
#include <utility>

#include "parallax/error.h"
#include "pipeline/matchers/stereo_matcher.h"

namespace parallax::cuda {
namespace {

std::uint64_t NextNumber() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

DeviceImage<std::int32_t> Upload(const HostImage<std::int32_t>& positions, cudaStream_t stream) {
  DeviceImage<std::int32_t> uploaded(positions.width(), positions.height());
  UploadAsync(positions.ConstView(), uploaded.View(), stream);
  return uploaded;
}

}  // namespace

DeviceRectifier::DeviceRectifier(std::shared_ptr<const Rectifier> rectifier, cudaStream_t stream)
    : rectifier_(std::move(rectifier)),
      number_(NextNumber()),
      left_x_(Upload(rectifier_->left().x, stream)),
      left_y_(Upload(rectifier_->left().y, stream)),
      right_x_(Upload(rectifier_->right().x, stream)),
      right_y_(Upload(rectifier_->right().y, stream)),
      tables_{{left_x_.ConstView(), left_y_.ConstView()}, {right_x_.ConstView(), right_y_.ConstView()}} {
  Check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

void DeviceRectifier::CheckRaw(const CameraImageView& left, const CameraImageView& right) const {
  const auto size = [](int width, int height) {
    return std::to_string(width) + "x" + std::to_string(height);
  };
  for (const bool of_left : {true, false}) {
    const CameraImageView& image = of_left ? left : right;
    const int width = raw_width(of_left), height = raw_height(of_left);
    if (WidthOf(image) != width || HeightOf(image) != height) {
      throw InvalidArgument("an image of " + size(WidthOf(image), HeightOf(image)) +
                            " does not fit a calibration of " + size(width, height));
    }
    CheckMatcherInput(image, image, width, height);
  }
  if (left.index() != right.index()) {
    throw InvalidArgument(
        "left and right image differ in pixel type: give both as 8-bit gray, 16-bit gray or colour");
  }
}

}  // namespace parallax::cuda
