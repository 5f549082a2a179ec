// What one frame in flight needs: a stream, device buffers, page-locked images, and the frame as a graph.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <utility>

#include "cuda/cuda_matcher.h"
#include "cuda/device_buffer.h"
#include "cuda/stereo_pipeline.h"

namespace parallax::cuda {

class Stream {
 public:
  Stream() { Check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags"); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

class Event {
 public:
  // timed: for cudaEventElapsedTime; others are cheaper.
  explicit Event(bool timed = false) {
    Check(cudaEventCreateWithFlags(&event_, timed ? cudaEventDefault : cudaEventDisableTiming),
          "cudaEventCreateWithFlags");
  }
  ~Event() {
    if (event_ != nullptr) cudaEventDestroy(event_);
  }
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&&) = delete;
  cudaEvent_t get() const { return event_; }
  void Record(cudaStream_t stream) { Check(cudaEventRecord(event_, stream), "cudaEventRecord"); }

 private:
  cudaEvent_t event_ = nullptr;
};

// Work recorded once and launched often.
class Graph {
 public:
  Graph() = default;
  ~Graph() {
    if (graph_ != nullptr) cudaGraphExecDestroy(graph_);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  bool empty() const { return graph_ == nullptr; }

  // Records what function() launches on stream.
  template <typename Function>
  void Capture(cudaStream_t stream, Function&& function) {
    Check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    cudaGraph_t graph = nullptr;
    try {
      function();
    } catch (...) {
      cudaStreamEndCapture(stream, &graph);
      if (graph != nullptr) cudaGraphDestroy(graph);
      throw;
    }
    Check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
    const cudaError_t status = cudaGraphInstantiate(&graph_, graph, 0);
    cudaGraphDestroy(graph);
    Check(status, "cudaGraphInstantiate");
  }
  void Launch(cudaStream_t stream) { Check(cudaGraphLaunch(graph_, stream), "cudaGraphLaunch"); }

 private:
  cudaGraphExec_t graph_ = nullptr;
};

class FrameSlot {
 public:
  // On the current device.
  FrameSlot(const Parameters& parameters, int width, int height);

  // Copies the pair into page-locked memory and launches upload, stages and download. The last frame must be
  // done.
  void Start(const CameraImageView& left, const CameraImageView& right);
  // The same without a graph: the observer is called between the steps.
  void StartObserved(const CameraImageView& left, const CameraImageView& right,
                     const StereoPipeline::Observer& observer);
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
