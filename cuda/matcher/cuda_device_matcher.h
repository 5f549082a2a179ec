// The back end's DeviceMatcher (pipeline/matchers/device_matcher.h). No CUDA header.
#pragma once

#include <memory>

#include "pipeline/matchers/device_matcher.h"
#include "pipeline/matchers/stereo_matcher.h"
#include "pipeline/types/parameter_info.h"

namespace parallax {

// Makes a matcher on options.device. Throws what MakeCudaMatcher throws.
std::unique_ptr<DeviceMatcher> MakeCudaDeviceMatcher(const Parameters& parameters,
                                                     const MatcherOptions& options);

}  // namespace parallax
