// The cpu back end: vectors (AVX-512, AVX2, SSE4, NEON or none, chosen at run time) and threads, with the
// bits of the reference.
#pragma once

#include <cstddef>
#include <memory>

#include "parallax/error.h"
#include "pipeline/matchers/stereo_matcher.h"

namespace parallax {

// Thrown if options.memory_limit_bytes is too small for that many frames in flight; has the smallest
// sufficient limit.
class NeedsMoreMemory : public InvalidArgument {
 public:
  NeedsMoreMemory(const Parameters& parameters, const MatcherOptions& options, std::size_t needed_bytes,
                  int num_in_flight);
  std::size_t needed_bytes() const { return needed_bytes_; }

 private:
  std::size_t needed_bytes_;
};

// Throws InvalidArgument for invalid parameters or sizes, including NeedsMoreMemory.
std::unique_ptr<StereoMatcher> MakeCpuMatcher(const Parameters& parameters, const MatcherOptions& options);
// The same for the method AD-Census, which has no bands: too little memory is refused.
std::unique_ptr<StereoMatcher> MakeCpuAdCensusMatcher(const Parameters& parameters,
                                                      const MatcherOptions& options);

}  // namespace parallax
