#include "app/view/board_window.h"

#include <fmt/format.h>

#include <exception>
#include <thread>
#include <utility>

#include "app/calibrate/board_screen.h"
#include "app/view/display.h"
#include "calibrate/stereo_calibration.h"

namespace parallax::app {

BoardWindow::BoardWindow(const std::string& title) {
  ViewerOptions options;
  options.title = title;
  options.sequence = false;
  options.keys = {
      {"Calibrate", "S",
       fmt::format("calibrate with the boards taken so far, from {} on, and save", kFewestBoards),
       [this] { wants_end_ = wants_end_ || num_boards_ >= kFewestBoards; }},
      {"Run with the rig", "R", "once there is a rig: close this window and show depths of the source",
       [this] {
         if (!offers_run_) return;
         wants_run_ = true;
         viewer_->Close();
       },
       [this] { return offers_run_.load(); }},
      {"Leave", "Q",
       fmt::format("close the window; boards that were taken, from {} on, are calibrated and saved",
                   kFewestBoards),
       [this] { viewer_->Close(); }}};
  viewer_ = OpenViewer(options);
}

void BoardWindow::RunAlongside(const std::function<void()>& work, const std::function<void()>& on_closed) {
  std::exception_ptr error;
  {
    const std::jthread worker([&] {
      try {
        work();
      } catch (...) {
        error = std::current_exception();
      }
    });
    viewer_->Run();
    wants_end_ = true;
    on_closed();
  }  // joins
  if (error) std::rethrow_exception(error);
}

void BoardWindow::Show(const StereoFrame& frame, const BoardSession& session, const std::string& headline,
                       const std::string& text) {
  ShownFrame shown;
  num_boards_ = session.taken().size();
  shown.left_title = "left and right";
  shown.left =
      BoardScreen(DisplayImage(ViewOf(frame.left)).ConstView(), DisplayImage(ViewOf(frame.right)).ConstView(),
                  session, session.last().view.name == frame.name, headline, text);
  shown.width = shown.left.width();
  shown.height = shown.left.height();
  ViewerFrame page;
  page.name = shown.name = frame.name;
  page.status = headline.empty() ? session.Advice() : headline;
  page.shown = std::make_shared<const ShownFrame>(std::move(shown));
  viewer_->Show(std::move(page));
}

}  // namespace parallax::app
