// Which code of this build the current device runs.
#pragma once

namespace parallax::cuda {

// Whether the current device can run this build's kernels.
bool HasKernelsForCurrentDevice();
// Whether kernels can begin while the previous kernel ends (cuda/device/dependent_launch.cuh): from compute
// capability 9.0.
bool HasDependentLaunch();
// Shared memory that a block can have on the current device.
int MostSharedBytes();

}  // namespace parallax::cuda
