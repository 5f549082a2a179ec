// Messages between the matching thread and the window.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "app/view/viewer.h"
#include "parallax/image.h"

namespace parallax::app {

using ScreenshotCallback = std::function<void(HostImage<Rgb8>)>;

// All functions may be called from any thread.
class Mailbox {
 public:
  // --- towards the window: each is taken once ---------------------------------

  // Replaces a frame that was not taken yet. Frames are numbered from 1.
  void Put(ViewerFrame frame) {
    const std::scoped_lock lock(mutex_);
    ++num_put_;
    frame_ = std::move(frame);
  }
  std::optional<std::pair<long, ViewerFrame>> Take() {
    const std::scoped_lock lock(mutex_);
    if (!frame_) return std::nullopt;
    return std::pair(num_put_, *std::exchange(frame_, std::nullopt));
  }

  void PutEnd(const std::string& message) {
    const std::scoped_lock lock(mutex_);
    end_message_ = message;
  }
  // Empty when there is none.
  std::string TakeEnd() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(end_message_, {});
  }

  // Asks for a picture of the window once it shows the frame put last.
  void RequestScreenshot(ScreenshotCallback done) {
    const std::scoped_lock lock(mutex_);
    screenshot_ = std::move(done);
    screenshot_frame_ = num_put_;
  }
  // The request, when the window that shows frame number shown_frame can answer it; empty otherwise.
  ScreenshotCallback TakeScreenshot(long shown_frame) {
    const std::scoped_lock lock(mutex_);
    if (shown_frame < screenshot_frame_) return {};
    return std::exchange(screenshot_, {});
  }
  bool screenshot_wanted() const {
    const std::scoped_lock lock(mutex_);
    return screenshot_ != nullptr;
  }

  void RequestClose() { close_requested_ = true; }
  bool close_requested() const { return close_requested_; }

  // --- towards the matching thread ----------------------------------------------

  void SetClosed() { closed_ = true; }
  bool closed() const { return closed_; }

 private:
  mutable std::mutex mutex_;
  std::optional<ViewerFrame> frame_;
  long num_put_ = 0;
  std::string end_message_;
  ScreenshotCallback screenshot_;
  long screenshot_frame_ = 0;
  std::atomic<bool> close_requested_ = false, closed_ = false;
};

}  // namespace parallax::app
