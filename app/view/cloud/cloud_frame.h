// The cloud of a frame, with what the window wants to know of its points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "parallax/cloud.h"
#include "parallax/image.h"
#include "parallax/rig.h"
#include "pipeline/types/frame.h"
#include "pipeline/types/parameter_info.h"

namespace parallax::app {

struct CloudFrame {
  PointCloud cloud;  // metres, camera frame; coloured from the image

  // If the cloud comes from a picture: its size, and y * width + x of every point, ascending. Later points
  // come from earlier frames.
  int width = 0, height = 0;  // px
  std::vector<std::int32_t> pixels;
  std::optional<StereoRig> rig;  // the camera; absent where the cloud comes from no picture
  bool has_true_scale = true;

  // The index of every point in its file; empty = the index here.
  std::vector<std::int32_t> index_in_file;

  // One value for every point, or empty if unknown. NaN: unknown for this point.
  std::vector<float> confidence;   // 0 .. 255
  std::vector<float> errors_px;    // |disparity - truth|
  std::vector<float> distances_m;  // to the nearest point of another cloud
  std::vector<bool> filled;        // of pixels that were not measured; empty: no point is
};

// The frame without the points of filled pixels; the frame itself if there are none.
std::shared_ptr<const CloudFrame> WithoutFilled(const std::shared_ptr<const CloudFrame>& frame);

// The point of a pixel; nullopt if it has none.
std::optional<std::size_t> PointOfPixel(const CloudFrame& frame, int x, int y);

struct Pixel {
  int x = 0, y = 0;
  friend bool operator==(const Pixel&, const Pixel&) = default;
};
// The pixel of a point; nullopt if it comes from none.
std::optional<Pixel> PixelOfPoint(const CloudFrame& frame, std::size_t point);

// What is known about a picture. All views have one size; those with null data are absent.
struct CloudInput {
  HostImageView<const float> disparity;
  CameraImageView colors;
  HostImageView<const std::uint8_t> confidence{};
  HostImageView<const float> truth{};  // px, NaN = unknown
  HostImageView<const std::uint8_t> validity{};
};
// Points are those, to the bit, that DepthFromDisparity and CloudFromDepth (reprojection.h) give.
CloudFrame MakeCloudFrame(const CloudInput& input, const StereoRig& rig,
                          const ReprojectionParameters& limits);

}  // namespace parallax::app
