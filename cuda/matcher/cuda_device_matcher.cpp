#include "cuda/matcher/cuda_device_matcher.h"

#include <cuda_runtime_api.h>

#include <optional>
#include <string>
#include <type_traits>

#include "cuda/device/device.h"
#include "cuda/device/device_buffer.h"
#include "cuda/device/device_image.h"
#include "cuda/device/stream.h"
#include "cuda/filters/cuda_texture.h"
#include "cuda/matcher/stereo_pipeline.h"

namespace parallax {
namespace {

cudaStream_t StreamOf(void* stream) { return static_cast<cudaStream_t>(stream); }

// The same view for the checks of the host's images, which look at no pixel.
CameraImageView WithoutPixels(const DeviceCameraImageView& image) {
  return std::visit(
      [](const auto& view) -> CameraImageView {
        using Pixel = std::remove_pointer_t<decltype(view.data)>;
        return HostImageView<Pixel>{view.data, view.width, view.height, view.stride_bytes};
      },
      image);
}

// Its memory is freed, which waits for the device, and not kept for later frames: the caller may still use it
// on streams that are not known here.
class CudaResult final : public DeviceResult {
 public:
  CudaResult(int width, int height, int device, void* stream)
      : disparity_(width, height),
        validity_(width, height),
        confidence_(width, height),
        device_(device),
        stream_(stream),
        map_{disparity_.View(), validity_.View(), confidence_.View()} {}
  ~CudaResult() override { cudaEventSynchronize(done_.get()); }

  const DeviceDisparityMapView& map() const override { return map_; }
  int device() const override { return device_; }
  void* stream() const override { return stream_; }
  void OrderBefore(void* stream) override {
    cuda::Check(cudaSetDevice(device_), "cudaSetDevice");
    cuda::Check(cudaStreamWaitEvent(StreamOf(stream), done_.get(), 0), "cudaStreamWaitEvent");
  }
  void Wait() override { cuda::Check(cudaEventSynchronize(done_.get()), "cudaEventSynchronize"); }

  DisparityMap Download() override {
    Wait();
    cuda::Check(cudaSetDevice(device_), "cudaSetDevice");
    const int width = map_.disparity.width, height = map_.disparity.height;
    DisparityMap host{HostImage<float>(width, height), HostImage<std::uint8_t>(width, height),
                      HostImage<std::uint8_t>(width, height)};
    const cuda::Stream stream;
    cuda::DownloadAsync(AsConst(map_.disparity), host.disparity.View(), stream.get());
    cuda::DownloadAsync(AsConst(map_.validity), host.validity.View(), stream.get());
    cuda::DownloadAsync(AsConst(map_.confidence), host.confidence.View(), stream.get());
    cuda::Check(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize");
    return host;
  }

  // Takes the map along, on the result's stream.
  void CopyFrom(const cuda::DeviceDisparityMap& map) {
    const auto copy = [&]<typename T>(DeviceImageView<T> to, DeviceImageView<T> from) {
      cuda::internal::CopyImageAsync(AsConst(from), to, cudaMemcpyDeviceToDevice, StreamOf(stream_));
    };
    copy(map_.disparity, map.disparity);
    copy(map_.validity, map.validity);
    copy(map_.confidence, map.confidence);
    done_.Record(StreamOf(stream_));
  }
  const cuda::Event& done() const { return done_; }

 private:
  cuda::DeviceImage<float> disparity_;
  cuda::DeviceImage<std::uint8_t> validity_, confidence_;
  int device_;
  void* stream_;
  cuda::Event done_;
  DeviceDisparityMapView map_;
};

class CudaDeviceMatcher final : public DeviceMatcher {
 public:
  CudaDeviceMatcher(const Parameters& parameters, const MatcherOptions& options)
      : device_(options.device), pipeline_(parameters, options.width, options.height) {}
  ~CudaDeviceMatcher() override { cudaEventSynchronize(passed_.get()); }

  void* stream() const override { return stream_.get(); }
  void Order(void* stream, void* after) override {
    cuda::Check(cudaSetDevice(device_), "cudaSetDevice");
    cuda::Event reached;
    reached.Record(StreamOf(after));
    cuda::Check(cudaStreamWaitEvent(StreamOf(stream), reached.get(), 0), "cudaStreamWaitEvent");
  }

  std::unique_ptr<DeviceResult> Enqueue(const DeviceCameraImageView& left, const DeviceCameraImageView& right,
                                        void* stream) override {
    cuda::Check(cudaSetDevice(device_), "cudaSetDevice");
    CheckMatcherInput(WithoutPixels(left), WithoutPixels(right), pipeline_.largest_width(),
                      pipeline_.largest_height());
    const auto [width, height] =
        std::visit([](const auto& view) { return std::pair(view.width, view.height); }, left);
    auto result = std::make_unique<CudaResult>(width, height, device_, stream);
    cuda::Check(cudaStreamWaitEvent(StreamOf(stream), passed_.get(), 0), "cudaStreamWaitEvent");
    const cuda::DeviceCameraImage packed_left = Packed(left, packed_left_, stream);
    const cuda::DeviceCameraImage packed_right = Packed(right, packed_right_, stream);
    cuda::FindTexture(packed_left, packed_right, has_texture_.data(), StreamOf(stream));
    pipeline_.Enqueue(packed_left, packed_right, StreamOf(stream));
    cuda::ClearConfidenceOfConstantImages(has_texture_.data(), pipeline_.result().confidence,
                                          StreamOf(stream));
    result->CopyFrom(pipeline_.result());
    passed_.Record(StreamOf(stream));
    return result;
  }

 private:
  // The image, or a copy of it without gaps between its rows.
  cuda::DeviceCameraImage Packed(const DeviceCameraImageView& image, cuda::DeviceBuffer<std::uint8_t>& room,
                                 void* stream) {
    return std::visit(
        [&]<typename T>(const DeviceImageView<T>& view) -> cuda::DeviceCameraImage {
          using Pixel = std::remove_const_t<T>;
          const std::ptrdiff_t row_bytes = view.width * static_cast<std::ptrdiff_t>(sizeof(Pixel));
          if (view.height <= 1 || view.stride_bytes == row_bytes) return view;
          if (view.stride_bytes < 0) {
            throw InvalidArgument("an image on the device is stored bottom-up: copy it first");
          }
          if (room.size() == 0) {
            room = cuda::DeviceBuffer<std::uint8_t>(static_cast<std::size_t>(pipeline_.largest_width()) *
                                                    static_cast<std::size_t>(pipeline_.largest_height()) * 3);
          }
          const DeviceImageView<Pixel> to(reinterpret_cast<Pixel*>(room.data()), view.width, view.height);
          cuda::internal::CopyImageAsync(view, to, cudaMemcpyDeviceToDevice, StreamOf(stream));
          return AsConst(to);
        },
        image);
  }

  int device_;
  cuda::Stream stream_;
  cuda::StereoPipeline pipeline_;
  cuda::DeviceBuffer<std::uint8_t> packed_left_, packed_right_;  // room for the widest pixels
  cuda::DeviceBuffer<std::uint32_t> has_texture_{2};             // of the frame's images
  cuda::Event passed_;                                           // the last frame
};

}  // namespace

std::unique_ptr<DeviceMatcher> MakeCudaDeviceMatcher(const Parameters& parameters,
                                                     const MatcherOptions& options) {
  ValidateOrThrow(parameters);
  CheckMatcherSize(options);
  SelectCudaDevice(options.device);
  return std::make_unique<CudaDeviceMatcher>(parameters, options);
}

}  // namespace parallax
