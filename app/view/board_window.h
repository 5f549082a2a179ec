// The window of `parallax calibrate --show`.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "app/view/viewer.h"
#include "calibrate/board_session.h"
#include "pipeline/types/frame.h"

namespace parallax::app {

class BoardWindow {
 public:
  // Throws what OpenViewer throws.
  explicit BoardWindow(const std::string& title);

  // Runs work on a second thread and the window on this one, the main thread, until the window is closed and work has
  // ended. on_closed: ends a wait of work. Rethrows what work throws.
  void RunAlongside(const std::function<void()>& work, const std::function<void()>& on_closed);

  // May be called from any thread. headline, text: see BoardScreen.
  void Show(const StereoFrame& frame, const BoardSession& session, const std::string& headline = "",
            const std::string& text = "");
  void Close() { viewer_->Close(); }
  // From now on the window offers the key R, which closes it and sets wants_run().
  void OfferRun() { offers_run_ = true; }

  // Whether to end the search for boards: S was pressed with enough boards, or the window was closed.
  bool wants_end() const { return wants_end_; }
  // Whether to show depths with the new rig: R was pressed.
  bool wants_run() const { return wants_run_; }

 private:
  std::atomic<bool> wants_end_ = false, offers_run_ = false, wants_run_ = false;
  std::atomic<std::size_t> num_boards_ = 0;  // taken
  std::unique_ptr<Viewer> viewer_;
};

}  // namespace parallax::app
