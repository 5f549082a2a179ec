#include "app/view/window/upload_frame.h"

#include <cstdint>
#include <cstring>
#include <utility>

namespace parallax::app {

using open3d::core::Tensor;

UploadFrame ToUpload(ViewerFrame frame) {
  UploadFrame upload;
  upload.name = std::move(frame.name);
  upload.status = std::move(frame.status);
  upload.is_alarm = frame.is_alarm;
  upload.cloud_caption = std::move(frame.cloud_caption);
  upload.shown = std::move(frame.shown);
  upload.cloud_frame = std::move(frame.cloud_frame);
  upload.keeps_cloud = frame.keeps_cloud;
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
