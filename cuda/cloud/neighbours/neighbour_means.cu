#include "cuda/cloud/neighbours/neighbour_query.cuh"

namespace parallax::cuda {

void LaunchNeighbourMeans(const NeighbourQuery& query, cudaStream_t stream) {
  LaunchOneOf<float, 1, 2, 3, 4, 8, 16, 32, 64>(query, stream);
}

}  // namespace parallax::cuda
