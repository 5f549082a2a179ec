#include "cuda/cloud/neighbours/neighbour_query.cuh"

namespace parallax::cuda {

void LaunchNeighbourIndices(const NeighbourQuery& query, cudaStream_t stream) {
  LaunchOneOf<NeighbourKey, 1, 2, 3, 4, 8, 16, 32, 64>(query, stream);
}

namespace {

__global__ void SetNoNeighbours(std::int64_t count, std::int32_t* indices, float* distances) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  if (indices != nullptr) indices[i] = -1;
  if (distances != nullptr) distances[i] = __int_as_float(0x7F800000);
}

}  // namespace

void LaunchNoNeighbours(std::int64_t count, std::int32_t* indices, float* distances, cudaStream_t stream) {
  SetNoNeighbours<<<static_cast<unsigned>((count + 255) / 256), 256, 0, stream>>>(count, indices, distances);
  CheckLaunch("SetNoNeighbours");
}

}  // namespace parallax::cuda
