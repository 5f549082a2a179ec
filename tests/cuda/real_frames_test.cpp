// The same bits from the GPU and the reference on real pairs. A GPU machine need not have the data sets: the
// pairs come from a folder of NAME_left.pnm, NAME_right.pnm (binary PGM or PPM, 8 bits) that
// PARALLAX_GPU_PACK names; docs/gpu.md says how to make one.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cuda/matcher/cuda_matcher.h"
#include "tests/cuda/require_device.h"
#include "tests/support/matcher_sweep.h"
#include "tests/support/plain_parameters.h"

namespace parallax::test {
namespace {

class CudaRealFramesTest : public CudaTest {};

CameraImage ReadPnm(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string magic;
  int width = 0, height = 0, largest = 0;
  file >> magic >> width >> height >> largest;
  file.get();
  if (!file || largest != 255 || (magic != "P5" && magic != "P6"))
    throw Error(path.string() + ": no 8-bit P5 or P6");
  const auto read = [&](auto image) {
    for (int y = 0; y < height; ++y) {
      file.read(reinterpret_cast<char*>(image.Row(y)),
                static_cast<std::streamsize>(sizeof(*image.Row(y))) * width);
    }
    if (!file) throw Error(path.string() + ": ends too early");
    return CameraImage(std::move(image));
  };
  return magic == "P5" ? read(HostImage<std::uint8_t>(width, height)) : read(HostImage<Rgb8>(width, height));
}

TEST_F(CudaRealFramesTest, EqualTheReference) {
  const char* folder = std::getenv("PARALLAX_GPU_PACK");
  if (folder == nullptr) GTEST_SKIP() << "needs a folder of pairs: set PARALLAX_GPU_PACK (docs/gpu.md)";
  std::vector<std::filesystem::path> lefts;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().string().ends_with("_left.pnm")) lefts.push_back(entry.path());
  }
  std::sort(lefts.begin(), lefts.end());
  ASSERT_FALSE(lefts.empty()) << folder << " holds no *_left.pnm";
  for (const auto& left_path : lefts) {
    std::string right_path = left_path.string();
    right_path.replace(right_path.size() - 8, 8, "right.pnm");
    const CameraImage left = ReadPnm(left_path), right = ReadPnm(right_path);
    const MatcherOptions options{.width = WidthOf(ViewOf(left)), .height = HeightOf(ViewOf(left))};
    for (const bool adaptive : {false, true}) {
      Parameters parameters = test::PlainParameters();
      parameters.matching_cost.num_disparities = 192;
      if (adaptive) {
        parameters.matching_cost.num_disparities = 128;
        parameters.census_transform.window = CensusWindow::k9x7;
        parameters.aggregation.p2_slope = 1.5F;
        parameters.aggregation.p2_min = parameters.aggregation.p1;
        parameters.selection.uniqueness_percent = 5;
      }
      DisparityMap expected, actual;
      MakeReferenceMatcher(parameters, options)->Compute(ViewOf(left), ViewOf(right), expected);
      MakeCudaMatcher(parameters, options)->Compute(ViewOf(left), ViewOf(right), actual);
      EXPECT_EQ(DifferenceOf("frame", expected, actual), "")
          << left_path << (adaptive ? ", adaptive P2" : "");
    }
  }
}

}  // namespace
}  // namespace parallax::test
