// A frame in the form Open3D's renderer takes it.
#pragma once

#include <open3d/core/Tensor.h>
#include <open3d/geometry/Image.h>

#include <cstddef>
#include <memory>
#include <string>

#include "app/view/viewer.h"
#include "pipeline/cloud.h"
#include "pipeline/image.h"

namespace parallax::app {

using Open3DImage = std::shared_ptr<open3d::geometry::Image>;

// Made by the caller of Show, so that the window only hands it on.
struct UploadFrame {
  std::string name, status, image_caption, disparity_caption, cloud_caption, scale_low, scale_high;
  Open3DImage image, disparity, scale;
  std::size_t num_points = 0;
  open3d::core::Tensor positions,
      colors;  // capacity x 3 float, colours 0..1; behind num_points copies of the last point
};

// The renderer updates a geometry only within the size it was added with; and having drawn fewer points it
// never draws all again. So the size stays, rounded up, and the rest repeats the last point.
std::size_t CapacityFor(std::size_t num_points);

// capacity: points of the geometry, >= frame.cloud.size() where there is a cloud.
UploadFrame ToUpload(ViewerFrame frame, std::size_t capacity);

HostImage<Rgb8> FromOpen3D(const open3d::core::Tensor& pixels);

}  // namespace parallax::app
