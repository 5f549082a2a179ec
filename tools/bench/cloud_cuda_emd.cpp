// The rows of earth mover's distances in parallax_cuda_cloud_bench.
#include "tools/bench/cloud_cuda_bench.h"

namespace parallax::bench {

void BenchEmd(CloudBench&, const std::string&) {}

}  // namespace parallax::bench
