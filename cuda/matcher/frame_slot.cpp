#include "cuda/matcher/frame_slot.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "cuda/device/device_image.h"
#include "cuda/device/page_locked_memory.h"
#include "pipeline/rules/texture.h"
#include "pipeline/types/clone_image.h"

namespace parallax::cuda {
namespace {

constexpr std::size_t kPixelBytes[] = {1, 2, 3};  // in the order of CameraImageView's alternatives
constexpr std::size_t kWidestPixel_bytes = 3;

void CopyDensely(const CameraImageView& image, std::uint8_t* to) {
  std::visit(
      [&](const auto& view) {
        const std::size_t row_bytes = static_cast<std::size_t>(view.width) * sizeof(*view.data);
        for (int y = 0; y < view.height; ++y, to += row_bytes) std::memcpy(to, view.Row(y), row_bytes);
      },
      image);
}

bool CanBeUploaded(const CameraImageView& image) {
  return std::visit(
      [](const auto& view) {
        const auto row_bytes = view.width * static_cast<std::ptrdiff_t>(sizeof(*view.data));
        return view.stride_bytes >= row_bytes && IsPageLocked(view.data);
      },
      image);
}

// Dense rows as an image of that pixel type, in either memory.
template <Memory kMemory>
std::variant<ImageView<const std::uint8_t, kMemory>, ImageView<const std::uint16_t, kMemory>,
             ImageView<const Rgb8, kMemory>>
ImageOf(std::size_t pixel_type, const std::uint8_t* data, int width, int height) {
  const auto as = [&]<typename T>(const T* first) {
    return ImageView<const T, kMemory>(first, width, height);
  };
  if (pixel_type == 0) return as(data);
  if (pixel_type == 1) return as(reinterpret_cast<const std::uint16_t*>(data));
  return as(reinterpret_cast<const Rgb8*>(data));
}

}  // namespace

std::shared_ptr<const DeviceRectifier> SharedBySlots::OnDevice(
    const std::shared_ptr<const Rectifier>& rectifier, cudaStream_t stream) {
  if (!rectifier) return nullptr;
  if (!rectifier_ || rectifier_->rectifier() != rectifier.get())
    rectifier_ = std::make_shared<const DeviceRectifier>(rectifier, stream);
  return rectifier_;
}

FrameSlot::FrameSlot(const Parameters& parameters, int width, int height, const CudaTuning& tuning,
                     std::shared_ptr<SharedBySlots> shared)
    : pipeline_(parameters, width, height, tuning),
      shared_(std::move(shared)),
      reprojector_(shared_->memories()) {
  const std::size_t bytes = num_most() * kWidestPixel_bytes;
  for (DeviceBuffer<std::uint8_t>* image : {&left_, &right_}) *image = DeviceBuffer<std::uint8_t>(bytes);
  for (PinnedBuffer<std::uint8_t>* image : {&staged_left_, &staged_right_})
    *image = PinnedBuffer<std::uint8_t>(bytes);
  result_ = shared_->results()->Lend();
  if (!result_) result_ = std::make_shared<ResultMemory>(num_most());  // or says why not
}

std::size_t FrameSlot::num_most() const {
  return static_cast<std::size_t>(pipeline_.largest_width()) *
         static_cast<std::size_t>(pipeline_.largest_height());
}

void FrameSlot::Stage(const CameraImageView& left, const CameraImageView& right, const ExtraWork& work) {
  rectifier_ = shared_->OnDevice(work.rectifier, stream());
  if (!rectifier_) {
    CheckMatcherInput(left, right, pipeline_.largest_width(), pipeline_.largest_height());
    format_ = {left.index(), WidthOf(left), HeightOf(left)};
    is_doubtful_ = IsConstant(left) || IsConstant(right);
    return Place(left, right, work, staged_left_, staged_right_);
  }
  rectifier_->CheckRaw(left, right);
  const HostImageView<const std::uint8_t> as_matched(nullptr, rectifier_->width(), rectifier_->height());
  CheckMatcherInput(as_matched, as_matched, pipeline_.largest_width(), pipeline_.largest_height());
  format_ = {left.index(), rectifier_->width(), rectifier_->height(), rectifier_->number()};
  MakeRoomForRaw();
  Place(left, right, work, staged_raw_left_, staged_raw_right_);
}

void FrameSlot::Place(const CameraImageView& left, const CameraImageView& right, const ExtraWork& work,
                      PinnedBuffer<std::uint8_t>& staged_left, PinnedBuffer<std::uint8_t>& staged_right) {
  format_.is_staged = !work.pixels || !CanBeUploaded(left) || !CanBeUploaded(right);
  pixels_ = format_.is_staged ? nullptr : work.pixels;
  if (format_.is_staged) {
    CopyDensely(left, staged_left.data());
    CopyDensely(right, staged_right.data());
  } else {
    left_from_ = left;
    right_from_ = right;
  }
}

void FrameSlot::UploadUnstaged() {
  if (format_.is_staged) return;
  const auto upload = [&](const CameraImageView& from, DeviceBuffer<std::uint8_t>& to) {
    std::visit(
        [&]<typename T>(const HostImageView<const T>& image) {
          const DeviceImageView<T> dense(reinterpret_cast<T*>(to.data()), image.width, image.height);
          UploadAsync(image, dense, stream());
        },
        from);
  };
  upload(left_from_, rectifier_ ? raw_left_ : left_);
  upload(right_from_, rectifier_ ? raw_right_ : right_);
}

void FrameSlot::MakeRoomForRaw() {
  const auto make_room = [&](DeviceBuffer<std::uint8_t>& device, PinnedBuffer<std::uint8_t>& host,
                             std::size_t num_pixels) {
    const std::size_t bytes = num_pixels * kWidestPixel_bytes;
    if (device.size() >= bytes) return;
    graphs_.clear();  // they know the old memory
    device = DeviceBuffer<std::uint8_t>(bytes);
    host = PinnedBuffer<std::uint8_t>(bytes);
  };
  make_room(raw_left_, staged_raw_left_, rectifier_->raw_pixels(true));
  make_room(raw_right_, staged_raw_right_, rectifier_->raw_pixels(false));
}

void FrameSlot::CopyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  Check(cudaMemcpyAsync(to, from, bytes, kind, stream()), "cudaMemcpyAsync");
}

void FrameSlot::LaunchMatching(const StepObserver& observer, bool results_between) {
  const std::size_t pixel_bytes = kPixelBytes[format_.pixel_type];
  const auto on_device = [&](const std::uint8_t* data, int width, int height) {
    return ImageOf<Memory::kDevice>(format_.pixel_type, data, width, height);
  };
  if (rectifier_) {
    const auto upload = [&](bool of_left, DeviceBuffer<std::uint8_t>& to, PinnedBuffer<std::uint8_t>& from) {
      if (format_.is_staged) {
        CopyAsync(to.data(), from.data(), rectifier_->raw_pixels(of_left) * pixel_bytes,
                  cudaMemcpyHostToDevice);
      }
      return on_device(to.data(), rectifier_->raw_width(of_left), rectifier_->raw_height(of_left));
    };
    const DeviceCameraImage left = upload(true, raw_left_, staged_raw_left_);
    const DeviceCameraImage right = upload(false, raw_right_, staged_raw_right_);
    RemapPair(left, right, rectifier_->tables(), left_.data(), right_.data(), stream());
  } else if (format_.is_staged) {
    const std::size_t bytes = format_.num_pixels() * pixel_bytes;
    CopyAsync(left_.data(), staged_left_.data(), bytes, cudaMemcpyHostToDevice);
    CopyAsync(right_.data(), staged_right_.data(), bytes, cudaMemcpyHostToDevice);
  }
  pipeline_.Enqueue(on_device(left_.data(), format_.width, format_.height),
                    on_device(right_.data(), format_.width, format_.height), stream(), observer,
                    results_between);
  if (rectifier_ && rectifier_->has_borders())
    RemoveUnseen(rectifier_->tables(), pipeline_.result(), stream());
}

void FrameSlot::LaunchDownloads() {
  const std::size_t pixels = format_.num_pixels();
  const auto download = [&](void* to, const void* from, std::size_t bytes) {
    CopyAsync(to, from, bytes, cudaMemcpyDeviceToHost);
  };
  const DeviceDisparityMap& map = pipeline_.result();
  download(result_->disparity.data(), map.disparity.data, pixels * sizeof(float));
  download(result_->validity.data(), map.validity.data, pixels);
  download(result_->confidence.data(), map.confidence.data, pixels);
  if (!rectifier_) return;
  const std::size_t bytes = pixels * kPixelBytes[format_.pixel_type];
  download(staged_left_.data(), left_.data(), bytes);
  download(staged_right_.data(), right_.data(), bytes);
}

void FrameSlot::LaunchReprojection(const ExtraWork& work) {
  if (!work.reprojection) {
    reprojector_.Skip();
    return;
  }
  // The pipeline has the size of the frame that was recorded last: replaying a graph does not change it.
  const DeviceImageView<const float> disparity(pipeline_.result().disparity.data, format_.width,
                                               format_.height);
  const DeviceCameraImage left =
      ImageOf<Memory::kDevice>(format_.pixel_type, left_.data(), format_.width, format_.height);
  reprojector_.Enqueue(*work.reprojection, pipeline_.parameters().reprojection, disparity, left, num_most(),
                       stream());
}

void FrameSlot::Start(const CameraImageView& left, const CameraImageView& right, const ExtraWork& work) {
  Stage(left, right, work);
  constexpr std::size_t kMostGraphs = 32;  // a graph takes some 0.1 MB
  if (graphs_.size() == kMostGraphs && !graphs_.contains(format_)) graphs_.clear();
  Graph& graph = graphs_[format_];
  if (graph.empty()) graph.Capture(stream(), [&] { LaunchMatching({}, false); });
  UploadUnstaged();  // not in the graph: from elsewhere every time
  graph.Launch(stream());
  LaunchDownloads();  // not in the graph: it would write into memory that was lent since
  LaunchReprojection(work);
  reprojector_.EnqueueDownloads(stream());
  done_.Record(stream());
}

void FrameSlot::Restart() {
  graphs_.at(format_).Launch(stream());
  LaunchDownloads();
  done_.Record(stream());
}

void FrameSlot::StartObserved(const CameraImageView& left, const CameraImageView& right,
                              const ExtraWork& work, const StepObserver& observer, bool results_between) {
  Stage(left, right, work);
  UploadUnstaged();
  LaunchMatching(observer, results_between);
  const StepRunner run(observer);
  if (work.reprojection) {
    run(Step::kReprojection, [&] { LaunchReprojection(work); });
  } else {
    reprojector_.Skip();
  }
  LaunchDownloads();
  reprojector_.EnqueueDownloads(stream());
  done_.Record(stream());
}

void FrameSlot::Wait(bool asleep) {
  asleep ? done_.WaitAsleep() : done_.Wait();
  pixels_ = nullptr;
  if (rectifier_) {
    const auto rectified = [&](const PinnedBuffer<std::uint8_t>& image) {
      return ImageOf<Memory::kHost>(format_.pixel_type, image.data(), format_.width, format_.height);
    };
    is_doubtful_ = IsConstant(rectified(staged_left_)) || IsConstant(rectified(staged_right_));
  }
  if (is_doubtful_) std::fill_n(result_->confidence.data(), format_.num_pixels(), std::uint8_t{0});
}

DisparityMapView FrameSlot::result() const {
  const int width = format_.width, height = format_.height;
  return {{result_->disparity.data(), width, height},
          {result_->validity.data(), width, height},
          {result_->confidence.data(), width, height}};
}

FinishedMap FrameSlot::TakeResult() {
  const DisparityMapView map = result();
  std::shared_ptr<ResultMemory> next = shared_->results()->Lend();
  if (!next) return Clone(map);
  return {map, std::exchange(result_, std::move(next))};
}

ExtraResults FrameSlot::TakeExtraResults() {
  ExtraResults results;
  results.reprojected = reprojector_.Take();
  if (rectifier_) {
    const auto image = [&](const PinnedBuffer<std::uint8_t>& from) {
      return CloneImage(
          ImageOf<Memory::kHost>(format_.pixel_type, from.data(), format_.width, format_.height));
    };
    results.rectified = {image(staged_left_), image(staged_right_)};
  }
  return results;
}

}  // namespace parallax::cuda
