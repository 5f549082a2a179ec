// Middlebury's sets of 2001 to 2006: what the size of an image says of its truth and calibration. The sizes
// are the published ones; real scenes are in real_data_test.cpp.
#include <gtest/gtest.h>

#include "datasets/formats/image_file.h"
#include "datasets/source.h"
#include "tests/datasets/test_files.h"

namespace parallax {
namespace {

using test::TemporaryFolder;
using test::WriteText;

constexpr std::uint8_t kStored = 24;  // in the file of the truth

StereoFrame ReadScene(const std::string& left, const std::string& right, const std::string& truth, int width,
                      int height) {
  const TemporaryFolder dir;
  for (const std::string& stem : {left, right, truth}) {
    WritePng(dir / (stem + ".png"), HostImage<std::uint8_t>(width, height, kStored).ConstView());
  }
  WriteText(dir / "dmin.txt", "270\n");
  return OpenSource({dir.path().string()}, {.kind = "middlebury_classic", .with_truth = true})->Read();
}

TEST(MiddleburyClassic, TheHeightTellsTheSizeOf2005And2006) {
  const struct { int height, divisor; } sizes[] = {{1110, 1}, {555, 2}, {370, 3}};
  for (const auto& [height, divisor] : sizes) {
    const StereoFrame frame = ReadScene("view1", "view5", "disp1", 9, height);
    ASSERT_TRUE(frame.rig && frame.truth) << height;
    EXPECT_EQ(frame.truth->disparity(4, 5), static_cast<float>(kStored) / static_cast<float>(divisor));
    EXPECT_DOUBLE_EQ(frame.rig->fx_px, 3740.0 / divisor);
    EXPECT_DOUBLE_EQ(frame.rig->doffs_px, 270.0 / divisor);
    EXPECT_DOUBLE_EQ(frame.rig->baseline_m, 0.160);
    EXPECT_DOUBLE_EQ(frame.rig->cy_px, (height - 1) / 2.0);
    EXPECT_EQ(frame.num_disparities_hint, 255 / divisor + 1);
  }
}

TEST(MiddleburyClassic, TheSizeTellsTheScaleOf2003AndAnyOtherIsOf2001) {
  const struct {
    int width, height, scale;
  } sizes[] = {{450, 375, 4}, {900, 750, 2}, {1800, 1500, 1}, {434, 383, 8}};
  for (const auto& [width, height, scale] : sizes) {
    const StereoFrame frame = ReadScene("im2", "im6", "disp2", width, height);
    ASSERT_TRUE(frame.truth) << width;
    EXPECT_EQ(frame.truth->disparity(4, 5), static_cast<float>(kStored) / static_cast<float>(scale));
    EXPECT_FALSE(frame.rig);  // dmin.txt belongs to later sets
  }
}

}  // namespace
}  // namespace parallax
