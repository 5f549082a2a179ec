// Which back ends this library was built with, and making a matcher of a method on one of them.
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
// names stand for themselves. Throws InvalidArgument for an unknown name, Error for a back end that is not
// usable or has no such method, with the remedy.
std::string_view ResolveBackend(std::string_view backend, Method method = Method::kSgm);

// A matcher of parameters.method on that back end ("auto", "reference", "cpu", "cuda"). Throws as
// ResolveBackend, and as the back end does: InvalidArgument for parameters or sizes that cannot be.
std::unique_ptr<StereoMatcher> MakeMatcher(std::string_view backend, const Parameters& parameters,
                                           const MatcherOptions& options);

// One for images that lie in the memory of a GPU (device_matcher.h): "cuda", or "auto" where it is that.
std::unique_ptr<DeviceMatcher> MakeDeviceMatcher(std::string_view backend, const Parameters& parameters,
                                                 const MatcherOptions& options);

// MakeMatcher's with num_in_flight >= 1 frames in flight. More than one (cpu: so many matched at a time, each
// matcher with the next one at hand) cuda and cpu have; another back end is an InvalidArgument.
void RequireMatcherQueue(std::string_view backend, Method method = Method::kSgm);
std::unique_ptr<MatcherQueue> MakeMatcherQueue(std::string_view backend, const Parameters& parameters,
                                               const MatcherOptions& options, int num_in_flight);
// num_in_flight that gives the most frames per second: on the cpu, without a memory limit, one for each thread,
// fewer where W x H x D of all would be more than 2^27 a thread (320 MB; AD-Census: 740 MB); else 1.
int UsualFramesInFlight(std::string_view backend, const Parameters& parameters,
                        const MatcherOptions& options);

// The back end that measures clouds if matching runs on `backend`: the same, or "cpu" if it has no cloud
// measures.
std::string_view CloudBackendFor(std::string_view backend);

}  // namespace parallax
