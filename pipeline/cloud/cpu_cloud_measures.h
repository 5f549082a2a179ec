// The measures of clouds on the CPU.
#pragma once

#include <memory>

#include "parallax/cloud_measures.h"

namespace parallax {

// num_threads: 0 = one per hardware thread.
std::unique_ptr<CloudMeasures> MakeCpuCloudMeasures(int num_threads = 0);

}  // namespace parallax
