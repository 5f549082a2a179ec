#include "app/view/window/upload_frame.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

namespace parallax::app {
namespace {

using open3d::core::Tensor;

Open3DImage ToOpen3D(const HostImage<Rgb8>& image) {
  if (image.Empty()) return nullptr;
  auto result = std::make_shared<open3d::geometry::Image>();
  result->Prepare(image.width(), image.height(), 3, 1);
  const std::size_t row_bytes = static_cast<std::size_t>(image.width()) * 3;
  for (int y = 0; y < image.height(); ++y) {
    std::memcpy(result->data_.data() + static_cast<std::size_t>(y) * row_bytes, image.Row(y), row_bytes);
  }
  return result;
}

}  // namespace

UploadFrame ToUpload(ViewerFrame frame) {
  UploadFrame upload;
  upload.name = std::move(frame.name);
  upload.status = std::move(frame.status);
  upload.image_caption = std::move(frame.image_caption);
  upload.disparity_caption = std::move(frame.disparity_caption);
  upload.cloud_caption = std::move(frame.cloud_caption);
  upload.scale_low = std::move(frame.scale_low);
  upload.scale_high = std::move(frame.scale_high);
  upload.image = ToOpen3D(frame.image);
  upload.disparity = ToOpen3D(frame.disparity);
  upload.scale = ToOpen3D(frame.scale);
  upload.cloud_frame = std::move(frame.cloud_frame);
  return upload;
}

HostImage<Rgb8> FromOpen3D(const Tensor& pixels) {
  HostImage<Rgb8> image(static_cast<int>(pixels.GetShape(1)), static_cast<int>(pixels.GetShape(0)));
  const auto* data = pixels.GetDataPtr<std::uint8_t>();
  const std::size_t row_bytes = static_cast<std::size_t>(image.width()) * 3;
  for (int y = 0; y < image.height(); ++y) {
    std::memcpy(image.Row(y), data + static_cast<std::size_t>(y) * row_bytes, row_bytes);
  }
  return image;
}

}  // namespace parallax::app
