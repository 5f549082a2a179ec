// A Rig of raw cameras that no file describes.
#pragma once

#include "parallax/rig.h"
#include "pipeline/calibration/raw_rig.h"

namespace parallax {

Rig RigOf(const RawRig& raw, const RectificationOptions& options = {});

}  // namespace parallax
