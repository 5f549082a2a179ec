// What one frame in flight needs: a stream, device buffers, page-locked images, and the frame as a graph.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>

#include "cuda/cuda_matcher.h"
#include "cuda/device/device_buffer.h"
#include "cuda/device/stream.h"
#include "cuda/stereo_pipeline.h"

namespace parallax::cuda {

class FrameSlot {
 public:
  // On the current device.
  FrameSlot(const Parameters& parameters, int width, int height);

  // Copies the pair into page-locked memory and launches upload, stages and download. The last frame must be
  // done.
  void Start(const CameraImageView& left, const CameraImageView& right);
  // The same without a graph: the observer is called between the steps.
  void StartObserved(const CameraImageView& left, const CameraImageView& right,
                     const StereoPipeline::Observer& observer, bool results_between);
  // Launches the last pair again, as it lies in page-locked memory.
  void Restart();
  void Wait();
  DisparityMapView result() const;

  StereoPipeline& pipeline() { return pipeline_; }
  cudaStream_t stream() const { return stream_.get(); }

 private:
  void Stage(const CameraImageView& left, const CameraImageView& right);
  void Upload(std::size_t pixel_type);
  void Download();

  int width_, height_;
  std::size_t pixels_;
  StereoPipeline pipeline_;
  Stream stream_;
  Event done_;
  DeviceBuffer<std::uint8_t> left_, right_;  // room for the widest pixel type
  PinnedBuffer<std::uint8_t> staged_left_, staged_right_;
  std::array<DeviceCameraImage, 3> left_views_, right_views_;  // the same memory as each pixel type
  PinnedBuffer<float> disparity_;
  PinnedBuffer<std::uint8_t> validity_, confidence_;
  std::array<Graph, 3> graphs_;  // one a pixel type, recorded at its first frame
  std::size_t pixel_type_ = 0;   // of the last frame
};

}  // namespace parallax::cuda
