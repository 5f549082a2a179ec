// Owners of CUDA streams, events and graphs. Never the default stream.
#pragma once

#include <cuda_runtime_api.h>

#include <chrono>
#include <cstddef>
#include <thread>
#include <utility>

#include "cuda/device/check.h"

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
  // timed: usable with cudaEventElapsedTime; untimed events are cheaper.
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
  // Waits actively, which takes a core.
  void Wait() const { Check(cudaEventSynchronize(event_), "cudaEventSynchronize"); }
  // Polls and sleeps in between: for callers with time, whose cores have other work.
  void WaitAsleep() const {
    constexpr std::chrono::microseconds kNap{30};
    cudaError_t status = cudaSuccess;
    while ((status = cudaEventQuery(event_)) == cudaErrorNotReady) {
      cudaGetLastError();  // so the next call does not report it
      std::this_thread::sleep_for(kNap);
    }
    Check(status, "cudaEventQuery");
  }

 private:
  cudaEvent_t event_ = nullptr;
};

// Copies count elements between any two memories after the stream's current work, and waits for the end.
// cudaMemcpy would go to the default stream, for which the streams above do not wait.
template <typename T>
void CopyNow(T* to, const T* from, std::size_t count, cudaStream_t stream) {
  if (count != 0)
    Check(cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyDefault, stream), "cudaMemcpyAsync");
  Check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

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

  // Records the launches of function() on stream.
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

}  // namespace parallax::cuda
