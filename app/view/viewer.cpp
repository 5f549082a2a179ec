#include "app/view/viewer.h"

#include "app/session/heap.h"
#include "app/view/window/window_module.h"
#include "datasets/system/module.h"

namespace parallax::app {

std::unique_ptr<Viewer> OpenViewer(const ViewerOptions& options) {
  ShareOneHeap();  // before the window starts its threads
  void* open = FunctionOfModule({"libparallax_viewer.so", "the viewer",
                                 "Debian's libopen3d and open3d-gui-data (13: open3d-viewer-data)",
                                 "configure with -DPARALLAX_VIEWER=ON (needs libopen3d-dev and its data), "
                                 "build and install again"},
                                "ParallaxOpenViewer");
  return std::unique_ptr<Viewer>(reinterpret_cast<decltype(&ParallaxOpenViewer)>(open)(options));
}

}  // namespace parallax::app
