// A frame on its way from Viewer::Show to the window's thread.
#pragma once

#include <open3d/core/Tensor.h>
#include <open3d/geometry/Image.h>

#include <cstddef>
#include <memory>
#include <string>

#include "app/view/viewer.h"
#include "parallax/image.h"

namespace parallax::app {

using Open3DImage = std::shared_ptr<open3d::geometry::Image>;

// Made in the thread that calls Show; the window's thread hands it to every WindowPart.
struct UploadFrame {
  std::string name, status, cloud_caption;
  bool is_alarm = false;
  std::shared_ptr<const ShownFrame> shown;
  std::shared_ptr<const CloudFrame> cloud_frame;
  bool keeps_cloud = false;
};

UploadFrame ToUpload(ViewerFrame frame);

HostImage<Rgb8> FromOpen3D(const open3d::core::Tensor& pixels);

}  // namespace parallax::app
