// Frames, disparities and clouds as the window shows them.
#pragma once

#include <optional>

#include "app/view/viewer.h"
#include "parallax/image.h"
#include "parallax/rig.h"
#include "pipeline/types/frame.h"
#include "pipeline/types/parameter_info.h"

namespace parallax::app {

// The image in 8-bit colour; 16-bit gray is stretched from its 1st to its 99th percentile.
HostImage<Rgb8> DisplayImage(const CameraImageView& image);

// A pinhole pair for frames without calibration: 53 degrees wide, 0.1 m apart, principal point in the middle.
// Its clouds have about the right shape and no true scale.
StereoRig NominalRig(int width, int height);

// Fills cloud and its caption. rig: absent = a nominal one without depth limits; points with less than one
// pixel of disparity are left out.
void AddCloud(const CloudInput& input, const std::optional<StereoRig>& rig,
              const ReprojectionParameters& limits, ViewerFrame& shown);

// Does the same with an existing cloud.
void AddCloud(CloudFrame cloud, ViewerFrame& shown);

}  // namespace parallax::app
