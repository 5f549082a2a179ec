// Every parameter has an effect on the back ends of this machine's processor; tests/cuda has the GPU's half.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include "config/backends.h"
#include "parallax/error.h"
#include "tests/support/parameter_effect.h"

namespace parallax::test {
namespace {

MatcherFactory On(const std::string& backend) {
  return [backend](const Parameters& parameters, const MatcherOptions& options) {
    return MakeMatcher(backend, parameters, options);
  };
}
std::vector<Method> MethodsOf(const std::string& backend) {
  std::vector<Method> methods;
  for (std::size_t i = 0; i < std::size(kMethodNames); ++i) {
    try {
      ResolveBackend(backend, static_cast<Method>(i));
      methods.push_back(static_cast<Method>(i));
    } catch (const InvalidArgument&) {  // has no such method
    }
  }
  return methods;
}

TEST(ParameterEffects, OnTheReference) {
  ExpectThatEveryParameterHasAnEffect(On("reference"), MethodsOf("reference"));
}
TEST(ParameterEffects, OnTheCpu) { ExpectThatEveryParameterHasAnEffect(On("cpu"), MethodsOf("cpu")); }

// A back end that never hears of p1.
std::unique_ptr<StereoMatcher> MakeDeafMatcher(const Parameters& parameters, const MatcherOptions& options) {
  Parameters heard = parameters;
  heard.aggregation.p1 = Parameters{}.aggregation.p1;
  return MakeReferenceMatcher(heard, options);
}

TEST(ParameterEffects, WhatHasNoneIsNamed) {
  EXPECT_NONFATAL_FAILURE(ExpectThatEveryParameterHasAnEffect(MakeDeafMatcher, {Method::kSgm}),
                          "aggregation.p1 had no effect");
}

}  // namespace
}  // namespace parallax::test
