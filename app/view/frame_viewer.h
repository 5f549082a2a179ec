// Shows matched frames in the window.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "app/view/controls/parameter_session.h"
#include "app/view/display.h"
#include "app/view/frame_rematcher.h"
#include "app/view/viewer.h"
#include "pipeline/frames/frame_pipeline.h"

namespace parallax::app {

// A run's addition to the status line.
struct StatusNote {
  std::string text;
  bool is_alarm = false;  // shown in red
};

// Colouring and reprojection for the window run in a separate thread, on the latest frame only: neither the
// matching nor the window waits for them.
class FrameViewer {
 public:
  // What comes first when processor time is short. kWindow: the window, which shows every frame it has time
  // for. kWork: the work; the window takes 2.5 % of the processors' time and half of their idle time, and
  // shows at most 30 frames a second. User input always comes first. The cloud takes most of a frame's time:
  // during work it is updated every two seconds, and once more when frames stop coming.
  enum class First { kWindow, kWork };

  // Opens the window. Throws what OpenViewer throws.
  explicit FrameViewer(const ViewerOptions& window, First first = First::kWindow);
  ~FrameViewer();
  FrameViewer(const FrameViewer&) = delete;
  FrameViewer& operator=(const FrameViewer&) = delete;

  // Runs work on a second thread and the window on this one, the main thread, until the window is closed and
  // work has ended. When work ends by itself, the window stays and says so. Rethrows what work throws.
  void RunAlongside(const std::function<void()>& work);

  // Sets the text about frames in the status line, before the first frame. note: called in another thread with
  // every frame that is shown; may be empty.
  void Begin(std::string_view backend, std::optional<std::size_t> num_frames,
             std::function<StatusNote()> note = {});
  // Calls `note` a last time and keeps the result.
  void KeepNote();

  // A metric's name, and its figure for a frame with truth.
  using Score = std::function<std::pair<std::string, double>(const StereoFrame& frame,
                                                             HostImageView<const float> disparity)>;
  // Lets the window change the frames' parameters, and match frames with two sets. Called before the first
  // frame.
  void Share(std::shared_ptr<ParameterSession> session, const MatchingOptions& options, Score score);

  // Shows the frame, after waiting while the window is paused. False when the window was closed or give_up
  // became true: no more frames need to be matched. number: of the frame in its source, from 0; nullopt:
  // frames come in order.
  bool Observe(std::shared_ptr<const MatchedFrame> frame, const std::atomic<bool>* give_up = nullptr,
               std::optional<std::size_t> number = std::nullopt);

  // True once the window is closed.
  const std::atomic<bool>& closed() const { return closed_; }

  // Waits until the window has every frame observed so far.
  void Flush();
  Viewer& window() { return *viewer_; }

 private:
  void DisplayFrames();
  bool WantsRematch() const;
  // Whether the frame that is shown lacks its cloud, and will for longer than a moment.
  bool OwesCloud() const;
  // Throws what FrameRematcher throws.
  ViewerFrame Display(const std::shared_ptr<const MatchedFrame>& matched, bool is_rematch, bool with_cloud);
  std::string Status() const;

  using Clock = std::chrono::steady_clock;
  std::string backend_;
  std::optional<std::size_t> num_frames_;
  std::function<StatusNote()> ask_note_;
  StatusNote note_;
  const First first_;
  std::unique_ptr<Viewer> viewer_;
  const std::shared_ptr<Timeline> timeline_;
  std::atomic<bool> closed_ = false;
  std::optional<ValueRange> disparity_range_, depth_range_;  // of the colours; follow the frames slowly

  std::shared_ptr<ParameterSession> session_;
  std::optional<FrameRematcher> rematcher_a_, rematcher_b_;
  Score score_;
  std::shared_ptr<const MatchedFrame> shown_;  // last
  long shown_version_ = 0;                     // of the session
  bool shown_has_cloud_ = false;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<const MatchedFrame> latest_;
  bool displaying_ = false, flushing_ = false, ended_ = false, source_ended_ = false;
  std::size_t num_observed_ = 0;  // or the number of the latest one, from 1
  std::optional<Clock::time_point> last_observed_, last_cloud_;
  double frame_ms_ = 0;  // smoothed time from frame to frame, pauses left out

  std::jthread display_thread_;
};

}  // namespace parallax::app
