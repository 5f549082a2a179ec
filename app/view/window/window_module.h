// What the viewer module exports in addition to its version (datasets/system/module.h): one C function that makes the
// window.
#pragma once

#include "app/view/viewer.h"

extern "C" {
// Never null. Throws parallax::Error.
parallax::app::Viewer* ParallaxOpenViewer(const parallax::app::ViewerOptions& options);
}
