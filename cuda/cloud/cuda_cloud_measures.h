// The measures of clouds on a CUDA device, as the program sees them. No CUDA header.
#pragma once

#include <memory>

#include "pipeline/cloud/cpu_cloud_measures.h"

namespace parallax {

// Throws Error where there is no such device. Memory is taken on the first use of each measure and kept for
// the next; too little of it is an Error that names the figure needed.
std::unique_ptr<CloudMeasures> MakeCudaCloudMeasures(int device = 0);

}  // namespace parallax
