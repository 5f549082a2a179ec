#include "cuda/filters/cuda_judgement.h"

#include "cuda/filters/cuda_plane_filling.h"
#include "pipeline/reference/refinement.h"
#include "tests/cuda/filters/refinement_cases.h"
#include "tests/cuda/require_device.h"

namespace parallax::test {
namespace {

class CudaJudgementTest : public CudaTest {};

TEST_F(CudaJudgementTest, EqualsTheReference) {
  ThreadPool threads(1);
  const cuda::Stream stream;
  int num_changed = 0;
  for (int number = 0; number < 40; ++number) {
    const RefinementCase c = MakeRefinementCase(number);
    const int width = c.guide.width(), height = c.guide.height();
    const std::size_t num_pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    DisparityMap expected = Clone(c.map);
    reference::JudgePixels(c.parameters, c.guide.ConstView(), c.selected.ConstView(), expected, threads);
    num_changed += DifferenceOf("judgement", c.map, expected).empty() ? 0 : 1;

    cuda::Arena counter;
    cuda::JudgementMemory::Take(counter, width, height);
    cuda::DeviceBuffer<std::byte> memory(counter.bytes());
    cuda::Check(cudaMemsetAsync(memory.data(), 0xCD, memory.size(), stream.get()), "cudaMemsetAsync");
    cuda::Arena arena(memory.data());
    const cuda::JudgementMemory judgement = cuda::JudgementMemory::Take(arena, width, height);
    cuda::DeviceBuffer<DisparityPlane> planes(cuda::LargestNumTiles(c.parameters.refinement, num_pixels));
    const auto guide = Uploaded(c.guide, stream);
    UploadedMap map(c.map, stream);
    cuda::UploadAsync(c.selected.ConstView(), DeviceImageView<float>{judgement.selected, width, height},
                      stream.get());
    cuda::FitPlanes(c.parameters, map.View(), planes.data(), stream.get());
    cuda::JudgePixels(c.parameters, guide.ConstView(), judgement, planes.data(), map.View(), stream.get());
    EXPECT_EQ(DifferenceOf("judgement", expected, map.Download(stream)), "") << "case " << number;
  }
  EXPECT_GT(num_changed, 20) << "the cases hardly ask for a verdict";
}

}  // namespace
}  // namespace parallax::test
