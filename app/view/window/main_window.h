// The window on Open3D's GUI: pictures and cloud of the latest frame, buttons and keys.
#pragma once

#include <open3d/visualization/gui/Window.h>

#include <memory>

#include "app/view/viewer.h"
#include "app/view/window/mailbox.h"

namespace parallax::app {

// Lives on the main thread; takes its frames and orders from the mailbox, which must outlive it.
std::shared_ptr<open3d::visualization::gui::Window> MakeMainWindow(const ViewerOptions& options,
                                                                   Mailbox& mailbox, bool draws_in_software);

}  // namespace parallax::app
