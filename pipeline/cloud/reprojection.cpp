#include "pipeline/cloud/reprojection.h"

#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "parallax/error.h"
#include "pipeline/rules/pixel_color.h"
#include "pipeline/simd/reprojection_kernels.h"
#include "pipeline/simd/row_tasks.h"

namespace parallax {
namespace {

// Calls body(y_begin, y_end) for blocks of rows, on all threads if there are any.
template <typename Body>
void ForRowBlocks(int height, ThreadPool* threads, const Body& body) {
  constexpr int kRowsPerBlock = 16;
  if (threads == nullptr) return body(0, height);
  cpu::ForRowBlocks(height, kRowsPerBlock, *threads, body);
}

}  // namespace

void DepthFromDisparity(HostImageView<const float> disparity, const StereoRig& rig,
                        const ReprojectionParameters& limits, HostImageView<float> depth,
                        ThreadPool* threads) {
  if (!(rig.fx_px > 0) || !(rig.baseline_m > 0)) {
    throw InvalidArgument("rig has focal length " + std::to_string(rig.fx_px) + " px and baseline " +
                          std::to_string(rig.baseline_m) + " m: both must be positive to give a depth");
  }
  const float fb = static_cast<float>(rig.fx_px * rig.baseline_m);
  const float doffs = static_cast<float>(rig.doffs_px);
  ForRowBlocks(disparity.height, threads, [&](int begin, int end) {
    for (int y = begin; y < end; ++y)
      cpu::DepthRow(disparity.Row(y), disparity.width, fb, doffs, limits, depth.Row(y));
  });
}

PointCloud CloudFromDepth(HostImageView<const float> depth, const CameraImageView& left, const StereoRig& rig,
                          ThreadPool* threads) {
  const float fx = static_cast<float>(rig.fx_px);
  const float cx = static_cast<float>(rig.cx_px), cy = static_cast<float>(rig.cy_px);
  if (WidthOf(left) != depth.width || HeightOf(left) != depth.height)
    throw InvalidArgument("depth map and left image differ in size");
  const std::size_t height = static_cast<std::size_t>(depth.height),
                    width = static_cast<std::size_t>(depth.width);
  // Counted first, so that every row knows its place in the cloud.
  std::vector<std::size_t> first(height + 1);
  ForRowBlocks(depth.height, threads, [&](int begin, int end) {
    for (int y = begin; y < end; ++y) {
      first[static_cast<std::size_t>(y) + 1] =
          static_cast<std::size_t>(cpu::CountDepths(depth.Row(y), depth.width));
    }
  });
  std::partial_sum(first.begin(), first.end(), first.begin());
  PointCloud cloud;
  cloud.points.resize(first.back());
  cloud.colors.resize(first.back());
  ForRowBlocks(depth.height, threads, [&](int begin, int end) {
    std::vector<float> row_x(width), row_y(width);
    for (int y = begin; y < end; ++y) {
      const float* z = depth.Row(y);
      cpu::CloudRow(z, depth.width, fx, cx, static_cast<float>(y) - cy, row_x.data(), row_y.data());
      std::visit(
          [&](const auto& image) {
            std::size_t to = first[static_cast<std::size_t>(y)];
            for (std::size_t x = 0; x < width; ++x) {
              if (std::isnan(z[x])) continue;
              cloud.points[to] = {row_x[x], row_y[x], z[x]};
              cloud.colors[to++] = RgbOf(image.Row(y)[x]);
            }
          },
          left);
    }
  });
  return cloud;
}

}  // namespace parallax
