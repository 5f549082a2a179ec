// What one frame in flight needs: a stream, device buffers, page-locked images, and the frame as a graph.
#pragma once

#include <cuda_runtime_api.h>

#include <compare>
#include <cstddef>
#include <map>

#include "cuda/cuda_matcher.h"
#include "cuda/device/device_buffer.h"
#include "cuda/device/stream.h"
#include "cuda/stereo_pipeline.h"
#include "cuda/tuning.h"

namespace parallax::cuda {

class FrameSlot {
 public:
  // On the current device, for frames of up to width x height.
  FrameSlot(const Parameters& parameters, int width, int height, const CudaTuning& tuning);

  // Copies the pair into page-locked memory and launches upload, stages and download. The last frame must be
  // done. Allocates nothing on the device but the graph of a pixel type and size that is new.
  void Start(const CameraImageView& left, const CameraImageView& right);
  // The same without a graph: the observer is called between the steps.
  void StartObserved(const CameraImageView& left, const CameraImageView& right, const StepObserver& observer,
                     bool results_between);
  // Launches the last pair again, as it lies in page-locked memory.
  void Restart();
  void Wait();
  DisparityMapView result() const;

  const StereoPipeline& pipeline() const { return pipeline_; }
  cudaStream_t stream() const { return stream_.get(); }
  std::size_t memory_bytes() const {
    return pipeline_.memory_bytes() + left_.size_bytes() + right_.size_bytes();
  }

 private:
  // What frames have in common that one graph serves.
  struct Format {
    std::size_t pixel_type = 0;  // number of CameraImageView's alternative
    int width = 0, height = 0;
    friend auto operator<=>(const Format&, const Format&) = default;
    std::size_t num_pixels() const {
      return static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    }
  };
  void Stage(const CameraImageView& left, const CameraImageView& right);
  void LaunchAll(const StepObserver& observer, bool results_between);

  StereoPipeline pipeline_;
  Stream stream_;
  Event done_;
  DeviceBuffer<std::uint8_t> left_, right_;  // room for the widest pixel type
  PinnedBuffer<std::uint8_t> staged_left_, staged_right_;
  PinnedBuffer<float> disparity_;
  PinnedBuffer<std::uint8_t> validity_, confidence_;
  std::map<Format, Graph> graphs_;  // recorded at their first frame
  Format format_;                   // of the last frame
  bool is_doubtful_ = false;        // an image of it is constant
};

}  // namespace parallax::cuda
