#include "app/view/viewer.h"

#include "app/session/heap.h"
#include "app/view/window/window_module.h"
#include "datasets/system/module.h"

namespace parallax::app {

std::unique_ptr<Viewer> OpenViewer(const ViewerOptions& options) {
  ShareOneHeap();  // before the window starts its threads
  void* open = FunctionOfModule({"libparallax_viewer.so", "the viewer", "libopen3d0.16, open3d-gui-data",
                                 "configure with -DPARALLAX_VIEWER=ON (needs libopen3d-dev and "
                                 "open3d-gui-data), build and install again"},
                                "ParallaxOpenViewer");
  return std::unique_ptr<Viewer>(reinterpret_cast<decltype(&ParallaxOpenViewer)>(open)(options));
}

}  // namespace parallax::app
