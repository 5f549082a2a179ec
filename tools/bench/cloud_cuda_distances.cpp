// The rows of pairwise distances in parallax_cuda_cloud_bench.
#include "tools/bench/cloud_cuda_bench.h"

namespace parallax::bench {

void BenchDistances(CloudBench&, const std::string&) {}

}  // namespace parallax::bench
