// Turns disparity into metric depth and point clouds.
#pragma once

#include <cstdint>

#include "parallax/cloud.h"
#include "parallax/image.h"
#include "parallax/rig.h"
#include "pipeline/threads/parallel.h"
#include "pipeline/types/frame.h"
#include "pipeline/types/parameter_info.h"

namespace parallax {

// Writes Z in metres; NaN where the disparity is NaN, where disparity + doffs <= 0, and outside the depth
// limits. Both images W x H. threads: null = only this thread; their number changes no bit. Throws
// InvalidArgument for a rig without focal length or baseline.
void DepthFromDisparity(HostImageView<const float> disparity, const StereoRig& rig,
                        const ReprojectionParameters& limits, HostImageView<float> depth,
                        ThreadPool* threads = nullptr);

// Points of the pixels with a depth, in reading order, coloured from the left image (gray: r = g = b).
// threads: as above.
PointCloud CloudFromDepth(HostImageView<const float> depth, const CameraImageView& left, const StereoRig& rig,
                          ThreadPool* threads = nullptr);

}  // namespace parallax
