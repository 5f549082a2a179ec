// The window: pictures and cloud of the latest frame. No Open3D type appears here. The implementation is a
// separate module (app/view/window/), loaded only for a window, because Open3D's shared libraries would cost
// every other command its start-up time.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/view/cloud/cloud_frame.h"
#include "app/view/controls/command_table.h"
#include "app/view/panes/shown_frame.h"
#include "app/view/play/play_controls.h"
#include "app/view/play/timeline.h"
#include "parallax/image.h"

namespace parallax::app {

// The window's content for one frame. An empty part leaves its pane blank, with the caption as the reason.
struct ViewerFrame {
  std::string name;
  std::string status;                       // after the name in the status line, e.g. "12.3 fps, 81 ms"
  bool is_alarm = false;                    // the status line is red
  std::shared_ptr<const ShownFrame> shown;  // what the picture panes show; null if there is only a cloud
  std::shared_ptr<const CloudFrame> cloud_frame;
  std::string cloud_caption;
  bool keeps_cloud = false;  // the cloud of an earlier frame, and its caption, stay
};

class ParameterSession;

struct ViewerOptions {
  std::string title = "parallax";
  int width_px = 1440, height_px = 900;
  bool sequence = true;                // false: a single frame; no buttons to pause and step
  std::filesystem::path state_file{};  // kept up to date with what is shown (window_state.h); empty = none
  std::shared_ptr<ParameterSession> parameters{};  // what the window changes; null = nothing
  std::filesystem::path save_folder = ".";         // of what is saved in the window
  // What the buttons for pause and step control.
  std::shared_ptr<Timeline> timeline = std::make_shared<Timeline>(Timeline::kEndless, false);
  std::shared_ptr<PlayControls> play{};  // the play bar; null = not shown
  bool show_filled = false;              // pixels that were filled are shown like others, at first
  // Keys of a window that shows pictures drawn by its owner. They take precedence over the window's own, and
  // each has a button with its name. Called on the main thread.
  std::vector<Command> keys{};
};

class Viewer {
 public:
  virtual ~Viewer() = default;

  // Runs the window on the calling thread, which must be the program's main thread, until it is closed.
  virtual void Run() = 0;

  // All below may be called from any thread.

  // Hands over a finished frame and returns at once; a frame not yet drawn is replaced (the latest wins).
  virtual void Show(ViewerFrame frame) = 0;
  // Shows a message in the status line until the next frame, such as the end of the frames.
  virtual void ShowEnd(const std::string& message) = 0;
  // Calls done on the main thread with the whole window's pixels once the latest frame shown is on screen.
  virtual void RequestScreenshot(std::function<void(HostImage<Rgb8>)> done) = 0;
  virtual void Close() = 0;
  virtual bool closed() const = 0;
};

// Opens the window (hidden until Run). Throws Error, naming the remedy, when the program was built without
// the viewer, the module or its resources are missing, or there is no display. There can be at most one
// viewer in a process.
std::unique_ptr<Viewer> OpenViewer(const ViewerOptions& options);

}  // namespace parallax::app
