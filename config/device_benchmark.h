// Times of one frame's steps on a GPU, with the back end cuda. Not part of the installed interface.
#pragma once

#include <optional>
#include <string_view>

#include "cuda/matcher/frame_benchmark.h"

namespace parallax {

// Times on the device; nullopt if the back end (see ResolveBackend) is not cuda.
std::optional<CudaFrameTimes> MeasureOnDevice(std::string_view backend, const Parameters& parameters,
                                              const MatcherOptions& options, const CameraImageView& left,
                                              const CameraImageView& right,
                                              const CudaBenchmarkOptions& benchmark);

}  // namespace parallax
