#include "cuda/filters/cuda_smoothing.h"

#include <utility>

#include "pipeline/reference/refinement.h"
#include "tests/cuda/filters/refinement_cases.h"
#include "tests/cuda/require_device.h"

namespace parallax::test {
namespace {

class CudaSmoothingTest : public CudaTest {};

TEST_F(CudaSmoothingTest, EqualsTheReference) {
  ThreadPool threads(1);
  const cuda::Stream stream;
  for (int number = 0; number < 40; ++number) {
    const RefinementCase c = MakeRefinementCase(number);
    const RefinementParameters& parameters = c.parameters.refinement;
    HostImage<float> expected = c.map.disparity.Clone();
    reference::Smooth(parameters, expected.View(), threads);

    auto from = Uploaded(c.map.disparity, stream);
    cuda::DeviceImage<float> to(from.width(), from.height());
    for (int pass = 0; pass < parameters.smoothing_passes; ++pass) {
      cuda::SmoothOnce(parameters, pass, from.ConstView(), to.View(), stream.get());
      std::swap(from, to);
    }
    EXPECT_EQ(DifferenceOf("smoothing", expected, Downloaded(from, stream)), "") << "case " << number;
  }
}

}  // namespace
}  // namespace parallax::test
