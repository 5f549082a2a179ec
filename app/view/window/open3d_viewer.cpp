// The viewer: hands frames from the program's threads to the window. This folder alone includes Open3D.
#include <open3d/utility/Logging.h>
#include <open3d/visualization/gui/Application.h>
#include <open3d/visualization/gui/Theme.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "app/view/window/display_check.h"
#include "app/view/window/mailbox.h"
#include "app/view/window/main_window.h"
#include "app/view/window/window_module.h"
#include "datasets/system/module.h"
#include "parallax/error.h"

namespace parallax::app {
namespace {

namespace gui = open3d::visualization::gui;

class Open3DViewer : public Viewer {
 public:
  explicit Open3DViewer(const ViewerOptions& options) {
    // Open3D reports a missing file in its own words, or not at all.
    for (const char* file :
         {"ui_blit.filamat", "defaultUnlit.filamat", "unlitLine.filamat", "Roboto-Medium.ttf"}) {
      if (!std::filesystem::exists(std::filesystem::path(PARALLAX_OPEN3D_RESOURCES) / file)) {
        throw Error("the viewer's resources are missing at " PARALLAX_OPEN3D_RESOURCES " (" +
                    std::string(file) + "): install open3d-gui-data (Debian 13: open3d-viewer-data)");
      }
    }
    const DisplayInfo display = CheckDisplay();
    open3d::utility::SetVerbosityLevel(open3d::utility::VerbosityLevel::Error);
    const SilencedOutput silenced;
    gui::Application& application = gui::Application::GetInstance();
    application.Initialize(PARALLAX_OPEN3D_RESOURCES);
    window_ = MakeMainWindow(options, mailbox_, display.draws_in_software);
  }

  void Run() override {
    gui::Application& application = gui::Application::GetInstance();
    application.AddWindow(window_);
    // The application must hold it alone: it ends the renderer with its last window.
    window_.reset();
    application.Run();
    mailbox_.SetClosed();
  }

  void Show(ViewerFrame frame) override { mailbox_.Put(std::move(frame)); }
  void ShowEnd(const std::string& message) override { mailbox_.PutEnd(message); }
  void RequestScreenshot(std::function<void(HostImage<Rgb8>)> done) override {
    mailbox_.RequestScreenshot(std::move(done));
  }
  void Close() override { mailbox_.RequestClose(); }
  bool closed() const override { return mailbox_.closed(); }

 private:
  Mailbox mailbox_;
  std::shared_ptr<gui::Window> window_;  // until Run
};

}  // namespace
}  // namespace parallax::app

const char* ParallaxModuleVersion() { return PARALLAX_VERSION; }

parallax::app::Viewer* ParallaxOpenViewer(const parallax::app::ViewerOptions& options) {
  return new parallax::app::Open3DViewer(options);
}
