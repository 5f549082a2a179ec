#include "cuda/filters/cuda_plane_filling.h"

#include "pipeline/reference/refinement.h"
#include "tests/cuda/filters/refinement_cases.h"
#include "tests/cuda/require_device.h"

namespace parallax::test {
namespace {

class CudaPlaneFillingTest : public CudaTest {};

TEST_F(CudaPlaneFillingTest, EqualsTheReference) {
  ThreadPool threads(1);
  const cuda::Stream stream;
  int num_filled = 0;
  for (int number = 0; number < 40; ++number) {
    const RefinementCase c = MakeRefinementCase(number);
    const int width = c.guide.width(), height = c.guide.height();
    DisparityMap expected = Clone(c.map);
    reference::FillFromPlanes(c.parameters, c.guide.ConstView(), expected, threads);
    num_filled += DifferenceOf("planes", c.map, expected).empty() ? 0 : 1;

    cuda::DeviceBuffer<DisparityPlane> planes(cuda::LargestNumTiles(
        c.parameters.refinement, static_cast<std::size_t>(width) * static_cast<std::size_t>(height)));
    const auto guide = Uploaded(c.guide, stream);
    UploadedMap map(c.map, stream), filled(width, height, stream);
    RejectedPixelsMemory rejected(width, height, stream);
    cuda::FillFromPlanes(c.parameters, guide.ConstView(), map.View(), planes.data(), rejected.View(),
                         filled.disparity.View(), nullptr, stream.get());
    DisparityMap made = map.Download(stream);
    made.disparity = Downloaded(filled.disparity, stream);
    EXPECT_EQ(DifferenceOf("planes", expected, made), "") << "case " << number;
  }
  EXPECT_GT(num_filled, 20) << "the cases have hardly a plane";
}

}  // namespace
}  // namespace parallax::test
