// The resources of one frame in flight: a stream, device buffers, page-locked images, and the frame as a
// graph.
#pragma once

#include <cuda_runtime_api.h>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "cuda/calibration/device_rectifier.h"
#include "cuda/cloud/reprojector.h"
#include "cuda/device/device_buffer.h"
#include "cuda/device/lent_memory.h"
#include "cuda/device/stream.h"
#include "cuda/device/tuning.h"
#include "cuda/matcher/cuda_matcher.h"
#include "cuda/matcher/stereo_pipeline.h"
#include "pipeline/matchers/extra_work.h"

namespace parallax::cuda {

// Page-locked memory into which a frame's map is copied.
struct ResultMemory {
  static constexpr std::size_t kPixel_bytes = sizeof(float) + 2;
  explicit ResultMemory(std::size_t num_pixels)
      : disparity(num_pixels), validity(num_pixels), confidence(num_pixels) {}
  PinnedBuffer<float> disparity;
  PinnedBuffer<std::uint8_t> validity, confidence;
};
using ResultMemories = LentMemories<ResultMemory>;

// Shared by the slots of one queue. Not thread-safe.
class SharedBySlots {
 public:
  SharedBySlots(int width, int height)
      : memories_(std::make_shared<ReprojectionMemories>(static_cast<std::size_t>(width) *
                                                         static_cast<std::size_t>(height))),
        results_(std::make_shared<ResultMemories>(static_cast<std::size_t>(width) *
                                                  static_cast<std::size_t>(height))) {}
  const std::shared_ptr<ResultMemories>& results() const { return results_; }
  const std::shared_ptr<ReprojectionMemories>& memories() const { return memories_; }
  // Returns a rectifier's tables on the device; null for null. A new rectifier replaces the last one: its
  // tables are copied on stream, and the call waits for them.
  std::shared_ptr<const DeviceRectifier> OnDevice(const std::shared_ptr<const Rectifier>& rectifier,
                                                  cudaStream_t stream);

 private:
  const std::shared_ptr<ReprojectionMemories> memories_;
  const std::shared_ptr<ResultMemories> results_;
  std::shared_ptr<const DeviceRectifier> rectifier_;
};

class FrameSlot {
 public:
  // Uses the current device. Takes frames of up to width x height.
  FrameSlot(const Parameters& parameters, int width, int height, const CudaTuning& tuning,
            std::shared_ptr<SharedBySlots> shared);

  // Launches upload, stages and download. Images that are not in page-locked memory, or that nobody holds
  // (work.pixels), are first copied to such memory. The last frame must be done. Allocates nothing on the
  // device except the graph of a new pixel type, size or rectification and, once, the memory for raw images
  // or reprojection.
  void Start(const CameraImageView& left, const CameraImageView& right, const ExtraWork& work = {});
  // Launches the same without a graph, and calls the observer between the steps.
  void StartObserved(const CameraImageView& left, const CameraImageView& right, const ExtraWork& work,
                     const StepObserver& observer, bool results_between);
  // Launches the last pair again, from page-locked memory, without reprojection.
  void Restart();
  // Waits for the frame. asleep: the thread sleeps meanwhile, as in Event::WaitAsleep.
  void Wait(bool asleep = false);
  DisparityMapView result() const;
  // The result to keep: it takes its memory along if there is other memory for the next frame, else it is a
  // copy.
  FinishedMap TakeResult();
  // Returns the extra results; may be called once for each frame.
  ExtraResults TakeExtraResults();

  const StereoPipeline& pipeline() const { return pipeline_; }
  cudaStream_t stream() const { return stream_.get(); }
  std::size_t memory_bytes() const {
    return pipeline_.memory_bytes() + left_.size_bytes() + right_.size_bytes() + raw_left_.size_bytes() +
           raw_right_.size_bytes() + reprojector_.memory_bytes();
  }

 private:
  // The key of a graph: what all its frames have in common.
  struct Format {
    std::size_t pixel_type = 0;   // index of CameraImageView's alternative
    int width = 0, height = 0;    // as matched
    std::uint64_t rectifier = 0;  // its number; 0 for rectified images
    bool is_staged = true;        // the pair is in the slot's own memory: the graph uploads it
    friend auto operator<=>(const Format&, const Format&) = default;
    std::size_t num_pixels() const {
      return static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    }
  };
  void Stage(const CameraImageView& left, const CameraImageView& right, const ExtraWork& work);
  void MakeRoomForRaw();
  // Copies the pair into memory of the slot, unless the device can copy it from its place while it is held.
  void Place(const CameraImageView& left, const CameraImageView& right, const ExtraWork& work,
             PinnedBuffer<std::uint8_t>& staged_left, PinnedBuffer<std::uint8_t>& staged_right);
  void UploadUnstaged();
  void LaunchMatching(const StepObserver& observer, bool results_between);
  void LaunchDownloads();
  void LaunchReprojection(const ExtraWork& work);
  void CopyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
  std::size_t num_most() const;

  std::shared_ptr<const void> pixels_;      // holds the images of a pair that is not staged
  CameraImageView left_from_, right_from_;  // where it is uploaded from
  StereoPipeline pipeline_;
  std::shared_ptr<SharedBySlots> shared_;
  Stream stream_;
  Event done_;
  DeviceBuffer<std::uint8_t> left_, right_;  // room for the widest pixel type
  PinnedBuffer<std::uint8_t> staged_left_, staged_right_;
  // Memory of raw images, for the widest pixel type; empty until one comes. The staged images then hold the
  // rectified ones that are copied back.
  DeviceBuffer<std::uint8_t> raw_left_, raw_right_;
  PinnedBuffer<std::uint8_t> staged_raw_left_, staged_raw_right_;
  std::shared_ptr<ResultMemory> result_;
  std::map<Format, Graph> graphs_;                    // recorded at its first frame
  Format format_;                                     // of the last frame
  std::shared_ptr<const DeviceRectifier> rectifier_;  // of the last frame; null if it came rectified
  Reprojector reprojector_;
  bool is_doubtful_ = false;  // one of its images is constant
};

}  // namespace parallax::cuda
