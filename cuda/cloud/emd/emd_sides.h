// Clouds in the auction's form (pipeline/cloud/emd/emd_problem.h), made on the device: in curve order, in
// units, in boxes, with the bits of the host.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "cuda/cloud/emd/emd_kernel.h"
#include "parallax/cloud.h"

namespace parallax::cuda {

// One cloud of a pair. All clouds are in one array, one after the other; so are the parents of their boxes.
struct EmdSideOnDevice {
  std::int64_t first_point, first_parent;
  int size, num_boxes;
  double low_m[3], cells_per_m, units_per_m;  // emd::Scale
  float4 *points, *boxes, *parents;           // EmdPairOnDevice::a, a_boxes, a_parents
};

// More sides than this do not fit into the keys.
inline constexpr int kMostEmdSides = 1 << 16;

// Device memory for SortEmdSides.
struct EmdSortBuffers {
  std::uint64_t* keys[2];
  std::uint32_t* order[2];
  void* temporary;
  std::size_t temporary_bytes;
};
std::size_t EmdSortBytes(std::int64_t num_points);

// Sorts the points of every side along the curve. sides: device memory; points: of all sides. Returns which
// of buffers.order holds the order: indices into points, side after side.
int SortEmdSides(const EmdSideOnDevice* sides, int num_sides, const Point3f* points, std::int64_t num_points,
                 const EmdSortBuffers& buffers, cudaStream_t stream);
// Fills points, boxes and parents of every side.
void FillEmdSides(const EmdSideOnDevice* sides, int num_sides, std::int64_t num_parents,
                  const Point3f* points, const std::uint32_t* order, cudaStream_t stream);
// Sets the initial sums of an auction.
void StartEmdSums(EmdPhaseSums* sums, int num_pairs, cudaStream_t stream);

}  // namespace parallax::cuda
