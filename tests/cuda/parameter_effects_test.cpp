// Every parameter has an effect on the GPU too.
#include <gtest/gtest.h>

#include "cuda/matcher/cuda_matcher.h"
#include "tests/cuda/require_device.h"
#include "tests/support/parameter_effect.h"

namespace parallax::test {
namespace {

class CudaParameterEffects : public CudaTest {};

TEST_F(CudaParameterEffects, EveryParameterChangesAResult) {
  ExpectThatEveryParameterHasAnEffect(MakeCudaMatcher, {Method::kSgm, Method::kAdCensus});
}

}  // namespace
}  // namespace parallax::test
