// A Rectifier's tables in device memory.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "cuda/calibration/cuda_remap.h"
#include "cuda/device/device_image.h"
#include "pipeline/calibration/rectifier.h"
#include "pipeline/types/frame.h"

namespace parallax::cuda {

class DeviceRectifier {
 public:
  // Copies the tables to the current device, on stream, and waits for that.
  DeviceRectifier(std::shared_ptr<const Rectifier> rectifier, cudaStream_t stream);

  // Differs for every object ever made.
  std::uint64_t number() const { return number_; }
  const Rectifier* rectifier() const { return rectifier_.get(); }
  bool has_borders() const { return !rectifier_->seen()->all; }
  const RemapTables& tables() const { return tables_; }
  int width() const { return tables_.left.x.width; }
  int height() const { return tables_.left.x.height; }
  int raw_width(bool of_left) const { return Table(of_left).source_width_px; }
  int raw_height(bool of_left) const { return Table(of_left).source_height_px; }
  std::size_t raw_pixels(bool of_left) const {
    return static_cast<std::size_t>(raw_width(of_left)) * static_cast<std::size_t>(raw_height(of_left));
  }

  // Throws InvalidArgument if raw images differ from the sizes of the tables or from each other in pixel
  // type.
  void CheckRaw(const CameraImageView& left, const CameraImageView& right) const;

 private:
  const RemapTable& Table(bool of_left) const { return of_left ? rectifier_->left() : rectifier_->right(); }

  std::shared_ptr<const Rectifier> rectifier_;
  std::uint64_t number_;
  DeviceImage<std::int32_t> left_x_, left_y_, right_x_, right_y_;
  RemapTables tables_;
};

}  // namespace parallax::cuda
