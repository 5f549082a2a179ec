// rectification: one thread a pixel. Neighbouring pixels lie side by side in the raw image, too, so that its
// reads come from the caches; what must move is the tables, eight bytes per pixel.
#include "cuda/calibration/cuda_remap.h"

#include <variant>

#include "cuda/device/check.h"
#include "parallax/disparity_map.h"
#include "pipeline/calibration/rectification_math.h"

namespace parallax::cuda {
namespace {

constexpr dim3 kBlock(64, 4);

dim3 GridFor(int width, int height, unsigned depth) {
  return {static_cast<unsigned>(width + 63) / 64, static_cast<unsigned>(height + 3) / 4, depth};
}

template <typename Pixel>
struct RemapJob {
  DeviceImageView<const Pixel> from;
  DeviceRemapTable table;
  DeviceImageView<Pixel> to;
};

template <typename Pixel>
__global__ void RemapKernel(RemapJob<Pixel> left, RemapJob<Pixel> right) {
  const RemapJob<Pixel>& job = blockIdx.z == 0 ? left : right;
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (!job.to.Contains(x, y)) return;
  job.to(x, y) = RemappedPixel(job.from, job.table.x(x, y), job.table.y(x, y));
}

__global__ void RemoveUnseenKernel(RemapTables tables, DeviceDisparityMap map) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (!map.disparity.Contains(x, y)) return;
  const int match = MatchColumn(x, map.disparity(x, y), map.disparity.width);
  if (tables.left.x(x, y) >= 0 && (match < 0 || tables.right.x(match, y) >= 0)) return;
  map.disparity(x, y) = __int_as_float(0x7FC00000);
  map.validity(x, y) = static_cast<std::uint8_t>((map.validity(x, y) | kOutOfRange) & ~unsigned{kFilled});
}

}  // namespace

void RemapPair(const DeviceCameraImage& left, const DeviceCameraImage& right, const RemapTables& tables,
               void* left_to, void* right_to, cudaStream_t stream) {
  const int width = tables.left.x.width, height = tables.left.x.height;
  std::visit(
      [&]<typename T>(const DeviceImageView<const T>& from_left) {
        const auto& from_right = std::get<DeviceImageView<const T>>(right);
        const RemapJob<T> left_job{from_left, tables.left, {static_cast<T*>(left_to), width, height}};
        const RemapJob<T> right_job{from_right, tables.right, {static_cast<T*>(right_to), width, height}};
        RemapKernel<T><<<GridFor(width, height, 2), kBlock, 0, stream>>>(left_job, right_job);
        CheckLaunch("RemapKernel");
      },
      left);
}

void RemoveUnseen(const RemapTables& tables, const DeviceDisparityMap& map, cudaStream_t stream) {
  const dim3 grid = GridFor(map.disparity.width, map.disparity.height, 1);
  RemoveUnseenKernel<<<grid, kBlock, 0, stream>>>(tables, map);
  CheckLaunch("RemoveUnseenKernel");
}

}  // namespace parallax::cuda
