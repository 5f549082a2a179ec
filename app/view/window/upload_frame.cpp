#include "app/view/window/upload_frame.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

namespace parallax::app {
namespace {

using open3d::core::Tensor;

constexpr std::size_t kCapacityStep = 1 << 16;  // points

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

void CopyCloud(const PointCloud& cloud, std::size_t capacity, UploadFrame& frame) {
  frame.num_points = cloud.size();
  if (cloud.points.empty()) return;
  const auto rows = static_cast<std::int64_t>(capacity);
  frame.positions = Tensor::Empty({rows, 3}, open3d::core::Float32);
  frame.colors = Tensor::Empty({rows, 3}, open3d::core::Float32);
  auto* position = frame.positions.GetDataPtr<float>();
  auto* color = frame.colors.GetDataPtr<float>();
  const bool has_color = cloud.colors.size() == cloud.points.size();
  for (std::size_t i = 0; i < capacity; ++i) {
    const std::size_t source = std::min(i, cloud.size() - 1);
    const Point3f& p = cloud.points[source];
    const Rgb8 c = has_color ? cloud.colors[source] : Rgb8{220, 220, 220};
    *position++ = p.x, *position++ = p.y, *position++ = p.z;
    *color++ = static_cast<float>(c.r) / 255.0f;
    *color++ = static_cast<float>(c.g) / 255.0f;
    *color++ = static_cast<float>(c.b) / 255.0f;
  }
}

}  // namespace

std::size_t CapacityFor(std::size_t num_points) {
  return (num_points + kCapacityStep - 1) / kCapacityStep * kCapacityStep;
}

UploadFrame ToUpload(ViewerFrame frame, std::size_t capacity) {
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
  CopyCloud(frame.cloud, capacity, upload);
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
