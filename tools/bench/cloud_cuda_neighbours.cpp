// The rows of nearest neighbours in parallax_cuda_cloud_bench.
#include "tools/bench/cloud_cuda_bench.h"

namespace parallax::bench {

void BenchNeighbours(CloudBench&, const std::string&) {}

}  // namespace parallax::bench
