// The cpu back end: vectors (AVX-512, AVX2, SSE4, NEON or none, chosen at run time) and threads, to the bit
// what the reference gives.
#pragma once

#include <cstddef>
#include <memory>

#include "pipeline/matcher.h"

namespace parallax {

// Throws InvalidArgument for invalid parameters or sizes, and where options.memory_limit_bytes is too small,
// naming the least that would do.
std::unique_ptr<StereoMatcher> MakeCpuMatcher(const Parameters& parameters, const MatcherOptions& options);
// The same for the method AD-Census, which has no bands: within less memory than it needs it is refused.
std::unique_ptr<StereoMatcher> MakeCpuAdCensusMatcher(const Parameters& parameters,
                                                      const MatcherOptions& options);

}  // namespace parallax
