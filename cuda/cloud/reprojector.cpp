#include "cuda/cloud/reprojector.h"

#include <utility>

#include "cuda/cloud/cuda_reprojection.h"

namespace parallax::cuda {

void Reprojector::Enqueue(const WantedReprojection& wanted, const ReprojectionParameters& limits,
                          DeviceImageView<const float> disparity, const DeviceCameraImage& left,
                          std::size_t num_most, cudaStream_t stream) {
  lent_ = memories_->Lend();
  if (!lent_) return;
  with_cloud_ = wanted.cloud;
  width_ = disparity.width;
  height_ = disparity.height;
  if (depth_m_.size() == 0) depth_m_ = DeviceBuffer<float>(num_most);
  const DeviceImageView<float> depth_m(depth_m_.data(), width_, height_);
  DepthFromDisparity(disparity, wanted.rig, limits, depth_m, stream);
  if (!wanted.cloud) return;
  if (points_.size() == 0) {
    points_ = DeviceBuffer<Point3f>(num_most);
    colors_ = DeviceBuffer<Rgb8>(num_most);
    num_points_ = DeviceBuffer<std::uint32_t>(1);
    counts_ = DeviceBuffer<std::uint32_t>(NumCloudCounts(num_most));
    // Memory behind a cloud's last point is copied along with the cloud: it must be initialized.
    Check(cudaMemsetAsync(points_.data(), 0, points_.size_bytes(), stream), "cudaMemsetAsync");
    Check(cudaMemsetAsync(colors_.data(), 0, colors_.size_bytes(), stream), "cudaMemsetAsync");
  }
  CloudFromDepth(AsConst(depth_m), left, wanted.rig,
                 {points_.data(), colors_.data(), num_points_.data(), counts_.data()}, stream);
}

void Reprojector::EnqueueDownloads(cudaStream_t stream) {
  if (!lent_) return;
  const std::size_t num_pixels = static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_);
  const auto download = [&]<typename T>(PinnedBuffer<T>& to, const DeviceBuffer<T>& from, std::size_t count) {
    Check(cudaMemcpyAsync(to.data(), from.data(), count * sizeof(T), cudaMemcpyDeviceToHost, stream),
          "cudaMemcpyAsync");
  };
  download(lent_->depth_m, depth_m_, num_pixels);
  if (!with_cloud_) return;
  // How many points there are is not known here, and to wait for it would cost more than to copy room for
  // all.
  download(lent_->points, points_, num_pixels);
  download(lent_->colors, colors_, num_pixels);
  download(lent_->num_points, num_points_, 1);
}

std::optional<ReprojectedFrame> Reprojector::Take() {
  const std::shared_ptr<ReprojectionMemory> memory = std::exchange(lent_, nullptr);
  if (!memory) return std::nullopt;
  ReprojectedFrame frame{.depth_m = {memory->depth_m.data(), width_, height_}, .cloud = {}, .memory = memory};
  if (with_cloud_) {
    const std::size_t num_points = *memory->num_points.data();
    frame.cloud = PointCloudView({memory->points.data(), num_points}, {memory->colors.data(), num_points});
  }
  return frame;
}

std::size_t Reprojector::memory_bytes() const {
  return depth_m_.size_bytes() + points_.size_bytes() + colors_.size_bytes() + counts_.size_bytes();
}

}  // namespace parallax::cuda
