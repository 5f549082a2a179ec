// The back ends of this library, and making a matcher of a method on one of them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "parallax/cloud_measures.h"
#include "parallax/matcher.h"
#include "pipeline/matchers/device_matcher.h"
#include "pipeline/matchers/matcher_queue.h"
#include "pipeline/matchers/stereo_matcher.h"

namespace parallax {

// The back end that a name means: "auto" is the first usable one of Backends() that has the method; other
// names stand for themselves. Throws InvalidArgument for an unknown name. Throws Error with the remedy for a
// back end that is not usable or lacks the method.
std::string_view ResolveBackend(std::string_view backend, Method method = Method::kSgm);

// A matcher of parameters.method on that back end ("auto", "reference", "cpu", "cuda"). Throws what
// ResolveBackend throws, and what the back end throws: InvalidArgument for invalid parameters or sizes.
std::unique_ptr<StereoMatcher> MakeMatcher(std::string_view backend, const Parameters& parameters,
                                           const MatcherOptions& options);

// A matcher for images in the memory of a GPU (device_matcher.h): "cuda", or "auto" where that means cuda.
std::unique_ptr<DeviceMatcher> MakeDeviceMatcher(std::string_view backend, const Parameters& parameters,
                                                 const MatcherOptions& options);

// Throws InvalidArgument if the back end cannot have more than one frame in flight: only cuda and cpu can.
void RequireMatcherQueue(std::string_view backend, Method method = Method::kSgm);
// MakeMatcher's matcher with num_in_flight >= 1 frames in flight. cpu matches that many at a time, and each
// of its matchers has one more frame waiting. Throws what RequireMatcherQueue throws for more than one.
std::unique_ptr<MatcherQueue> MakeMatcherQueue(std::string_view backend, const Parameters& parameters,
                                               const MatcherOptions& options, int num_in_flight);
// The num_in_flight of a caller that states none. The cpu without a memory limit gets one for each thread,
// which is fastest, or fewer if W x H x D of all frames would exceed 2^27 for each thread (320 MB; AD-Census:
// 740 MB). Everything else gets 1.
int UsualFramesInFlight(std::string_view backend, const Parameters& parameters,
                        const MatcherOptions& options);

// The back end that measures clouds if matching runs on `backend`: the same, or "cpu" if it has no cloud
// measures.
std::string_view CloudBackendFor(std::string_view backend);

}  // namespace parallax
