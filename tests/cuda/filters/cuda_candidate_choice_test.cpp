#include "cuda/filters/cuda_candidate_choice.h"

#include "cuda/filters/cuda_plane_filling.h"
#include "pipeline/reference/refinement.h"
#include "pipeline/reference/stages.h"
#include "tests/cuda/filters/refinement_cases.h"
#include "tests/cuda/require_device.h"

namespace parallax::test {
namespace {

class CudaCandidateChoiceTest : public CudaTest {};

TEST_F(CudaCandidateChoiceTest, EqualsTheReference) {
  ThreadPool threads(1);
  const cuda::Stream stream;
  int num_changed = 0;
  for (int number = 0; number < 40; ++number) {
    RefinementCase c = MakeRefinementCase(number);
    const int width = c.guide.width(), height = c.guide.height();
    if (number % 8 != 0) reference::FillHoles(c.map, threads);
    DisparityMap expected = Clone(c.map);
    reference::FillFromPlanes(c.parameters, c.guide.ConstView(), expected, threads);
    const DisparityMap from_planes = Clone(expected);
    reference::ChooseCandidates(c.parameters, c.guide.ConstView(), c.map, expected, threads);
    num_changed += DifferenceOf("choice", from_planes, expected).empty() ? 0 : 1;

    cuda::DeviceBuffer<DisparityPlane> planes(cuda::LargestNumTiles(
        c.parameters.refinement, static_cast<std::size_t>(width) * static_cast<std::size_t>(height)));
    cuda::Arena counter;
    cuda::ChoiceMemory::Take(counter, width, height);
    cuda::DeviceBuffer<std::byte> memory(counter.bytes());
    cuda::Check(cudaMemsetAsync(memory.data(), 0xCD, memory.size(), stream.get()), "cudaMemsetAsync");
    cuda::Arena arena(memory.data());
    const auto guide = Uploaded(c.guide, stream);
    UploadedMap map(c.map, stream), filled(width, height, stream);
    const auto choice = cuda::ChoiceMemory::Take(arena, width, height);
    RejectedPixelsMemory rejected(width, height, stream);
    cuda::FillFromPlanes(c.parameters, guide.ConstView(), map.View(), planes.data(), rejected.View(),
                         filled.disparity.View(), choice.num_listed, stream.get());
    cuda::ChooseCandidates(c.parameters, guide.ConstView(), map.View(), planes.data(), choice,
                           filled.disparity.View(), stream.get());
    DisparityMap made = map.Download(stream);
    made.disparity = Downloaded(filled.disparity, stream);
    EXPECT_EQ(DifferenceOf("choice", expected, made), "") << "case " << number;
  }
  EXPECT_GT(num_changed, 15) << "the cases hardly have a choice";
}

}  // namespace
}  // namespace parallax::test
