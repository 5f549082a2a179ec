#include "gstreamer/frame_matching.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "parallax/error.h"

namespace parallax::gstreamer {
namespace {

using ::testing::HasSubstr;

// Bytes of an output of 5x3 px, all but as many; what Match says of it.
std::string FaultOf(Output form, std::ptrdiff_t stride_bytes, std::size_t num_bytes, int width = 5) {
  FrameMatching matching({.parameters = "matching_cost.num_disparities=4", .backend = "cpu", .threads = 1});
  const HostImage<std::uint8_t> image(width, 3, 0);
  std::vector<std::uint8_t> bytes(num_bytes);
  try {
    matching.Match(image.ConstView(), image.ConstView(),
                   {.output = form, .rig = {.fx_px = 10, .baseline_m = 0.1}},
                   {.data = bytes.data(), .num_bytes = num_bytes, .stride_bytes = stride_bytes});
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(FrameMatching, WritesNothingOutsideTheOutput) {
  EXPECT_EQ(FaultOf(Output::kDisparity, 10, 30), "");
  EXPECT_EQ(FaultOf(Output::kColor, 16, 47), "");  // the last row ends with its pixels
  EXPECT_THAT(FaultOf(Output::kColor, 10, 30), HasSubstr("give rows of at least 15 bytes"));
  EXPECT_THAT(FaultOf(Output::kColor, 16, 46), HasSubstr("have no room for the result of 5x3 px"));
  EXPECT_THAT(FaultOf(Output::kDepth, 10, 29), HasSubstr("29 bytes in rows of 10"));
  EXPECT_THAT(FaultOf(Output::kDisparity, 10, 30, 6), HasSubstr("have no room for the result of 6x3 px"));
}

}  // namespace
}  // namespace parallax::gstreamer
