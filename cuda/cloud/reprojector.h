// Depth and cloud of the frames of one slot: device memory, and page-locked host memory in which results are
// returned.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "cuda/device/device_buffer.h"
#include "cuda/device/device_image.h"
#include "cuda/device/lent_memory.h"
#include "pipeline/matchers/extra_work.h"
#include "pipeline/types/parameter_info.h"

namespace parallax::cuda {

// The destination of a frame's depth and cloud.
struct ReprojectionMemory {
  static constexpr std::size_t kPixel_bytes = sizeof(float) + sizeof(Point3f) + sizeof(Rgb8);
  explicit ReprojectionMemory(std::size_t num_pixels)
      : depth_m(num_pixels), points(num_pixels), colors(num_pixels), num_points(1) {}
  PinnedBuffer<float> depth_m;
  PinnedBuffer<Point3f> points;
  PinnedBuffer<Rgb8> colors;
  PinnedBuffer<std::uint32_t> num_points;
};

using ReprojectionMemories = LentMemories<ReprojectionMemory>;

class Reprojector {
 public:
  explicit Reprojector(std::shared_ptr<ReprojectionMemories> memories) : memories_(std::move(memories)) {}

  // Launches the requested outputs of a map whose images are on the device; nothing if no memory is
  // available. num_most: pixels of the largest frame.
  void Enqueue(const WantedReprojection& wanted, const ReprojectionParameters& limits,
               DeviceImageView<const float> disparity, const DeviceCameraImage& left, std::size_t num_most,
               cudaStream_t stream);
  // Launches the copies to the host.
  void EnqueueDownloads(cudaStream_t stream);
  // Called for a frame without reprojection.
  void Skip() { lent_.reset(); }

  // Returns the outputs of the frame, once. Called after the stream has passed the downloads.
  std::optional<ReprojectedFrame> Take();
  std::size_t memory_bytes() const;

 private:
  std::shared_ptr<ReprojectionMemories> memories_;
  DeviceBuffer<float> depth_m_;
  DeviceBuffer<Point3f> points_;
  DeviceBuffer<Rgb8> colors_;
  DeviceBuffer<std::uint32_t> num_points_, counts_;
  std::shared_ptr<ReprojectionMemory> lent_;  // of this frame; null without output
  bool with_cloud_ = false;
  int width_ = 0, height_ = 0;
};

}  // namespace parallax::cuda
