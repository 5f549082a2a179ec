#include "cuda/frame_slot.h"

#include <algorithm>
#include <cstring>

#include "pipeline/texture.h"

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

FrameSlot::FrameSlot(const Parameters& parameters, int width, int height, const CudaTuning& tuning)
    : pipeline_(parameters, width, height, tuning) {
  const std::size_t pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  for (DeviceBuffer<std::uint8_t>* image : {&left_, &right_}) *image = DeviceBuffer<std::uint8_t>(pixels * 3);
  for (PinnedBuffer<std::uint8_t>* image : {&staged_left_, &staged_right_})
    *image = PinnedBuffer<std::uint8_t>(pixels * 3);
  disparity_ = PinnedBuffer<float>(pixels);
  validity_ = PinnedBuffer<std::uint8_t>(pixels);
  confidence_ = PinnedBuffer<std::uint8_t>(pixels);
}

void FrameSlot::Stage(const CameraImageView& left, const CameraImageView& right) {
  CheckMatcherInput(left, right, pipeline_.largest_width(), pipeline_.largest_height());
  format_ = {left.index(), WidthOf(left), HeightOf(left)};
  is_doubtful_ = IsConstant(left) || IsConstant(right);
  CopyDensely(left, staged_left_.data());
  CopyDensely(right, staged_right_.data());
}

void FrameSlot::LaunchAll(const StepObserver& observer, bool results_between) {
  const auto copy = [&](void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    Check(cudaMemcpyAsync(to, from, bytes, kind, stream()), "cudaMemcpyAsync");
  };
  const std::size_t pixels = format_.num_pixels(), bytes = pixels * kPixelBytes[format_.pixel_type];
  copy(left_.data(), staged_left_.data(), bytes, cudaMemcpyHostToDevice);
  copy(right_.data(), staged_right_.data(), bytes, cudaMemcpyHostToDevice);
  const auto view = [&](const std::uint8_t* data) -> DeviceCameraImage {
    const auto as = [&]<typename T>(const T* first) {
      return DeviceImageView<const T>{first, format_.width, format_.height};
    };
    if (format_.pixel_type == 0) return as(data);
    if (format_.pixel_type == 1) return as(reinterpret_cast<const std::uint16_t*>(data));
    return as(reinterpret_cast<const Rgb8*>(data));
  };
  pipeline_.Enqueue(view(left_.data()), view(right_.data()), stream(), observer, results_between);
  const DeviceDisparityMap& map = pipeline_.result();
  copy(disparity_.data(), map.disparity.data, pixels * sizeof(float), cudaMemcpyDeviceToHost);
  copy(validity_.data(), map.validity.data, pixels, cudaMemcpyDeviceToHost);
  copy(confidence_.data(), map.confidence.data, pixels, cudaMemcpyDeviceToHost);
}

void FrameSlot::Start(const CameraImageView& left, const CameraImageView& right) {
  Stage(left, right);
  constexpr std::size_t kMostGraphs = 32;  // a graph takes some 0.1 MB
  if (graphs_.size() == kMostGraphs && !graphs_.contains(format_)) graphs_.clear();
  Graph& graph = graphs_[format_];
  if (graph.empty()) graph.Capture(stream(), [&] { LaunchAll({}, false); });
  Restart();
}

void FrameSlot::Restart() {
  graphs_.at(format_).Launch(stream());
  done_.Record(stream());
}

void FrameSlot::StartObserved(const CameraImageView& left, const CameraImageView& right,
                              const StepObserver& observer, bool results_between) {
  Stage(left, right);
  LaunchAll(observer, results_between);
  done_.Record(stream());
}

void FrameSlot::Wait() {
  Check(cudaEventSynchronize(done_.get()), "cudaEventSynchronize");
  if (is_doubtful_) std::fill_n(confidence_.data(), format_.num_pixels(), std::uint8_t{0});
}

DisparityMapView FrameSlot::result() const {
  const int width = format_.width, height = format_.height;
  return {{disparity_.data(), width, height},
          {validity_.data(), width, height},
          {confidence_.data(), width, height}};
}

}  // namespace parallax::cuda
