// The measures of clouds on a CUDA device, without CUDA headers.
#pragma once

#include <memory>

#include "pipeline/cloud/cpu_cloud_measures.h"

namespace parallax {

// Throws Error if there is no such device. Each measure allocates its memory on first use and keeps it. Too
// little memory is an Error with the figure needed.
std::unique_ptr<CloudMeasures> MakeCudaCloudMeasures(int device = 0);

}  // namespace parallax
