// What the viewer module exports: one C function that makes the window, and the version it was built for.
#pragma once

#include "app/view/viewer.h"

extern "C" {
// The project version the module belongs to; the program refuses another one's.
const char* ParallaxViewerVersion();
// Never null. Throws parallax::Error.
parallax::app::Viewer* ParallaxOpenViewer(const parallax::app::ViewerOptions& options);
}
