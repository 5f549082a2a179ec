#include "app/view/frame_viewer.h"

#include <fmt/format.h>

#include <exception>
#include <tuple>
#include <utility>

#include "app/view/processor_time.h"
#include "pipeline/uncertainty/uncertainty.h"

namespace parallax::app {
namespace {

// New frames pull the colours' range a fifth of the way: steady colours, yet no clipped scene for long.
ValueRange Follow(const ValueRange& range, const ValueRange& next) {
  constexpr float kWeight = 0.2f;
  return {range.low + kWeight * (next.low - range.low), range.high + kWeight * (next.high - range.high)};
}

constexpr char kWorkers[] = "matching";  // name of the threads that match, not of the window's

}  // namespace

FrameViewer::FrameViewer(const ViewerOptions& window, First first)
    : first_(first),
      viewer_(OpenViewer(window)),
      timeline_(window.timeline),
      display_thread_([this] { DisplayFrames(); }) {}

FrameViewer::~FrameViewer() {
  const std::scoped_lock lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

void FrameViewer::RunAlongside(const std::function<void()>& work) {
  std::exception_ptr error;
  {
    const std::jthread worker([&] {
      constexpr int kBehindTheWindow = 10;
      BecomeWorkers(kWorkers, kBehindTheWindow);
      try {
        work();
        Flush();
        {
          const std::scoped_lock lock(mutex_);
          source_ended_ = true;
        }
        viewer_->ShowEnd("end: close the window to leave");
      } catch (...) {
        error = std::current_exception();
        viewer_->Close();
      }
    });
    viewer_->Run();
    closed_ = true;
    timeline_->Stop();
  }  // joins
  if (error) std::rethrow_exception(error);
}

void FrameViewer::Begin(std::string_view backend, std::optional<std::size_t> num_frames,
                        std::function<StatusNote()> note) {
  const std::scoped_lock lock(mutex_);
  backend_ = backend;
  num_frames_ = num_frames;
  ask_note_ = std::move(note);
}

void FrameViewer::KeepNote() {
  const std::scoped_lock lock(mutex_);
  if (ask_note_) note_ = std::exchange(ask_note_, nullptr)();
}

void FrameViewer::Share(std::shared_ptr<ParameterSession> session, const MatchingOptions& options,
                        Score score) {
  session->on_change = [this] {
    const std::scoped_lock lock(mutex_);
    changed_.notify_all();
  };
  const std::scoped_lock lock(mutex_);
  rematcher_a_.emplace(options);
  rematcher_b_.emplace(options);
  score_ = std::move(score);
  session_ = std::move(session);
}

bool FrameViewer::Observe(std::shared_ptr<const MatchedFrame> frame, const std::atomic<bool>* give_up,
                          std::optional<std::size_t> number) {
  {
    const std::scoped_lock lock(mutex_);
    const Clock::time_point now = Clock::now();
    if (last_observed_) {
      const double ms = std::chrono::duration<double, std::milli>(now - *last_observed_).count();
      constexpr double kWeight = 0.2;
      frame_ms_ = frame_ms_ > 0 ? frame_ms_ + kWeight * (ms - frame_ms_) : ms;
    }
  }
  if (viewer_->closed() || !timeline_->WaitForTurn(give_up)) {
    if (viewer_->closed()) closed_ = true;
    return false;
  }
  const std::scoped_lock lock(mutex_);
  last_observed_ = Clock::now();
  latest_ = std::move(frame);
  num_observed_ = number ? *number + 1 : num_observed_ + 1;
  changed_.notify_all();
  return true;
}

void FrameViewer::Flush() {
  std::unique_lock lock(mutex_);
  flushing_ = true;
  changed_.notify_all();
  changed_.wait(lock, [this] { return (!latest_ && !displaying_ && !OwesCloud()) || ended_; });
  flushing_ = false;
}

// Changed parameters act on the next frame. If no frame follows, the shown one is matched again.
bool FrameViewer::WantsRematch() const {
  const bool stands = source_ended_ || timeline_->paused() || timeline_->at_end();
  return session_ && shown_ && session_->version() != shown_version_ && stands;
}

bool FrameViewer::OwesCloud() const {
  return shown_ && !shown_has_cloud_ && (flushing_ || source_ended_ || timeline_->paused());
}

void FrameViewer::DisplayFrames() {
  constexpr std::chrono::milliseconds kPoll(100);  // pausing notifies no thread
  constexpr double kShareDuringWork = 0.025;
  constexpr std::chrono::seconds kBetweenClouds(2);
  constexpr std::chrono::milliseconds kBetweenPictures(33);  // more are not visible
  Clock::time_point pictured_at{};
  ProcessorShare share(kWorkers, kShareDuringWork);
  std::unique_lock lock(mutex_);
  while (true) {
    while (!latest_ && !ended_ && !WantsRematch() && !OwesCloud()) changed_.wait_for(lock, kPoll);
    // If work comes first, the window waits until there is time to show another frame.
    const auto must_wait = [&] { return Clock::now() - pictured_at < kBetweenPictures || !share.MaySpend(); };
    while (first_ == First::kWork && shown_ && latest_ && !ended_ && !flushing_ && must_wait())
      changed_.wait_for(lock, kBetweenPictures);
    if (ended_) return;
    const bool is_rematch = !latest_ && WantsRematch();
    if (latest_) shown_ = std::exchange(latest_, nullptr);
    if (session_) shown_version_ = session_->version();
    const Clock::time_point now = pictured_at = Clock::now();
    shown_has_cloud_ = false;
    const bool with_cloud =
        first_ == First::kWindow || OwesCloud() || !last_cloud_ || now - *last_cloud_ >= kBetweenClouds;
    shown_has_cloud_ = with_cloud;
    if (with_cloud) last_cloud_ = now;
    const std::shared_ptr<const MatchedFrame> frame = shown_;
    const std::string status = Status();
    if (ask_note_) note_ = ask_note_();
    const StatusNote note = note_;
    displaying_ = true;
    lock.unlock();
    try {
      ViewerFrame shown = Display(frame, is_rematch, with_cloud);
      shown.status = status + shown.status;
      if (!note.text.empty()) shown.status += "    " + note.text;
      shown.is_alarm = note.is_alarm;
      viewer_->Show(std::move(shown));
    } catch (const std::exception& error) {  // of matching with the user's new parameters
      viewer_->ShowEnd(error.what());
    }
    lock.lock();
    displaying_ = false;
    changed_.notify_all();
  }
}

ViewerFrame FrameViewer::Display(const std::shared_ptr<const MatchedFrame>& matched, bool is_rematch,
                                 bool with_cloud) {
  const StereoFrame& frame = matched->frame;
  ShownFrame shown = MakeShownFrame(matched, backend_);
  // The map must live as long as its owner.
  const auto add_sigma = [&](ShownSet& set, const DisparityMapView& map, bool of_b) {
    if (!session_) return;
    set.sigma_px = std::make_shared<const ImageOnDemand>(
        [owner = set.owner, map, uncertainty = session_->Get(of_b).uncertainty] {
          return SigmaOfDisparity(uncertainty, map);
        });
  };
  add_sigma(shown.a, matched->map.View(), false);
  const auto match = [&](FrameRematcher& rematcher, bool of_b) {
    const std::shared_ptr<const RematchedFrame> result = rematcher.Match(frame, session_->Get(of_b));
    const DisparityMap& map = result->disparity;
    ShownSet set = MakeShownSet(map.disparity.View(), map.validity.View(), map.confidence.View(), frame.rig,
                                result->parameters, result);
    set.backend = result->backend;
    set.times = result->times;
    set.match_ms = result->match_ms;
    add_sigma(set, ViewOf(map), of_b);
    return set;
  };
  if (is_rematch) shown.a = match(*rematcher_a_, false);
  if (session_ && session_->compares()) shown.b = match(*rematcher_b_, true);
  if (shown.truth != nullptr && score_) {
    std::tie(shown.a.score_name, shown.a.score) = score_(frame, shown.a.disparity);
    if (shown.b) std::tie(shown.b->score_name, shown.b->score) = score_(frame, shown.b->disparity);
  }
  const auto follow = [](std::optional<ValueRange>& range, ValueRange& next) {
    range = range ? Follow(*range, next) : next;
    next = *range;
  };
  follow(disparity_range_, shown.a.disparity_range);
  if (frame.rig) follow(depth_range_, shown.a.depth_range);
  ViewerFrame result;
  result.name = frame.name;
  result.status = fmt::format("matching {:.1f} ms ({}, {} disparities)", shown.a.match_ms, shown.a.backend,
                              shown.a.parameters.matching_cost.num_disparities);
  result.keeps_cloud = !with_cloud;
  CloudInput cloud{.disparity = shown.a.disparity,
                   .colors = shown.left.ConstView(),
                   .confidence = shown.a.confidence,
                   .validity = shown.a.validity};
  if (shown.truth != nullptr) cloud.truth = shown.truth->disparity.ConstView();
  if (with_cloud) AddCloud(cloud, frame.rig, shown.a.parameters.reprojection, result);
  result.shown = std::make_shared<const ShownFrame>(std::move(shown));
  return result;
}

std::string FrameViewer::Status() const {
  std::string text;
  if (num_frames_) {
    text = fmt::format("{} of {}    ", num_observed_, *num_frames_);
  } else {
    text = fmt::format("frame {}    ", num_observed_);
  }
  if (frame_ms_ > 0) text += fmt::format("{:.1f} frames/s    ", 1000 / frame_ms_);
  return text;
}

}  // namespace parallax::app
