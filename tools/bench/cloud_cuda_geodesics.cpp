// The rows of shortest paths in parallax_cuda_cloud_bench.
#include "tools/bench/cloud_cuda_bench.h"

namespace parallax::bench {

void BenchGeodesics(CloudBench&, const std::string&) {}

}  // namespace parallax::bench
