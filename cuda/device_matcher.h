// The back end's DeviceMatcher (pipeline/device_matcher.h). No CUDA header.
#pragma once

#include <memory>

#include "pipeline/device_matcher.h"
#include "pipeline/matcher.h"
#include "pipeline/parameters.h"

namespace parallax {

// On options.device. Throws as MakeCudaMatcher.
std::unique_ptr<DeviceMatcher> MakeCudaDeviceMatcher(const Parameters& parameters,
                                                     const MatcherOptions& options);

}  // namespace parallax
