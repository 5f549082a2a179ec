// The cpu back end: vectors (AVX-512, AVX2, SSE4, NEON or none, chosen at run time) and threads, to the bit
// what the reference gives.
#pragma once

#include <cstddef>
#include <memory>

#include "parallax/error.h"
#include "pipeline/matchers/stereo_matcher.h"

namespace parallax {

// What is thrown where options.memory_limit_bytes is too small for so many frames in flight; names the least
// that would do.
class NeedsMoreMemory : public InvalidArgument {
 public:
  NeedsMoreMemory(const Parameters& parameters, const MatcherOptions& options, std::size_t needed_bytes,
                  int num_in_flight);
  std::size_t needed_bytes() const { return needed_bytes_; }

 private:
  std::size_t needed_bytes_;
};

// Throws InvalidArgument for invalid parameters or sizes, NeedsMoreMemory among them.
std::unique_ptr<StereoMatcher> MakeCpuMatcher(const Parameters& parameters, const MatcherOptions& options);
// The same for the method AD-Census, which has no bands: within less memory than it needs it is refused.
std::unique_ptr<StereoMatcher> MakeCpuAdCensusMatcher(const Parameters& parameters,
                                                      const MatcherOptions& options);

}  // namespace parallax
