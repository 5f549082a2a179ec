#include "app/view/frame_viewer.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

namespace parallax::app {
namespace {

// New frames pull the colours' range a fifth of the way: steady colours, yet no clipped scene for long.
ValueRange Follow(const ValueRange& range, const ValueRange& next) {
  constexpr float kWeight = 0.2f;
  return {range.low + kWeight * (next.low - range.low), range.high + kWeight * (next.high - range.high)};
}

}  // namespace

FrameViewer::FrameViewer(const ViewerOptions& window)
    : viewer_(OpenViewer(window)), display_thread_([this] { DisplayFrames(); }) {}

FrameViewer::~FrameViewer() {
  const std::scoped_lock lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

void FrameViewer::RunBeside(const std::function<void()>& work) {
  std::exception_ptr error;
  {
    const std::jthread worker([&] {
      try {
        work();
        Flush();
        viewer_->ShowEnd("end: close the window to leave");
      } catch (...) {
        error = std::current_exception();
        viewer_->Close();
      }
    });
    viewer_->Run();
    closed_ = true;
  }  // joins
  if (error) std::rethrow_exception(error);
}

void FrameViewer::Begin(std::string_view backend, std::optional<std::size_t> num_frames) {
  const std::scoped_lock lock(mutex_);
  backend_ = backend;
  num_frames_ = num_frames;
}

bool FrameViewer::Observe(std::shared_ptr<const MatchedFrame> frame, const std::atomic<bool>* give_up) {
  {
    const std::scoped_lock lock(mutex_);
    const Clock::time_point now = Clock::now();
    if (last_observed_) {
      const double ms = std::chrono::duration<double, std::milli>(now - *last_observed_).count();
      constexpr double kWeight = 0.2;
      frame_ms_ = frame_ms_ > 0 ? frame_ms_ + kWeight * (ms - frame_ms_) : ms;
    }
  }
  if (!viewer_->WaitForTurn(give_up)) {
    if (viewer_->closed()) closed_ = true;
    return false;
  }
  const std::scoped_lock lock(mutex_);
  last_observed_ = Clock::now();
  latest_ = std::move(frame);
  ++num_observed_;
  changed_.notify_all();
  return true;
}

void FrameViewer::Flush() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return (!latest_ && !displaying_) || ended_; });
}

void FrameViewer::DisplayFrames() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return latest_ || ended_; });
    if (ended_) return;
    const std::shared_ptr<const MatchedFrame> frame = std::exchange(latest_, nullptr);
    const std::string status = Status(*frame);
    displaying_ = true;
    lock.unlock();
    ViewerFrame shown = Display(*frame);
    shown.status = status;
    viewer_->Show(std::move(shown));
    lock.lock();
    displaying_ = false;
    changed_.notify_all();
  }
}

ViewerFrame FrameViewer::Display(const MatchedFrame& matched) {
  const StereoFrame& frame = matched.frame;
  const HostImageView<const float> disparity = matched.disparity.disparity.View();
  ViewerFrame shown;
  shown.name = frame.name;
  shown.image = DisplayImage(ViewOf(frame.left));
  shown.image_caption = fmt::format("left image, {} x {}", shown.image.width(), shown.image.height());
  const ValueRange range = RobustRange(disparity);
  range_ = range_ ? Follow(*range_, range) : range;
  AddDisparity(disparity, *range_, shown);
  CloudInput cloud{.disparity = disparity,
                   .colors = shown.image.ConstView(),
                   .confidence = matched.disparity.confidence.ConstView()};
  if (frame.truth) cloud.truth = frame.truth->disparity.ConstView();
  AddCloud(cloud, frame.rig, matched.parameters.reprojection, shown);
  return shown;
}

std::string FrameViewer::Status(const MatchedFrame& matched) const {
  std::string text;
  if (num_frames_) {
    text = fmt::format("{} of {}    ", num_observed_, *num_frames_);
  } else {
    text = fmt::format("frame {}    ", num_observed_);
  }
  text += fmt::format("matching {:.1f} ms ({}, {} disparities)", matched.match_ms, backend_,
                      matched.parameters.matching_cost.num_disparities);
  if (frame_ms_ > 0) text += fmt::format("    {:.1f} frames/s", 1000 / frame_ms_);
  return text;
}

}  // namespace parallax::app
