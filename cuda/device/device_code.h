// What code of this build the current device runs.
#pragma once

namespace parallax::cuda {

// True where the current device can run this build's kernels.
bool HasKernelsForCurrentDevice();
// Whether they can begin while the kernel before them ends (cuda/device/dependent_launch.cuh): from compute
// capability 9.0 on.
bool HasDependentLaunch();

}  // namespace parallax::cuda
