#include "cuda/frame_slot.h"

#include <algorithm>
#include <cstring>

namespace parallax::cuda {
namespace {

constexpr std::size_t kPixelBytes[] = {1, 2, 3};  // in the order of CameraImageView's alternatives

void CopyDensely(const CameraImageView& image, std::uint8_t* to) {
  std::visit(
      [&](const auto& view) {
        const std::size_t row_bytes = static_cast<std::size_t>(view.width) * sizeof(*view.data);
        for (int y = 0; y < view.height; ++y, to += row_bytes) std::memcpy(to, view.Row(y), row_bytes);
      },
      image);
}

}  // namespace

FrameSlot::FrameSlot(const Parameters& parameters, int width, int height)
    : width_(width),
      height_(height),
      pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height)),
      pipeline_(parameters, width, height),
      left_(pixels_ * 3),
      right_(pixels_ * 3),
      staged_left_(pixels_ * 3),
      staged_right_(pixels_ * 3),
      disparity_(pixels_),
      validity_(pixels_),
      confidence_(pixels_) {
  const auto views = [&](std::uint8_t* data) -> std::array<DeviceCameraImage, 3> {
    return {DeviceImageView<const std::uint8_t>{data, width, height},
            DeviceImageView<const std::uint16_t>{reinterpret_cast<std::uint16_t*>(data), width, height},
            DeviceImageView<const Rgb8>{reinterpret_cast<Rgb8*>(data), width, height}};
  };
  left_views_ = views(left_.data());
  right_views_ = views(right_.data());
}

void FrameSlot::Stage(const CameraImageView& left, const CameraImageView& right) {
  CheckMatcherInput(left, right, width_, height_);
  CopyDensely(left, staged_left_.data());
  CopyDensely(right, staged_right_.data());
}

void FrameSlot::Upload(std::size_t pixel_type) {
  const std::size_t bytes = pixels_ * kPixelBytes[pixel_type];
  Check(cudaMemcpyAsync(left_.data(), staged_left_.data(), bytes, cudaMemcpyHostToDevice, stream()),
        "cudaMemcpyAsync");
  Check(cudaMemcpyAsync(right_.data(), staged_right_.data(), bytes, cudaMemcpyHostToDevice, stream()),
        "cudaMemcpyAsync");
}

void FrameSlot::Download() {
  const DeviceDisparityMap& map = pipeline_.result();
  const auto download = [&](auto* to, const auto& from) {
    Check(cudaMemcpyAsync(to, from.data, pixels_ * sizeof(*to), cudaMemcpyDeviceToHost, stream()),
          "cudaMemcpyAsync");
  };
  download(disparity_.data(), map.disparity);
  download(validity_.data(), map.validity);
  download(confidence_.data(), map.confidence);
}

void FrameSlot::Start(const CameraImageView& left, const CameraImageView& right) {
  Stage(left, right);
  const std::size_t type = left.index();
  if (graphs_[type].empty()) {
    graphs_[type].Capture(stream(), [&] {
      Upload(type);
      pipeline_.Enqueue(left_views_[type], right_views_[type], stream());
      Download();
    });
  }
  pixel_type_ = type;
  Restart();
}

void FrameSlot::Restart() {
  graphs_[pixel_type_].Launch(stream());
  done_.Record(stream());
}

void FrameSlot::StartObserved(const CameraImageView& left, const CameraImageView& right,
                              const StereoPipeline::Observer& observer, bool results_between) {
  Stage(left, right);
  Upload(left.index());
  pipeline_.Enqueue(left_views_[left.index()], right_views_[left.index()], stream(), observer,
                    results_between);
  Download();
  done_.Record(stream());
}

void FrameSlot::Wait() { Check(cudaEventSynchronize(done_.get()), "cudaEventSynchronize"); }

DisparityMapView FrameSlot::result() const {
  return {{disparity_.data(), width_, height_},
          {validity_.data(), width_, height_},
          {confidence_.data(), width_, height_}};
}

}  // namespace parallax::cuda
